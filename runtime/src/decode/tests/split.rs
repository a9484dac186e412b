//! Shapes of lists and watches, each cut at every byte.

use super::*;

fn objects(got: &[Got]) -> Vec<&str> {
    got.iter()
        .map(|got| match got {
            Got::Object(None, bytes) => bytes.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn end(version: &str, token: &str, remaining: Option<i64>) -> Result<ListEnd, String> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(ListEnd {
        resource_version: text(version),
        continue_token: text(token),
        remaining_item_count: remaining,
    })
}

#[test]
fn lists_in_any_shape_yield_their_items_and_their_end() {
    let pod = r#"{"metadata":{"name":"a"}}"#;
    let rows = [
        (
            format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7","continue":"tok","remainingItemCount":3}},"items":[{pod},{{"b":[1,{{}}]}}]}}"#
            ),
            vec![pod, r#"{"b":[1,{}]}"#],
            end("7", "tok", Some(3)),
        ),
        (
            format!(r#"{{"items":[{pod}],"metadata":{{"continue":"","resourceVersion":"7"}}}}"#),
            vec![pod],
            end("7", "", None),
        ),
        (
            format!(
                " {{ \"items\" :\n[ {pod} ,\r\n\t{pod} ] , \"x\" : [1, {{\"items\":[2]}}] , \"metadata\" : {{ }} }} \n"
            ),
            vec![pod, pod],
            end("", "", None),
        ),
        (
            r#"{"kind":"PodList","items":null,"metadata":{"resourceVersion":"\u0031"}}"#.into(),
            vec![],
            end("1", "", None),
        ),
        (
            r#"{"items":[],"metadata":null}"#.into(),
            vec![],
            end("", "", None),
        ),
        (
            r#"{"kind":"PodList","metadata":{}}"#.into(),
            vec![],
            end("", "", None),
        ),
        (
            r#"{"\u0069tems":[ 1 , "x\"]" , null,-2.5e3,[[]]]}"#.into(),
            vec!["1", r#""x\"]""#, "null", "-2.5e3", "[[]]"],
            end("", "", None),
        ),
        (
            r#"{"items":[{"a":"]}\\"},{"a":"\\\""}]}"#.into(),
            vec![r#"{"a":"]}\\"}"#, r#"{"a":"\\\""}"#],
            end("", "", None),
        ),
    ];
    for (body, items, wanted) in rows {
        let (got, end) = list(&body);
        assert_eq!(objects(&got), items, "{body}");
        assert_eq!(end, wanted, "{body}");
    }
}

//! Shapes of lists, each cut at every byte.

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

#[test]
fn a_truncated_list_is_an_error_at_every_byte() {
    let body = r#"{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":"b"},{}]}"#;
    for end in 0..body.len() {
        let (got, finished) = split(
            Splitter::list(SplitOptions::default()),
            [&body.as_bytes()[..end]],
        );
        assert!(
            got.iter().all(|got| matches!(got, Got::Object(..))),
            "{end}: {got:?}"
        );
        assert_eq!(finished, Err(SplitError::Truncated.to_string()), "{end}");
    }
}

#[test]
fn what_is_no_list_is_refused() {
    for body in [
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":403}"#,
        r#"{"metadata":{"resourceVersion":"1","name":"a"},"kind":"Pod"}"#,
        "{}",
        r#"{"items":{"a":1}}"#,
        r#"{"items":"null"}"#,
        r#"{"kind":7}"#,
        "[1]",
        "null",
        "<html><body>Bad gateway</body></html>",
        "404 page not found\n",
    ] {
        let (got, finished) = list(body);
        assert!(
            got.iter().all(|got| matches!(got, Got::Error(_))),
            "{body}: {got:?}"
        );
        assert_eq!(finished, Err(SplitError::NotAList.to_string()), "{body}");
    }
    for (body, path) in [
        (
            r#"{"metadata":{"resourceVersion":7},"items":[{}]}"#,
            "resourceVersion: ",
        ),
        (
            r#"{"items":[{}],"metadata":[1.2.3]}"#,
            "expected an object, found an array",
        ),
    ] {
        let mut splitter = Splitter::list(SplitOptions::default());
        splitter.push(body.as_bytes());
        let error = std::iter::from_fn(|| splitter.next().map(|item| item.map(|_| ())))
            .find_map(Result::err)
            .unwrap();
        let SplitError::Metadata(source) = &error else {
            panic!("{error:?}");
        };
        assert!(source.to_string().starts_with(path), "{source}");
        assert!(matches!(splitter.finish(), Err(SplitError::Metadata(_))));
    }
}

#[test]
fn garbage_in_a_list_ends_it_with_an_error_that_says_where() {
    for (body, objects, position, expected) in [
        (r#"{"items":[{"a":1},{"b":]}]}"#, 1, 23, "`}`"),
        (r#"{"items":[{"a":1} {"b":2}]}"#, 1, 18, "`,` or `]`"),
        (r#"{"items":[{"a":1},]}"#, 1, 18, "a value"),
        (r#"{"items":[,{"a":1}]}"#, 0, 10, "a value"),
        (
            r#"{"items":[{"a":{} {}}]}"#,
            0,
            18,
            "a comma or a closing bracket before a further array or object",
        ),
        (r#"{"items":[1 2]}"#, 1, 12, "`,` or `]`"),
        (r#"{"items":[1}"#, 1, 11, "`,` or `]`"),
        (r#"{"items":[],}"#, 0, 12, "a key"),
        (r#"{"items":[] "kind":1}"#, 0, 12, "`,` or `}`"),
        (r#"{"items" []}"#, 0, 9, "`:`"),
        (r#"{items:[]}"#, 0, 1, "a key"),
        (r#"{"items":}"#, 0, 9, "a value"),
        (
            r#"{"items":[]}{"items":[]}"#,
            0,
            12,
            "nothing after the list",
        ),
    ] {
        let (got, finished) = list(body);
        let error = SplitError::Malformed { position, expected }.to_string();
        assert_eq!(got.last(), Some(&Got::Error(error.clone())), "{body}");
        assert_eq!(got.len(), objects + 1, "{body}: {got:?}");
        assert_eq!(finished, Err(error), "{body}");
    }
}

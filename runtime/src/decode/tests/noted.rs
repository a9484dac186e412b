//! What can be asked of an object without decoding it.

use std::borrow::Cow;

use super::*;

fn name(text: &str) -> Option<String> {
    RawBuffer::new(text).unwrap().raw().name().map(Into::into)
}

#[test]
fn c136_identity_is_known_wherever_it_stands_and_only_there() {
    let rows = [
        (r#"{"metadata":{"name":"a"}}"#, Some("a")),
        (
            r#" { "spec" : { "name" : "x" } , "metadata" : { "labels" : {"name":"x"} , "name" : "a" } } "#,
            Some("a"),
        ),
        (
            r#"{"metadata":{"ownerReferences":[{"name":"x"}],"name":"a"},"name":"x"}"#,
            Some("a"),
        ),
        (r#"{"metadata":{"name":"a\u00e9\n"}}"#, Some("a\u{e9}\n")),
        (r#"{"metadata":{"x":"name","name":"a"}}"#, Some("a")),
        (r#"{"metadata":{"name":"a","name":"b"}}"#, Some("b")),
        (
            r#"{"metadata":{"name":"a"},"spec":{"name":"x"}}"#,
            Some("a"),
        ),
        (r#"{"metadata":{"a":1},"spec":{"name":"x"}}"#, None),
        (r#"{"metadata":{"name":7,"x":"y"}}"#, None),
        (r#"{"metadata":{"name":["x"]}}"#, None),
        (r#"{"metadata":{"name":null},"kind":"x"}"#, None),
        (r#"{"metadata":{"name":"\ud800"}}"#, None),
        (r#"{"metadata":"name"}"#, None),
        (r#"{"metadata":["name","x"]}"#, None),
        (r#"["metadata",{"name":"x"}]"#, None),
        (r#"{"name":"x"}"#, None),
        (r#"{}"#, None),
        (r#""metadata""#, None),
    ];
    for (text, wanted) in rows {
        assert_eq!(name(text).as_deref(), wanted, "{text}");
    }
}

#[test]
fn an_empty_namespace_is_none() {
    for (text, wanted) in [
        (r#"{"metadata":{"namespace":"web"}}"#, Some("web")),
        (r#"{"metadata":{"namespace":""}}"#, None),
        (r#"{"metadata":{}}"#, None),
    ] {
        assert_eq!(
            RawBuffer::new(text).unwrap().raw().namespace().as_deref(),
            wanted
        );
    }
}

#[test]
fn c090_the_bookmark_that_ends_a_streaming_list_is_recognised_by_its_annotation() {
    let key = "k8s.io/initial-events-end";
    let rows = [
        (r#"{"k8s.io/initial-events-end":"true"}"#, Some("true")),
        (
            r#"{ "a" : "b" , "k8s.io/initial-events-end" : "false" }"#,
            Some("false"),
        ),
        (
            r#"{"k8s.io\/initial-events-end":"tr\u0075e"}"#,
            Some("true"),
        ),
        (r#"{"k8s.io/initial-events-end":true}"#, None),
        (
            r#"{"a":["k8s.io/initial-events-end"],"b":{"k8s.io/initial-events-end":"true"}}"#,
            None,
        ),
        (r#"{"a":x,"k8s.io/initial-events-end":"true"}"#, None),
        (r#"["k8s.io/initial-events-end","true"]"#, None),
        (r#"{}"#, None),
        (r#"null"#, None),
    ];
    for (annotations, wanted) in rows {
        let body = format!(
            r#"{{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"9","annotations":{annotations}}}}}}}"#
        );
        let mut splitter = Splitter::watch(SplitOptions::default());
        splitter.push(body.as_bytes());
        let item = splitter.next().unwrap().unwrap();
        assert_eq!(item.event, Some(EventType::Bookmark));
        assert_eq!(
            item.object.annotation(key).as_deref(),
            wanted,
            "{annotations}"
        );
        assert_eq!(item.object.resource_version().as_deref(), Some("9"));
    }
    // Not the annotations of something inside the object.
    let pod = r#"{"spec":{"template":{"metadata":{"annotations":{"k":"v"}}}}}"#;
    assert_eq!(RawBuffer::new(pod).unwrap().raw().annotation("k"), None);
}

#[test]
fn c150_what_does_not_decode_still_says_who_it_is() {
    let body = r#"{"items":[
        {"metadata":{"name":"good"}},
        {"metadata":{"name":"bad","namespace":"n","uid":"u","resourceVersion":"5","creationTimestamp":"when?"}},
        {"metadata":{"name":"ugly","namespace":"n"},"spec":{"containers":[1.2.3,tru,"\x"]}},
        {"metadata":{"name":"good too"}}
    ]}"#;
    let mut splitter = Splitter::list(SplitOptions::default());
    let mut seen = Vec::new();
    for chunk in body.as_bytes().chunks(7) {
        splitter.push(chunk);
        while let Some(item) = splitter.next() {
            let object = item.unwrap().object;
            let decoded = object.decode::<k8s_openapi::api::core::v1::Pod>().is_ok();
            seen.push((
                object.name().unwrap().into_owned(),
                object.namespace().map(Cow::into_owned),
                decoded,
            ));
        }
    }
    let n = || Some("n".to_owned());
    let wanted = [
        ("good", None, true),
        ("bad", n(), false),
        ("ugly", n(), false),
        ("good too", None, true),
    ];
    assert_eq!(
        seen,
        wanted.map(|(name, namespace, decoded)| (name.to_owned(), namespace, decoded))
    );
    splitter.finish().unwrap();
}

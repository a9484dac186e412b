//! `metadata.managedFields` is gone before anything is decoded.

use k8s_openapi::api::core::v1::Pod;

use super::random::{json, seeded};
use super::*;

fn cut(text: &str) -> String {
    let buffer = RawBuffer::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    String::from_utf8(buffer.raw().bytes().to_vec()).unwrap()
}

#[test]
fn c051_managed_fields_are_cut_wherever_they_stand() {
    let field = r#""managedFields":[{"fieldsV1":{"f:a":{"k:{\"x\":1}":[[],["]"]]}}},{}]"#;
    let rows = [
        (r#"{"metadata":{M}}"#, r#"{"metadata":{}}"#),
        (
            r#"{"metadata":{M,"name":"a"}}"#,
            r#"{"metadata":{"name":"a"}}"#,
        ),
        (
            r#"{"metadata":{"name":"a",M}}"#,
            r#"{"metadata":{"name":"a"}}"#,
        ),
        (
            r#"{"metadata":{"uid":"u",M,"name":"a"}}"#,
            r#"{"metadata":{"uid":"u","name":"a"}}"#,
        ),
        (
            r#"{ "metadata" : { M , "name" : "a" } }"#,
            r#"{ "metadata" : {  "name" : "a" } }"#,
        ),
        (
            r#"{ "metadata" : { "name" : "a" , M } }"#,
            r#"{ "metadata" : { "name" : "a"  } }"#,
        ),
        (
            r#"{"x":[1],"metadata":{"name":"a",M},"y":[2]}"#,
            r#"{"x":[1],"metadata":{"name":"a"},"y":[2]}"#,
        ),
        // Elsewhere it is just a name.
        (r#"{M}"#, r#"{M}"#),
        (r#"{"spec":{M}}"#, r#"{"spec":{M}}"#),
        (
            r#"{"metadata":{"annotations":{M}}}"#,
            r#"{"metadata":{"annotations":{M}}}"#,
        ),
        (r#"{"metadata":[{M}]}"#, r#"{"metadata":[{M}]}"#),
        (
            r#"{"spec":{"metadata":{M}}}"#,
            r#"{"spec":{"metadata":{M}}}"#,
        ),
        (r#"[{"metadata":{M}}]"#, r#"[{"metadata":{M}}]"#),
    ];
    for (before, after) in rows {
        for field in [
            field,
            r#""managedFields":[]"#,
            r#""managedFields" : [ ]"#,
            r#""managedFields":{"a":[1]}"#,
        ] {
            assert_eq!(
                cut(&before.replace('M', field)),
                after.replace('M', field),
                "{before}"
            );
        }
    }
    for kept in [
        r#"{"metadata":{"managedFields":null}}"#,
        r#"{"metadata":{"managedFields":"["}}"#,
    ] {
        assert_eq!(cut(kept), kept, "what costs nothing stays");
    }
}

#[test]
fn what_is_cut_leaves_no_trace_in_what_was_noted() {
    let text = r#"{"kind":"K","metadata":{"name":"a","managedFields":[{"x":[1,"s",[2]]}],"namespace":"n","annotations":{"k":"v"},"uid":"u","resourceVersion":"7"},"apiVersion":"v","list":[[1],[2,3],"\n"]}"#;
    let buffer = RawBuffer::new(text).unwrap();
    let raw = buffer.raw();
    let asked = [
        raw.kind(),
        raw.name(),
        raw.namespace(),
        raw.uid(),
        raw.resource_version(),
        raw.api_version(),
    ];
    assert_eq!(asked.map(Option::unwrap), ["K", "a", "n", "u", "7", "v"]);
    assert_eq!(raw.annotation("k").as_deref(), Some("v"));
    let lists: serde_json::Value = raw.decode().unwrap();
    assert_eq!(lists["list"], serde_json::json!([[1], [2, 3], "\n"]));
}

#[test]
fn random_objects_are_the_same_without_their_managed_fields() {
    let mut rng = seeded();
    for _ in 0..2_000 {
        let members: Vec<String> = (0..rng.usize(..5))
            .map(|at| format!("\"m{at}\":{}", json(&mut rng, 3)))
            .collect();
        let managed = format!("\"managedFields\":[{}]", json(&mut rng, 4));
        let other = json(&mut rng, 3);
        let mut with = members.clone();
        with.insert(rng.usize(..=members.len()), managed);
        let object = |members: &[String]| {
            format!(
                "{{\"a\":{other},\"metadata\":{{{}}},\"z\":{other}}}",
                members.join(",")
            )
        };
        let body = object(&with);
        let wanted: serde_json::Value = decode_bytes(object(&members).as_bytes()).unwrap();
        let buffer = RawBuffer::new(body.as_str()).unwrap();
        assert_eq!(
            buffer.raw().decode::<serde_json::Value>().unwrap(),
            wanted,
            "{body}"
        );
        // Both ways of knowing the lengths agree.
        assert_eq!(
            decode_bytes::<serde_json::Value>(buffer.raw().bytes()).unwrap(),
            wanted
        );
    }
}

#[test]
fn the_splitter_cuts_unless_told_otherwise() {
    let pod: Pod = serde_json::from_str(POD).unwrap();
    let mut bare = pod.clone();
    bare.metadata.managed_fields = None;
    for keep_managed_fields in [false, true] {
        let options = SplitOptions {
            keep_managed_fields,
            ..SplitOptions::default()
        };
        let wanted = if keep_managed_fields { &pod } else { &bare };
        let list = format!(r#"{{"items":[{POD},{POD}],"kind":"PodList"}}"#);
        let watch = format!(
            "{{\"type\":\"ADDED\",\"object\":{POD}}}\n{{\"object\":{POD},\"type\":\"ADDED\"}}\n"
        );
        for (mut splitter, body) in [
            (Splitter::list(options), list),
            (Splitter::watch(options), watch),
        ] {
            let mut seen = 0;
            for chunk in body.as_bytes().chunks(997) {
                splitter.push(chunk);
                while let Some(item) = splitter.next() {
                    let object = item.unwrap().object;
                    assert_eq!(&object.decode::<Pod>().unwrap(), wanted);
                    assert_eq!(object.name().as_deref(), Some("api-7c9d8f6b54-x2x9k"));
                    seen += 1;
                }
            }
            assert_eq!(seen, 2);
            splitter.finish().unwrap();
        }
    }
}

#[test]
fn malformed_managed_fields_never_make_a_malformed_object_decode() {
    // Not JSON, and still not JSON after the cut.
    for broken in [
        r#"{"metadata":{,"managedFields":[]}}"#,
        r#"{"metadata":{"managedFields":[],}}"#,
        r#"{"metadata":{"managedFields":[],,"a":1}}"#,
        r#"{"metadata":{"a":1,,"managedFields":[]}}"#,
        r#"{"metadata":{"a":1 "managedFields":[]}}"#,
        r#"{"metadata":{"a":1,"managedFields":[] "b":2}}"#,
        r#"{"metadata":{"managedFields":[] "b":2}}"#,
        r#"{"metadata":{"managedFields"::[]}}"#,
        r#"{"metadata":{"a":1,"managedFields":[]x}}"#,
    ] {
        assert!(serde_json::from_str::<serde_json::Value>(broken).is_err());
        let buffer = RawBuffer::new(broken).unwrap();
        assert!(
            buffer.raw().decode::<serde_json::Value>().is_err(),
            "{broken}"
        );
    }
    // What is inside is gone, well formed or not: it harms nobody.
    let buffer =
        RawBuffer::new(r#"{"metadata":{"name":"a","managedFields":[nonsense,{"a"}]}}"#).unwrap();
    assert_eq!(
        buffer
            .raw()
            .decode::<Pod>()
            .unwrap()
            .metadata
            .name
            .as_deref(),
        Some("a")
    );
    // Twice: the first is cut, and serde decides about the other.
    let twice =
        RawBuffer::new(r#"{"metadata":{"managedFields":[],"managedFields":[{"manager":"m"}]}}"#)
            .unwrap();
    let pod = twice.raw().decode::<Pod>().unwrap();
    assert_eq!(
        pod.metadata.managed_fields.map(|fields| fields.len()),
        Some(1)
    );
}

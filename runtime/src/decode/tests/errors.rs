//! Errors say where and what, and never a word of the object.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, Secret};
use serde::Deserialize;

use super::random::{damage, seeded};
use super::zoo::Zoo;
use super::*;

fn error<'de, T: Deserialize<'de>>(text: &'de str) -> DecodeError {
    match decode_bytes::<T>(text.as_bytes()) {
        Ok(_) => panic!("{text} decodes"),
        Err(error) => error,
    }
}

fn unexpected(expected: ValueKind, found: ValueKind) -> DecodeErrorKind {
    DecodeErrorKind::UnexpectedType { expected, found }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "only decoded into")]
struct Holder {
    needed: Inner,
    #[serde(default)]
    maps: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    #[serde(default)]
    by_number: BTreeMap<u8, u8>,
    #[serde(default)]
    choice: Option<Choice>,
    #[serde(default)]
    either: Option<Either>,
    #[serde(default)]
    pair: Option<(u8, u8)>,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only decoded into")]
struct Inner {
    id: i8,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only decoded into")]
enum Choice {
    Left,
    Right(Inner),
    Both { a: u8 },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "only decoded into")]
enum Either {
    Number(u8),
    List(Vec<bool>),
}

#[test]
fn errors_name_path_and_kind_and_point_into_the_bytes() {
    use DecodeErrorKind as Kind;
    use ValueKind as Is;
    let holder = |rest: &str| format!(r#"{{"needed":{{"id":1}},{rest}}}"#);
    let rows = [
        ("7".into(), "", unexpected(Is::Object, Is::Number), "7"),
        ("{}".into(), "needed", Kind::MissingField, "{}"),
        (
            r#"{"needed":{}}"#.into(),
            "needed.id",
            Kind::MissingField,
            "{}}",
        ),
        (
            r#"{"needed":{"id":"x"}}"#.into(),
            "needed.id",
            unexpected(Is::Integer, Is::String),
            "\"x\"",
        ),
        (
            r#"{"needed":{"id":1.5}}"#.into(),
            "needed.id",
            unexpected(Is::Integer, Is::Number),
            "1.5",
        ),
        (
            r#"{"needed":{"id":-129}}"#.into(),
            "needed.id",
            Kind::NumberOutOfRange,
            "-129",
        ),
        (
            r#"{"needed":{"id":99999999999999999999}}"#.into(),
            "needed.id",
            Kind::NumberOutOfRange,
            "99999",
        ),
        (
            r#"{"needed":{"id":1e999}}"#.into(),
            "needed.id",
            Kind::NumberOutOfRange,
            "1e999",
        ),
        (
            r#"{"needed":{"id":null}}"#.into(),
            "needed.id",
            unexpected(Is::Integer, Is::Null),
            "null",
        ),
        (
            r#"{"needed":null}"#.into(),
            "needed",
            unexpected(Is::Object, Is::Null),
            "null",
        ),
        (
            r#"{"needed":{"\u0069d":true}}"#.into(),
            "needed.id",
            unexpected(Is::Integer, Is::Bool),
            "true",
        ),
        (
            holder(r#""needed":{"id":2}"#),
            "needed",
            Kind::DuplicateField,
            "{",
        ),
        (holder(r#""more":1"#), "[*]", Kind::UnknownField, "\"more\""),
        (
            holder(r#""maps":{"k":{"l":[1,2,{}]}}"#),
            "maps[*][*][2]",
            unexpected(Is::Integer, Is::Object),
            "{}",
        ),
        (
            holder(r#""by_number":{"x":1}"#),
            "by_number[*]",
            unexpected(Is::Integer, Is::String),
            "\"x\"",
        ),
        (
            holder(r#""by_number":{"300":1}"#),
            "by_number[*]",
            Kind::NumberOutOfRange,
            "300",
        ),
        (
            holder(r#""choice":"Up""#),
            "choice",
            Kind::UnknownVariant,
            "\"Up\"",
        ),
        (
            holder(r#""choice":{"Right":{"id":[]}}"#),
            "choice.Right.id",
            unexpected(Is::Integer, Is::Array),
            "[]",
        ),
        (
            holder(r#""choice":{"Both":{"a":-1}}"#),
            "choice.Both.a",
            Kind::NumberOutOfRange,
            "-1",
        ),
        (
            holder(r#""choice":["Left"]"#),
            "choice",
            unexpected(Is::Variant, Is::Array),
            "[",
        ),
        (
            holder(r#""choice":"Right""#),
            "choice",
            unexpected(Is::Variant, Is::Variant),
            "\"Right\"",
        ),
        (
            holder(r#""either":"neither""#),
            "either",
            Kind::Other,
            "\"neither\"",
        ),
        (holder(r#""pair":[1]"#), "pair", Kind::InvalidLength, "[1]"),
    ];
    for (text, path, kind, at) in &rows {
        let error = error::<Holder>(text);
        assert_eq!(
            (error.path().as_str(), error.kind()),
            (*path, *kind),
            "{text}"
        );
        let rest = text.get(error.position()..).unwrap();
        assert!(
            rest.starts_with(at) || *kind == Kind::Other,
            "{text}: {rest}"
        );
        let shown = error.to_string();
        let wanted = format!("{kind} (at byte {})", error.position());
        assert!(shown.ends_with(&wanted), "{shown}");
        assert_eq!(
            shown.starts_with(&format!("{path}: ")),
            !path.is_empty(),
            "{shown}"
        );
    }
}

#[test]
fn errors_in_the_types_of_kubernetes_have_paths() {
    let rows = [
        (
            POD.replacen(r#""containerPort":8081"#, r#""containerPort":"8081""#, 1),
            "spec.containers[1].ports[0].containerPort: expected an integer, found a string",
        ),
        (
            POD.replacen(r#""team":"storefront""#, r#""team":5"#, 1),
            "metadata.labels[*]: expected a string, found a number",
        ),
        (
            POD.replacen("2025-03-04T10:21:01Z", "yesterday", 1),
            "metadata.creationTimestamp: the type refused the value",
        ),
        (
            POD.replacen(r#""ready":true"#, r#""ready":"yes""#, 1),
            "status.containerStatuses[0].ready: expected a boolean, found a string",
        ),
    ];
    for (body, wanted) in rows {
        let shown = error::<Pod>(&body).to_string();
        assert!(shown.starts_with(wanted), "{shown}");
    }
}

#[test]
fn syntax_errors_say_what_was_expected() {
    for (text, reason, at) in [
        ("", "a value", 0),
        ("[1", "`,` or `]`", 2),
        ("[1 2]", "`,` or `]`", 3),
        ("[1,]", "a value", 3),
        ("{\"a\" 1}", "`:`", 5),
        ("{\"a\":1 \"b\"", "`,` or `}`", 7),
        ("{\"a\":1,}", "a key", 7),
        ("{1:1}", "a key", 1),
        ("nul", "null", 0),
        ("01", "a number without leading zeros", 2),
        ("1.", "a digit", 2),
        ("\"a", "the closing quote of a string", 2),
        (
            "\"a\nb\"",
            "control characters in strings only as escapes",
            2,
        ),
        (r#""\ud800""#, "an escape of JSON in a string", 1),
        ("1 1", "nothing after the value", 2),
        ("@", "a value", 0),
    ] {
        let error = error::<serde_json::Value>(text);
        assert_eq!(error.kind(), DecodeErrorKind::Syntax { reason }, "{text}");
        assert_eq!(error.position(), at, "{text}");
    }
    let bad = decode_bytes::<serde_json::Value>(b"[\"\xff\"]").unwrap_err();
    assert_eq!(
        (bad.kind(), bad.position()),
        (DecodeErrorKind::InvalidUtf8, 2)
    );
}

#[test]
fn raw_buffers_refuse_what_is_not_one_value() {
    for text in ["", "  ", "{", "{}}", "{} x", "[}", "\"a", "{\"a\":[1}", "}"] {
        let error = RawBuffer::new(text).unwrap_err();
        assert!(
            matches!(error.kind(), DecodeErrorKind::Syntax { .. }),
            "{text}: {error}"
        );
    }
    assert_eq!(RawBuffer::new(" {} \n").unwrap().raw().bytes(), b"{}");
}

#[test]
fn nesting_has_a_limit_that_skipping_and_splitting_obey() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}1{}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let most = nested(127, open, close);
        assert_eq!(
            decode_bytes::<serde_json::Value>(most.as_bytes()).ok(),
            serde_json::from_str(&most).ok()
        );
        assert!(decode_bytes::<serde::de::IgnoredAny>(most.as_bytes()).is_ok());
        for depth in [128, 129, 1_000_000] {
            let deep = nested(depth, open, close);
            assert_eq!(
                error::<serde_json::Value>(&deep).kind(),
                DecodeErrorKind::DepthLimit
            );
            assert_eq!(
                error::<serde::de::IgnoredAny>(&deep).kind(),
                DecodeErrorKind::DepthLimit
            );
            // One such object in a list: the others and its own name are untouched.
            let list = format!(
                r#"{{"items":[{{"metadata":{{"name":"deep"}},"spec":{deep}}},{{"metadata":{{"name":"flat"}},"x":[1,2]}}]}}"#
            );
            let mut splitter = Splitter::list(SplitOptions::default());
            splitter.push(list.as_bytes());
            let object = splitter.next().unwrap().unwrap().object;
            assert_eq!(object.name().as_deref(), Some("deep"));
            let failed = object.decode::<serde_json::Value>().unwrap_err();
            assert_eq!(failed.kind(), DecodeErrorKind::DepthLimit);
            let object = splitter.next().unwrap().unwrap().object;
            assert_eq!(object.decode::<serde_json::Value>().unwrap()["x"][1], 2);
            assert!(splitter.next().is_none());
            splitter.finish().unwrap();
        }
    }
    let unclosed = "[".repeat(1_000_000);
    assert_eq!(
        error::<serde_json::Value>(&unclosed).kind(),
        DecodeErrorKind::DepthLimit
    );
}

/// Text that occurs in no message and in no name of a type.
const MARK: &str = "hunter2QZ";

fn assert_silent(error: &dyn std::error::Error, body: &[u8]) {
    let mut next = Some(error);
    while let Some(error) = next {
        let shown = format!("{error} {error:?} {error:#?}");
        for leak in [MARK, "QZ", "31337"] {
            assert!(
                !shown.contains(leak),
                "{shown} from {}",
                body.escape_ascii()
            );
        }
        next = error.source();
    }
}

#[test]
fn c150_no_error_ever_carries_a_word_of_the_object() {
    let secret = format!(
        r#"{{"metadata":{{"name":"{MARK}","labels":{{"{MARK}":"{MARK}"}},"creationTimestamp":"{MARK}"}},"data":{{"{MARK}":"{MARK}!"}},"immutable":"{MARK}","stringData":{{"{MARK}":31337}},"type":31337}}"#
    );
    // Values of a type's own that refuse, one at a time.
    for (keep, drop) in [
        (
            "creationTimestamp",
            vec!["data", "immutable", "stringData", "type"],
        ),
        (
            "data",
            vec!["creationTimestamp", "immutable", "stringData", "type"],
        ),
        (
            "immutable",
            vec!["creationTimestamp", "data", "stringData", "type"],
        ),
        (
            "stringData",
            vec!["creationTimestamp", "data", "immutable", "type"],
        ),
        (
            "type",
            vec!["creationTimestamp", "data", "immutable", "stringData"],
        ),
    ] {
        let mut body = secret.clone();
        for name in drop {
            body = body.replace(&format!("\"{name}\""), &format!("\"{MARK}-{name}\""));
        }
        let error = error::<Secret>(&body);
        assert!(error.path().contains(keep), "{error}");
        assert_silent(&error, body.as_bytes());
    }
    let mut rng = seeded();
    for _ in 0..3_000 {
        let mut bytes = if rng.bool() {
            secret.clone().into_bytes()
        } else {
            let zoo = serde_json::to_string(&Zoo::random(&mut rng)).unwrap();
            zoo.replace("\"x", &format!("\"{MARK}")).into_bytes()
        };
        damage(&mut rng, &mut bytes);
        if let Err(error) = decode_bytes::<Secret>(&bytes) {
            assert_silent(&error, &bytes);
        }
        if let Err(error) = decode_bytes::<Zoo<'_>>(&bytes) {
            assert_silent(&error, &bytes);
        }
        if let Err(error) = RawBuffer::new(bytes.clone()) {
            assert_silent(&error, &bytes);
        }
        let mut body = br#"{"metadata":"#.to_vec();
        body.extend(&bytes);
        for mut splitter in [
            Splitter::list(SplitOptions::default()),
            Splitter::watch(SplitOptions::default()),
        ] {
            splitter.push(&body);
            while let Some(item) = splitter.next() {
                if let Err(error) = item {
                    assert_silent(&error, &body);
                }
            }
            if let Err(error) = splitter.finish() {
                assert_silent(&error, &body);
            }
        }
    }
}

#[test]
fn a_raw_object_shows_who_it_is_and_nothing_else() {
    let buffer = RawBuffer::new(format!(
        r#"{{"metadata":{{"name":"s"}},"data":{{"k":"{MARK}"}}}}"#
    ))
    .unwrap();
    let shown = format!("{:?} {buffer:?}", buffer.raw());
    assert!(shown.contains("\"s\"") && !shown.contains(MARK), "{shown}");
}

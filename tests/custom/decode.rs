//! What objects decode to, and what is written of them.

use std::collections::BTreeMap;

use k8s_openapi::Resource;
use larder::custom::{DateTime, IntOrString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::golden::odd_example_com::v1::Quirk;
use super::golden::odd_example_com::v1::quirk::{self, spec};
use super::golden::shop_example_com::v1::{Gadget, Lock, gadget};
use super::golden::shop_example_com::v2;

/// Decodes, encodes and decodes again: the value, and what was written of it.
fn through<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(
    json: &Value,
) -> (T, Value) {
    let text = json.to_string();
    let decoded: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_value(&decoded).unwrap();
    let again: T = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(again, decoded);
    (decoded, written)
}

fn quirk(spec: &Value) -> (quirk::Spec, Value) {
    let (object, mut written) = through::<Quirk>(&json!({"metadata": {"name": "q"}, "spec": spec}));
    (object.spec.expect("there is one"), written["spec"].take())
}

/// What an object with no more than the required fields is written as: the defaults, and null where that is a value.
fn least() -> Value {
    json!({
        "must": null, "mode": "", "count": 3, "nullableCount": 3, "defaultChoice": "fast",
        "tags": ["a", "b"], "values": {"a": [1, null, "x"]}, "since": "2026-01-02T03:04:05Z",
        "limits": {"cpu": 1, "mode": "fast", "inner": {"on": true, "off": false}},
    })
}

fn with(more: Value) -> Value {
    let mut all = least();
    let Value::Object(more) = more else {
        panic!("an object")
    };
    all.as_object_mut().unwrap().extend(more);
    all
}

#[test]
fn every_shape_is_written_as_it_was_read() {
    let given: Value = serde_json::from_str(
        r#"{
        "must": "x", "int8": 70000, "int16": -1, "int32": -2147483648, "uint32": 4294967296,
        "uint64": -1, "ratio": 0.25, "time": "9999-12-31T23:59:59Z", "bytes": "QR==", "email": "none",
        "port": 80, "percent": "25%", "quantity": 8589934592, "either": "x",
        "level": 9, "sure": false, "contradictory": "x",
        "mapOfMaps": {"a": {"b": 1}}, "listOfLists": [["a"], []], "mapOfLists": {"a": [{"x": "y"}]},
        "nullableItems": ["a", null], "listOfAnything": [1, "a", null, {"b": []}],
        "nothing": {"a": {"b": 1}}, "anything": [1], "emptyMembers": {"a": 1}, "anyMembers": {"a": null},
        "preserved": {"a": [1]}, "preservedMap": {"a": "b"},
        "open": {"known": "a", "rest": "b", "other": {"c": 1}}, "openToo": {"more": true},
        "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}},
        "claim": {"apiVersion": "v1", "kind": "Claim", "spec": {"size": "1Gi"}},
        "union": "text", "validated": {"one": "1"}, "listWithoutType": [1],
        "type": "t", "x-name": "x", "$ref": "r", "1st": "1", "podIPs": ["10.0.0.1"],
        "initContainers": [{"a": "camel"}], "init_containers": [{"b": "snake"}],
        "str": {"bool": {"i32": "deep"}}, "Self": {"self": "me"}, "foo1": {"c": "c"}, "foo_1": {"d": "d"}
    }"#,
    )
    .unwrap();
    let (decoded, written) = quirk(&given);
    assert_eq!(written, with(given));
    assert_eq!(decoded.quantity, Some(IntOrString::Int(8_589_934_592)));
    assert_eq!(decoded.either, Some("x".into()));
    assert_eq!(decoded.time, Some(DateTime::from("9999-12-31T23:59:59Z")));
    assert_eq!(
        decoded.nullable_items,
        Some(vec![Some("a".to_owned()), None])
    );
    let open = decoded.open.unwrap();
    assert_eq!(
        (open.rest.as_deref(), open.rest_),
        (
            Some("b"),
            BTreeMap::from([("other".to_owned(), json!({"c": 1}))])
        )
    );
    let template = decoded.template.unwrap();
    assert_eq!(template.metadata.unwrap().name.as_deref(), Some("p"));
    assert_eq!(template.rest["spec"], json!({"containers": []}));
    assert_eq!(
        decoded.init_upper_containers.unwrap()[0].a.as_deref(),
        Some("camel")
    );
    assert_eq!(
        decoded.init_underscore_containers.unwrap()[0].b.as_deref(),
        Some("snake")
    );
}

#[test]
fn a_default_is_filled_in_where_its_parent_is_present() {
    let (decoded, written) = quirk(&json!({}));
    assert_eq!(written, least());
    assert_eq!((decoded.count, decoded.nullable_count), (3, Some(3)));
    assert_eq!(decoded.impossible, None, "a default that is no integer");
    // Inside of an object that is given, its own fields' defaults count.
    let (decoded, _) = quirk(&json!({"limits": {"inner": {}}}));
    assert_eq!(decoded.limits.cpu, "100m".into());
    assert_eq!(decoded.limits.mode, spec::limits::Mode::Slow);
    let inner = decoded.limits.inner.unwrap();
    assert_eq!((inner.on, inner.off), (None, false));
    // Without a parent there is nothing to fill.
    let empty: Quirk = serde_json::from_str("{}").unwrap();
    assert_eq!(empty.spec, None);
}

#[test]
fn null_stays_null_where_it_is_a_value() {
    let (decoded, written) = quirk(&json!({"nullableCount": null, "must": null}));
    assert_eq!((decoded.nullable_count, &decoded.must), (None, &None));
    assert_eq!(
        (&written["nullableCount"], &written["must"]),
        (&Value::Null, &Value::Null)
    );
    // Elsewhere it is absence.
    let (decoded, written) = quirk(&json!({"nullableChoice": null, "type": null}));
    assert_eq!((decoded.nullable_choice, decoded.type_), (None, None));
    assert_eq!(written, least());
}

#[test]
fn enums_keep_what_they_do_not_know() {
    for (text, mode) in [
        ("", spec::Mode::Empty),
        ("*", spec::Mode::Star),
        ("ReadWrite", spec::Mode::ReadWrite),
        ("Always", spec::Mode::UpperAlways),
        ("always", spec::Mode::LowerAlways),
        ("1.2", spec::Mode::_1_2),
        ("Other", spec::Mode::Other),
        ("ALWAYS", spec::Mode::Other_("ALWAYS".into())),
    ] {
        let (decoded, written) = quirk(&json!({"mode": text}));
        assert_eq!((decoded.mode, written["mode"].as_str()), (mode, Some(text)));
    }
}

/// An object of a later version of the definition: new fields, new values, a required field gone.
#[test]
fn an_object_of_a_newer_definition_decodes() {
    let (gadget, written) = through::<Gadget>(&json!({
        "apiVersion": "shop.example.com/v1", "kind": "Gadget",
        "metadata": {"name": "g", "namespace": "web"},
        "spec": {
            "color": "ultraviolet", "replicas": 2, "finish": {"matt": true},
            "parts": [{"name": "wheel", "weight": 1, "material": "steel"}],
            "selector": {"matchLabels": {"a": "b"}, "matchFields": []},
        },
        "status": {"phase": "New"}, "more": 1,
    }));
    assert_eq!(
        gadget.spec.color,
        gadget::spec::Color::Other("ultraviolet".into())
    );
    assert_eq!(gadget.spec.size, 0);
    assert_eq!(
        written,
        json!({
            "apiVersion": "shop.example.com/v1", "kind": "Gadget",
            "metadata": {"name": "g", "namespace": "web"},
            "spec": {
                "color": "ultraviolet", "replicas": 2, "size": 0, "parts": [{"name": "wheel", "weight": 1}],
                "selector": {"matchLabels": {"a": "b"}},
            },
            "status": {},
        })
    );
}

#[test]
fn an_object_says_what_it_is_and_refuses_to_be_another() {
    let written = serde_json::to_value(Gadget::default()).unwrap();
    assert_eq!(
        (&written["apiVersion"], &written["kind"]),
        (&json!(Gadget::API_VERSION), &json!("Gadget"))
    );
    for (json, expected) in [
        (
            json!({"apiVersion": "shop.example.com/v2"}),
            "`apiVersion` is not \"shop.example.com/v1\"",
        ),
        (json!({"kind": "Secret-value"}), "`kind` is not \"Gadget\""),
    ] {
        let error = serde_json::from_value::<Gadget>(json)
            .unwrap_err()
            .to_string();
        assert_eq!(error, expected, "the value is not shown");
    }
}

#[test]
fn kinds_without_a_spec_have_what_they_have() {
    let (lock, written) = through::<Lock>(&json!({"metadata": {"name": "l"}, "packages": ["a"]}));
    assert_eq!(lock.packages, Some(vec!["a".to_owned()]));
    assert_eq!(written["packages"], json!(["a"]));
    assert_eq!(Lock::new("l").metadata.name.as_deref(), Some("l"));
    // Of the other version nothing is known.
    let (lock, written) = through::<v2::Lock>(&json!({
        "apiVersion": "shop.example.com/v2", "kind": "Lock", "metadata": {"name": "l"}, "packages": [1], "spec": null,
    }));
    assert_eq!(
        lock.rest,
        BTreeMap::from([
            ("packages".to_owned(), json!([1])),
            ("spec".to_owned(), Value::Null)
        ])
    );
    assert_eq!(
        (&written["packages"], &written["metadata"]["name"]),
        (&json!([1]), &json!("l"))
    );
}

#[test]
fn types_of_kubernetes_are_used_where_they_are_the_same() {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
    let _: fn(gadget::spec::Selector) -> LabelSelector = |selector| selector;
    let _: fn(gadget::status::Conditions) -> Condition = |condition| condition;
    let _: fn(gadget::status::Delivered) -> gadget::spec::Parts = |part| part;
}

#[test]
fn new_takes_name_and_spec() {
    let spec = gadget::Spec {
        color: "red".into(),
        size: 3,
        ..Default::default()
    };
    let gadget = Gadget::new("g", spec);
    assert_eq!(gadget.metadata.name.as_deref(), Some("g"));
    assert_eq!(
        (gadget.spec.color, gadget.spec.replicas),
        (gadget::spec::Color::Red, 1)
    );
    assert_eq!(gadget.status, None);
    let quirk = Quirk::new("q", quirk::Spec::default());
    assert!(quirk.spec.is_some());
}

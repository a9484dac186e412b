//! What objects decode to, and what is written of them.

use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use larder::field;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::golden::definitions::com_example_wardle_v1alpha1::{
    FlunderSpec, ReferenceType, Tree, flunder_spec,
};
use super::golden::shop_example_com::v1::Box as ShopBox;
use super::golden::wardle_example_com::v1alpha1::{Flunder, flunder};

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

/// What a spec with nothing in it is written as: what a Go server writes.
fn least() -> Value {
    json!({
        "count": 0, "parts": [], "port": 0, "reference": "", "size": "", "tags": {}, "template": {}, "tide": "low",
        "type": "", "weight": 1.5,
    })
}

#[test]
fn every_shape_is_written_as_it_was_read() {
    let given: Value = serde_json::from_str(
        r#"{
        "bare": {"x-name": "x"}, "byName": {"a": {"name": "a", "size": 1}}, "count": 3, "forest": [[], [[1]]], "free": {"a": [1]},
        "inner": {"deep": [{"key": "k"}], "back": {"count": 1, "parts": [], "port": 0, "reference": "", "size": "1", "tags": {},
            "template": {}, "tide": "high", "type": "", "weight": 0}},
        "limits": {"cpu": "100m"}, "names": ["a", "b"], "odd": {"initContainers": "a", "init_containers": "b"},
        "odder": {"type": "t"}, "parts": [{"name": "p", "mode": "later"}, {"name": "", "mode": ""}], "port": "http",
        "previous": {"apiVersion": "wardle.example.com/v1alpha1", "kind": "Flunder", "metadata": {"name": "q"},
            "spec": {"count": 0, "parts": [], "port": 0, "reference": "r", "size": "", "tags": {}, "template": {}, "tide": "low",
                "type": "Fischer", "weight": 1.5}, "status": {}},
        "reference": "r", "reserve": "1Gi", "selector": {"matchLabels": {"a": "b"}}, "since": "2026-01-02T03:04:05Z",
        "size": "2", "tags": {"a": "b"}, "template": {"spec": {"containers": [{"name": "c"}]}}, "tide": "neap",
        "tree": {"value": "root", "left": {"value": "leaf", "twig": {"of": {"value": "deep"}, "leaf": true}},
            "more": [{"value": "m"}], "named": {"n": {"value": "n"}}},
        "type": "Shark", "until": "2026-01-02T03:04:06Z", "weight": 2.5, "when": "2026-01-02T03:04:05.678Z"
    }"#,
    )
    .unwrap();
    let (spec, written) = through::<FlunderSpec>(&given);
    assert_eq!(written, given);
    assert_eq!(spec.type_, ReferenceType::Other("Shark".into()));
    assert_eq!(spec.tide, flunder_spec::Tide::Other("neap".into()));
    let tree = spec.tree.as_ref().unwrap();
    let twig = tree.left.as_ref().unwrap().twig.as_ref().unwrap();
    assert_eq!(twig.of.as_ref().unwrap().value, "deep");
    assert_eq!(
        spec.previous.as_ref().unwrap().spec.type_,
        ReferenceType::Fischer
    );
}

/// A Go server writes null for a list or map without members, and nothing of an absent pointer.
#[test]
fn null_is_read_as_absence() {
    let (spec, written) = through::<FlunderSpec>(&json!({
        "parts": null, "tags": null, "names": null, "reference": null, "type": null, "tide": null, "since": null, "template": null,
    }));
    assert_eq!(written, least());
    assert!(spec.parts.is_empty() && spec.tags.is_empty());
    assert_eq!((spec.names, spec.since), (None, None));
    let (_, written) = through::<FlunderSpec>(&json!({}));
    assert_eq!(written, least());
}

#[test]
fn an_object_of_a_newer_server_decodes() {
    let (flunder, written) = through::<Flunder>(&json!({
        "apiVersion": "wardle.example.com/v1alpha1", "kind": "Flunder", "metadata": {"name": "f"},
        "spec": {"reference": "a", "scales": 7, "parts": [{"name": "p", "color": "red"}]},
        "status": {"phase": "New", "conditions": []}, "more": 1,
    }));
    assert_eq!(flunder.spec.parts[0].name, "p");
    assert_eq!(written["spec"]["parts"], json!([{"name": "p"}]));
    let wrong = json!({"apiVersion": "wardle.example.com/v1beta1", "kind": "Flunder"});
    let error = serde_json::from_value::<Flunder>(wrong).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`apiVersion` is not \"wardle.example.com/v1alpha1\""
    );
}

#[test]
fn types_are_called_by_path_and_by_definition() {
    let _: fn(flunder::Spec) -> FlunderSpec = |spec| spec;
    let flunder = Flunder::new("f", FlunderSpec::default());
    let _: &PodTemplateSpec = &flunder.spec.template;
    let _: &Quantity = &flunder.spec.size;
    assert_eq!(Tree::default().left, None);
    const { assert!(flunder::HAS_STATUS) };
}

#[test]
fn fields_are_read_through_definitions_and_types_of_kubernetes() {
    let flunder: Flunder = serde_json::from_value(json!({
        "metadata": {"labels": {"app": "sea"}},
        "spec": {
            "parts": [{"name": "a"}, {"name": "b"}], "byName": {"x": {"name": "y"}}, "tags": {"k": "v"},
            "template": {"spec": {"nodeName": "n", "containers": []}}, "tree": {"value": "t", "left": {"value": "l"}},
            "odd": {"initContainers": "a"}, "bare": {"x-name": "x"},
        },
        "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"}]},
    }))
    .unwrap();
    assert_eq!(
        field!(Flunder, spec.parts[].name).keys(&flunder),
        ["a", "b"]
    );
    assert_eq!(field!(Flunder, spec.byName[].name).keys(&flunder), ["y"]);
    assert_eq!(field!(Flunder, spec.tags["k"]).keys(&flunder), ["v"]);
    assert_eq!(
        field!(Flunder, spec.template.spec.nodeName).keys(&flunder),
        ["n"]
    );
    assert_eq!(field!(Flunder, spec.tree.left.value).keys(&flunder), ["l"]);
    assert_eq!(field!(Flunder, spec.bare."x-name").keys(&flunder), ["x"]);
    assert_eq!(
        field!(Flunder, status.conditions[].type).keys(&flunder),
        ["Ready"]
    );
    let camel = field!(Flunder, spec.odd.initContainers as init_upper_containers);
    assert_eq!(camel.keys(&flunder), ["a"]);
}

/// The document's word on a custom resource is as good as the definition's.
#[test]
fn a_custom_resource_of_the_document_is_as_one_of_a_definition() {
    let (found, written) = through::<ShopBox>(&json!({
        "apiVersion": "shop.example.com/v1", "kind": "Box", "metadata": {"name": "b"},
        "spec": {
            "color": "green", "lid": null, "port": "http", "extra": {"known": "k", "more": [1]},
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"a": 1}},
        },
    }));
    assert_eq!((found.spec.size, &found.spec.lid), (1, &None));
    assert_eq!(found.spec.extra.as_ref().unwrap().rest["more"], json!([1]));
    assert_eq!(written["spec"]["lid"], Value::Null);
    assert_eq!(written["spec"]["template"]["spec"], json!({"a": 1}));
    let (found, _) = through::<ShopBox>(&json!({"spec": {"color": "red"}}));
    assert_eq!(found.spec.lid.unwrap().open, Some(true));
}

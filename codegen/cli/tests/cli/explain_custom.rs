//! Explaining kinds and fields of custom resources.

use serde_json::{Value, json};

use crate::support::{
    Answer, Place, carried, cluster, custom_document, gauges, in_repository, json_of,
};

/// The form of `--output json`, which programs read. It is on the command's page.
#[test]
fn the_json_of_what_is_explained_has_one_form() {
    let place = Place::new();
    place.write(
        "gauges.json",
        &gauges(&json!({"unit": {"type": "string"}})).to_string(),
    );
    let explain = |path: &[&str]| {
        let arguments = [
            &["explain", "gauges"][..],
            path,
            &["--crds", "gauges.json", "--output", "json"],
        ]
        .concat();
        json_of(&place.run(&arguments).fine())
    };
    let unit = json!({
        "kind": "example.com/v1/Gauge", "resource": "gauges.example.com", "scope": "Namespaced", "origin": "CustomResource",
        "path": "spec.unit", "type": "string", "optional": false, "several": false,
        "index": "field!(Gauge, spec.unit)", "key": "String",
        "server_selects": "field", "selectable": "gauge::selectable::SPEC_UNIT", "since": null, "label_selector": null,
        "fields": [], "selectable_fields": [],
    });
    assert_eq!(explain(&["spec.unit"]), unit);
    let whole = explain(&[]);
    let selectable = |path: &str, constant: &str| json!({"path": path, "selectable": format!("gauge::selectable::{constant}"), "since": null});
    assert_eq!(
        whole["selectable_fields"],
        json!([
            selectable("metadata.name", "METADATA_NAME"),
            selectable("metadata.namespace", "METADATA_NAMESPACE"),
            selectable("spec.unit", "SPEC_UNIT"),
        ])
    );
    assert_eq!(
        whole["fields"],
        json!([
            {"name": "metadata", "type": "ObjectMeta", "required": true},
            {"name": "spec", "type": "object", "required": true},
        ])
    );
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&whole), keys(&unit));
}

#[test]
fn fields_of_custom_resources_are_explained_from_their_definitions() {
    let place = Place::new();
    place.write(
        "crds/gauges.json",
        &gauges(&json!({
            "unit": {"type": "string"},
            "issuerRef": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
            "initContainers": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
            "init_containers": {"type": "string"},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "limits": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}},
            "since": {"type": "string", "format": "date-time"},
            "serial": {"type": "integer", "format": "uint64"},
            "ratio": {"type": "number"},
            "raw": {"x-kubernetes-preserve-unknown-fields": true},
            "selector": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
                "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
                "matchExpressions": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {
                    "type": "object", "required": ["key", "operator"], "properties": {
                        "key": {"type": "string"}, "operator": {"type": "string"},
                        "values": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}},
                    }}},
            }},
        }))
        .to_string(),
    );
    let explain = |kind: &str, path: &str| {
        place.run(&["explain", kind, path, "--crds", "crds", "--output", "json"])
    };
    for (kind, path, expected) in [
        (
            "gauges",
            "spec.issuerRef.name",
            json!({"type": "string", "optional": true, "key": "String", "server_selects": "no"}),
        ),
        (
            "Gauge",
            "spec.unit",
            json!({"optional": false, "server_selects": "field", "selectable": "gauge::selectable::SPEC_UNIT"}),
        ),
        (
            "gauge.example.com",
            "spec.initContainers[].name",
            json!({
            "index": "field!(Gauge, spec.initContainers as init_upper_containers[].name)", "several": true}),
        ),
        (
            "gauges.v1.example.com",
            "spec.mode",
            json!({"optional": false, "key": "String"}),
        ),
        (
            "gauges",
            "spec.limits[\"cpu\"]",
            json!({"type": "integer or string", "key": "IntOrStringKey", "several": false}),
        ),
        (
            "gauges",
            "spec.limits[]",
            json!({"key": "IntOrStringKey", "several": true}),
        ),
        (
            "gauges",
            "spec.limits{}",
            json!({"key": "String", "several": true}),
        ),
        ("gauges", "spec.since", json!({"key": "Timestamp"})),
        (
            "gauges",
            "spec.serial",
            json!({"type": "integer (int64)", "key": "i64"}),
        ),
        (
            "gauges",
            "spec.ratio",
            json!({"type": "number", "index": null, "key": null}),
        ),
        ("gauges", "spec.raw", json!({"type": "any", "index": null})),
        (
            "gauges",
            "spec.selector",
            json!({"type": "LabelSelector", "index": null}),
        ),
        (
            "gauges",
            "spec.selector.matchExpressions[].key",
            json!({"key": "String", "several": true}),
        ),
        (
            "gauges",
            "metadata.labels[\"a\"]",
            json!({"server_selects": "label"}),
        ),
        (
            "gauges",
            "metadata.name",
            json!({"server_selects": "field", "selectable": "gauge::selectable::METADATA_NAME"}),
        ),
        (
            "gauges",
            "metadata.ownerReferences[].uid",
            json!({"key": "String"}),
        ),
    ] {
        let found = json_of(&explain(kind, path).fine());
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&found[key], value, "{key} of {kind} {path}: {found}");
        }
    }
    for (kind, path, expected) in [
        (
            "gauges",
            "spec.isuerRef.name",
            "spec has no field \"isuerRef\" (did you mean \"issuerRef\"?)",
        ),
        (
            "gauges",
            "spec.issuerRef.nme",
            "spec.issuerRef has no field \"nme\" (did you mean \"name\"?)",
        ),
        (
            "gauges",
            "spec.issuerRef[]",
            "spec.issuerRef is of the type object: name a field: spec.issuerRef.NAME",
        ),
        (
            "gauges",
            "sepc.unit",
            "the object has no field \"sepc\" (did you mean \"spec\"?)",
        ),
        (
            "gauges",
            "spec.issuerRef.kind",
            "spec.issuerRef has no field \"kind\": it has name",
        ),
        (
            "gages",
            "spec",
            "there is no kind \"gages\" (did you mean \"gauges\"?)",
        ),
        (
            "gg",
            "spec",
            "there is no kind \"gg\": name it by its plural or its kind",
        ),
        (
            "gauges.spec.unit",
            "",
            "the path stands behind a space, as `larder explain gauges spec.unit`",
        ),
    ] {
        let error = explain(kind, path).failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
    }
    let error = place
        .run(&["explain", "gauges", "--crds", "none/*.yaml"])
        .failed();
    assert!(
        error.contains("none/*.yaml: no YAML or JSON file is there"),
        "{error}"
    );
    let document = in_repository("codegen/tests/documents/cluster");
    let document = document.display().to_string();
    let of_metrics = format!("\"$LARDER\" explain podmetrics --openapi '{document}' 2>&1");
    let told = place.shell("sh", &of_metrics).fine();
    assert!(
        told.contains(
            "note: metrics.k8s.io/v1beta1/PodMetrics gets no cache: it cannot be watched"
        ),
        "{told}"
    );
}

/// A document and definitions together; a version that is not served; the version that Kubernetes prefers.
#[test]
fn kinds_come_from_a_document_and_from_definitions() {
    let place = Place::new();
    let crds = in_repository("codegen/tests/crds");
    let (crds, openapi) = (crds.to_str().unwrap(), carried("v1_37"));
    let explain = |kind: &str| place.run(&["explain", kind, "--crds", crds, "--openapi", &openapi]);
    assert!(
        explain("pods")
            .fine()
            .starts_with("kind            v1/Pod\n")
    );
    let gadget = explain("gadgets");
    assert_eq!(
        gadget.err,
        "note: shop.example.com/v1alpha1/Gadget is not served, and left out\n"
    );
    assert!(
        gadget
            .fine()
            .starts_with("kind            shop.example.com/v1/Gadget\n")
    );
    assert!(
        explain("locks")
            .fine()
            .starts_with("kind            shop.example.com/v2/Lock\n")
    );
    // The metadata's name is its own, whatever a property is called.
    for (path, expected) in [
        ("Metadata", "field!(Quirk, Metadata as upper_metadata)"),
        ("metadata.uid", "field!(Quirk, metadata.uid)"),
    ] {
        let text = place
            .run(&["explain", "quirks", path, "--crds", crds])
            .fine();
        assert!(text.contains(expected), "{text}");
    }
    let old = explain("gadgets.v1beta1.shop.example.com").fine();
    assert!(
        old.starts_with("kind            shop.example.com/v1beta1/Gadget\n"),
        "{old}"
    );
}

/// A server publishes which fields it selects custom resources by; what an aggregated one does nobody says.
#[test]
fn kinds_of_a_cluster_are_explained_by_its_document() {
    let mut answers = cluster();
    let custom = custom_document("example.com", "Gauge", "gauges", "unit").replace(
        "\"properties\":{\"unit\"",
        "\"x-kubernetes-selectable-fields\":[{\"fieldPath\":\"unit\"}],\"properties\":{\"ratio\":{\"type\":\"number\"},\"unit\"",
    );
    answers.insert(
        "/openapi/v3/apis/example.com/v1?hash=B".to_owned(),
        Answer::Json(custom),
    );
    let place = Place::with_server(answers);
    place.run(&["openapi", "pull"]).fine();
    let live = place.run(&["explain", "gauges", "unit"]).fine();
    assert!(
        live.ends_with("index           field!(Gauge, unit), of String\nserver selects  gauge::selectable::UNIT\n"),
        "{live}"
    );
    let pulled = place
        .run(&["explain", "gauges", "unit", "--openapi", "openapi.json"])
        .fine();
    assert_eq!(live, pulled);
    let other = place.run(&["explain", "gauges", "ratio"]).fine();
    assert!(
        other.ends_with("server selects  no: by an index or a query in the cache alone\n"),
        "{other}"
    );

    // Without the verbs of custom resources it is a kind of an aggregated API.
    let place = Place::with_server(cluster());
    let text = place.run(&["explain", "gauges", "unit"]).fine();
    assert!(text.contains("field!(Gauge, unit), of String\n"), "{text}");
    assert!(
        text.ends_with("server selects  not known: an aggregated API has rules of its own\n"),
        "{text}"
    );
    let error = place.run(&["explain", "gages"]).failed();
    assert!(error.contains("did you mean \"gauges\"?"), "{error}");
}

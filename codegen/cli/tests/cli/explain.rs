//! Explaining kinds and fields of Kubernetes itself.

use serde_json::{Value, json};

use crate::support::{Place, carried, json_of};

#[test]
fn a_field_is_explained() {
    let place = Place::new();
    let document = carried("v1_37");
    let explain = |kind: &str, path: &str| {
        place.run(&[
            "explain",
            kind,
            path,
            "--openapi",
            &document,
            "--output",
            "json",
        ])
    };
    for (kind, path, expected) in [
        (
            "pods",
            "spec.nodeName",
            json!({"type": "string", "optional": true, "several": false,
            "index": "field!(Pod, spec.nodeName)", "key": "String", "server_selects": "field",
            "selectable": "pod::selectable::SPEC_NODE_NAME", "since": null, "label_selector": null}),
        ),
        (
            "Deployment",
            "spec.replicas",
            json!({"type": "integer (int32)", "index": "field!(Deployment, spec.replicas)", "key": "i32",
            "server_selects": "no", "selectable": null}),
        ),
        ("po.v1.", "spec", json!(null)),
        (
            "pod",
            "spec.containers[].image",
            json!({"several": true, "index": "field!(Pod, spec.containers[].image)"}),
        ),
        (
            "pods",
            "spec.containers[]",
            json!({"type": "Container", "index": null}),
        ),
        (
            "pods",
            "spec.containers[].resources.limits[\"cpu\"]",
            json!({"type": "Quantity", "index": null}),
        ),
        (
            "pods",
            "metadata.labels{}",
            json!({"type": "string", "several": true}),
        ),
        (
            "secrets",
            "data[\"a.b\"]",
            json!({"type": "string (byte)", "index": null}),
        ),
        (
            "events.events.k8s.io",
            "regarding.kind",
            json!({"selectable": "event::selectable::REGARDING_KIND"}),
        ),
        (
            "resourceslices",
            "spec.pool.name",
            json!({"selectable": "resource_slice::selectable::SPEC_POOL_NAME", "since": "1.37", "server_selects": "field"}),
        ),
        (
            "pods",
            "metadata.labels[\"app.kubernetes.io/name\"]",
            json!({"server_selects": "label", "label_selector": "labels!(\"app.kubernetes.io/name=VALUE\")",
            "index": "field!(Pod, metadata.labels[\"app.kubernetes.io/name\"])"}),
        ),
        (
            "deployments",
            "spec.template.metadata.labels[\"app\"]",
            json!({"server_selects": "no", "label_selector": null}),
        ),
        (
            "pods",
            "metadata.annotations[\"a\"]",
            json!({"server_selects": "no", "label_selector": null}),
        ),
        (
            "services",
            "spec.ports[].targetPort",
            json!({"type": "IntOrString", "key": "IntOrStringKey"}),
        ),
        (
            "pods",
            "metadata.creationTimestamp",
            json!({"type": "Time", "key": "Timestamp"}),
        ),
        (
            "pods",
            "spec.hostNetwork",
            json!({"type": "boolean", "key": "bool", "selectable": "pod::selectable::SPEC_HOST_NETWORK"}),
        ),
        (
            "pods",
            "kind",
            json!({"index": null, "server_selects": "no"}),
        ),
        (
            "statefulsets",
            "spec.volumeClaimTemplates[].kind",
            json!({"index": null}),
        ),
        ("hpa", "x", json!(null)),
    ] {
        let ran = explain(kind, path);
        let Value::Object(expected) = expected else {
            assert!(ran.failed().contains("no kind"), "{kind}");
            continue;
        };
        let found = json_of(&ran.fine());
        for (key, value) in expected {
            assert_eq!(found[&key], value, "{key} of {kind} {path}: {found}");
        }
    }
    for (path, expected) in [
        (
            "spec.nodeNam",
            "spec has no field \"nodeNam\" (did you mean \"nodeName\"?)",
        ),
        ("spec.containers.image", "spec.containers[].image"),
        ("metadata.labels.app", "metadata.labels[\"app\"]"),
        ("spec..x", "misspelt at \"..x\""),
        ("metadata.labels{}.x", "ends at the keys of a map"),
        ("spec.nodeName.x", "is of the type string"),
        ("spec.containers[0].image", "a path walks all items: `[]`"),
        ("spec.containers[*].image", "a path walks all items: `[]`"),
        ("spec.containers{}", "walk its items: spec.containers[]"),
        (
            "spec.containers[].imag",
            "spec.containers[] has no field \"imag\" (did you mean \"image\"?)",
        ),
        (
            "metadata.labels[app]",
            "the key of a map stands in quotes: `[\"app\"]`",
        ),
        ("metadata.labels.app", "or walk its keys: metadata.labels{}"),
        (
            "spec[\"nodeName\"]",
            "spec is of the type PodSpec: name a field: spec.NAME",
        ),
        (
            ".spec.nodeName",
            "there is no dot in front of the first field",
        ),
        ("spec.nodeName.", "there is no dot behind the last field"),
    ] {
        let error = explain("pods", path).failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
    }
    let text = place
        .run(&["explain", "nodes", "--openapi", &document])
        .fine();
    assert!(
        text.contains("node::selectable::SPEC_UNSCHEDULABLE"),
        "{text}"
    );
}

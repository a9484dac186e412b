//! The command on files and against a server in this process.

use std::collections::BTreeMap;

use crate::support::{Answer, Place, carried};
use serde_json::{Value, json};

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn document(group: &str, version: &str, kind: &str, plural: &str, field: &str) -> String {
    let name = format!("com.example.{version}.{kind}");
    let prefix = match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let response = |name: &str| json!({"200": {"description": "OK", "content": {"application/json": {"schema": reference(name)}}}});
    let operation = |action: &str, name: &str| {
        json!({
            "x-kubernetes-action": action, "responses": response(name),
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
        })
    };
    let list = format!("{name}List");
    json!({
        "openapi": "3.0.0",
        "paths": {
            (format!("{prefix}/{plural}")): {"get": operation("list", &list)},
            (format!("{prefix}/{plural}/{{name}}")): {"get": operation("get", &name)},
        },
        "components": {"schemas": {
            (name.clone()): {"type": "object", "properties": {(field): {"type": "string"}}},
            (list): {"type": "object", "properties": {"items": {"type": "array", "items": reference(&name)}}},
        }},
    })
    .to_string()
}

/// A cluster of two groups.
fn cluster() -> BTreeMap<String, Answer> {
    let index = json!({"paths": {
        "api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=A"},
        "apis/example.com/v1": {"serverRelativeURL": "/openapi/v3/apis/example.com/v1?hash=B"},
        "version": {"serverRelativeURL": "/openapi/v3/version?hash=C"},
    }});
    let answer = |text: String| Answer::Json(text);
    BTreeMap::from([
        ("/openapi/v3".to_owned(), answer(index.to_string())),
        (
            "/openapi/v3/api/v1?hash=A".to_owned(),
            answer(document("", "v1", "Crate", "crates", "label")),
        ),
        (
            "/openapi/v3/apis/example.com/v1?hash=B".to_owned(),
            answer(document("example.com", "v1", "Gauge", "gauges", "unit")),
        ),
    ])
}

#[test]
fn a_pulled_document_is_what_build_scripts_read_and_is_left_alone_when_nothing_changed() {
    let place = Place::with_server(cluster());
    let told = place.run(&["openapi", "pull"]).fine();
    assert_eq!(told, "openapi.json: 2 kinds, 4 types, written\n");
    let model = larder_codegen::read(place.path("openapi.json")).unwrap();
    let kinds: Vec<String> = model.kinds.keys().map(ToString::to_string).collect();
    assert_eq!(kinds, ["v1/Crate", "example.com/v1/Gauge"]);

    let before = std::fs::metadata(place.path("openapi.json")).unwrap();
    let again = place.run(&["openapi", "pull", "--output", "json"]).fine();
    assert_eq!(
        json_of(&again),
        json!({"file": "openapi.json", "changed": false, "kinds": 2, "types": 4})
    );
    let after = std::fs::metadata(place.path("openapi.json")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(place.names("."), ["openapi.json"]);

    let printed = place.run(&["openapi", "pull", "-f", "-"]).fine();
    assert_eq!(printed, place.read("openapi.json"));
}

#[test]
fn groups_narrow_a_pull_and_a_wrong_one_says_what_was_meant() {
    let place = Place::with_server(cluster());
    place
        .run(&["openapi", "pull", "--group", "core", "-f", "a/core.json"])
        .fine();
    let model = larder_codegen::read(place.path("a/core.json")).unwrap();
    assert_eq!(model.kinds.len(), 1);
    let error = place
        .run(&["openapi", "pull", "--group", "exmple.com"])
        .failed();
    assert!(
        error.contains(r#"no group "exmple.com" (did you mean "example.com"?)"#),
        "{error}"
    );
    assert_eq!(place.names("."), ["a"]);
}

#[test]
fn what_a_server_refuses_or_gets_wrong_is_an_error_that_names_it_and_no_file_is_written() {
    let broken = |path: &str, answer: Answer| {
        let mut answers = cluster();
        answers.insert(path.to_owned(), answer);
        let place = Place::with_server(answers);
        let error = place.run(&["openapi", "pull", "--timeout", "1"]).failed();
        assert_eq!(place.names("."), [""; 0], "{error}");
        error
    };
    let group = "/openapi/v3/apis/example.com/v1?hash=B";
    for (path, answer, expected) in [
        (
            "/openapi/v3",
            Answer::Status(403, "no".into()),
            "GET /openapi/v3 was answered 403: the account lacks the right",
        ),
        (
            "/openapi/v3",
            Answer::Status(404, "no".into()),
            "GET /openapi/v3 was answered 404",
        ),
        (
            "/openapi/v3",
            Answer::Status(401, "no".into()),
            "credentials",
        ),
        (
            "/openapi/v3",
            Answer::Json("{".into()),
            "/openapi/v3 is no index",
        ),
        (
            "/openapi/v3",
            Answer::Silence,
            "has not answered within 1 second",
        ),
        (
            group,
            Answer::Status(503, "starting".into()),
            "GET /openapi/v3/apis/example.com/v1?hash=B was answered 503 (starting)",
        ),
        (
            group,
            Answer::Json("{".into()),
            "apis/example.com/v1: not JSON",
        ),
        (
            group,
            Answer::Json(r#"{"openapi":"3.0.0","paths":{},"components":{"schemas":7}}"#.into()),
            "apis/example.com/v1: components.schemas",
        ),
        (group, Answer::Silence, "has not answered within 1 second"),
    ] {
        let error = broken(path, answer);
        assert!(error.contains(expected), "{expected:?} not in {error}");
    }
}

#[test]
fn without_a_cluster_the_error_says_how_to_name_one() {
    let place = Place::new();
    let error = place.run(&["openapi", "pull"]).failed();
    assert!(error.contains("set KUBECONFIG"), "{error}");
    let error = place
        .run(&["openapi", "pull", "--kubeconfig", "nowhere"])
        .failed();
    assert!(error.contains("reading the kubeconfig nowhere"), "{error}");
    let place = Place::with_server(cluster());
    let error = place
        .run(&["openapi", "pull", "--context", "other"])
        .failed();
    assert!(error.contains("other"), "{error}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_and_the_old_one_stays() {
    let place = Place::with_server(cluster());
    place.write("taken", "old");
    let error = place
        .run(&["openapi", "pull", "-f", "taken/openapi.json"])
        .failed();
    assert!(error.contains("cannot write taken/openapi.json"), "{error}");
    assert_eq!(place.read("taken"), "old");
}

#[test]
fn documents_are_compared_and_the_exit_code_tells() {
    let place = Place::with_server(cluster());
    let (old, new) = (carried("v1_36"), carried("v1_37"));
    assert_eq!(
        place.run(&["openapi", "diff", &old, &old]).fine(),
        "no difference\n"
    );
    let text = place.run(&["openapi", "diff", &old, &new]).differs();
    assert!(text.contains("~ type io.k8s.api.storage.v1.CSINode\n    + status: io.k8s.api.storage.v1.CSINodeStatus, optional\n"), "{text}");
    let found = place
        .run(&[
            "openapi",
            "diff",
            &old,
            &new,
            "--group",
            "storage.k8s.io",
            "--output",
            "json",
        ])
        .differs();
    let found = json_of(&found);
    let names: Vec<&str> = found["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|kind| kind["name"].as_str())
        .collect();
    assert!(
        !names.is_empty() && names.iter().all(|name| name.starts_with("storage.k8s.io/")),
        "{names:?}"
    );

    let error = place
        .run(&["openapi", "diff", &old, &new, "--group", "storage.k8s.oi"])
        .failed();
    assert!(
        error.contains("did you mean \"storage.k8s.io\"?"),
        "{error}"
    );
    let error = place
        .run(&["openapi", "diff", "nothing.json", &new])
        .failed();
    assert!(error.contains("nothing.json: cannot read"), "{error}");
    let wrong = place.run(&["openapi", "diff", &old]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn a_document_is_compared_with_the_cluster() {
    let place = Place::with_server(cluster());
    place
        .run(&["openapi", "pull", "--group", "example.com"])
        .fine();
    // The cluster's other groups are none of this document's.
    assert_eq!(
        place
            .run(&["openapi", "diff", "openapi.json", "--live"])
            .fine(),
        "no difference\n"
    );
    let changed = place.read("openapi.json").replace("\"unit\"", "\"units\"");
    place.write("openapi.json", &changed);
    let text = place
        .run(&["openapi", "diff", "openapi.json", "--live"])
        .differs();
    assert_eq!(
        text,
        "~ type com.example.v1.Gauge\n    + unit: string, optional\n    - units: string, optional\n0 kinds, 1 type differ\n"
    );
}

fn crd(plural: &str, extra: &Value) -> Value {
    json!({
        "metadata": {"name": format!("{plural}.example.com"), "uid": "u", "managedFields": [extra]},
        "spec": {"group": "example.com", "names": {"plural": plural}, "extra": extra},
        "status": {"acceptedNames": extra},
    })
}

#[test]
fn definitions_are_pulled_page_by_page_without_what_the_server_added() {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50";
    let page = |items: Value, next: &str| {
        Answer::Json(json!({"metadata": {"continue": next}, "items": items}).to_string())
    };
    let place = Place::with_server(BTreeMap::from([
        (
            path.to_owned(),
            page(json!([crd("gauges", &json!("yes"))]), "a/b="),
        ),
        (
            format!("{path}&continue=a%2Fb%3D"),
            page(json!([crd("crates", &json!({"a": [1, "1"]}))]), ""),
        ),
    ]));
    let told = place.run(&["crds", "pull", "-d", "deep/crds"]).fine();
    assert_eq!(told, "deep/crds: 2 definitions, 2 written\n");
    assert_eq!(
        place.names("deep/crds"),
        ["crates.example.com.yaml", "gauges.example.com.yaml"]
    );
    let yaml = place.read("deep/crds/gauges.example.com.yaml");
    assert!(!yaml.contains("uid") && !yaml.contains("status"), "{yaml}");
    let value: Value = serde_saphyr::from_str(&yaml).unwrap();
    assert_eq!(value["spec"]["extra"], "yes");
    let again = place
        .run(&["crds", "pull", "-d", "deep/crds", "--output", "json"])
        .fine();
    let changed = json_of(&again)["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["changed"] == true)
        .count();
    assert_eq!(changed, 0, "{again}");

    let error = place
        .run(&["crds", "pull", "--group", "exampl.com"])
        .failed();
    assert!(error.contains("did you mean \"example.com\"?"), "{error}");
    let error = Place::with_server(cluster())
        .run(&["crds", "pull"])
        .failed();
    assert!(error.contains("was answered 404"), "{error}");
}

#[test]
fn generated_code_is_written_once_and_its_freshness_checked() {
    let place = Place::new();
    let document = carried("v1_37");
    let run = |more: &[&str]| {
        let all = [
            &[
                "generate",
                "--openapi",
                &document,
                "--kind",
                "v1/Pod",
                "-d",
                "src/kinds",
            ],
            more,
        ]
        .concat();
        place.run(&all)
    };
    assert_eq!(
        run(&["--check"]).differs(),
        "src/kinds/larder.rs: not up to date: run the command without `--check`\n"
    );
    assert_eq!(run(&[]).fine(), "src/kinds/larder.rs: written\n");
    assert!(
        place
            .read("src/kinds/larder.rs")
            .contains("pub struct PodInformer")
    );
    assert_eq!(
        run(&["--check"]).fine(),
        "src/kinds/larder.rs: up to date\n"
    );
    place.write("src/kinds/larder.rs", "edited");
    let report = json_of(&run(&["--check", "--output", "json"]).differs());
    assert_eq!(
        (&report["fresh"], &report["written"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(place.read("src/kinds/larder.rs"), "edited");
    let error = run(&["--kind", "v1/Pods"]).failed();
    assert!(error.contains("did you mean \"v1/Pod\"?"), "{error}");
}

#[test]
fn code_is_generated_from_definitions_as_well() {
    let place = Place::new();
    std::fs::create_dir(place.path("crds")).unwrap();
    let definition = r#"{
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "gauges", "kind": "Gauge"}, "versions": [
            {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"unit": {"type": "string"}}}}}}}]}
    }"#;
    place.write("crds/gauges.yaml", definition);
    let run = |more: &[&str]| {
        place.run(&[&["generate", "--crds", "crds/*.yaml", "-d", "src"], more].concat())
    };
    assert_eq!(run(&[]).fine(), "src/larder.rs: written\n");
    let code = place.read("src/larder.rs");
    assert!(
        code.contains("pub struct GaugeInformer") && code.contains("pub unit:"),
        "{code}"
    );
    assert_eq!(run(&["--check"]).fine(), "src/larder.rs: up to date\n");
    place.write(
        "crds/gauges.yaml",
        &definition.replace("\"type\": \"string\"", "\"type\": \"strin\""),
    );
    let error = run(&[]).failed();
    assert!(
        error.contains("crds/gauges.yaml") && error.contains("did you mean \"string\"?"),
        "{error}"
    );
    assert_eq!(place.read("src/larder.rs"), code);
    let neither = place.run(&["generate", "-d", "src"]);
    assert_eq!(neither.code, Some(2), "{neither:?}");
}

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
            "index": "field!(Pod, spec.nodeName)", "selectable": "pod::selectable::SPEC_NODE_NAME"}),
        ),
        (
            "Deployment",
            "spec.replicas",
            json!({"type": "integer (int32)", "index": "field!(Deployment, spec.replicas)", "selectable": null}),
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

#[test]
fn help_and_completion_name_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completion", shell]).fine();
        for command in ["openapi", "pull", "diff", "crds", "generate", "explain"] {
            assert!(script.contains(command), "{command} in {shell}");
        }
    }
    let help = place.run(&["--help"]).fine();
    assert!(help.contains("Exit codes"), "{help}");
}

//! What is pulled from a cluster: its document, and its definitions of custom resources.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Answer, Place, cluster, document, json_of, serve};

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
    let unchanged = |name: &str| json!({"name": name, "changed": false});
    assert_eq!(
        json_of(&again),
        json!({"folder": "deep/crds", "files": [
            unchanged("gauges.example.com.yaml"),
            unchanged("crates.example.com.yaml"),
        ]})
    );

    // A definition that the cluster has no more is not taken away, and not passed over either.
    for file in [
        "gone.example.com.yaml",
        "gone.example.org.yaml",
        "kustomization.yaml",
        "notes.txt",
    ] {
        place.write(&format!("deep/crds/{file}"), "");
    }
    let pull = |more: &[&str]| place.run(&[&["crds", "pull", "-d", "deep/crds"], more].concat());
    let told = pull(&[]).err;
    assert_eq!(
        told,
        "note: deep/crds/gone.example.com.yaml is of no definition that the cluster has\n\
         note: deep/crds/gone.example.org.yaml is of no definition that the cluster has\n"
    );
    let told = pull(&["--group", "example.com"]).err;
    assert_eq!(told.lines().count(), 1, "{told}");

    let error = place
        .run(&["crds", "pull", "--group", "exampl.com"])
        .failed();
    assert!(error.contains("did you mean \"example.com\"?"), "{error}");
    let error = Place::with_server(cluster())
        .run(&["crds", "pull"])
        .failed();
    assert!(error.contains("was answered 404"), "{error}");
}

/// The cluster is that of the current context, unless another one is named.
#[test]
fn a_context_selects_the_cluster() {
    let core = |document: String| {
        let index = json!({"paths": {"api/v1": {"serverRelativeURL": "/api"}}});
        serve(BTreeMap::from([
            ("/openapi/v3".to_owned(), Answer::Json(index.to_string())),
            ("/api".to_owned(), Answer::Json(document)),
        ]))
    };
    let here = core(document("", "v1", "Crate", "crates", "label"));
    let there = core(document("", "v1", "Barrel", "barrels", "label"));
    let place = Place::new();
    let kubeconfig = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
         contexts: [{{name: here, context: {{cluster: here, user: a}}}}, {{name: there, context: {{cluster: there, user: a}}}}]\n\
         clusters: [{{name: here, cluster: {{server: 'http://{here}'}}}}, {{name: there, cluster: {{server: 'http://{there}'}}}}]\n\
         users: [{{name: a, user: {{}}}}]\n"
    );
    place.write("kubeconfig", &kubeconfig);
    let pulled = |more: &[&str]| {
        place
            .run(&[&["openapi", "pull", "-f", "-"], more].concat())
            .fine()
    };
    assert!(pulled(&[]).contains("\"Crate\""));
    assert!(pulled(&["--context", "there"]).contains("\"Barrel\""));
    place.write(
        "other",
        &kubeconfig.replace("current-context: here", "current-context: there"),
    );
    assert!(pulled(&["--kubeconfig", "other"]).contains("\"Barrel\""));
    assert_eq!(
        pulled(&[]),
        pulled(&["--kubeconfig", "other", "--context", "here"])
    );
}

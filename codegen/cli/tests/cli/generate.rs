//! Code in files.

use serde_json::json;

use crate::support::{Place, carried, json_of};

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

//! Code in files.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::{Answer, Place, carried, gauges, in_repository, json_of};

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
    let states = |code: &str, left_out: &str| {
        format!(
            "src/kinds/larder.rs: {code}\nsrc/kinds/larder.left_out.md: {left_out}\n1 kind, 0 types of their own\n"
        )
    };
    let stale = "not up to date: run the command without `--check`";
    assert_eq!(run(&["--check"]).differs(), states(stale, stale));
    assert_eq!(place.names("."), [""; 0]);
    assert_eq!(run(&[]).fine(), states("written", "written"));
    assert!(
        place
            .read("src/kinds/larder.rs")
            .contains("pub struct PodInformer")
    );
    assert_eq!(run(&["--check"]).fine(), states("up to date", "up to date"));
    // Each file that differs is named, and none is touched.
    place.write("src/kinds/larder.rs", "edited");
    assert_eq!(run(&["--check"]).differs(), states(stale, "up to date"));
    assert_eq!(place.read("src/kinds/larder.rs"), "edited");
    let modified = || {
        std::fs::metadata(place.path("src/kinds/larder.left_out.md"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = modified();
    assert_eq!(run(&[]).fine(), states("written", "up to date"));
    assert_eq!(modified(), before);
    let error = run(&["--kind", "v1/Pods"]).failed();
    assert!(error.contains("did you mean \"v1/Pod\"?"), "{error}");
}

#[test]
fn code_is_generated_from_definitions_as_well() {
    let place = Place::new();
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
    let states = |state: &str| {
        format!(
            "src/larder.rs: {state}\nsrc/larder.left_out.md: {state}\n1 kind, 2 types of their own\n"
        )
    };
    assert_eq!(run(&[]).fine(), states("written"));
    let code = place.read("src/larder.rs");
    assert!(
        code.contains("pub struct GaugeInformer") && code.contains("pub unit:"),
        "{code}"
    );
    assert_eq!(run(&["--check"]).fine(), states("up to date"));
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
    // What is passed over is said, and is no error.
    place.write(
        "crds/gauges.yaml",
        &definition.replace("\"type\": \"string\"", "\"type\": \"string\", \"enm\": []"),
    );
    let warned = run(&[]);
    let warning = "warning: crds/gauges.yaml: gauges.example.com, v1: spec.versions[0].schema.openAPIV3Schema.properties.spec.\
                   properties.unit.enm: \"enm\" is no key of a schema and is passed over (did you mean \"enum\"?)\n";
    assert_eq!(warned.err, warning);
    assert_eq!(warned.fine(), states("up to date"));
    let neither = place.run(&["generate", "-d", "src"]);
    assert_eq!(neither.code, Some(2), "{neither:?}");
}

/// The reviewed output of the fixtures, which tests of the façade compile as a module: `#[rustfmt::skip] mod golden;`.
#[test]
fn the_file_is_what_a_build_script_has_and_a_module() {
    let place = Place::new();
    let crds = in_repository("codegen/tests/crds");
    let crds = crds.to_str().unwrap();
    let told = place
        .run(&[
            "generate",
            "--crds",
            crds,
            "-d",
            "src",
            "--file-name",
            "generated.rs",
        ])
        .fine();
    assert!(told.contains("left out shop.example.com/v1alpha1/Gadget: its definition says that this version is not served\n"), "{told}");
    let reviewed = std::fs::read_to_string(in_repository("codegen/tests/golden/crds.rs")).unwrap();
    assert!(place.read("src/generated.rs") == reviewed);

    let in_build_script = larder_codegen::configure()
        .crds(crds)
        .out_dir(place.path("out"))
        .cargo_instructions(false)
        .generate()
        .unwrap();
    assert!(std::fs::read_to_string(in_build_script.file).unwrap() == reviewed);
    let others = in_build_script.other_documents;
    let skipped =
        format!("\nskipped {others} documents of other kinds than CustomResourceDefinition\n");
    assert!(others > 1 && told.ends_with(&skipped), "{told}");
}

/// The form of `--output json`, which programs read. It is on the command's page.
#[test]
fn the_json_of_what_was_generated_has_one_form() {
    let place = Place::new();
    let crds = in_repository("codegen/tests/crds");
    let run = |more: &[&str]| {
        let crds = crds.to_str().unwrap();
        place.run(
            &[
                &["generate", "--crds", crds, "-d", "src", "--output", "json"],
                more,
            ]
            .concat(),
        )
    };
    let checked = json_of(&run(&["--check"]).differs());
    let files = |fresh: bool, written: bool| {
        json!([
            {"file": "src/larder.rs", "fresh": fresh, "written": written},
            {"file": "src/larder.left_out.md", "fresh": fresh, "written": written},
        ])
    };
    assert_eq!(checked["files"], files(false, false));
    let report = json_of(&run(&[]).fine());
    assert_eq!(report["files"], files(false, true));
    assert!(report["other_documents"].as_u64() > Some(0), "{report}");
    assert_eq!(
        report["left_out"],
        json!([{"kind": "shop.example.com/v1alpha1/Gadget", "reason": "its definition says that this version is not served"}])
    );
    let kinds = report["kinds"].as_array().unwrap();
    assert!(
        kinds
            .iter()
            .any(|kind| kind["kind"] == "odd.example.com/v1/Quirk"
                && kind["types"].as_u64() > Some(1)),
        "{report}"
    );
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "files",
            "kinds",
            "left_out",
            "other_documents",
            "shared_types",
            "warnings"
        ]
    );
    assert_eq!(
        json_of(&run(&["--check"]).fine())["files"],
        files(true, false)
    );
}

#[test]
fn what_is_passed_over_in_definitions_is_told_with_its_place() {
    let place = Place::new();
    let definition = gauges(
        &json!({"unit": {"type": "string", "dscription": "a"}, "other": {"type": "string", "dscription": "b"}}),
    );
    place.write("crds/gauges.json", &definition.to_string());
    let ran = place.run(&[
        "generate", "--crds", "crds", "-d", "src", "--output", "json",
    ]);
    let line = ran
        .err
        .strip_prefix("warning: ")
        .unwrap_or_default()
        .to_owned();
    assert!(
        line.starts_with("crds/gauges.json: gauges.example.com, v1: "),
        "{ran:?}"
    );
    assert!(
        line.ends_with("(did you mean \"description\"?); so in 1 more place\n"),
        "{ran:?}"
    );
    assert_eq!(json_of(&ran.fine())["warnings"], json!([line.trim_end()]));
}

/// Each option does what the build script's does.
#[test]
fn the_options_are_those_of_build_scripts() {
    let place = Place::new();
    let inner = |of_type: &str| json!({"type": of_type, "properties": {"a": {"type": "string"}}});
    let mut definition = gauges(&json!({
        "unit": {"type": "string"},
        "template": inner("object"),
        "affinity": inner("object"),
        "strategy": inner("object"),
        "history": {"type": "array", "items": {"type": "string"}},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string"}}},
    }));
    let mut unserved = definition["spec"]["versions"][0].clone();
    unserved["name"] = json!("v0");
    unserved["served"] = json!(false);
    unserved["storage"] = json!(false);
    definition["spec"]["versions"]
        .as_array_mut()
        .unwrap()
        .push(unserved);
    place.write("crds/gauges.json", &definition.to_string());
    let run = |more: &[&str]| {
        place
            .run(&[&["generate", "--crds", "crds", "-d", "src"], more].concat())
            .fine();
        place.read("src/larder.rs")
    };
    let plain = run(&[]);
    for (options, gone, there) in [
        (
            &["--prune", "example.com/v1/Gauge:spec.affinity"][..],
            "pub struct Affinity",
            "affinity: ::core::option::Option<\n",
        ),
        (&["--skip", "*:spec.history"], "pub history:", "pub unit:"),
        (
            &["--boxed", "*:spec.strategy"],
            "no such text",
            "::std::boxed::Box<",
        ),
        (
            &["--use-type", "*:**.template=crate::Template"],
            "pub struct Template",
            "crate::Template",
        ),
        (&["--no-unknown-fields"], "pub rest:", "pub open:"),
        (&["--unserved-versions"], "no such text", "pub mod v0"),
        (&["--runtime-path", "::cached"], "::larder", "::cached::"),
        (
            &["--k8s-openapi-path", "::cached::api"],
            "::k8s_openapi",
            "::cached::api::",
        ),
    ] {
        let code = run(options);
        assert_ne!(code, plain, "{options:?}");
        assert!(!code.contains(gone), "{options:?}: {gone}");
        assert!(
            code.contains(there) || there.ends_with('\n'),
            "{options:?}: {there}"
        );
    }
    let document = carried("v1_37");
    let slice = |more: &[&str]| {
        let kind = [
            "generate",
            "--openapi",
            &document,
            "--kind",
            "resource.k8s.io/v1/ResourceSlice",
            "-d",
            "slice",
        ];
        place.run(&[&kind[..], more].concat()).fine();
        place.read("slice/larder.rs")
    };
    assert!(!slice(&[]).contains("SPEC_POOL_NAME"));
    assert!(slice(&["--server-version", "1.37"]).contains("SPEC_POOL_NAME"));
    assert!(!slice(&["--server-version", "1.36"]).contains("SPEC_POOL_NAME"));
    // What the enabled version lacks has no type.
    let older = carried("v1_33");
    let told = place
        .run(&[
            "generate",
            "--openapi",
            &document,
            "--types-of",
            &older,
            "-d",
            "older",
        ])
        .fine();
    assert!(
        told.contains("left out ") && told.contains("has no type for it\n"),
        "{told}"
    );

    for (options, expected) in [
        (
            ["--prune", "*:spec.afinity"],
            "did you mean \"spec.affinity\"?",
        ),
        (
            ["--skip", "example.com/v2/Gauge:spec"],
            "did you mean \"example.com/v1/Gauge\"?",
        ),
        (
            ["--use-type", "*:spec.template=not a type"],
            "is no type of Rust",
        ),
        (["--runtime-path", "no path"], "is no path of Rust"),
        (
            ["--kind", "example.com/v1/Gage"],
            "did you mean \"example.com/v1/Gauge\"?",
        ),
    ] {
        let error = place
            .run(&[&["generate", "--crds", "crds", "-d", "none"], &options[..]].concat())
            .failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
        assert!(!place.names(".").contains(&"none".to_owned()));
    }
}

/// What is pulled says the same as what was installed.
#[test]
fn definitions_that_were_pulled_give_the_code_of_those_that_were_installed() {
    let definition = gauges(&json!({
        "unit": {"type": "string", "default": "m", "enum": ["m", "yes", "1"], "description": "On or off:\n# no comment\n\n  - a"},
        "limits": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true, "pattern": "^(\\+|-)?[0-9]+$"}},
        "since": {"type": "string", "format": "date-time", "nullable": true},
    }));
    let mut served = definition.clone();
    served["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
    served["metadata"]["uid"] = json!("a");
    served["status"] = json!({"acceptedNames": {"kind": "Gauge"}, "storedVersions": ["v1"]});
    let list = json!({"metadata": {}, "items": [served]}).to_string();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50";
    let place = Place::with_server(BTreeMap::from([(path.to_owned(), Answer::Json(list))]));
    place.write("installed/gauges.json", &definition.to_string());
    place.run(&["crds", "pull"]).fine();
    for (from, to) in [("crds", "a"), ("installed", "b")] {
        place.run(&["generate", "--crds", from, "-d", to]).fine();
    }
    assert!(place.read("a/larder.rs").contains("pub mod gauge"));
    assert!(place.read("a/larder.rs") == place.read("b/larder.rs"));
}

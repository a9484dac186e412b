//! Reading documents: layouts, shapes, errors with their places, and no panic on any input.

mod support;

use std::path::Path;

use larder_codegen::{Origin, Scope, normalised, read, read_bytes};
use support::directory::Directory;

const SMALL: &str = include_str!("documents/small_v3.json");
const SMALL_NORMALISED: &str = include_str!("documents/small_normalised.json");

fn errors(text: &str) -> String {
    match read_bytes(Path::new("doc.json"), text.as_bytes()) {
        Ok(_) => panic!("no error: {text}"),
        Err(errors) => errors.to_string(),
    }
}

fn small() -> larder_codegen::Model {
    read_bytes(Path::new("small.json"), SMALL.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_small_document_gives_the_reviewed_model() {
    let model = small();
    assert_eq!(normalised(&model), SMALL_NORMALISED);
    let back = read_bytes(Path::new("n.json"), SMALL_NORMALISED.as_bytes()).unwrap();
    assert_eq!(back, model);
}

/// A query parameter `watch` proves nothing; custom resources have no path below `/watch/` and can be watched; of what
/// an aggregated API lists without such a path it is not known.
#[test]
fn watchability_scope_and_origin_follow_the_paths() {
    let model = small();
    let widget = model.kind("example.com", "v1", "Widget").unwrap();
    assert_eq!(
        (widget.origin, widget.scope),
        (Origin::CustomResource, Scope::Namespaced)
    );
    assert!(widget.is_cacheable());
    let gauge = model.kind("example.com", "v1", "Gauge").unwrap();
    assert_eq!(
        (gauge.origin, gauge.scope),
        (Origin::Aggregated, Scope::Cluster)
    );
    assert_eq!(
        gauge.not_cacheable(),
        Some("it is not known whether it can be watched")
    );
    // A resource that is called `watch`, with a path below `/watch/`.
    assert!(
        model
            .kind("example.com", "v1", "Watch")
            .unwrap()
            .is_cacheable()
    );
    assert_eq!(model.kinds.len(), 3);
}

#[test]
fn errors_are_collected_with_file_and_path() {
    let document = r##"{"swagger": "2.0", "paths": {"/api/v1/pods": {"get": {
            "responses": {"200": {"schema": {"$ref": "#/definitions/PodLst"}}},
            "x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": 7}}}},
        "definitions": {
            "PodList": {"properties": {"items": {"type": "array", "items": {"type": "strng"}}}},
            "Pod": {"properties": {"a": {"$ref": "elsewhere.json"}, "b": true}, "required": [1]}}}"##;
    let expected = [
        r##"doc.json: definitions.Pod.required[0]: expected a string, found a number"##,
        r##"doc.json: definitions.Pod.properties.a.$ref: "elsewhere.json" is no reference to a definition: one starts with "#/definitions/""##,
        r##"doc.json: definitions.PodList.properties.items.items.type: "strng" is no type of a schema (did you mean "string"?)"##,
        r##"doc.json: paths["/api/v1/pods"].get.x-kubernetes-group-version-kind.kind: expected a string, found a number"##,
        r##"doc.json: paths["/api/v1/pods"].get.responses.200.schema.$ref: "PodLst" is not defined in this document (did you mean "PodList"?)"##,
    ];
    assert_eq!(errors(document), expected.join("\n"));
}

#[test]
fn errors_say_what_is_wrong_with_a_whole_document() {
    for (document, expected) in [
        ("", "doc.json: not JSON: EOF while parsing"),
        (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
            "doc.json: not a document that can be read: definitions of custom resources are given to `crds`",
        ),
        (
            r#"{"kind": "CustomResourceDefinition"}"#,
            "doc.json: not a document that can be read: definitions of custom resources are given to `crds`",
        ),
        (
            "[]",
            "doc.json: not a document that can be read: it has none",
        ),
        (
            "{}",
            "doc.json: not a document that can be read: it has none",
        ),
        (r#"{"paths": {"api/v1": {}}}"#, "give the directory"),
        (
            r#"{"openapi": "3.0.0"}"#,
            "doc.json: paths: expected an object of paths, found nothing",
        ),
        (
            r#"{"openapi": "3.0.0", "paths": []}"#,
            "doc.json: paths: expected an object, found an array",
        ),
        (
            r#"{"larder": 2}"#,
            r#"doc.json: larder: "2" is no format of a normalised document"#,
        ),
        (
            r#"{"larder": 1, "types": {}, "kinds": [{"group": "", "version": "v1", "kind": "Pod", "scope": "Namespace", "verbs": ["gett"]}]}"#,
            "doc.json: kinds[0].plural: expected a string, found nothing\n\
             doc.json: kinds[0].scope: \"Namespace\" is no scope (did you mean \"Namespaced\"?)\n\
             doc.json: kinds[0].verbs[0]: \"gett\" is no verb (did you mean \"get\"?)",
        ),
    ] {
        let errors = errors(document);
        assert!(errors.contains(expected), "{document}\n{errors}");
    }
}

#[test]
fn unreadable_files_and_directories_are_named() {
    let directory = Directory::new("unreadable");
    let missing = directory.path("missing.json");
    let text = read(&missing).unwrap_err().to_string();
    assert!(
        text.starts_with(&format!("{}: cannot read: ", missing.display())),
        "{text}"
    );
    let text = read(&directory.0).unwrap_err().to_string();
    assert!(
        text.contains("a directory with neither `index.json` nor such files"),
        "{text}"
    );
    directory.write(
        "index.json",
        r#"{"paths": {"version": {}, "apis/../v1": {}}}"#,
    );
    let text = read(&directory.0).unwrap_err().to_string();
    assert!(
        text.contains(
            "index.json: paths: not a document that can be read: it names no group-version"
        ),
        "{text}"
    );
    directory.write(
        "index.json",
        r#"{"paths": {"apis/a/v1": {}, "apis/b/v1": {}}}"#,
    );
    directory.write("apis/b/v1.json", "{");
    let text = read(&directory.0).unwrap_err().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("apis/a/v1.json: cannot read: "), "{text}");
    assert!(lines[1].contains("apis/b/v1.json: not JSON: "), "{text}");
    assert_eq!(lines.len(), 2, "{text}");
}

#[test]
fn both_layouts_of_a_directory_give_the_same_model() {
    let released = Directory::new("released");
    released.write("apis__example.com__v1_openapi.json", SMALL);
    released.write("README.md", "not a document");
    let served = Directory::new("served");
    served.write("apis/example.com/v1.json", SMALL);
    served.write(
        "index.json",
        r#"{"paths": {"version": {}, ".well-known/openid-configuration": {}, "apis/example.com/v1": {"serverRelativeURL": "/openapi/v3/apis/example.com/v1?hash=00"}}}"#,
    );
    let model = read(&released.0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model, read(&served.0).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(normalised(&model), SMALL_NORMALISED);
}

/// Aggregated API servers are built with other versions of the shared types.
#[test]
fn a_type_defined_twice_is_kubernetes_own_and_noted() {
    let directory = Directory::new("twice");
    let document = |field: &str| {
        format!(
            r#"{{"openapi": "3.0.0", "paths": {{}}, "components": {{"schemas": {{"Shared": {{"properties": {{"{field}": {{"type": "string"}}}}}}}}}}}}"#
        )
    };
    directory.write("apis__a.example.com__v1_openapi.json", &document("old"));
    directory.write("apis__apps__v1_openapi.json", &document("new"));
    let model = read(&directory.0).unwrap_or_else(|e| panic!("{e}"));
    assert!(model.types["Shared"].field("new").is_some());
    assert_eq!(model.notes.len(), 1, "{:?}", model.notes);
    assert!(
        model.notes[0].contains("a.example.com"),
        "{:?}",
        model.notes
    );
}

/// Truncations and random changes of bytes and of values: an error or a model, never a panic.
#[test]
fn no_input_panics() {
    let seed = std::env::var("LARDER_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    eprintln!("LARDER_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let file = Path::new("doc.json");
    for document in [SMALL, SMALL_NORMALISED] {
        for _ in 0..500 {
            let bytes = document.as_bytes();
            let _ = read_bytes(file, &bytes[..random.usize(..bytes.len())]);
            let mut bytes = bytes.to_vec();
            for _ in 0..random.usize(1..8) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            let _ = read_bytes(file, &bytes);
            let mut value: serde_json::Value = serde_json::from_str(document).unwrap();
            for _ in 0..random.usize(1..4) {
                mutate(&mut value, &mut random);
            }
            if let Ok(model) = read_bytes(file, value.to_string().as_bytes()) {
                let again = read_bytes(file, normalised(&model).as_bytes());
                let mut again = again.unwrap_or_else(|e| panic!("{e}\n{value}"));
                again.notes.clone_from(&model.notes);
                assert_eq!(again, model, "{value}");
            }
        }
    }
}

/// Replaces a value somewhere, or a key.
fn mutate(value: &mut serde_json::Value, random: &mut fastrand::Rng) {
    let other = [
        serde_json::json!(null),
        serde_json::json!(-1),
        serde_json::json!(""),
        serde_json::json!("{namespace}"),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({"$ref": "#"}),
        serde_json::json!({"allOf": [{}, {"type": "string"}]}),
    ];
    let replace = random.u8(..8) == 0;
    match value {
        serde_json::Value::Object(map) if !map.is_empty() && !replace => {
            let key = map.keys().nth(random.usize(..map.len())).unwrap().clone();
            if random.u8(..10) == 0 {
                let inner = map.remove(&key).unwrap();
                map.insert(format!("{key}x"), inner);
            } else {
                mutate(&mut map[&key], random);
            }
        }
        serde_json::Value::Array(array) if !array.is_empty() && !replace => {
            let at = random.usize(..array.len());
            mutate(&mut array[at], random);
        }
        _ => *value = other[random.usize(..other.len())].clone(),
    }
}

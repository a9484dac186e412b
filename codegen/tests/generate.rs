//! What is emitted: the reviewed output of a small document, determinism, what is left out, errors of options.
//!
//! The reviewed output is compiled by the façade's tests. `LARDER_BLESS=1` writes it anew.

mod support;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use larder_codegen::{Config, LeftOutReason, configure};
use support::carried_folder;
use support::directory::Directory;
use support::generating::errors;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn config(directory: &Directory) -> Config {
    configure()
        .out_dir(&directory.0)
        .cargo_instructions(false)
        .runtime_path("::larder")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Two kinds, a namespaced and a cluster-scoped one; the others of the document cannot be cached or are left out.
#[test]
fn a_small_document_gives_the_reviewed_code() {
    let directory = Directory::new("golden");
    let generated = config(&directory)
        .openapi(golden("document.json"))
        .built_in_only(true)
        .generate();
    let generated = generated.unwrap_or_else(|e| panic!("{e}"));
    for (file, reviewed) in [
        (&generated.file, "kinds.rs"),
        (&generated.left_out_file, "left_out.md"),
    ] {
        support::is_as_reviewed(reviewed, &read(file));
    }
    let left_out: Vec<(String, LeftOutReason)> = generated
        .left_out
        .iter()
        .map(|kind| (kind.id.to_string(), kind.reason))
        .collect();
    assert_eq!(
        left_out,
        [
            (
                "example.com/v1/Widget".into(),
                LeftOutReason::CustomResource
            ),
            (
                "wardle.example.com/v1/Flunder".into(),
                LeftOutReason::Aggregated
            ),
        ]
    );
}

#[test]
fn the_same_input_gives_the_same_bytes_and_an_unchanged_file_is_not_written() {
    let directory = Directory::new("unchanged");
    let carried = carried_folder();
    let with = |document: &str| {
        config(&directory)
            .openapi(carried.join(document))
            .generate()
    };
    let first = with("v1_36.json").unwrap_or_else(|e| panic!("{e}"));
    assert!(first.changed);
    let text = read(&first.file);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = std::fs::File::options()
        .write(true)
        .open(&first.file)
        .unwrap();
    file.set_modified(long_ago).unwrap();
    let again = with("v1_36.json").unwrap_or_else(|e| panic!("{e}"));
    assert!(!again.changed);
    let modified = || std::fs::metadata(&first.file).unwrap().modified().unwrap();
    assert_eq!((read(&again.file), modified()), (text.clone(), long_ago));
    let other = with("v1_37.json").unwrap_or_else(|e| panic!("{e}"));
    assert!(other.changed);
    assert_ne!((read(&other.file), modified()), (text, long_ago));
}

#[test]
fn a_kind_that_the_enabled_version_lacks_is_left_out() {
    let directory = Directory::new("older");
    let carried = carried_folder();
    let generated = config(&directory)
        .openapi(carried.join("v1_37.json"))
        .types_of(carried.join("v1_33.json"))
        .generate()
        .unwrap_or_else(|e| panic!("{e}"));
    let text = read(&generated.left_out_file);
    let line = "- `lifecycle.k8s.io/v1alpha1/Eviction";
    assert!(text.contains(line), "{text}");
    let no_type = |reason| reason == LeftOutReason::NoType;
    assert!(generated.left_out.iter().all(|kind| no_type(kind.reason)));
    let code = read(&generated.file);
    assert!(code.contains("pub struct PodInformer") && !code.contains("pub mod lifecycle"));
    assert!(
        code.contains("\"lifecycle.k8s.io/v1alpha1/Eviction"),
        "in LEFT_OUT"
    );
}

#[test]
fn only_selected_kinds_are_emitted() {
    let directory = Directory::new("selected");
    let generated = config(&directory)
        .openapi(carried_folder().join("v1_37.json"))
        .kinds(["v1/Pod", "rbac.authorization.k8s.io/v1/Role"])
        .generate()
        .unwrap_or_else(|e| panic!("{e}"));
    let code = read(&generated.file);
    assert_eq!(code.matches("TypedInformer").count(), 2);
    assert!(code.contains("pub struct PodInformer") && code.contains("pub struct RoleInformer"));
}

#[test]
fn errors_of_options_are_collected() {
    let directory = Directory::new("options");
    let nothing = configure()
        .cargo_instructions(false)
        .runtime_path("no path");
    let text = errors(nothing.k8s_openapi_path("").out_dir(&directory.0));
    let expected = "runtime_path: \"no path\" is no path of Rust: write one such as `::larder`\n\
                    k8s_openapi_path: \"\" is no path of Rust: write one such as `::larder`\n\
                    openapi: nothing was given to generate from: set `openapi` or `crds`";
    assert_eq!(text, expected);
    let selected = config(&directory)
        .openapi(golden("document.json"))
        .built_in_only(true);
    let selected = selected.kinds([
        "v1/Pods",
        "apps/v1/Node",
        "v1/Binding",
        "v1/ComponentStatus",
        "example.com/v1/Widget",
        "Zebra",
    ]);
    let text = errors(selected);
    let lines: Vec<&str> = text.lines().collect();
    for (line, expected) in [
        (0, "kinds: \"v1/Pods\" is no kind that was read"),
        (0, "(did you mean \"v1/Pod\"?)"),
        (1, "(did you mean \"v1/Node\"?)"),
        (2, "kinds: v1/Binding cannot be cached: it cannot be listed"),
        (
            3,
            "kinds: v1/ComponentStatus cannot be cached: it cannot be watched",
        ),
        (
            4,
            "kinds: example.com/v1/Widget cannot be cached: custom resources belong",
        ),
        (5, "kinds: \"Zebra\" is no kind that was read"),
    ] {
        assert!(lines[line].contains(expected), "{text}");
    }
    assert_eq!(lines.len(), 6, "{text}");
    assert!(
        !directory.path("larder.rs").exists(),
        "nothing is written after an error"
    );
}

#[test]
fn errors_of_both_documents_are_collected() {
    let directory = Directory::new("documents");
    let one = directory.write(
        "one.json",
        r#"{"larder": 1, "types": {"A": {"type": "strin"}}}"#,
    );
    let text = errors(
        config(&directory)
            .openapi(&one)
            .types_of(directory.path("none.json")),
    );
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0]
            .ends_with("types.A.type: \"strin\" is no type of a schema (did you mean \"string\"?)"),
        "{text}"
    );
    assert!(
        lines[1].ends_with("kinds: expected an array of kinds, found nothing"),
        "{text}"
    );
    assert!(lines[2].contains("none.json: cannot read: "), "{text}");
    assert_eq!(lines.len(), 3, "{text}");
}

#[test]
fn two_kinds_whose_names_collide_are_an_error() {
    let directory = Directory::new("collision");
    let kind = |name: &str| {
        format!(
            r#"{{"group":"","version":"v1","kind":"{name}","plural":"{name}s","scope":"Cluster","verbs":["list","watch"],"type":{{"$ref":"io.k8s.api.core.v1.{name}"}}}}"#
        )
    };
    let document = format!(
        r#"{{"larder":1,"kinds":[{},{}],"types":{{"io.k8s.api.core.v1.Pod":{{}},"io.k8s.api.core.v1.PodStore":{{}}}}}}"#,
        kind("Pod"),
        kind("PodStore")
    );
    let document = directory.write("collision.json", &document);
    assert_eq!(
        errors(config(&directory).openapi(&document).types_of(&document)),
        "kinds: core::v1::PodStore would be emitted twice, for v1/Pod and for v1/PodStore: leave one out with `kinds`; a second \
         `configure()` with another `file_name` emits it"
    );
}

#[test]
fn what_cannot_be_written_is_named() {
    let directory = Directory::new("unwritable");
    let file = directory.write("a-file", "");
    let text = errors(
        configure()
            .cargo_instructions(false)
            .openapi(golden("document.json"))
            .out_dir(&file),
    );
    assert!(
        text.starts_with(&format!("{}/larder.rs: cannot write: ", file.display())),
        "{text}"
    );
}

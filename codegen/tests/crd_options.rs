//! Options of single paths of custom resources.

mod support;

use std::path::Path;

use larder_codegen::{Config, configure};
use support::directory::Directory;
use support::generating::generate;

fn quirks(directory: &Directory) -> Config {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crds/quirks.yaml");
    configure()
        .crds(file.display().to_string())
        .out_dir(&directory.0)
        .cargo_instructions(false)
}

/// The code without the spaces and line ends of its format.
fn code(config: Config) -> String {
    let (_, code) = generate(config);
    code.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("< ", "<")
        .replace(", >", ">")
}

const QUIRK: &str = "odd.example.com/v1/Quirk";

#[test]
fn a_path_takes_a_type_of_the_users() {
    let directory = Directory::new("options-use");
    let with = code(
        quirks(&directory)
            .use_type(QUIRK, "spec.claim", "crate::Claim")
            .use_type("*", "spec.mapOfLists[][]", "crate::Item")
            .use_type("*", "**.bool.i32", "Vec<u8>")
            // A default of the schema's is none of the type's.
            .use_type("*", "spec.limits", "::limits::Limits"),
    );
    assert!(with.contains("pub claim: ::core::option::Option<crate::Claim>,"));
    assert!(with.contains("::std::vec::Vec<crate::Item>"));
    assert!(with.contains("pub i32: ::core::option::Option<Vec<u8>>,"));
    assert!(with.contains("pub limits: ::core::option::Option<::limits::Limits>,"));
    assert!(!with.contains("pub struct Claim") && !with.contains("pub mod limits"));
}

#[test]
fn a_path_is_pruned_boxed_or_skipped() {
    let directory = Directory::new("options-others");
    let with = code(
        quirks(&directory)
            .prune(QUIRK, "spec.validated")
            .prune(QUIRK, "spec.initContainers[]")
            .boxed(QUIRK, "spec.claim")
            .boxed(QUIRK, "spec.limits")
            .skip(QUIRK, "spec.\"x-name\"")
            .skip(QUIRK, "full"),
    );
    assert!(
        with.contains("pub validated: ::core::option::Option<::k8s_openapi::serde_json::Value>,")
    );
    assert!(with.contains(
        "pub init_upper_containers: ::core::option::Option<::std::vec::Vec<::k8s_openapi::serde_json::Value>>,"
    ));
    assert!(with.contains("pub claim: ::core::option::Option<::std::boxed::Box<spec::Claim>>,"));
    assert!(with.contains("pub limits: ::std::boxed::Box<spec::Limits>,"));
    assert!(
        with.contains("limits: ::std::boxed::Box::new( spec::Limits {")
            || with.contains("limits: ::std::boxed::Box::new(spec::Limits {")
    );
    assert!(!with.contains("x_name") && !with.contains("Full_"));
}

/// Compiled, and used, by the tests of the façade.
#[test]
fn all_options_together_give_the_reviewed_code() {
    let directory = Directory::new("options-golden");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let crds = tests.join("options").display().to_string();
    let generated = configure()
        .crds(crds)
        .use_type(
            "post.example.com/v1/Parcel",
            "spec.template",
            "crate::options::Template",
        )
        .use_type("*", "spec.weights[]", "crate::options::Weight")
        .prune("*", "**.express")
        .boxed("*", "spec.address")
        .boxed("*", "spec.insurance")
        .boxed("*", "spec.insurance.note")
        .skip("*", "spec.history")
        .keep_unknown_fields(false)
        .out_dir(&directory.0)
        .cargo_instructions(false)
        .generate()
        .unwrap_or_else(|errors| panic!("{errors}"));
    assert!(generated.warnings.is_empty(), "{:?}", generated.warnings);
    let code = std::fs::read_to_string(generated.file).unwrap();
    support::is_as_reviewed("options.rs", &code);
}

#[test]
fn unknown_fields_are_kept_or_not() {
    let directory = Directory::new("options-unknown");
    assert!(code(quirks(&directory)).contains("pub rest: ::std::collections::BTreeMap<"));
    let without = code(quirks(&directory).keep_unknown_fields(false));
    assert!(!without.contains("pub rest: ::std::collections::BTreeMap<"));
    // A map is no object with unknown fields.
    assert!(
        without.contains("pub preserved: ::core::option::Option<::std::collections::BTreeMap<")
    );
}

#[test]
fn an_option_that_fits_nothing_is_an_error() {
    let directory = Directory::new("options-errors");
    let errors = quirks(&directory)
        .prune("odd.example.com/v1/Quirks", "spec")
        .boxed(QUIRK, "spec.clam")
        .skip("*", "spec.mapOfLists.x")
        // An item is there or not; no option leaves it out or puts it behind a pointer.
        .skip(QUIRK, "spec.initContainers[]")
        .skip("*", "spec.mapOfLists[][]")
        .boxed("*", "**.initContainers[]")
        .use_type(QUIRK, "spec.claim", "no type")
        .generate()
        .expect_err("errors")
        .to_string();
    let expected = [
        "use_type: \"no type\" is no type of Rust: write one such as `crate::Template`",
        "prune: \"odd.example.com/v1/Quirks\" is no kind of these definitions; kinds are written as \
         `cert-manager.io/v1/Certificate` (did you mean \"odd.example.com/v1/Quirk\"?)",
        "boxed: \"spec.clam\" is no path of a property in the kind's schema; paths are written as `spec.items[].name` (did you mean \
         \"spec.claim\"?)",
        "skip: \"spec.mapOfLists.x\" is no path of a property in the kind's schema; paths are written as `spec.items[].name` \
         (did you mean \"spec.mapOfLists\"?)",
        "skip: \"spec.initContainers[]\" is no path of a property in the kind's schema; paths are written as \
         `spec.items[].name` (did you mean \"spec.initContainers\"?)",
        "skip: \"spec.mapOfLists[][]\" is no path of a property in the kind's schema; paths are written as \
         `spec.items[].name` (did you mean \"spec.mapOfLists[][].x\"?)",
        "boxed: \"**.initContainers[]\" is no path of a property in the kind's schema; paths are written as \
         `spec.items[].name`",
    ];
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected);
}

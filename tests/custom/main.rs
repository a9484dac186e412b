//! Custom resources: the reviewed output of larder-codegen's fixtures, compiled and used as a program uses it.

#[path = "../support/mod.rs"]
mod support;

// See `codegen/tests/crds`, from which this is made. A module, as `larder generate` has it; elsewhere such code is included.
#[allow(missing_docs, reason = "as in a user's crate")]
#[path = "../../codegen/tests/golden/crds.rs"]
#[rustfmt::skip]
mod golden;

/// See `codegen/tests/names`: in a module that has other things under the names of the prelude.
#[allow(missing_docs, dead_code, reason = "as in a user's crate")]
mod names {
    struct Option;
    struct String;
    struct Vec;
    struct Box;
    struct Result;
    struct Some;
    struct Ok;
    trait Default {}
    trait Clone {}
    trait Into {}
    trait From {}
    trait ToString {}
    mod core {}
    mod larder {}
    mod k8s_openapi {}

    include!("../../codegen/tests/golden/names.rs");
}

mod caches;
mod decode;
#[allow(dead_code, reason = "that it compiles is what is tested")]
mod explained;
mod facts;
mod fields;
mod options;
mod written;

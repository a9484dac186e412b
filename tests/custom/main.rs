//! Custom resources: the reviewed output of larder-codegen's fixtures, compiled and used as a program uses it.

#[path = "../support/mod.rs"]
mod support;

/// See `codegen/tests/crds`, from which this is made.
#[allow(missing_docs, reason = "as in a user's crate")]
mod golden {
    include!("../../codegen/tests/golden/crds.rs");
}

mod caches;
mod decode;
mod facts;
mod fields;

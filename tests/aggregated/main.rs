//! Kinds of a cluster's document: the reviewed output of larder-codegen's fixture, compiled and used as a program uses it.

#[path = "../support/mod.rs"]
mod support;

/// See `codegen/tests/documents/cluster`, from which this is made.
#[allow(missing_docs, reason = "as in a user's crate")]
mod golden {
    include!("../../codegen/tests/golden/cluster.rs");
}

mod caches;
mod decode;

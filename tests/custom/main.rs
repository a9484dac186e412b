//! Custom resources: the reviewed output of larder-codegen's fixtures, compiled and used as a program uses it.

#[path = "../support/mod.rs"]
mod support;

// See `codegen/tests/crds`, from which this is made. A module, as `larder generate` has it; elsewhere such code is included.
#[allow(missing_docs, reason = "as in a user's crate")]
#[path = "../../codegen/tests/golden/crds.rs"]
#[rustfmt::skip]
mod golden;

mod caches;
mod decode;
mod explained;
mod facts;
mod fields;

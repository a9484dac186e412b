//! What a Kubernetes cache must do, number by number, and that each number is proven.
//!
//! [`numbers`] is the table of the behaviours in our words. [`proofs`] finds the tests that are named after them in the sources of the
//! workspace, [`page`] writes `docs/conformance.md` from both and fails where a number has no test, a test an unknown number, or
//! the page is stale. The groups whose path depends on scope, representation and listing run in every [`matrix`] mode: a case is
//! written once against an erased informer, and the page names the modes from the same list that the cases run over.

#[allow(dead_code, reason = "missed deletes are counted elsewhere")]
#[path = "../e2e/fold.rs"]
mod fold;
#[path = "../support/mod.rs"]
mod support;

mod forms;
mod handlers;
mod matrix;
mod numbers;
mod page;
mod pods;
mod proofs;
mod reading;
mod scope;
mod single;

use matrix::Case;

/// Every case that runs in several modes.
fn cases() -> impl Iterator<Item = &'static Case> {
    [reading::CASES, scope::CASES, handlers::CASES]
        .into_iter()
        .flatten()
}

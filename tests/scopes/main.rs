//! What a cache watches: namespaces, selectors, and where each option comes from, on the simulator. Tests are named by conformance
//! number; in units of the runtime are those of the precedence itself.

#[path = "../e2e/fold.rs"]
mod fold;
#[path = "../support/mod.rs"]
mod support;

mod bench;
mod beside;
mod everywhere_but;
mod inherited;
mod kinds;
mod running;
mod selectors;

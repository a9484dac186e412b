//! Kinds that are not there, not yet, or not any more; and names that mean one. Over the simulator, on the paused clock.

#[path = "../e2e/fold.rs"]
mod fold;
#[path = "../support/mod.rs"]
mod support;

mod bench;
mod confirmed;
mod discovery;
mod doubted;
mod informer;
mod random;
mod stopping;
mod widget;

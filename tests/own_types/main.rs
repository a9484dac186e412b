//! Caches of types that a program has already: those of kube's derive, and hand-written ones.
#![deny(
    missing_docs,
    unreachable_pub,
    private_interfaces,
    private_bounds,
    warnings
)]

#[path = "../support/mod.rs"]
mod support;

mod derived;

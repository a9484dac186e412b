//! Caches of types that a program has already: those of kube's derive, and hand-written ones.
#![deny(
    missing_docs,
    unreachable_pub,
    private_interfaces,
    private_bounds,
    warnings
)]

// As a crate does that gives it another name.
extern crate larder as cached;

#[path = "../support/mod.rs"]
mod support;

mod derived;
mod hand_written;
mod names;
mod selectable;
pub mod visible;

use serde_json::{Value, json};

/// An object of `example.com/v1` in the namespace `web`.
fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": kind, "metadata": {"namespace": "web", "name": name, "labels": {"app": name}},
        "spec": spec,
    })
}

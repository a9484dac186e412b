//! `Cached` reads what kube's derive is told, and here that is nothing.

use larder::Cached;

#[derive(Cached)]
struct GadgetSpec {
    size: i64,
}

fn main() {}

//! The objects' type is made by kube's derive, which is missing.

use larder::Cached;

#[derive(Cached)]
#[kube(group = "example.com", version = "v1", kind = "Gadget")]
struct GadgetSpec {
    size: i64,
}

fn main() {}

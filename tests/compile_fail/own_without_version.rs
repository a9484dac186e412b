//! A kind has a version.

use larder::Cached;

#[derive(Cached)]
#[kube(group = "example.com", kind = "Gadget")]
struct GadgetSpec {
    size: i64,
}

fn main() {}

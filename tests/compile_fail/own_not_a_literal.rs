//! A macro sees no constants.

use larder::Cached;

const GROUP: &str = "example.com";

#[derive(Cached)]
#[kube(group = GROUP, version = "v1", kind = "Gadget")]
struct GadgetSpec {
    size: i64,
}

fn main() {}

//! A kind has one type.

use larder::Cached;

#[derive(Cached)]
#[kube(group = "example.com", version = "v1", kind = "Gadget")]
struct GadgetSpec<T> {
    part: T,
}

fn main() {}

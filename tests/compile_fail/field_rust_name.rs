//! The name of the Rust field instead of JSON's.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.node_name);
}

//! A name that is no Rust identifier.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.5);
}

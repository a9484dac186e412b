//! A struct is no key.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.containers[].resources);
}

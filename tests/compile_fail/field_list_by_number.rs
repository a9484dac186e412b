//! A list has no single items.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.containers[0].image);
}

//! A string is no list.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.nodeName[]);
}

//! The type has no such field.

use larder::core::v1::PodInformer;
use larder::field;

fn main() {
    let _ = field!(PodInformer, spec.nodeName);
}

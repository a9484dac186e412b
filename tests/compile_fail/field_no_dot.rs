//! What is between two segments.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec nodeName);
    let _ = field!(Pod, spec.x-name);
    let _ = field!(Pod, metadata.labels[app]);
    let _ = field!(Pod, spec."initContainers" as [].image);
}

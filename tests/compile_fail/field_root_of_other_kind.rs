//! The path is of nodes, the informer of pods.

use larder::core::v1::{Node, PodInformer};
use larder::field;

fn index(pods: &PodInformer) {
    let _ = pods.add_index(field!(Node, spec.podCIDR));
}

fn main() {}

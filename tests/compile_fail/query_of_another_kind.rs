use larder::core::v1::{Node, Pod, PodLister};
use larder::field;

fn select(pods: &PodLister) {
    let _ = pods.select(field!(Node, spec.podCIDR).eq("10.0.0.0/24"));
    let _ = field!(Pod, spec.nodeName).eq("n1").and(field!(Node, spec.podCIDR).exists());
}

fn main() {}

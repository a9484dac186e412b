use larder::core::v1::{PodInformer, pod};
use larder::{Index, OrderedIndex, Snapshot};

/// An index is its handle; there is no name to mistype.
fn by_name(snapshot: &Snapshot<pod::Full>) {
    let _ = snapshot.by(&"spec.nodeName");
}

/// What an index gives for a key of another type.
fn other_key(by_priority: &Index<pod::Full, i32>) {
    let _ = by_priority.get("high");
}

/// Only an ordered index has ranges, and only one of texts has prefixes.
fn ranges(by_node: &Index<pod::Full, String>, by_priority: &OrderedIndex<pod::Full, i32>) {
    let _ = by_node.prefix("node-");
    let _ = by_priority.prefix("1");
}

/// What is no index.
fn no_index(pods: &PodInformer) {
    let _ = pods.add_index(|pod: &larder::core::v1::Pod| pod.metadata.name.clone());
}

fn main() {}

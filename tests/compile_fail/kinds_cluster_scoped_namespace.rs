//! The lister of a cluster-scoped kind has no namespaces, also where metadata alone is kept.

fn main() {}

fn cluster_scoped(nodes: larder::core::v1::NodeMetadataInformer) {
    let _ = nodes.lister().namespace("web");
}

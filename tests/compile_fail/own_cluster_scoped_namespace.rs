//! The lister of a cluster-scoped kind has no namespaces, whoever made the type.

use kube::CustomResource;
use larder::Cached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gadget")]
struct GadgetSpec {
    size: i64,
}

fn read(gadgets: GadgetLister) {
    let _ = gadgets.namespace("web");
}

fn main() {}

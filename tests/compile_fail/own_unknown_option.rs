//! An option of ours that there is not.

use kube::CustomResource;
use larder::Cached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gadget")]
#[larder(modul = "gadgets")]
struct GadgetSpec {
    size: i64,
}

fn main() {}

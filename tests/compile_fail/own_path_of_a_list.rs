//! The server selects by no item of a list.

use kube::CustomResource;
use larder::Cached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gadget",
    selectable = ".spec.parts[0]"
)]
struct GadgetSpec {
    parts: Vec<String>,
}

fn main() {}

//! A selectable field is one of the type.

use kube::CustomResource;
use larder::Cached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gadget",
    selectable = ".spec.colour"
)]
struct GadgetSpec {
    color: String,
}

fn main() {}

//! The kind's own module does not see what stands in a function.

use kube::CustomResource;
use larder::Cached;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn main() {
    #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Gadget")]
    struct GadgetSpec {
        size: i64,
    }
}

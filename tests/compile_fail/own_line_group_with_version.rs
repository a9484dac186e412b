//! Group and version are two keys.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::cached;
use serde::Deserialize;

#[derive(Deserialize)]
struct Gadget {
    metadata: ObjectMeta,
}

cached!(Gadget, group = "example.com/v1", version = "v1");

fn main() {}

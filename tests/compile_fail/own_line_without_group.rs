//! A kind has a group.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::cached;
use serde::Deserialize;

#[derive(Deserialize)]
struct Gadget {
    metadata: ObjectMeta,
}

cached!(Gadget, version = "v1", namespaced);

fn main() {}

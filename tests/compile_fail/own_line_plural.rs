//! A plural as it stands in no path.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::cached;
use serde::Deserialize;

#[derive(Deserialize)]
struct Gadget {
    metadata: ObjectMeta,
}

cached!(Gadget, group = "example.com", version = "v1", plural = "Gadgets");

fn main() {}

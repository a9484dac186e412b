//! A key that there is not.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::cached;
use serde::Deserialize;

#[derive(Deserialize)]
struct Gadget {
    metadata: ObjectMeta,
}

cached!(Gadget, group = "example.com", versoin = "v1");

fn main() {}

//! What is cached is decoded.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::cached;

struct Gadget {
    metadata: ObjectMeta,
}

cached!(Gadget, group = "example.com", version = "v1");

fn main() {}

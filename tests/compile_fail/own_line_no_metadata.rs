//! Every object has metadata.

use larder::cached;
use serde::Deserialize;

#[derive(Deserialize)]
struct Gadget {
    name: String,
}

cached!(Gadget, group = "example.com", version = "v1");

fn main() {}

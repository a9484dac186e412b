//! A type is no text.

larder::cached!("Gadget", group = "example.com", version = "v1");

fn main() {}

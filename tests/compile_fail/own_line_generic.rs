//! A kind has one type.

larder::cached!(Gadget<Part>, group = "example.com", version = "v1");

fn main() {}

//! Nothing is said at all.

larder::cached!();

fn main() {}

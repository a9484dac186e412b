//! Gives the right Rust field, but is not the JSON name.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, status.hostIp);
}

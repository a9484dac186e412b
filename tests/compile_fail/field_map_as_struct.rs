//! A key of a map is no field.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, metadata.labels.app);
}

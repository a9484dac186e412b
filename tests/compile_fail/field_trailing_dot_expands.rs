//! What stands before an unfinished segment is expanded, so that an editor knows its type: here rustc looks at it.

use larder::core::v1::Pod;
use larder::field;

fn main() {
    let _ = field!(Pod, spec.nodeNam.);
}

//! Fields of a custom resource by the names that they have in Rust, or with other capitals.

use generated::shop_example_com::v1::Gadget;
use larder::field;

mod generated {
    include!("../../codegen/tests/golden/crds.rs");
}

fn main() {
    let _ = field!(Gadget, spec.serial_number);
    let _ = field!(Gadget, spec.Parts[].name);
    let _ = field!(Gadget, status.delivered[].Weight);
    let _ = field!(Gadget, spec.serialNumbr);
}

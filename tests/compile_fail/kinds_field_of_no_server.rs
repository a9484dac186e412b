//! What the server does not select pods by has no constant, though pods have the field.

use larder::InformerOptions;
use larder::core::v1::pod;

fn main() {
    let _ = InformerOptions::<pod::Full>::new().fields(pod::selectable::SPEC_SUBDOMAIN.eq("web"));
    // Here with the spelling of another field.
    let _ = InformerOptions::<pod::Full>::new().fields(pod::selectable::SPEC_NODENAME.eq("node-7"));
}

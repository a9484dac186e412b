//! A transform of metadata alone sees no whole object.

use larder::InformerOptions;
use larder::Metadata;
use larder::core::v1::Pod;

fn main() {
    let _ = InformerOptions::<Metadata>::new().transform(|pod: &mut Pod| {
        pod.status = None;
        Ok(())
    });
}

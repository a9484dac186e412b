//! Metadata alone has an informer type of its own in a cache.

use larder::Metadata;
use larder::core::v1::PodInformer;

fn main() {}

fn by_hand(cache: larder::Cache) {
    let _ = cache.informer::<PodInformer<Metadata>>();
}

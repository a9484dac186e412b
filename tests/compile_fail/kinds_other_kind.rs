//! What is kept must be made of the kind's own objects.

use larder::core::v1::{NodeInformer, pod};

fn main() {}

fn misfit(cache: larder::Cache) {
    let _ = cache.informer::<NodeInformer<pod::Full>>();
}

//! Options of a kind are of its informer.

use larder::core::v1::{NodeInformer, pod};
use larder::{Cache, InformerOptions};

fn of_kind(client: kube::Client) {
    let _ = Cache::builder(client).kind::<NodeInformer>(InformerOptions::<pod::Full>::new());
}

fn main() {}

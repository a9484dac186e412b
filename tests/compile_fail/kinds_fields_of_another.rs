//! What the server selects pods by it does not select nodes by.

use larder::core::v1::{NodeInformer, pod};
use larder::{Cache, InformerOptions};

fn of_kind(client: kube::Client) {
    let fields = pod::selectable::SPEC_NODE_NAME.eq("node-7");
    let _ = Cache::builder(client).kind::<NodeInformer>(InformerOptions::new().fields(fields));
}

fn main() {}

//! Follows the gadgets of a cluster: `cargo run`, with the current context of your kubeconfig.
//!
//! The definition in `crds/gadgets.yaml` has to be there: `kubectl apply -f crds`. Each change is printed; Ctrl-C ends it.

use std::time::Duration;

use larder::{Cache, Seen, Tombstone, field};

/// What `build.rs` wrote.
pub mod generated {
    larder::include_generated!();
}

use generated::shop_example_com::v1::{Gadget, GadgetEventHandler, GadgetInformer, gadget};

struct Printer;

impl GadgetEventHandler for Printer {
    fn on_add(&self, gadget: &Seen<gadget::Full>, initial: bool) {
        let spec = &gadget.object().spec;
        let seen = if initial { "there" } else { "added" };
        println!("{seen} {}: {} of {} mm", gadget.key(), spec.color, spec.size);
    }

    fn on_update(&self, old: &Seen<gadget::Full>, new: &Seen<gadget::Full>) {
        let (before, now) = (&old.object().spec, &new.object().spec);
        println!("updated {}: {} -> {}", new.key(), before.color, now.color);
    }

    fn on_delete(&self, gadget: &Tombstone<gadget::Full>) {
        println!("deleted {}", gadget.key());
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = larder::client_from_config(kube::Config::infer().await?)?;
    let cache = Cache::builder(client).build();
    let gadgets = cache.informer::<GadgetInformer>()?;
    let by_color = gadgets.add_index(field!(Gadget, spec.color))?;
    gadgets.add_handler(Printer)?;
    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(30)).await?;
    println!("{} of the gadgets are red", by_color.get("red")?.count());
    tokio::signal::ctrl_c().await?;
    Ok(())
}

//! Follows the gadgets of a cluster and their makers, with types and caches that `build.rs` made of the definitions in `crds`.
//!
//! ```text
//! kubectl apply -f crds
//! cargo run           # the current context of your kubeconfig, or the cluster it runs in
//! cargo run -- red    # red gadgets alone: the server sends no others
//! ```
//!
//! Changes are printed as they come, until Ctrl-C or SIGTERM.

use std::time::Duration;

use larder::{Cache, Funcs, Index, InformerOptions, Seen, Tombstone, field};

/// What `build.rs` wrote.
pub mod generated {
    larder::include_generated!();
}

use generated::shop_example_com::v1::{Gadget, GadgetEventHandler, GadgetInformer, gadget};
use generated::shop_example_com::v1::{MakerInformer, maker};

/// Prints what happens to gadgets.
struct Printer;

impl GadgetEventHandler for Printer {
    fn on_add(&self, gadget: &Seen<gadget::Full>, initial: bool) {
        if !initial {
            println!("+ gadget {}: {}", gadget.key(), shown(&gadget.object()));
        }
    }

    fn on_update(&self, old: &Seen<gadget::Full>, new: &Seen<gadget::Full>) {
        let (before, now) = (old.object(), new.object());
        // Nothing for a change of the status alone, nor for a resync.
        if before.spec != now.spec {
            let (before, now) = (shown(&before), shown(&now));
            println!("~ gadget {}: {before} -> {now}", new.key());
        }
    }

    fn on_delete(&self, gadget: &Tombstone<gadget::Full>) {
        println!("- gadget {}", gadget.key());
    }
}

fn shown(gadget: &Gadget) -> String {
    format!("{}, {} mm", gadget.spec.color, gadget.spec.size)
}

/// Prints how many gadgets are recalled with their maker, as another informer's index has them at this moment.
fn recalls(by_maker: Index<gadget::Full, String>) -> Funcs<maker::Full> {
    Funcs::<maker::Full>::new().on_update(move |old, new| {
        let (before, now) = (old.object().spec.recalled, new.object().spec.recalled);
        match (before, now, by_maker.get(new.key().name())) {
            (false, true, Ok(gadgets)) => {
                println!("! maker {}: {} recalled", new.key(), gadgets.count());
            }
            (false, true, Err(error)) => eprintln!("maker {}: {error}", new.key()),
            (true, false, _) => println!("! maker {}: recall is over", new.key()),
            _ => {}
        }
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = larder::client_from_config(kube::Config::infer().await?)?;
    let cache = Cache::builder(client)
        .on_error(|error| eprintln!("{error}"))
        .build();

    let mut options = InformerOptions::new();
    if let Some(color) = std::env::args().nth(1) {
        options = options.fields(gadget::selectable::SPEC_COLOR.eq(color));
    }
    let gadgets = cache.informer_with::<GadgetInformer>(options)?;
    let by_color = gadgets.add_index(field!(Gadget, spec.color))?;
    let by_maker = gadgets.add_index(field!(Gadget, spec.maker))?;
    gadgets.add_handler(Printer)?;
    let makers = cache.informer::<MakerInformer>()?;
    makers.add_handler(recalls(by_maker))?;

    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(60)).await?;
    println!("{} makers", makers.lister().list()?.count());
    for (color, count) in by_color.values()? {
        println!("{color}: {count} gadgets");
    }
    println!("now following");

    stop_signal().await?;
    cache.shutdown(Duration::from_secs(5)).await?;
    println!("ended");
    Ok(())
}

/// Waits for Ctrl-C, or for the SIGTERM with which Kubernetes ends a container.
async fn stop_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            pressed = tokio::signal::ctrl_c() => pressed,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

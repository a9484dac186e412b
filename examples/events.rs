//! Prints what happens to the pods, deployments and nodes of a cluster: a handler that takes keys, one made of closures, and a stream.
//!
//! ```text
//! cargo run --example events    # the current context of your kubeconfig, or the cluster it runs in
//! ```

use std::time::Duration;

use larder::apps::v1::{DeploymentInformer, deployment};
use larder::core::v1::{NodeInformer, PodInformer};
use larder::{Cache, Event, Funcs, HandlerOptions, Keys, client_from_config};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = client_from_config(kube::Config::infer().await?)?;
    let cache = Cache::builder(client).build();

    // Keys alone: for whoever puts them into a queue and reads the object from the lister later.
    let nodes = cache.informer::<NodeInformer>()?;
    nodes.add_handler(Keys::new(|key| println!("node {key} changed")))?;

    // Closures: old and new object.
    let deployments = cache.informer::<DeploymentInformer>()?;
    let scaled = Funcs::<deployment::Full>::new().on_update(|old, new| {
        let (old, new) = (old.object(), new.object());
        if old.metadata.generation != new.metadata.generation {
            println!("the spec of deployment {:?} changed", new.metadata.name);
        }
    });
    deployments.add_handler(scaled)?;

    // A stream: for whoever needs to await.
    let pods = cache.informer::<PodInformer>()?;
    let mut events = pods.events(HandlerOptions::default().name("printer"))?;

    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(60)).await?;
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            stop = tokio::signal::ctrl_c() => { stop?; None }
        };
        match event {
            Some(Event::Add {
                object,
                initial: false,
            }) => println!("pod {} added", object.key()),
            Some(Event::Update { old, new }) if old.version() != new.version() => {
                println!("pod {} changed", new.key());
            }
            Some(Event::Delete(gone)) => println!("pod {} deleted", gone.key()),
            Some(_) => {}
            None => break,
        }
    }
    cache.shutdown(Duration::from_secs(5)).await?;
    Ok(())
}

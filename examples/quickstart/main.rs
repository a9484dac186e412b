//! A typed cache follows a cluster, and shows it.
//!
//! ```text
//! cargo run --example quickstart                       # a small, lively cluster inside this process
//! cargo run --example quickstart -- --context NAME     # that context of your kubeconfig, read-only
//! cargo run --example quickstart -- --seconds 0        # until Ctrl-C
//! ```

mod lively;
mod printer;

use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Parser;
use larder::core::v1::{NodeInformer, PodInformer};
use larder::{Cache, HandlerOptions, Resync};

use printer::Printer;

/// Follow a cluster's pods and nodes with a typed cache.
#[derive(Parser)]
struct Options {
    /// Follow this context of your kubeconfig, read-only, instead of the cluster inside this process.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// End after so many seconds; 0 for never.
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let client = match &options.context {
        Some(context) => lively::connect(context).await?,
        None => lively::start().await?,
    };

    let cache = Cache::builder(client).build();
    let pods = cache.informer::<PodInformer>()?;
    let nodes = cache.informer::<NodeInformer>()?;
    let printer = Printer::default();
    let shown = printer.clone();
    let every_three_seconds = HandlerOptions::default()
        .name("printer")
        .resync(Resync::Every(Duration::from_secs(3)));
    let registration = pods.add_handler_with(printer, every_three_seconds)?;

    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(30)).await?;
    registration.wait_for_sync(Duration::from_secs(30)).await?;
    println!(
        "synced: {} pods, {} nodes",
        pods.lister().list()?.count(),
        nodes.lister().list()?.count()
    );
    for (namespace, count) in pods.indexer().namespaces()? {
        println!("  namespace {namespace}: {count} pods");
    }
    let names = nodes
        .lister()
        .list()?
        .filter_map(|node| node.metadata.name.clone())
        .collect::<Vec<_>>();
    println!("  nodes: {}", names.join(", "));
    println!("now following; `+` added, `~` changed, `-` deleted");

    let started = Instant::now();
    let end = async {
        match options.seconds {
            0 => std::future::pending().await,
            seconds => tokio::time::sleep(Duration::from_secs(seconds)).await,
        }
    };
    tokio::select! {
        () = end => {}
        stop = tokio::signal::ctrl_c() => stop.context("cannot listen for Ctrl-C")?,
    }

    let health = pods.health();
    let stats = registration.stats();
    println!("\nsummary after {} s", started.elapsed().as_secs());
    println!(
        "  objects in the store: {} pods, {} nodes",
        health.objects,
        nodes.health().objects
    );
    println!("  events told: {}", shown.told());
    println!(
        "  resyncs: {}; waiting: {}; merged: {}",
        stats.resyncs, stats.queued, stats.merged
    );
    println!(
        "  relists: {}; objects that did not decode: {}",
        health.relists, health.decode_failures
    );
    println!(
        "  lists at once, from one snapshot: {} running pods",
        running(&pods)?
    );
    cache.shutdown(Duration::from_secs(5)).await?;
    Ok(())
}

fn running(pods: &PodInformer) -> Result<usize, larder::ReadError> {
    let phase =
        |pod: &larder::core::v1::Pod| pod.status.as_ref().and_then(|status| status.phase.clone());
    Ok(pods
        .lister()
        .list()?
        .filter(|pod| phase(pod).as_deref() == Some("Running"))
        .count())
}

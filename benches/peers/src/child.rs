//! A child process: one cache, run as told by lines on standard input.

use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Parser, ValueEnum as _};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::Store;
use larder::core::v1::PodInformer;
use peak_alloc::PeakAlloc;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::sleep;

use crate::peers::{BothCaches, Cache, KubeCache, LarderCache, LarderOther};
use crate::protocol::{Listing, Order, Peer, Report};
use crate::{index_heap, lookups, reads};

/// What a child is started with.
#[derive(Debug, Parser)]
struct ChildArgs {
    peer: Peer,
    listing: Listing,
    url: http::Uri,
    /// Count the objects that are decoded, which takes a transform.
    #[arg(long)]
    count_decodes: bool,
}

/// Runs a child until its standard input ends.
///
/// # Errors
///
/// If its arguments or orders are not understood, or the cache does not get where it should in time.
pub fn run() -> anyhow::Result<()> {
    let args = ChildArgs::parse();
    // One thread, so that two runs execute the same instructions.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(obey(&args))?;
    // Freeing the cache is no part of what is measured.
    std::process::exit(0)
}

async fn obey(args: &ChildArgs) -> anyhow::Result<()> {
    match args.peer {
        Peer::Kube => serve(KubeCache::new(args.url.clone(), args.listing, false)?).await,
        Peer::KubeTrimmed => serve(KubeCache::new(args.url.clone(), args.listing, true)?).await,
        Peer::Both => serve(BothCaches::new(&args.url, args.listing)?).await,
        Peer::LarderMetadata => serve(LarderOther::metadata(args.url.clone(), args.listing)?).await,
        Peer::LarderDynamic => serve(LarderOther::dynamic(args.url.clone(), args.listing)?).await,
        Peer::Larder => {
            let (url, listing) = (args.url.clone(), args.listing);
            serve(LarderCache::new(url, listing, args.count_decodes)?).await
        }
    }
}

async fn serve<C: Cache>(mut cache: C) -> anyhow::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    answer(&report(&cache))?;
    while let Some(line) = lines.next_line().await? {
        match Order::from_str(&line, false) {
            Ok(Order::Sync) => {
                cache.sync().await?;
                settle().await;
                answer(&report(&cache))?;
            }
            Ok(Order::Mark) => {
                cache.mark();
                PeakAlloc.reset_peak_usage();
                answer(&report(&cache))?;
            }
            Ok(Order::Relisted) => {
                cache.relisted().await?;
                settle().await;
                answer(&report(&cache))?;
            }
            Ok(Order::Reads) => {
                let (kube, larder) = both(&cache)?;
                answer(&reads::measure(kube, larder)?)?;
            }
            Ok(Order::Lookups) => {
                let (kube, larder) = both(&cache)?;
                answer(&lookups::measure(kube, larder)?)?;
            }
            Ok(Order::IndexHeap) => {
                let larder = cache.larder().context("indexes need a cache of Larder")?;
                answer(&index_heap::measure(larder).await?)?;
            }
            Err(_) => bail!("{line:?} is no order"),
        }
    }
    Ok(())
}

fn both(cache: &impl Cache) -> anyhow::Result<(&Store<Pod>, &PodInformer)> {
    let both = cache.kube().zip(cache.larder());
    both.context("reads need both caches in sync")
}

fn report(cache: &impl Cache) -> Report {
    let counts = cache.counts();
    Report {
        objects: cache.objects(),
        live: PeakAlloc.current_usage(),
        peak: PeakAlloc.peak_usage(),
        decodes: counts.decodes,
        events: counts.events,
    }
}

/// Waits until the heap no longer changes: a cache may free what it replaced in a task of its own.
pub(crate) async fn settle() {
    for _ in 0..100 {
        let before = PeakAlloc.current_usage();
        sleep(Duration::from_millis(50)).await;
        if PeakAlloc.current_usage() == before {
            return;
        }
    }
}

fn answer(value: &impl Serialize) -> anyhow::Result<()> {
    let line = serde_json::to_string(value).context("an answer is no JSON")?;
    println!("{line}");
    Ok(())
}

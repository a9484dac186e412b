//! The heap after the initial sync.

use std::path::Path;

use anyhow::ensure;

use super::LISTINGS;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer, word};
use crate::table::{Table, mebibytes, met, none, number, ratio};

/// Live heap per pod, as a part of kube-rs'.
const TARGET: f64 = 0.6;
/// The same where metadata alone is kept.
const METADATA_TARGET: f64 = 0.1;

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "Heap after the initial sync",
        [
            "listing",
            "cache",
            "bytes live per pod",
            "of kube-rs'",
            "target",
            "",
            "MiB peak of the sync",
        ],
    );
    for listing in LISTINGS {
        let kube = filled(cluster, program, Peer::Kube, listing).await?;
        for (peer, heap) in [
            (Peer::Kube, kube),
            (
                Peer::KubeTrimmed,
                filled(cluster, program, Peer::KubeTrimmed, listing).await?,
            ),
            (
                Peer::Larder,
                filled(cluster, program, Peer::Larder, listing).await?,
            ),
            (
                Peer::LarderMetadata,
                filled(cluster, program, Peer::LarderMetadata, listing).await?,
            ),
            (
                Peer::LarderDynamic,
                filled(cluster, program, Peer::LarderDynamic, listing).await?,
            ),
        ] {
            let (target, verdict) = match peer {
                Peer::Larder => within(TARGET, heap, kube),
                Peer::LarderMetadata => within(METADATA_TARGET, heap, kube),
                _ => (none(), none()),
            };
            table.row([
                word(&listing),
                word(&peer),
                number(heap.live / cluster.pods()),
                ratio(heap.live as f64, kube.live as f64),
                target,
                verdict,
                mebibytes(heap.peak),
            ]);
        }
    }
    Ok(table)
}

/// A target, and whether it is met.
fn within(target: f64, heap: Heap, kube: Heap) -> (String, String) {
    let is_met = heap.live as f64 <= target * kube.live as f64;
    (format!("≤ {target}"), met(is_met))
}

/// What a cache added to the heap.
#[derive(Clone, Copy)]
struct Heap {
    live: usize,
    peak: usize,
}

async fn filled(
    cluster: &Cluster,
    program: &Path,
    peer: Peer,
    listing: Listing,
) -> anyhow::Result<Heap> {
    let command = command(program, peer, listing, &cluster.url());
    let mut process = Process::start(command, false).await?;
    let before = process.at_start.live;
    let synced = process.order(Order::Sync).await?;
    ensure!(
        synced.objects == cluster.pods(),
        "{peer:?} holds {} pods",
        synced.objects
    );
    process.end().await?;
    Ok(Heap {
        live: synced.live.saturating_sub(before),
        peak: synced.peak.saturating_sub(before),
    })
}

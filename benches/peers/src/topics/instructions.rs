//! Instructions of the initial sync, as callgrind counts them.

use std::path::Path;

use anyhow::ensure;

use super::LISTINGS;
use crate::args::Args;
use crate::callgrind;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer, word};
use crate::table::{Table, met, none, number, ratio};

pub(super) async fn measure(args: &Args, program: &Path) -> anyhow::Result<()> {
    if !callgrind::is_there().await {
        println!("\n## Instructions of the initial sync\n\nskipped: no valgrind");
        return Ok(());
    }
    let pods = args.instruction_pods as usize;
    let counter = Counter {
        args,
        program,
        filled: Cluster::of_pods(pods).await?,
        empty: Cluster::of_pods(0).await?,
    };
    let title = format!("Instructions of the initial sync of {} pods", number(pods));
    let columns = [
        "listing",
        "cache",
        "instructions per pod",
        "of kube-rs'",
        "target",
        "",
    ];
    let mut table = Table::new(title, columns);
    for listing in LISTINGS {
        let target = match listing {
            Listing::Streaming => 0.45,
            Listing::Paged => 0.5,
        };
        let kube = counter.sync(Peer::Kube, listing).await?;
        for (peer, count) in [
            (Peer::Kube, kube),
            (
                Peer::KubeTrimmed,
                counter.sync(Peer::KubeTrimmed, listing).await?,
            ),
            (Peer::Larder, counter.sync(Peer::Larder, listing).await?),
        ] {
            let (target, verdict) = match peer {
                Peer::Larder => {
                    let is_met = count as f64 <= target * kube as f64;
                    (format!("≤ {target}"), met(is_met))
                }
                _ => (none(), none()),
            };
            table.row([
                word(&listing),
                word(&peer),
                number(count / u64::from(args.instruction_pods)),
                ratio(count as f64, kube as f64),
                target,
                verdict,
            ]);
        }
    }
    table.print();
    Ok(())
}

struct Counter<'a> {
    args: &'a Args,
    program: &'a Path,
    filled: Cluster,
    empty: Cluster,
}

impl Counter<'_> {
    /// Instructions of a sync, without those of a program that syncs with an empty cluster.
    async fn sync(&self, peer: Peer, listing: Listing) -> anyhow::Result<u64> {
        let filled = self.count(peer, listing, &self.filled).await?;
        let empty = self.count(peer, listing, &self.empty).await?;
        Ok(filled.saturating_sub(empty))
    }

    async fn count(&self, peer: Peer, listing: Listing, cluster: &Cluster) -> anyhow::Result<u64> {
        let child = command(self.program, peer, listing, &cluster.url());
        let profile = (cluster.pods() > 0).then(|| format!("{}.{}", word(&peer), word(&listing)));
        let command = callgrind::command(&child, self.args, profile.as_deref(), &[]);
        let mut process = Process::start(command, true).await?;
        let synced = process.order(Order::Sync).await?;
        ensure!(
            synced.objects == cluster.pods(),
            "{peer:?} holds {} pods",
            synced.objects
        );
        callgrind::collected(&process.end().await?)
    }
}

//! Instructions of the initial sync, as callgrind counts them.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use tokio::process::Command;

use super::LISTINGS;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer, word};
use crate::table::{Table, met, none, number, ratio};

pub(super) async fn measure(args: &Args, program: &Path) -> anyhow::Result<()> {
    if !has_valgrind().await {
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

async fn has_valgrind() -> bool {
    let mut command = Command::new("valgrind");
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().await.is_ok_and(|status| status.success())
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
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", &self.profile(peer, listing, cluster)]);
        command
            .arg(child.as_std().get_program())
            .args(child.as_std().get_args());
        let mut process = Process::start(command, true).await?;
        let synced = process.order(Order::Sync).await?;
        ensure!(
            synced.objects == cluster.pods(),
            "{peer:?} holds {} pods",
            synced.objects
        );
        let output = process.end().await?;
        let text = String::from_utf8_lossy(&output.stderr);
        collected(&text).with_context(|| format!("callgrind tells no count: {text}"))
    }

    fn profile(&self, peer: Peer, listing: Listing, cluster: &Cluster) -> String {
        let file = match &self.args.profiles {
            Some(folder) if cluster.pods() > 0 => {
                let name = format!("callgrind.{}.{}", word(&peer), word(&listing));
                folder.join(name).display().to_string()
            }
            _ => "/dev/null".to_owned(),
        };
        format!("--callgrind-out-file={file}")
    }
}

/// The count in callgrind's last words: `==123== Collected : 4567`.
fn collected(text: &str) -> Option<u64> {
    let mut counts = text
        .lines()
        .filter_map(|line| line.split_once("Collected :"));
    counts.next_back()?.1.trim().parse().ok()
}

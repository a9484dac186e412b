//! The heap, decodes and events of a relist.

use std::path::Path;

use anyhow::ensure;

use super::LISTINGS;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Order, Peer, Report, word};
use crate::table::{Table, mebibytes, met, none, number};

/// Peak without what changed, as a part of what was live before.
const TARGET: f64 = 1.1;
/// Of how many pods one changes; `None`: nothing does.
const CHANGES: [Option<usize>; 2] = [None, Some(20)];

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "A relist after the watch has expired (410)",
        [
            "listing",
            "cache",
            "pods changed",
            "MiB before",
            "MiB peak",
            "peak less changed, of before",
            "target",
            "",
            "MiB after",
            "decoded",
            "target",
            "",
            "events",
        ],
    );
    for listing in LISTINGS {
        for peer in [Peer::Kube, Peer::Larder] {
            let mut command = command(program, peer, listing, &cluster.url());
            command.arg("--count-decodes");
            let mut process = Process::start(command, false).await?;
            let empty = process.at_start.live;
            process.order(Order::Sync).await?;
            for nth in CHANGES {
                let relist = relist(cluster, &mut process, nth).await?;
                let cells = relist.cells(peer, empty, cluster.pods());
                let [
                    label,
                    before,
                    peak,
                    part,
                    target,
                    verdict,
                    after,
                    decoded,
                    aim,
                    hit,
                    events,
                ] = cells;
                table.row([
                    word(&listing),
                    word(&peer),
                    label,
                    before,
                    peak,
                    part,
                    target,
                    verdict,
                    after,
                    decoded,
                    aim,
                    hit,
                    events,
                ]);
            }
            process.end().await?;
        }
    }
    Ok(table)
}

struct Relist {
    changed: usize,
    before: Report,
    after: Report,
}

async fn relist(
    cluster: &Cluster,
    process: &mut Process,
    nth: Option<usize>,
) -> anyhow::Result<Relist> {
    cluster.watched().await?;
    let before = process.order(Order::Mark).await?;
    let changed = cluster.expire(nth)?;
    let after = process.order(Order::Relisted).await?;
    ensure!(
        after.objects == cluster.pods(),
        "after the relist there are {} pods",
        after.objects
    );
    Ok(Relist {
        changed,
        before,
        after,
    })
}

impl Relist {
    fn cells(&self, peer: Peer, empty: usize, pods: usize) -> [String; 11] {
        let steady = self.before.live.saturating_sub(empty);
        let peak = self.after.peak.saturating_sub(empty);
        let changed = steady / pods * self.changed;
        let part = peak.saturating_sub(changed) as f64 / steady as f64;
        let targets = match peer {
            Peer::Larder => [
                format!("≤ {TARGET}"),
                met(part <= TARGET),
                format!("≤ {}", number(self.changed)),
                met(self.after.decodes <= self.changed),
            ],
            _ => [none(), none(), none(), none()],
        };
        let [target, verdict, aim, hit] = targets;
        [
            number(self.changed),
            mebibytes(steady),
            mebibytes(peak),
            format!("{part:.3}"),
            target,
            verdict,
            mebibytes(self.after.live.saturating_sub(empty)),
            number(self.after.decodes),
            aim,
            hit,
            number(self.after.events),
        ]
    }
}

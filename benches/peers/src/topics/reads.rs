//! Reads of full caches.

use std::path::Path;

use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer, ReadCost};
use crate::table::{Table, met, none};

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let command = command(program, Peer::Both, Listing::Streaming, &cluster.url());
    let mut process = Process::start(command, false).await?;
    process.order(Order::Sync).await?;
    let costs: Vec<ReadCost> = process.ask(Order::Reads).await?;
    process.end().await?;
    let mut table = Table::new(
        "Reads, in turns in one process",
        [
            "read",
            "µs kube-rs",
            "µs Larder",
            "times faster",
            "target",
            "",
        ],
    );
    for cost in costs {
        let (target, verdict) = match cost.target {
            Some(target) => (format!("≥ {target}"), met(cost.ratio >= target)),
            None => (none(), none()),
        };
        table.row([
            cost.read,
            format!("{:.3}", cost.kube / 1e3),
            format!("{:.3}", cost.larder / 1e3),
            format!("{:.1}", cost.ratio),
            target,
            verdict,
        ]);
    }
    Ok(table)
}

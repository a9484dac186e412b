//! The heap of indexes.

use std::path::Path;

use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{IndexHeap, Listing, Order, Peer};
use crate::table::{Table, number};

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let command = command(program, Peer::Larder, Listing::Streaming, &cluster.url());
    let mut process = Process::start(command, false).await?;
    process.order(Order::Sync).await?;
    let heaps: Vec<IndexHeap> = process.ask(Order::IndexHeap).await?;
    process.end().await?;
    let mut table = Table::new(
        format!("Heap of indexes over {} pods", number(cluster.pods())),
        [
            "index",
            "distinct keys",
            "entries",
            "bytes",
            "per object",
            "per key",
        ],
    );
    for heap in heaps {
        let per = |count: usize| format!("{:.1}", heap.bytes as f64 / count as f64);
        table.row([
            heap.index.clone(),
            number(heap.keys),
            number(heap.entries),
            number(heap.bytes),
            per(cluster.pods()),
            per(heap.keys),
        ]);
    }
    Ok(table)
}

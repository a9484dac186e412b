//! Reads of full caches.

use std::path::Path;

use super::read_costs;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer};
use crate::table::Table;

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let command = command(program, Peer::Both, Listing::Streaming, &cluster.url());
    let mut process = Process::start(command, false).await?;
    process.order(Order::Sync).await?;
    let costs = process.ask(Order::Reads).await?;
    process.end().await?;
    let title = "Reads, in turns in one process";
    Ok(read_costs(title, "read", costs))
}

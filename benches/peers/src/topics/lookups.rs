//! Lookups by an index, beside a filter over all objects.

use std::path::Path;

use super::read_costs;
use crate::cluster::Cluster;
use crate::process::{Process, command};
use crate::protocol::{Listing, Order, Peer};
use crate::table::{Table, number};

pub(super) async fn measure(cluster: &Cluster, program: &Path) -> anyhow::Result<Table> {
    let command = command(program, Peer::Both, Listing::Streaming, &cluster.url());
    let mut process = Process::start(command, false).await?;
    process.order(Order::Sync).await?;
    let costs = process.ask(Order::Lookups).await?;
    process.end().await?;
    let title = format!("Lookups among {} pods", number(cluster.pods()));
    Ok(read_costs(title, "lookup", costs))
}

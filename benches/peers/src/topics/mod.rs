//! One module per table.

mod indexes;
mod instructions;
mod lookups;
mod memory;
mod reads;
mod relist;
mod updates;

use crate::args::{Args, Programs, Topic};
use crate::cluster::Cluster;
use crate::protocol::{Listing, ReadCost};
use crate::table::{Table, met, none, number};

/// The ways of listing, in the order of the tables.
const LISTINGS: [Listing; 2] = [Listing::Streaming, Listing::Paged];

/// The size of the cluster that the targets of reads are set for: kube-rs' reads take time by the number of objects.
const TARGET_PODS: usize = 10_000;
/// The same of lookups.
const TARGET_INDEX_PODS: usize = 100_000;

/// Measures what was asked for and prints a table per topic. A target that is missed is no error.
///
/// # Errors
///
/// If something cannot be measured: a child fails, a socket cannot be opened.
pub async fn run(args: &Args, programs: &Programs) -> anyhow::Result<()> {
    of_whole_pods(args, programs).await?;
    of_small_pods(args, programs).await?;
    if args.wants(Topic::Instructions) {
        instructions::measure(args, &programs.plain).await?;
    }
    if args.wants(Topic::Updates) {
        updates::measure(args, &programs.updates).await?;
    }
    Ok(())
}

async fn of_whole_pods(args: &Args, programs: &Programs) -> anyhow::Result<()> {
    let topics = [Topic::Memory, Topic::Relist, Topic::Reads];
    if !topics.into_iter().any(|topic| args.wants(topic)) {
        return Ok(());
    }
    let cluster = Cluster::of_pods(args.pods as usize).await?;
    introduce(&cluster)?;
    if cluster.pods() != TARGET_PODS {
        println!("The targets of reads are for {} pods.", number(TARGET_PODS));
    }
    if args.wants(Topic::Memory) {
        memory::measure(&cluster, &programs.counted).await?.print();
    }
    if args.wants(Topic::Relist) {
        relist::measure(&cluster, &programs.counted).await?.print();
    }
    if args.wants(Topic::Reads) {
        reads::measure(&cluster, &programs.plain).await?.print();
    }
    Ok(())
}

async fn of_small_pods(args: &Args, programs: &Programs) -> anyhow::Result<()> {
    let topics = [Topic::Lookups, Topic::Indexes];
    if !topics.into_iter().any(|topic| args.wants(topic)) {
        return Ok(());
    }
    let cluster = Cluster::of_small_pods(args.index_pods as usize).await?;
    introduce(&cluster)?;
    if cluster.pods() != TARGET_INDEX_PODS {
        let pods = number(TARGET_INDEX_PODS);
        println!("The target of lookups is for {pods} pods.");
    }
    if args.wants(Topic::Lookups) {
        lookups::measure(&cluster, &programs.plain).await?.print();
    }
    if args.wants(Topic::Indexes) {
        indexes::measure(&cluster, &programs.counted).await?.print();
    }
    Ok(())
}

fn introduce(cluster: &Cluster) -> anyhow::Result<()> {
    let (pods, bytes) = (number(cluster.pods()), number(cluster.mean_pod_bytes()?));
    println!("\n{pods} pods of {bytes} bytes of JSON on average");
    Ok(())
}

/// Times of both peers as a table.
fn read_costs(title: impl Into<String>, what: &str, costs: Vec<ReadCost>) -> Table {
    let columns = [
        what,
        "µs kube-rs",
        "µs Larder",
        "times faster",
        "target",
        "",
    ];
    let mut table = Table::new(title, columns);
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
    table
}

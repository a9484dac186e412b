//! One module per table.

mod instructions;
mod memory;
mod reads;
mod relist;

use crate::args::{Args, Programs, Topic};
use crate::cluster::Cluster;
use crate::protocol::Listing;
use crate::table::number;

/// The ways of listing, in the order of the tables.
const LISTINGS: [Listing; 2] = [Listing::Streaming, Listing::Paged];

/// The size of the cluster that the targets of reads are set for: kube-rs' reads take time by the number of objects.
const TARGET_PODS: usize = 10_000;

/// Measures what was asked for and prints a table per topic. A target that is missed is no error.
///
/// # Errors
///
/// If something cannot be measured: a child fails, a socket cannot be opened.
pub async fn run(args: &Args, programs: &Programs) -> anyhow::Result<()> {
    let pods = args.pods as usize;
    if [Topic::Memory, Topic::Relist, Topic::Reads]
        .into_iter()
        .any(|topic| args.wants(topic))
    {
        let cluster = Cluster::of_pods(pods).await?;
        println!(
            "{} pods of {} bytes of JSON on average",
            number(pods),
            number(cluster.mean_pod_bytes()?)
        );
        if pods != TARGET_PODS {
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
    }
    if args.wants(Topic::Instructions) {
        instructions::measure(args, &programs.plain).await?;
    }
    Ok(())
}

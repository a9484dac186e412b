//! What the bench may be told.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Larder beside its peers: the same work, in one run.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench -p larder-peers --")]
pub struct Args {
    /// What to measure; everything unless named.
    #[arg(value_enum)]
    topics: Vec<Topic>,
    /// Pods in the cluster. A namespace has 50 of them.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(50..))]
    pub(crate) pods: u32,
    /// Pods in the cluster while instructions are counted, which slows a program down 50 times.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(50..))]
    pub(crate) instruction_pods: u32,
    /// Small pods in the cluster in which objects are looked up by indexes, at most 100 on a node.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(200..))]
    pub(crate) index_pods: u32,
    /// Keeps the profiles of the instructions in this folder, for callgrind_annotate.
    #[arg(long)]
    pub(crate) profiles: Option<PathBuf>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Args {
    /// Whether a topic was asked for.
    pub(crate) fn wants(&self, topic: Topic) -> bool {
        self.topics.is_empty() || self.topics.contains(&topic)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// Live heap per pod after the initial sync, and the peak on the way.
    Memory,
    /// Instructions of the initial sync.
    Instructions,
    /// Peak of the heap, decoded objects and events of a relist.
    Relist,
    /// Reads of the cache.
    Reads,
    /// Lookups by an index, beside a filter over all objects.
    Lookups,
    /// The heap of indexes.
    Indexes,
    /// Instructions of an update, by the number of indexes.
    Updates,
}

/// Where the child programs are.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The one with the system's allocator.
    pub plain: PathBuf,
    /// The one whose allocator counts.
    pub counted: PathBuf,
    /// The one that plays what a watch said.
    pub updates: PathBuf,
}

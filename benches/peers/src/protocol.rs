//! What the bench and its children say to each other: a word a line to the child, a line of JSON back.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What a child is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// Start the cache and wait until it has synced.
    Sync,
    /// Begin to count anew.
    Mark,
    /// Wait for the end of one more complete listing than there were at the last mark.
    Relisted,
    /// Measure reads.
    Reads,
    /// Measure lookups by indexes.
    Lookups,
    /// Add indexes and say how much heap each takes.
    IndexHeap,
}

/// Whose cache a child fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// kube-rs' watcher and store as its documentation shows them.
    Kube,
    /// The same, with managed fields dropped from each object, as its documentation advises.
    KubeTrimmed,
    Larder,
    /// Larder, keeping the pods' metadata alone.
    LarderMetadata,
    /// Larder, keeping pods as JSON values.
    LarderDynamic,
    /// Both in one process, for reads.
    Both,
}

/// How a child asks for the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listing {
    /// A watch with `sendInitialEvents`.
    Streaming,
    /// A list, with the peer's own default of pages and versions, then a watch.
    Paged,
}

/// The word for a value, on a command line or a line of the protocol.
pub(crate) fn word(value: &impl ValueEnum) -> String {
    let word = value.to_possible_value();
    word.map_or_else(String::new, |word| word.get_name().to_owned())
}

/// What a child has come to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Objects in the cache.
    pub(crate) objects: usize,
    /// Bytes of the heap that are live now; 0 in the child that does not count.
    pub(crate) live: usize,
    /// The most that were live since the last mark.
    pub(crate) peak: usize,
    /// Objects decoded since the last mark; 0 where they were not to be counted.
    pub(crate) decodes: usize,
    /// Changes of objects that the program heard of since the last mark.
    pub(crate) events: usize,
}

/// What one kind of read costs, measured side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadCost {
    pub(crate) read: String,
    /// How many times faster it must be, if that was set.
    pub(crate) target: Option<f64>,
    /// Nanoseconds, the median over the rounds.
    pub(crate) kube: f64,
    /// Nanoseconds, the median over the rounds.
    pub(crate) larder: f64,
    /// The median of the rounds' ratios.
    pub(crate) ratio: f64,
}

/// What one index takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IndexHeap {
    pub(crate) index: String,
    /// Distinct keys.
    pub(crate) keys: usize,
    /// Pairs of a key and an object that has it.
    pub(crate) entries: usize,
    /// Live heap.
    pub(crate) bytes: usize,
}

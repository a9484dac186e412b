//! One handler, or event stream.

use super::handle::{Counter, Gauge, Histogram, Labels, Stopwatch};
use super::table;
use crate::handler::QueueStats;

pub(crate) struct ObservedHandler {
    /// Of the informer.
    handlers: Gauge,
    synced: Gauge,
    queue: Gauge,
    pub(crate) delivered: Counter,
    pub(crate) panics: Counter,
    pub(crate) resyncs: Counter,
    merged: Counter,
    dropped_pairs: Counter,
    calls: Histogram,
}

impl ObservedHandler {
    pub(super) fn new(handlers: Gauge, labels: &Labels) -> Self {
        let counter = |metric| Counter::new(metric, labels);
        handlers.up();
        Self {
            handlers,
            synced: Gauge::new(&table::HANDLER_SYNCED, labels),
            queue: Gauge::new(&table::QUEUE, labels),
            delivered: counter(&table::DELIVERED),
            panics: counter(&table::PANICS),
            resyncs: counter(&table::RESYNCS),
            merged: counter(&table::MERGED),
            dropped_pairs: counter(&table::DROPPED_PAIRS),
            calls: Histogram::new(&table::CALLS, labels),
        }
    }

    pub(crate) fn has_synced(&self) {
        self.synced.set(1);
    }

    /// The queue went from one state to another.
    pub(crate) fn queue(&self, before: QueueStats, after: QueueStats) {
        self.queue.set(after.waiting);
        if after.merged != before.merged {
            self.merged.add(after.merged - before.merged);
        }
        if after.dropped_pairs != before.dropped_pairs {
            let dropped = after.dropped_pairs - before.dropped_pairs;
            self.dropped_pairs.add(dropped);
        }
    }

    pub(crate) fn called(&self, since: &Stopwatch) {
        self.calls.stop(since);
    }

    /// It was removed, or its informer stopped; to be told once.
    pub(crate) fn left(&self) {
        self.handlers.down();
        self.queue.set(0);
        self.synced.set(0);
    }
}

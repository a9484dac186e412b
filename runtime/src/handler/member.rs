//! What is known about one handler whatever its kind: its names, where it stands, its counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::kind::Kind;
use crate::observe::{Counter, Observed, ObservedHandler, Seldom};
use crate::sync::watch;

/// Unique in the process, so that a registration of another informer is never mistaken for one's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberId(u64);

impl MemberId {
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Where a handler stands. Neither is ever taken back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Phase {
    /// It consumed the initial objects.
    pub(crate) synced: bool,
    /// It was removed and its last call has returned.
    pub(crate) finished: bool,
}

pub(crate) struct Member {
    pub(crate) id: MemberId,
    pub(crate) name: String,
    /// Whose handler it is.
    pub(crate) informer: Observed,
    /// What metrics show of it.
    pub(crate) observed: ObservedHandler,
    /// How often a panic is said aloud.
    pub(crate) complaints: Seldom,
    pub(crate) delivered: Count,
    pub(crate) panics: Count,
    pub(crate) resyncs: Count,
    phase: watch::Sender<Phase>,
}

impl Member {
    pub(crate) fn new(name: String, informer: Observed) -> Self {
        let observed = informer.handler(&name);
        Self {
            id: MemberId::next(),
            delivered: Count::new(&observed.delivered),
            panics: Count::new(&observed.panics),
            resyncs: Count::new(&observed.resyncs),
            name,
            informer,
            observed,
            complaints: Seldom::default(),
            phase: watch::Sender::new(Phase::default()),
        }
    }

    /// The kind of the objects that it hears of.
    pub(crate) fn kind(&self) -> &Kind {
        self.informer.kind()
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(crate) fn set_synced(&self) {
        self.phase.send_modify(|phase| phase.synced = true);
        self.observed.has_synced();
    }

    pub(crate) fn set_finished(&self) {
        self.phase.send_modify(|phase| phase.finished = true);
    }

    /// The phase once `wanted` holds of it; `None` if it does not within `deadline`.
    pub(crate) async fn reach(
        &self,
        deadline: Duration,
        wanted: impl FnMut(&Phase) -> bool,
    ) -> Option<Phase> {
        let mut phases = self.phase.subscribe();
        let reached = tokio::time::timeout(deadline, phases.wait_for(wanted)).await;
        // The sender is `self.phase`, so the channel is not closed while this waits.
        Some(*reached.ok()?.ok()?)
    }
}

/// A number that only goes up, and the metric that shows it.
pub(crate) struct Count(AtomicU64, Counter);

impl Count {
    fn new(metric: &Counter) -> Self {
        Self(AtomicU64::new(0), metric.clone())
    }

    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        self.1.add(1);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

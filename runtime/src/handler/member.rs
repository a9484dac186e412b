//! What is known about one handler whatever its kind: its names, where it stands, its counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::kind::Kind;
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
    pub(crate) kind: Kind,
    pub(crate) delivered: Count,
    pub(crate) panics: Count,
    pub(crate) resyncs: Count,
    phase: watch::Sender<Phase>,
}

impl Member {
    pub(crate) fn new(name: String, kind: Kind) -> Self {
        Self {
            id: MemberId::next(),
            name,
            kind,
            delivered: Count::default(),
            panics: Count::default(),
            resyncs: Count::default(),
            phase: watch::Sender::new(Phase::default()),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(crate) fn set_synced(&self) {
        self.phase.send_modify(|phase| phase.synced = true);
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

/// A number that only goes up.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

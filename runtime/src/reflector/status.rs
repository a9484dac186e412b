//! What others see of a reflector: one of these per source, written by the reflector alone.

use std::sync::{Arc, PoisonError};

use tokio::time::Instant;

use super::error::ReflectorError;
use super::report::Reports;
use crate::identity::ResourceVersion;
use crate::observe::ObservedSource;
use crate::sync::{Mutex, MutexGuard, watch};

/// What a reflector is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// It has not begun.
    Starting,
    /// It gathers a complete listing.
    Listing,
    /// It follows, or reopens, a watch.
    Watching,
    /// It waits before it tries again.
    BackingOff,
    /// The server does not serve the kind; it waits for it, or looks whether it is there.
    Absent,
    /// It has ended.
    Stopped,
}

/// One reflector's state as it was at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SourceSnapshot {
    pub(crate) phase: Phase,
    /// The version that the store reflects; `None` before the first listing is complete.
    pub(crate) version: Option<ResourceVersion>,
    /// Since when the store may lag behind the server without being told; `None` while it is known not to.
    pub(crate) stale_since: Option<Instant>,
    /// Complete listings after the first one.
    pub(crate) relists: u64,
    /// Watch events and listed objects that could not be understood at all. (An object that merely does not decode
    /// is the store's to count.)
    pub(crate) broken: u64,
    /// Watch events of a type that is not known; they are ignored.
    pub(crate) unknown_events: u64,
    /// The last failed request and when it failed; stays after recovery.
    pub(crate) last_error: Option<(Arc<ReflectorError>, Instant)>,
}

/// A reflector's state, shared with whoever reports it.
///
/// Each change that a waiter may wait for (phase, first version, staleness, errors) is announced on the channel that
/// was given to [`new`](Self::new); a new version alone is not, as the store announces those.
pub(crate) struct SourceStatus {
    state: Mutex<SourceSnapshot>,
    /// What logs and metrics show of it.
    pub(super) observed: ObservedSource,
    changed: watch::Sender<()>,
    reports: Option<Arc<Reports>>,
}

impl SourceStatus {
    /// The state of a reflector that has not begun: stale from now on. Several sources may share one channel, and one hook.
    pub(crate) fn new(
        changed: watch::Sender<()>,
        reports: Option<Arc<Reports>>,
        observed: ObservedSource,
    ) -> Self {
        Self {
            state: Mutex::new(SourceSnapshot {
                phase: Phase::Starting,
                version: None,
                stale_since: Some(Instant::now()),
                relists: 0,
                broken: 0,
                unknown_events: 0,
                last_error: None,
            }),
            observed,
            changed,
            reports,
        }
    }

    /// The state now.
    pub(crate) fn snapshot(&self) -> SourceSnapshot {
        self.lock().clone()
    }

    pub(super) fn phase(&self, phase: Phase) {
        if phase == Phase::BackingOff {
            self.observed.backs_off();
        }
        let mut state = self.lock();
        if std::mem::replace(&mut state.phase, phase) != phase {
            drop(state);
            self.announce();
        }
    }

    /// A listing, begun at `began`, is complete and in the store.
    pub(super) fn listed(&self, version: &ResourceVersion, began: Option<Instant>) {
        let mut state = self.lock();
        let relist = state.version.is_some();
        state.relists += u64::from(relist);
        self.observed.listed(began, relist);
        self.observed.stale(None);
        state.version = Some(version.clone());
        state.stale_since = None;
        drop(state);
        self.announce();
    }

    /// The store reflects `version`, by a watch that is alive.
    pub(super) fn reached(&self, version: Option<&ResourceVersion>) {
        let mut state = self.lock();
        if state.version.as_ref() != version {
            state.version = version.cloned();
        }
        self.fresh(state);
    }

    /// A watch was accepted and stays open.
    pub(super) fn healthy(&self) {
        self.fresh(self.lock());
    }

    fn fresh(&self, mut state: MutexGuard<'_, SourceSnapshot>) {
        if state.stale_since.take().is_some() {
            self.observed.stale(None);
            drop(state);
            self.announce();
        }
    }

    /// A request failed; the last sign of life came at `since`.
    pub(super) fn failed(&self, error: Arc<ReflectorError>, since: Instant) {
        let mut state = self.lock();
        state.last_error = Some((Arc::clone(&error), Instant::now()));
        let since = *state.stale_since.get_or_insert(since);
        self.observed.stale(Some(since));
        drop(state);
        self.announce();
        if let Some(reports) = &self.reports {
            reports.tell(error);
        }
    }

    /// Nothing has failed, but there was no sign of life since `since`.
    pub(super) fn unsure(&self, since: Instant) {
        let mut state = self.lock();
        let since = *state.stale_since.get_or_insert(since);
        self.observed.stale(Some(since));
        drop(state);
        self.announce();
    }

    pub(super) fn count_broken(&self) {
        self.lock().broken += 1;
        self.observed.broken();
    }

    pub(super) fn count_unknown_event(&self) {
        self.lock().unknown_events += 1;
    }

    /// The reflector has ended, for whatever reason: what the store holds is stale from now on.
    pub(super) fn stopped(&self) {
        let mut state = self.lock();
        state.phase = Phase::Stopped;
        let since = *state.stale_since.get_or_insert_with(Instant::now);
        self.observed.stale(Some(since));
        self.observed.ended(std::thread::panicking());
        drop(state);
        self.announce();
    }

    fn lock(&self) -> MutexGuard<'_, SourceSnapshot> {
        // Each write leaves a valid state, so one that a panic interrupted is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        self.changed.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::kind::{Kind, Scope};
    use crate::observe::Observed;
    use crate::reflector::error::{ReflectorFailure, ReflectorRequest};

    const PODS: Kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);

    #[tokio::test(start_paused = true)]
    async fn c158_staleness_has_a_beginning_and_an_end() {
        let observed = Observed::alone(&PODS).source(None);
        let status = SourceStatus::new(watch::Sender::new(()), None, observed);
        let start = Instant::now();
        assert_eq!(status.snapshot().stale_since, Some(start));
        status.listed(&ResourceVersion::new("7"), None);
        assert_eq!(status.snapshot().stale_since, None);

        let heard = Instant::now();
        tokio::time::advance(Duration::from_secs(9)).await;
        for _ in 0..2 {
            let failure = ReflectorFailure::NotFound;
            let error = ReflectorError::new(ReflectorRequest::Watch, PODS, None, failure);
            status.failed(Arc::new(error), heard);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let snapshot = status.snapshot();
        assert_eq!(snapshot.stale_since, Some(heard));
        let (error, at) = snapshot.last_error.unwrap();
        assert_eq!((at - start).as_secs(), 10);
        assert!(error.to_string().contains("pods"));

        status.reached(Some(&ResourceVersion::new("8")));
        status.listed(&ResourceVersion::new("9"), None);
        let snapshot = status.snapshot();
        assert_eq!(snapshot.stale_since, None);
        assert_eq!(snapshot.version, Some(ResourceVersion::new("9")));
        assert_eq!(snapshot.relists, 1);
        assert!(snapshot.last_error.is_some());
    }

    #[tokio::test]
    async fn c156_every_waiter_wakes_on_a_change() {
        let changed = watch::Sender::new(());
        let observed = Observed::alone(&PODS).source(None);
        let status = Arc::new(SourceStatus::new(changed.clone(), None, observed));
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let (mut receiver, status) = (changed.subscribe(), status.clone());
                tokio::spawn(async move {
                    while status.snapshot().version.is_none() {
                        receiver.changed().await.unwrap();
                    }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        status.phase(Phase::Listing);
        status.listed(&ResourceVersion::new("7"), None);
        for waiter in waiters {
            waiter.await.unwrap();
        }
    }
}

//! One list and watch.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::Instant;

use super::handle::{Counter, Gauge, Labels};
use super::informer::{Observed, OfSources};
use super::table;
use crate::decode::EventType;
use crate::reflector::ReflectorRequest;

pub(crate) struct ObservedSource {
    informer: Observed,
    shared: OfSources,
    stale_since: Gauge,
    listed_at: Gauge,
    heard_at: Gauge,
    running: AtomicBool,
    /// Whether the gauges may be other than 0.
    shown: AtomicBool,
}

impl ObservedSource {
    pub(super) fn new(informer: Observed, shared: OfSources, labels: &Labels) -> Self {
        Self {
            informer,
            shared,
            stale_since: Gauge::new(&table::STALE_SINCE, labels),
            listed_at: Gauge::new(&table::LISTED_AT, labels),
            heard_at: Gauge::new(&table::HEARD_AT, labels),
            running: AtomicBool::new(false),
            shown: AtomicBool::new(false),
        }
    }

    pub(crate) fn informer(&self) -> &Observed {
        &self.informer
    }

    /// Its task runs.
    pub(crate) fn started(&self) {
        if !self.running.swap(true, Ordering::Relaxed) {
            self.shared.sources.up();
        }
        self.shown.store(true, Ordering::Relaxed);
        self.stale_since.set_now();
    }

    /// Its task has ended. After a panic nobody will bring the objects up to date, so they stay stale.
    pub(crate) fn ended(&self, panicked: bool) {
        if self.running.swap(false, Ordering::Relaxed) {
            self.shared.sources.down();
        }
        if panicked {
            self.shared.panics.add(1);
        } else {
            self.clear();
        }
    }

    pub(crate) fn stale(&self, since: Option<Instant>) {
        match since {
            None => self.stale_since.set(0),
            Some(_) if !self.running.load(Ordering::Relaxed) => {}
            Some(since) => self.stale_since.set_moment(since),
        }
    }

    pub(crate) fn requested(&self, request: ReflectorRequest) {
        self.shared.requests.of(request).made.add(1);
    }

    /// A request is over; `cause` is one of [`CAUSES`].
    pub(crate) fn request_ended(&self, request: ReflectorRequest, cause: &str) {
        let ended = self.shared.requests.of(request).ended.iter();
        if let Some((_, count)) = CAUSES.iter().zip(ended).find(|(name, _)| **name == cause) {
            count.add(1);
        }
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.shared.received.add(bytes as u64);
        self.heard_at.set_now();
    }

    pub(crate) fn event(&self, event: Option<EventType>) {
        self.shared.events.of(event).add(1);
    }

    /// A complete listing is in the store.
    pub(crate) fn listed(&self, began: Option<Instant>, relist: bool) {
        if let Some(began) = began {
            self.shared.listing.record(began.elapsed().as_secs_f64());
        }
        if relist {
            self.shared.relists.add(1);
        }
        self.listed_at.set_now();
    }

    pub(crate) fn backs_off(&self) {
        self.shared.backoffs.add(1);
    }

    pub(crate) fn broken(&self) {
        self.shared.broken.add(1);
    }

    /// Once: a successor under the same labels may have shown something by the next time.
    fn clear(&self) {
        if !self.shown.swap(false, Ordering::Relaxed) {
            return;
        }
        for gauge in [&self.stale_since, &self.listed_at, &self.heard_at] {
            gauge.set(0);
        }
    }
}

impl Drop for ObservedSource {
    fn drop(&mut self) {
        self.clear();
    }
}

/// How requests end, as labels say it.
pub(crate) const CAUSES: [&str; 11] = [
    "complete",
    "expired",
    "too_large",
    "throttled",
    "refused",
    "not_found",
    "status",
    "unreachable",
    "cut",
    "broken",
    "silent",
];

/// Counts by what was asked for.
pub(super) struct Requests {
    list: OfRequest,
    streaming_list: OfRequest,
    watch: OfRequest,
}

struct OfRequest {
    made: Counter,
    ended: [Counter; CAUSES.len()],
}

impl Requests {
    pub(super) fn new(labels: &Labels) -> Self {
        let of = |request: &str| {
            let labels = labels.with("request", request);
            let ended = |cause| Counter::new(&table::REQUESTS_ENDED, &labels.with("cause", cause));
            OfRequest {
                made: Counter::new(&table::REQUESTS, &labels),
                ended: CAUSES.map(ended),
            }
        };
        Self {
            list: of("list"),
            streaming_list: of("streaming_list"),
            watch: of("watch"),
        }
    }

    fn of(&self, request: ReflectorRequest) -> &OfRequest {
        match request {
            ReflectorRequest::List => &self.list,
            ReflectorRequest::StreamingList => &self.streaming_list,
            ReflectorRequest::Watch => &self.watch,
        }
    }
}

/// Counts by an event's type.
pub(super) struct Events {
    added: Counter,
    modified: Counter,
    deleted: Counter,
    bookmark: Counter,
    error: Counter,
    unknown: Counter,
}

impl Events {
    pub(super) fn new(labels: &Labels) -> Self {
        let of = |event| Counter::new(&table::EVENTS, &labels.with("type", event));
        Self {
            added: of("added"),
            modified: of("modified"),
            deleted: of("deleted"),
            bookmark: of("bookmark"),
            error: of("error"),
            unknown: of("unknown"),
        }
    }

    fn of(&self, event: Option<EventType>) -> &Counter {
        match event {
            Some(EventType::Added) => &self.added,
            Some(EventType::Modified) => &self.modified,
            Some(EventType::Deleted) => &self.deleted,
            Some(EventType::Bookmark) => &self.bookmark,
            Some(EventType::Error) => &self.error,
            Some(EventType::Other) | None => &self.unknown,
        }
    }
}

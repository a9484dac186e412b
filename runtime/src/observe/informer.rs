//! One informer, as logs and metrics know it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::handle::{Counter, Gauge, Histogram, Labels};
use super::handler::ObservedHandler;
use super::seldom::Seldom;
use super::source::{Events, ObservedSource, Requests};
use super::{names, table};
use crate::kept::StoreError;
use crate::kind::Kind;

/// A clone is the same.
#[derive(Clone)]
pub(crate) struct Observed(Arc<Inner>);

struct Inner {
    kind: Arc<Kind>,
    /// The name for logs and metrics; that of the informer, with a number behind it where another one has that.
    name: Arc<str>,
    labels: Labels,
    objects: Gauge,
    publishes: Counter,
    synced: Gauge,
    handlers: Gauge,
    decode_failures: Counter,
    refusals: Counter,
    of_sources: OfSources,
    undecodable: Seldom,
    failures: Seldom,
}

/// What the sources of an informer count together.
#[derive(Clone)]
pub(super) struct OfSources {
    pub(super) sources: Gauge,
    pub(super) requests: Arc<Requests>,
    pub(super) events: Arc<Events>,
    pub(super) received: Counter,
    pub(super) listing: Histogram,
    pub(super) relists: Counter,
    pub(super) backoffs: Counter,
    pub(super) broken: Counter,
    pub(super) panics: Counter,
}

impl Observed {
    /// For the informer of this kind and name, which ends when `stopped` is cancelled.
    pub(crate) fn new(kind: &Kind, name: &Arc<str>, stopped: &CancellationToken) -> Self {
        let kind_name = kind.to_string();
        let name = names::claim(&kind_name, name, stopped);
        let labels = Labels::described()
            .with("kind", &kind_name)
            .with("informer", &name);
        let counter = |metric| Counter::new(metric, &labels);
        Self(Arc::new(Inner {
            objects: Gauge::new(&table::OBJECTS, &labels),
            publishes: counter(&table::PUBLISHES),
            synced: Gauge::new(&table::SYNCED, &labels),
            handlers: Gauge::new(&table::HANDLERS, &labels),
            decode_failures: counter(&table::DECODE_FAILURES),
            refusals: counter(&table::REFUSALS),
            of_sources: OfSources {
                sources: Gauge::new(&table::SOURCES, &labels),
                requests: Arc::new(Requests::new(&labels)),
                events: Arc::new(Events::new(&labels)),
                received: counter(&table::RECEIVED),
                listing: Histogram::new(&table::LISTING, &labels),
                relists: counter(&table::RELISTS),
                backoffs: counter(&table::BACKOFFS),
                broken: counter(&table::BROKEN),
                panics: counter(&table::REFLECTOR_PANICS),
            },
            undecodable: Seldom::default(),
            failures: Seldom::default(),
            kind: Arc::new(kind.clone()),
            name,
            labels,
        }))
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// For objects that name their kind.
    pub(crate) fn shared_kind(&self) -> &Arc<Kind> {
        &self.0.kind
    }

    /// The name for logs and metrics.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    pub(crate) fn source(&self, namespace: Option<&str>) -> ObservedSource {
        let labels = self.0.labels.with("namespace", namespace.unwrap_or(""));
        ObservedSource::new(self.clone(), self.0.of_sources.clone(), &labels)
    }

    pub(crate) fn handler(&self, name: &str) -> ObservedHandler {
        let labels = self.0.labels.with("handler", name);
        ObservedHandler::new(self.0.handlers.clone(), &labels)
    }

    /// Readers see a new state.
    pub(crate) fn published(&self, objects: usize, complete: bool) {
        self.0.objects.set(objects);
        self.0.synced.set(usize::from(complete));
        self.0.publishes.add(1);
    }

    pub(crate) fn not_stored(&self, why: &StoreError) {
        match why {
            StoreError::Transform(_) => self.0.refusals.add(1),
            _ => self.0.decode_failures.add(1),
        }
    }

    /// How often an object that was not stored is said aloud.
    pub(crate) fn undecodable(&self) -> &Seldom {
        &self.0.undecodable
    }

    /// How often a failed request is said aloud.
    pub(crate) fn failures(&self) -> &Seldom {
        &self.0.failures
    }

    /// Nobody can read the store any more; to be told once, after the informer's token was cancelled.
    pub(crate) fn gone(&self) {
        // Unless a successor shows its own under the same labels.
        if names::release(&self.0.kind.to_string(), &self.0.name) {
            self.0.objects.set(0);
            self.0.synced.set(0);
        }
    }

    /// For tests of parts that no informer is around.
    #[cfg(test)]
    pub(crate) fn alone(kind: &Kind) -> Self {
        let ended = CancellationToken::new();
        ended.cancel();
        Self::new(kind, &kind.to_string().into(), &ended)
    }
}

//! What the reflectors, readers and handlers of one informer share: the published state and its one writer.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;

use super::coverage::Coverage;
use super::replay::Replaying;
use super::staging::{Numbers, Staging};
use super::state::State;
use super::waiting::{Due, Waiting};

use crate::entry::{Change, Entry, SourceId};
use crate::handler::{
    Current, Events, Handler, HandlerError, HandlerOptions, Hub, HubConfig, Registration, Replay,
    Wakes,
};
use crate::identity::{ResourceVersion, Uid};
use crate::kept::{Kept, StoreError};
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::observe::{Observed, Say};
use crate::sync::{ArcSwap, Mutex, MutexGuard, watch};

/// The store of one informer with its handlers.
pub(crate) struct Shared<R: Kept> {
    name: Arc<str>,
    observed: Observed,
    published: ArcSwap<State<R>>,
    writer: Mutex<Writer<R>>,
    hub: Hub<R>,
    /// Wakes whoever waits for a change of the informer's condition: synced, version, health.
    changed: watch::Sender<()>,
    waiting: Waiting,
    undecodable: AtomicU64,
    last_undecodable: Mutex<Option<Undecodable>>,
}

/// The newest object that was not stored.
#[derive(Debug, Clone)]
pub(crate) struct Undecodable {
    pub(crate) key: Option<ObjectKey>,
    pub(crate) error: StoreError,
}

pub(super) struct Writer<R: Kept> {
    pub(super) state: State<R>,
    /// States that readers may still hold: freed here, by the writer, once they are the last to know of them.
    retired: Vec<Arc<State<R>>>,
    /// Shared with every listing in progress.
    numbers: Numbers,
}

/// One change that a watch told of.
pub(crate) enum Op<S> {
    Put(Entry<S>),
    /// `last` is what the event said the object was, where it decoded.
    Delete {
        key: ObjectKey,
        uid: Uid,
        version: ResourceVersion,
        last: Option<S>,
    },
    /// An object of this key and uid is there but does not decode.
    Undecodable {
        key: ObjectKey,
        uid: Uid,
    },
    Version(ResourceVersion),
}

impl<S> Op<S> {
    /// The version up to which everything has been seen with it.
    fn version(&self) -> Option<&ResourceVersion> {
        match self {
            Self::Put(entry) => Some(&entry.version),
            Self::Delete { version, .. } | Self::Version(version) => Some(version),
            Self::Undecodable { .. } => None,
        }
    }
}

impl<R: Kept> Shared<R> {
    /// An empty store. Its handlers' tasks run on `runtime`; those that do not say otherwise are resynced every `resync`.
    pub(crate) fn new(
        name: Arc<str>,
        observed: Observed,
        coverage: Coverage,
        resync: Option<Duration>,
        runtime: Handle,
    ) -> Arc<Self> {
        let state = State::new(coverage);
        Arc::new_cyclic(|shared: &Weak<Self>| {
            let current: Weak<dyn Current<R>> = shared.clone();
            let hub = Hub::new(HubConfig {
                informer: observed.clone(),
                runtime,
                resync,
                current,
            });
            Self {
                name,
                observed,
                published: ArcSwap::from_pointee(state.clone()),
                writer: Mutex::new(Writer {
                    state,
                    retired: Vec::new(),
                    numbers: Numbers::default(),
                }),
                hub,
                changed: watch::Sender::new(()),
                waiting: Waiting::default(),
                undecodable: AtomicU64::new(0),
                last_undecodable: Mutex::new(None),
            }
        })
    }

    pub(crate) fn kind(&self) -> &Kind {
        self.observed.kind()
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The informer, as logs and metrics know it.
    pub(crate) fn observed(&self) -> &Observed {
        &self.observed
    }

    /// The state that readers see now.
    pub(crate) fn state(&self) -> Arc<State<R>> {
        self.published.load_full()
    }

    /// The same for one short look: does not touch the reference count that all readers share.
    pub(crate) fn peek(&self) -> impl Deref<Target = Arc<State<R>>> + use<R> {
        self.published.load()
    }

    /// Notified after every change of the informer's condition.
    pub(crate) fn changes(&self) -> &watch::Sender<()> {
        &self.changed
    }

    /// Those who wait for a version or a delete.
    pub(crate) fn waiting(&self) -> &Waiting {
        &self.waiting
    }

    /// Whether every source delivered its first complete listing.
    pub(crate) fn has_synced(&self) -> bool {
        self.published.load().is_complete()
    }

    pub(crate) fn undecodable(&self) -> u64 {
        self.undecodable.load(Ordering::Relaxed)
    }

    pub(crate) fn last_undecodable(&self) -> Option<Undecodable> {
        self.last_undecodable
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn note_undecodable(&self, what: Undecodable) {
        self.undecodable.fetch_add(1, Ordering::Relaxed);
        self.observed.not_stored(&what.error);
        self.report(&what);
        *self
            .last_undecodable
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    /// A kind of which no object decodes would fill the log.
    fn report(&self, what: &Undecodable) {
        let (kind, informer) = (self.kind(), self.observed.name());
        let key = what.key.as_ref().map(tracing::field::display);
        let error = &what.error as &dyn std::error::Error;
        match self.observed.undecodable().next() {
            Say::Aloud { withheld } => tracing::warn!(
                %kind, %informer, key, error, withheld,
                "an object was not stored; its last good state stays"
            ),
            Say::Quietly => tracing::debug!(
                %kind, %informer, key, error,
                "one more object was not stored; its last good state stays"
            ),
        }
    }

    /// At the end of a listing, so that the log says at once how many objects are missing.
    fn report_withheld(&self) {
        let objects = self.observed.undecodable().take_withheld();
        if objects > 0 {
            tracing::warn!(
                kind = %self.kind(),
                informer = %self.observed.name(),
                objects,
                "further objects were not stored"
            );
        }
    }

    /// The writer's lock. Held for one batch's or one listing's work, never across an await.
    pub(super) fn writer(&self) -> MutexGuard<'_, Writer<R>> {
        // Nothing between two consistent states can panic but a user's extractor, which is caught.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies watch events and shows them to readers, then tells handlers.
    pub(super) fn apply(&self, source: SourceId, ops: impl IntoIterator<Item = Op<R::Stored>>) {
        let mut writer = self.writer();
        let mut changes = Vec::new();
        let mut brought = Vec::new();
        for op in ops {
            brought.extend(op.version().filter(|one| one.number().is_none()).cloned());
            writer.apply(source, op, &mut changes);
        }
        self.publish(&mut writer);
        let told = self.hub.publish(&changes);
        let due = self.due(&writer, source, brought, &changes);
        drop(writer);
        self.wake(told, due);
    }

    /// An empty listing. While there is one, stored objects keep their numbers.
    pub(super) fn listing(&self) -> Staging<R::Stored> {
        // Under the lock, so that no numbers change behind it.
        Staging::new(self.writer().numbers.clone())
    }

    /// Has a namespace that has no source fed by one, from now on.
    pub(crate) fn add_source(&self, source: SourceId, namespace: Arc<str>) {
        let mut writer = self.writer();
        writer.state.add_source(source, namespace);
        self.publish(&mut writer);
        drop(writer);
        self.changed.send_replace(());
    }

    /// Ends a namespace in one step: its objects go, and nothing that a source still says of it is heard. Handlers are told
    /// of deletes without a final state, as nobody saw how the objects ended, if they did.
    pub(crate) fn remove_namespace(&self, namespace: &str) {
        let mut writer = self.writer();
        let gone = writer.state.remove_namespace(namespace);
        // It may have been the last one that was waited for.
        let ready = writer.state.note_ready();
        self.publish(&mut writer);
        let deletes: Vec<_> = gone.into_iter().map(missed).collect();
        let told = self.hub.publish(&deletes);
        let synced = ready.then(|| self.hub.mark_synced());
        // Whoever waits for something of it is to find out that it is not watched.
        let due = self.waiting.take_all();
        drop(writer);
        self.wake((told, synced), due);
    }

    /// Makes a source's objects equal to a complete listing, in one step.
    pub(super) fn replace(
        &self,
        source: SourceId,
        listing: Staging<R::Stored>,
        version: ResourceVersion,
    ) {
        self.report_withheld();
        let mut writer = self.writer();
        let first = writer.state.version_of(source).is_none();
        let brought = Vec::from_iter(version.number().is_none().then(|| version.clone()));
        let changes = writer.replace(source, listing, version);
        let ready = writer.state.note_ready();
        self.publish(&mut writer);
        let due = self.due(&writer, source, brought, &changes);
        let all_new = changes
            .iter()
            .all(|change| matches!(change, Change::Add { .. }));
        let told = if first && all_new {
            // Handlers walk the state itself instead of holding one event per object.
            drop(changes);
            self.hub
                .publish_initial(&|| Box::new(Replaying::of_source(self.state(), source)))
        } else {
            self.hub.publish(&changes)
        };
        let mut synced = Wakes::default();
        if ready {
            synced = self.hub.mark_synced();
            tracing::info!(
                kind = %self.kind(),
                informer = %self.observed.name(),
                objects = writer.state.len(),
                "synced"
            );
        }
        drop(writer);
        self.wake((told, synced), due);
    }

    /// Shows the working copy to readers. Handlers are told afterwards, so that the store is always ahead of them.
    pub(super) fn publish(&self, writer: &mut Writer<R>) {
        if writer.state.is_sparse() && writer.numbers.are_free() {
            writer.state.compact();
        }
        self.observed
            .published(writer.state.len(), writer.state.is_complete());
        let old = self.published.swap(Arc::new(writer.state.clone()));
        writer.retired.push(old);
        writer.retired.retain(|state| Arc::strong_count(state) > 1);
    }

    /// Those who wait for what `source` brought. Readers see it already.
    fn due(
        &self,
        writer: &Writer<R>,
        source: SourceId,
        brought: Vec<ResourceVersion>,
        changes: &[Change<R>],
    ) -> Due {
        let version = writer.state.version_of(source);
        self.waiting.settle(source, version, brought, changes)
    }

    /// Wakes whoever waits, all of it without the writer's lock: a waker is anybody's code.
    fn wake(&self, told: impl Sized, due: Due) {
        drop(told);
        drop(due);
        self.changed.send_replace(());
    }

    /// Adds a handler, which first hears of what is there in the state that readers see now.
    pub(crate) fn add_handler(
        &self,
        handler: Box<dyn Handler<R>>,
        options: HandlerOptions,
    ) -> Result<Registration, HandlerError> {
        let writer = self.writer();
        self.hub
            .add(handler, options, self.replay(), writer.state.is_ready())
    }

    /// Adds a stream of events, as a handler.
    pub(crate) fn add_stream(&self, options: HandlerOptions) -> Result<Events<R>, HandlerError> {
        let writer = self.writer();
        self.hub
            .events(options, self.replay(), writer.state.is_ready())
    }

    /// What is there, for a handler that joins under the writer's lock.
    fn replay(&self) -> Option<Box<dyn Replay<R>>> {
        let state = self.state();
        (state.len() > 0).then(|| -> Box<dyn Replay<R>> { Box::new(Replaying::all(state)) })
    }

    /// The handlers.
    pub(crate) fn hub(&self) -> &Hub<R> {
        &self.hub
    }
}

impl<R: Kept> Drop for Shared<R> {
    fn drop(&mut self) {
        self.observed.gone();
    }
}

impl<R: Kept> Current<R> for Shared<R> {
    fn snapshot(&self) -> Box<dyn Replay<R>> {
        // Under the lock, so that what readers see has been told to the handlers' queues.
        let _writer = self.writer();
        Box::new(Replaying::all(self.state()))
    }

    fn current(&self, key: &ObjectKey) -> Option<Entry<R::Stored>> {
        self.published.load().get(key).cloned()
    }
}

impl<R: Kept> Writer<R> {
    fn apply(&mut self, source: SourceId, op: Op<R::Stored>, changes: &mut Vec<Change<R>>) {
        match op {
            Op::Put(entry) => {
                self.state.set_version(source, entry.version.clone());
                if self.state.is_of(source, entry.key.namespace()) {
                    self.put(entry, false, changes);
                }
            }
            Op::Delete {
                key,
                uid,
                version,
                last,
            } => {
                self.state.set_version(source, version.clone());
                let Some(id) = self.find(source, &key) else {
                    return;
                };
                let Some(mut known) = self.state.remove(id) else {
                    return;
                };
                // Another uid: the object known here went unseen, and so did its successor's life.
                let final_state = known.uid == uid && last.is_some();
                if let (true, Some(last)) = (final_state, last) {
                    known.stored = last;
                    known.version = version;
                }
                changes.push(Change::Delete {
                    last: known,
                    final_state,
                });
            }
            Op::Undecodable { key, uid } => {
                // The last good state stays, unless it was another object's.
                let Some(id) = self.find(source, &key) else {
                    return;
                };
                if self.state.entry(id).is_some_and(|known| known.uid != uid) {
                    changes.extend(self.missed_delete(id));
                }
            }
            Op::Version(version) => self.state.set_version(source, version),
        }
    }

    /// The number of the object with this key, if it is this source's to tell of.
    fn find(&self, source: SourceId, key: &ObjectKey) -> Option<u32> {
        let is_of = self.state.is_of(source, key.namespace());
        is_of
            .then(|| self.state.find(key.namespace(), key.name()))
            .flatten()
    }

    fn missed_delete(&mut self, id: u32) -> Option<Change<R>> {
        self.state.remove(id).map(missed)
    }

    /// Puts an object in; what was there under its key decides what handlers hear.
    fn put(&mut self, entry: Entry<R::Stored>, initial: bool, changes: &mut Vec<Change<R>>) {
        let known = self
            .state
            .get(&entry.key)
            .map(|known| (known.uid == entry.uid, known.version == entry.version));
        if known == Some((true, true)) && !entry.version.is_absent() {
            return;
        }
        let mut new = entry.clone();
        match self.state.put(entry) {
            None => changes.push(Change::Add { new, initial }),
            Some(old) => {
                new.key = old.key.clone();
                if old.uid == new.uid {
                    changes.push(Change::Update { old, new });
                } else {
                    changes.push(Change::Delete {
                        last: old,
                        final_state: false,
                    });
                    changes.push(Change::Add { new, initial });
                }
            }
        }
    }

    fn replace(
        &mut self,
        source: SourceId,
        listing: Staging<R::Stored>,
        version: ResourceVersion,
    ) -> Vec<Change<R>> {
        let initial = self.state.version_of(source).is_none();
        let gone: Vec<u32> = self
            .state
            .iter()
            .filter(|(id, entry)| {
                entry.source == source && !listing.keeps(*id) && !listing.has_changed(&entry.key)
            })
            .map(|(id, _)| id)
            .collect();
        let mut changes: Vec<Change<R>> = gone
            .into_iter()
            .filter_map(|id| self.missed_delete(id))
            .collect();
        let mut puts = Vec::new();
        for entry in listing.into_changed() {
            // A namespace may have gone while its objects were listed.
            if self.state.is_of(source, entry.key.namespace()) {
                self.put(entry, initial, &mut puts);
            }
        }
        // Deletes first, also those of objects that were re-created under their name.
        let (deletes, others): (Vec<_>, Vec<_>) = puts
            .into_iter()
            .partition(|change| matches!(change, Change::Delete { .. }));
        changes.extend(deletes);
        changes.extend(others);
        self.state.set_version(source, version);
        changes
    }
}

/// An object that is gone without its end having been seen.
fn missed<R: Kept>(last: Entry<R::Stored>) -> Change<R> {
    Change::Delete {
        last,
        final_state: false,
    }
}

//! One reflector's way into the store: decodes, skips what is unchanged, and hands over whole steps.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::shared::{Op, Shared, Undecodable};
use super::staging::Staging;
use crate::decode::RawObject;
use crate::entry::{Entry, SourceId};
use crate::identity::{ResourceVersion, Uid};
use crate::kept::{Kept, StoreError, Transform, TransformError};
use crate::key::ObjectKey;
use crate::sink::Sink;

/// The sink of one reflector. Decoding happens outside the writer's lock.
pub(crate) struct Source<R: Kept> {
    shared: Arc<Shared<R>>,
    id: SourceId,
    transform: Transform<R::Object>,
    /// The most labels, and the most annotations, of one object.
    max_labels: usize,
    listing: Staging<R::Stored>,
    pending: Vec<Op<R::Stored>>,
    /// One text per namespace for all keys made here; begins anew with each listing.
    namespaces: HashSet<Arc<str>>,
}

impl<R: Kept> Source<R> {
    pub(crate) fn new(
        shared: Arc<Shared<R>>,
        id: SourceId,
        transform: Transform<R::Object>,
    ) -> Self {
        Self {
            shared,
            id,
            transform,
            max_labels: usize::MAX,
            listing: Staging::default(),
            pending: Vec::new(),
            namespaces: HashSet::new(),
        }
    }

    pub(crate) fn max_labels(mut self, count: usize) -> Self {
        self.max_labels = count;
        self
    }

    /// Between two listings namespaces come and go for as long as the watch lives.
    fn forget_unused_namespaces(&mut self) {
        if self.namespaces.len() == self.namespaces.capacity() {
            self.namespaces
                .retain(|namespace| Arc::strong_count(namespace) > 1);
        }
    }

    fn key(&mut self, namespace: Option<&str>, name: &str) -> ObjectKey {
        let shared = namespace.map(|namespace| match self.namespaces.get(namespace) {
            Some(shared) => Arc::clone(shared),
            None => {
                self.forget_unused_namespaces();
                let shared: Arc<str> = namespace.into();
                self.namespaces.insert(Arc::clone(&shared));
                shared
            }
        });
        ObjectKey::new(shared, name)
    }

    fn store(&self, raw: &RawObject<'_>) -> Result<R::Stored, StoreError> {
        let (count, limit) = (raw.most_labels(), self.max_labels);
        if count > limit {
            return Err(StoreError::TooManyLabels { count, limit });
        }
        let raw = raw.of_kind(self.shared.observed().shared_kind());
        // A transform is the user's code; a panic in it rejects one object, as an error does.
        catch_unwind(AssertUnwindSafe(|| R::store(&raw, &self.transform))).unwrap_or_else(|_| {
            Err(TransformError::new("the transform or decoder panicked").into())
        })
    }

    /// What the object is, and what is to be stored of it. `None` for an object without a name.
    fn admit(&mut self, raw: &RawObject<'_>) -> Option<Admitted<R::Stored>> {
        let Some(name) = raw.name() else {
            let error = TransformError::new("the object has no metadata.name").into();
            self.shared
                .note_undecodable(Undecodable { key: None, error });
            return None;
        };
        let key = self.key(raw.namespace().as_deref(), &name);
        let uid = Uid::new(raw.uid().as_deref().unwrap_or_default());
        let version = ResourceVersion::new(raw.resource_version().as_deref().unwrap_or_default());
        Some(match self.store(raw) {
            Ok(stored) => Admitted::Stored(Entry {
                key,
                uid,
                version,
                source: self.id,
                stored,
            }),
            Err(error) => {
                self.shared.note_undecodable(Undecodable {
                    key: Some(key.clone()),
                    error,
                });
                Admitted::Unreadable { key, uid, version }
            }
        })
    }

    /// Whether the object lies where this source tells of; if not, it is not decoded.
    ///
    /// A server may send more than was asked for: see [`excluded`](Sink::excluded).
    fn covers(&self, raw: &RawObject<'_>) -> bool {
        let namespace = raw.namespace();
        self.shared.peek().is_of(self.id, namespace.as_deref())
    }

    /// An event is of no interest but for its version.
    fn pass(&mut self, raw: &RawObject<'_>) {
        if let Some(version) = raw.resource_version() {
            self.pending
                .push(Op::Version(ResourceVersion::new(&version)));
        }
    }

    /// The number of the stored object of the same key, and whether it is in this very state.
    fn known(&self, raw: &RawObject<'_>) -> Option<(u32, bool)> {
        let state = self.shared.peek();
        let id = state.find(raw.namespace().as_deref(), &raw.name()?)?;
        let entry = state.entry(id)?;
        let same = entry.source == self.id
            && !entry.version.is_absent()
            && raw
                .resource_version()
                .is_some_and(|version| entry.version == ResourceVersion::new(&version))
            && entry.uid == Uid::new(raw.uid().as_deref().unwrap_or_default());
        Some((id, same))
    }
}

/// An object with a name.
enum Admitted<S> {
    Stored(Entry<S>),
    /// It is there, but it does not decode or the transform refused it.
    Unreadable {
        key: ObjectKey,
        uid: Uid,
        version: ResourceVersion,
    },
}

impl<R: Kept> Sink for Source<R> {
    fn excluded(&self) -> Vec<Arc<str>> {
        self.shared.peek().coverage().excluded(self.id)
    }

    fn begin(&mut self) {
        self.namespaces.clear();
        self.listing = self.shared.listing();
    }

    fn stage(&mut self, raw: &RawObject<'_>) {
        if !self.covers(raw) {
            return;
        }
        let known = self.known(raw);
        if let Some((id, true)) = known {
            self.listing.keep(id);
            if let Some(entry) = self.shared.peek().entry(id) {
                self.listing.forget(&entry.key);
            }
            return;
        }
        match (self.admit(raw), known) {
            (None, _) => {}
            (Some(Admitted::Stored(entry)), known) => {
                if let Some((id, _)) = known {
                    self.listing.discard(id);
                }
                self.listing.put(entry);
            }
            (Some(Admitted::Unreadable { key, uid, .. }), known) => {
                self.listing.forget(&key);
                let Some((id, _)) = known else { return };
                // The last good state stays if it is this object's.
                let state = self.shared.peek();
                if state.entry(id).is_some_and(|entry| entry.uid == uid) {
                    self.listing.keep(id);
                } else {
                    self.listing.discard(id);
                }
            }
        }
    }

    fn unstage(&mut self, raw: &RawObject<'_>) {
        if let Some((id, _)) = self.known(raw) {
            self.listing.discard(id);
        }
        if let Some(name) = raw.name() {
            let key = self.key(raw.namespace().as_deref(), &name);
            self.listing.forget(&key);
        }
    }

    fn commit(&mut self, version: ResourceVersion) {
        let listing = std::mem::take(&mut self.listing);
        self.shared.replace(self.id, listing, version);
    }

    fn abandon(&mut self) {
        self.listing = Staging::default();
    }

    fn vanish(&mut self) {
        self.abandon();
        self.flush();
        // Before the first listing there is nothing, and nothing is known.
        let version = self.shared.peek().version_of(self.id).cloned();
        if let Some(version) = version {
            self.shared.replace(self.id, Staging::default(), version);
        }
    }

    fn upsert(&mut self, raw: &RawObject<'_>) {
        if !self.covers(raw) {
            return self.pass(raw);
        }
        // A repeated event: the same state of the same object is neither decoded nor told again.
        if let (true, Some((_, true))) = (self.pending.is_empty(), self.known(raw)) {
            return;
        }
        match self.admit(raw) {
            None => {}
            Some(Admitted::Stored(entry)) => self.pending.push(Op::Put(entry)),
            Some(Admitted::Unreadable { key, uid, version }) => {
                self.pending.push(Op::Undecodable { key, uid });
                self.pending.push(Op::Version(version));
            }
        }
    }

    fn delete(&mut self, raw: &RawObject<'_>) {
        if !self.covers(raw) {
            return self.pass(raw);
        }
        let (key, uid, version, last) = match self.admit(raw) {
            None => return,
            Some(Admitted::Stored(entry)) => {
                (entry.key, entry.uid, entry.version, Some(entry.stored))
            }
            Some(Admitted::Unreadable { key, uid, version }) => (key, uid, version, None),
        };
        self.pending.push(Op::Delete {
            key,
            uid,
            version,
            last,
        });
    }

    fn bookmark(&mut self, version: ResourceVersion) {
        self.pending.push(Op::Version(version));
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.shared.apply(self.id, self.pending.drain(..));
        }
    }
}

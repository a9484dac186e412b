//! One state of the store: all objects, found by key, namespace and index. Cheap to clone, never changed once published.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::RandomState;

use super::coverage::Coverage;
use super::extract::IndexKey;
use super::indexed::{ErasedIndex, Indexed, Spec};
use super::postings::Postings;
use super::slab::Slab;
use super::table::Table;
use crate::entry::{Entry, SourceId};
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::key::ObjectKey;

/// A number that no other store of this process has.
fn next_store() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The objects of one informer at one moment.
pub(crate) struct State<R: Kept> {
    entries: Slab<Entry<R::Stored>>,
    by_key: Table,
    by_namespace: Postings<Arc<str>>,
    /// In the order in which they were added; an index never goes away.
    indexes: Vec<Box<dyn ErasedIndex<R>>>,
    coverage: Arc<Coverage>,
    /// The version that each source has seen, `None` before its first complete listing.
    versions: Vec<(SourceId, Option<ResourceVersion>)>,
    /// Whether at some moment every source had delivered a complete listing. Stays true when a source is added.
    ready: bool,
    hasher: RandomState,
    /// Which store this is a state of: places of indexes mean nothing in another's.
    store: u64,
}

impl<R: Kept> Clone for State<R> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            by_key: self.by_key.clone(),
            by_namespace: self.by_namespace.clone(),
            indexes: self.indexes.iter().map(|index| index.share()).collect(),
            coverage: Arc::clone(&self.coverage),
            versions: self.versions.clone(),
            ready: self.ready,
            hasher: self.hasher.clone(),
            store: self.store,
        }
    }
}

impl<R: Kept> State<R> {
    pub(crate) fn new(coverage: Coverage) -> Self {
        Self {
            entries: Slab::default(),
            by_key: Table::default(),
            by_namespace: Postings::default(),
            indexes: Vec::new(),
            versions: coverage.sources().map(|source| (source, None)).collect(),
            coverage: Arc::new(coverage),
            ready: false,
            hasher: RandomState::new(),
            store: next_store(),
        }
    }

    /// Whether both are states of one store.
    pub(crate) fn is_of_store(&self, other: &Self) -> bool {
        self.store == other.store
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// One more than the largest number in use.
    pub(crate) fn bound(&self) -> u32 {
        self.entries.bound()
    }

    pub(crate) fn entry(&self, id: u32) -> Option<&Entry<R::Stored>> {
        self.entries.get(id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Entry<R::Stored>)> + Clone {
        self.entries.iter()
    }

    /// Whether most of the places that objects once took are vacant, so that walking them and keeping them costs more than the
    /// objects do.
    pub(crate) fn is_sparse(&self) -> bool {
        /// Below this many places nothing is worth the work. Tests have fewer objects.
        const LEAST: usize = if cfg!(test) { 16 } else { 4096 };
        let places = self.bound() as usize;
        places >= LEAST && self.len() < places / 8
    }

    /// Gives all objects new numbers, without vacant ones in between. Costs as much as putting them in anew, which is a small
    /// part of what removing the others has cost.
    pub(crate) fn compact(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        self.by_key = Table::default();
        self.by_namespace = Postings::default();
        self.indexes = self.indexes.iter().map(|index| index.emptied()).collect();
        for (_, entry) in entries.iter() {
            self.insert(entry.clone());
        }
    }

    fn hash(&self, namespace: Option<&str>, name: &str) -> u64 {
        self.hasher.hash_one((namespace, name))
    }

    /// The number of the object with this key.
    pub(crate) fn find(&self, namespace: Option<&str>, name: &str) -> Option<u32> {
        self.by_key.find(self.hash(namespace, name), |id| {
            self.entries
                .get(id)
                .is_some_and(|entry| entry.key.name() == name && entry.key.namespace() == namespace)
        })
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Entry<R::Stored>> {
        self.entry(self.find(key.namespace(), key.name())?)
    }

    pub(crate) fn namespaces(&self) -> &Postings<Arc<str>> {
        &self.by_namespace
    }

    /// The index at a place, if it was there at this state's moment.
    pub(crate) fn index<K: IndexKey>(&self, at: usize) -> Option<&Indexed<R, K>> {
        self.indexes.get(at)?.inner().downcast_ref()
    }

    /// The first index over a path with keys of this type, whoever added it, and its place.
    pub(crate) fn index_of<K: IndexKey>(&self, path: &str) -> Option<(usize, &Indexed<R, K>)> {
        let indexes = self.indexes.iter().enumerate();
        let mut of_path = indexes.filter(|(_, index)| index.path() == Some(path));
        of_path.find_map(|(at, index)| Some((at, index.inner().downcast_ref()?)))
    }

    /// The indexes that are over a path, whoever added them.
    pub(crate) fn with_path(&self) -> impl Iterator<Item = (&str, &dyn ErasedIndex<R>)> {
        let indexes = self.indexes.iter();
        indexes.filter_map(|index| Some((index.path()?, &**index)))
    }

    /// The postings of the first index over a path that are of this type, whatever their keys are.
    pub(crate) fn postings_of(&self, path: &str, of: TypeId) -> Option<&dyn Any> {
        let mut of_path = self.with_path().filter(|(other, _)| *other == path);
        of_path.find_map(|(_, index)| {
            Some(index.erased_postings()).filter(|postings| (**postings).type_id() == of)
        })
    }

    /// Adds an index, back-filled, and says its place.
    pub(crate) fn add_index<K: IndexKey>(&mut self, spec: Arc<Spec<R, K>>) -> usize {
        let index = Indexed::of(spec, self.entries.iter());
        self.indexes.push(Box::new(index));
        self.indexes.len() - 1
    }

    /// Which source feeds which namespace.
    pub(crate) fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Whether an object of this namespace is this source's to tell of.
    pub(crate) fn is_of(&self, source: SourceId, namespace: Option<&str>) -> bool {
        self.coverage.owner(namespace) == Some(source)
    }

    /// Whether every source delivered a complete listing.
    pub(crate) fn is_complete(&self) -> bool {
        self.versions.iter().all(|(_, version)| version.is_some())
    }

    /// Whether reads over everything are answered: every source there was had delivered a complete listing once.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready
    }

    /// Answers whether it just became ready.
    pub(super) fn note_ready(&mut self) -> bool {
        let ready = !self.ready && self.is_complete();
        self.ready |= ready;
        ready
    }

    /// Has a namespace that has no source fed by one.
    pub(super) fn add_source(&mut self, source: SourceId, namespace: Arc<str>) {
        Arc::make_mut(&mut self.coverage).add(namespace, source);
        self.versions.push((source, None));
    }

    /// Ends a namespace, with its source if it has one of its own, and hands out its objects.
    pub(super) fn remove_namespace(&mut self, namespace: &str) -> Vec<Entry<R::Stored>> {
        let gone = Arc::make_mut(&mut self.coverage).remove(namespace);
        self.versions.retain(|(source, _)| Some(*source) != gone);
        let found = self.by_namespace.get(namespace);
        let Some(posting) = found.map(|(_, posting)| posting.clone()) else {
            return Vec::new();
        };
        let ids = posting.iter();
        ids.filter_map(|id| self.remove(id)).collect()
    }

    pub(crate) fn version_of(&self, source: SourceId) -> Option<&ResourceVersion> {
        self.versions
            .iter()
            .find(|(other, _)| *other == source)?
            .1
            .as_ref()
    }

    pub(crate) fn set_version(&mut self, source: SourceId, version: ResourceVersion) {
        if let Some((_, known)) = self.versions.iter_mut().find(|(other, _)| *other == source) {
            *known = Some(version);
        }
    }

    /// Puts an object in under its key and gives back the one that was there.
    pub(crate) fn put(&mut self, entry: Entry<R::Stored>) -> Option<Entry<R::Stored>> {
        let Some(id) = self.find(entry.key.namespace(), entry.key.name()) else {
            self.insert(entry);
            return None;
        };
        let place = self.entries.get_mut(id)?;
        let old = std::mem::replace(place, entry);
        // The old key stays: equal, and its text is what everybody shares.
        place.key = old.key.clone();
        for index in &mut self.indexes {
            index.update(id, &old, place);
        }
        Some(old)
    }

    fn insert(&mut self, entry: Entry<R::Stored>) {
        let hash = self.hash(entry.key.namespace(), entry.key.name());
        let namespace = entry.key.shared_namespace();
        let id = self.entries.insert(entry);
        self.by_key.insert(hash, id);
        if let Some(namespace) = namespace {
            self.by_namespace.insert(namespace, id);
        }
        if let Some(entry) = self.entries.get(id) {
            for index in &mut self.indexes {
                index.insert(id, entry);
            }
        }
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Entry<R::Stored>> {
        let entry = self.entries.remove(id)?;
        self.by_key
            .remove(self.hash(entry.key.namespace(), entry.key.name()), id);
        if let Some(namespace) = entry.key.namespace() {
            self.by_namespace.remove(namespace, id);
        }
        for index in &mut self.indexes {
            index.remove(id, &entry);
        }
        Some(entry)
    }
}

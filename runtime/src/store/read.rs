//! What readers hold: one state, and lists out of it.

use std::fmt;
use std::sync::Arc;

use super::posting::Posting;
use super::state::State;
use super::walk::Walk;
use crate::entry::Entry;
use crate::informer::{IndexHandle, ReadError};
use crate::kept::Kept;
use crate::key::ObjectKey;

/// All objects of one informer at one moment.
///
/// Taking one costs a reference count whatever the number of objects; it never changes afterwards. Objects that change
/// while a snapshot is held stay in memory in both states until it is dropped.
pub struct Snapshot<R: Kept>(Arc<State<R>>);

impl<R: Kept> Clone for Snapshot<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Kept> Snapshot<R> {
    pub(crate) fn new(state: Arc<State<R>>) -> Self {
        Self(state)
    }

    pub(crate) fn state(&self) -> &Arc<State<R>> {
        &self.0
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<R::Read> {
        self.0.get(key).map(|entry| R::read(&entry.stored))
    }

    /// All objects, in no particular order.
    pub fn list(&self) -> List<R> {
        List::new(Arc::clone(&self.0), Walk::all())
    }

    /// The objects of one namespace, found through the namespace index.
    pub fn namespace(&self, namespace: &str) -> List<R> {
        let posting = self
            .0
            .namespaces()
            .get(namespace)
            .map(|(_, posting)| posting.clone());
        List::new(Arc::clone(&self.0), Walk::over(posting))
    }

    /// The objects of any of these postings, each once; `repeats` says whether one may be in several.
    pub(crate) fn united(&self, postings: Vec<Posting>, repeats: bool) -> List<R> {
        List::new(Arc::clone(&self.0), Walk::union(postings, repeats))
    }

    /// The namespaces that have objects, with how many, in order of their names.
    #[must_use]
    pub fn namespaces(&self) -> Vec<(Arc<str>, usize)> {
        self.0.namespaces().counted()
    }

    /// The index at a place, which was there at this moment.
    #[cfg(test)]
    pub(crate) fn index<K: super::extract::IndexKey>(
        &self,
        at: usize,
    ) -> super::IndexSnapshot<R, K> {
        let postings = self.0.index::<K>(at).unwrap().postings();
        super::IndexSnapshot::new(Arc::clone(&self.0), Arc::clone(postings))
    }

    /// Whether two snapshots show the same state.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// An index as it was at the moment of this snapshot, for lookups that must agree with each other and with what else is read here.
    ///
    /// An [`Index`](crate::Index) gives an [`IndexSnapshot`](crate::IndexSnapshot), an [`OrderedIndex`](crate::OrderedIndex) an
    /// [`OrderedIndexSnapshot`](crate::OrderedIndexSnapshot). Costs a reference count. Of a snapshot that is older than the index, it
    /// costs one call of the extractor for each object, and the memory of the index while the answer is held.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use larder::{Index, Kept, ReadError, Store};
    /// fn per_node<R: Kept>(store: &Store<R>, by_node: &Index<R, String>) -> Result<(), ReadError> {
    ///     let snapshot = store.snapshot();
    ///     let by_node = snapshot.by(by_node)?;
    ///     for (node, count) in by_node.values() {
    ///         assert_eq!(by_node.get(&node).count(), count);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReadError::UnknownIndex`] where the index is another informer's.
    pub fn by<I: IndexHandle<R>>(&self, index: &I) -> Result<I::Snapshot, ReadError> {
        index.at(self)
    }
}

impl<R: Kept> IntoIterator for Snapshot<R> {
    type Item = R::Read;
    type IntoIter = List<R>;

    fn into_iter(self) -> List<R> {
        List::new(self.0, Walk::all())
    }
}

impl<R: Kept> fmt::Debug for Snapshot<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("objects", &self.len())
            .finish_non_exhaustive()
    }
}

/// Objects out of one state, yielded by value; owns the state, so it may be kept and sent elsewhere.
///
/// The order is unspecified. Nothing is collected: making a list costs nothing per object, and each step costs
/// a pointer (or a decode where the kept type decodes at reads). `count` and [`keys`](Self::keys) read no object.
#[must_use = "a list is lazy"]
pub struct List<R: Kept> {
    state: Arc<State<R>>,
    walk: Walk,
    filter: Option<Filter<R>>,
    /// How many more there are at most before the list was narrowed by `also`, where it was limited.
    left: Option<usize>,
    /// An object is in all of these.
    also: Vec<Posting>,
}

/// What an object must be for a list to yield it.
pub(crate) type Filter<R> = Box<dyn Fn(&Entry<<R as Kept>::Stored>) -> bool + Send + Sync>;

impl<R: Kept> List<R> {
    pub(super) fn new(state: Arc<State<R>>, walk: Walk) -> Self {
        Self {
            state,
            walk,
            filter: None,
            left: None,
            also: Vec::new(),
        }
    }

    pub(crate) fn state(&self) -> &Arc<State<R>> {
        &self.state
    }

    /// Only those of these numbers of this list's state; without any, none.
    pub(crate) fn within(mut self, posting: Option<Posting>) -> Self {
        match posting {
            Some(posting) => self.also.push(posting),
            None => self.walk = Walk::Nothing,
        }
        self
    }

    /// Only the objects that the filter lets through.
    pub(crate) fn filtered(mut self, filter: Filter<R>) -> Self {
        self.filter = Some(filter);
        self
    }

    /// So many objects at most; of a list that is not narrowed yet.
    pub(crate) fn at_most(mut self, objects: usize) -> Self {
        self.left = Some(objects);
        self
    }

    fn next_entry(&mut self) -> Option<&Entry<R::Stored>> {
        // By field, so that what is found may be borrowed while the walk goes on.
        let (state, filter) = (&*self.state, self.filter.as_ref());
        while self.left != Some(0) {
            let id = self.walk.step(state.bound())?;
            let in_all = self.also.iter().all(|posting| posting.contains(id));
            // A limit counts what the list had before it was narrowed, so that narrowing brings nothing new in.
            if !in_all && self.left.is_none() {
                continue;
            }
            let entry = state.entry(id);
            let Some(entry) = entry.filter(|entry| filter.is_none_or(|filter| filter(entry)))
            else {
                continue;
            };
            self.left = self.left.map(|left| left - 1);
            if in_all {
                return Some(entry);
            }
        }
        None
    }

    /// The keys of these objects; nothing is decoded for them.
    pub fn keys(mut self) -> impl Iterator<Item = ObjectKey> {
        std::iter::from_fn(move || self.next_entry().map(|entry| entry.key.clone()))
    }
}

impl<R: Kept> Iterator for List<R> {
    type Item = R::Read;

    fn next(&mut self) -> Option<R::Read> {
        self.next_entry().map(|entry| R::read(&entry.stored))
    }

    /// Reads no object; at once where all objects or all of an index's key are counted.
    fn count(mut self) -> usize {
        match self.size_hint() {
            (least, Some(most)) if least == most => most,
            _ => std::iter::from_fn(|| self.next_entry().map(drop)).count(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (all, untouched) = self.walk.left(self.state.len());
        let most = self.left.map_or(all, |left| all.min(left));
        let exact = untouched && self.filter.is_none() && self.also.is_empty();
        (if exact { most } else { 0 }, Some(most))
    }
}

impl<R: Kept> std::iter::FusedIterator for List<R> {}

impl<R: Kept> fmt::Debug for List<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List")
            .field("at_most", &self.size_hint().1)
            .finish_non_exhaustive()
    }
}

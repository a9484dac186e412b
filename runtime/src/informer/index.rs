//! Handles of indexes. They keep the informer running.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, RangeBounds};
use std::sync::Arc;

use super::Informer;
use super::error::ReadError;
use crate::kept::Kept;
use crate::store::{IndexSnapshot, List, OrderedIndexSnapshot, Postings, Snapshot, Spec, State};

/// A typed handle of one index of one informer.
///
/// A clone is another handle of the same index. Dropping it does not remove the index.
pub struct Index<R: Kept, K> {
    informer: Informer<R>,
    at: usize,
    spec: Arc<Spec<R, K>>,
}

impl<R: Kept, K> Clone for Index<R, K> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            at: self.at,
            spec: Arc::clone(&self.spec),
        }
    }
}

impl<R: Kept, K: Ord + Hash + Clone + Send + Sync + 'static> Index<R, K> {
    pub(super) fn new(informer: Informer<R>, at: usize, spec: Arc<Spec<R, K>>) -> Self {
        Self { informer, at, spec }
    }

    /// The JSON path that the index reads, where it reads one; of a pair of paths, both with a comma between them.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.spec.path()
    }

    /// The index at this moment, for lookups that must agree with each other.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn snapshot(&self) -> Result<IndexSnapshot<R, K>, ReadError> {
        let snapshot = self.informer.readable(None)?;
        let state = Arc::clone(snapshot.state());
        let postings = self.postings(&state);
        Ok(IndexSnapshot::new(state, postings))
    }

    /// The objects that have this key; none where no object has it.
    ///
    /// Cost: one hash, then a pointer per object.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Result<List<R>, ReadError>
    where
        K: Borrow<Q>,
    {
        Ok(self.snapshot()?.get(key))
    }

    /// The distinct keys with the number of objects of each, in order.
    ///
    /// Cost: a clone of each key, and a sort of them unless the index is ordered.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn values(&self) -> Result<Vec<(K, usize)>, ReadError> {
        Ok(self.snapshot()?.values())
    }

    /// The postings in a state of this informer: of one that is older than the index, made for this once.
    fn postings(&self, state: &State<R>) -> Arc<Postings<K>> {
        match state.index::<K>(self.at) {
            Some(index) => Arc::clone(index.postings()),
            None => Arc::new(self.spec.fill(state.iter())),
        }
    }

    /// The postings in a state that may be another informer's.
    fn postings_of(&self, state: &State<R>) -> Result<Arc<Postings<K>>, ReadError> {
        if !self.informer.shared().peek().is_of_store(state) {
            return Err(ReadError::UnknownIndex {
                kind: self.informer.kind().clone(),
                informer: self.informer.name().to_owned(),
            });
        }
        Ok(self.postings(state))
    }
}

impl<R, A, B> Index<R, (A, B)>
where
    R: Kept,
    A: Ord + Hash + Clone + Send + Sync + 'static,
    B: Ord + Hash + Clone + Send + Sync + 'static,
{
    /// As [`get`](Self::get), for a key of two parts that are borrowed apart: `by.get_pair("web", "node-7")`.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn get_pair<P, Q>(&self, first: &P, second: &Q) -> Result<List<R>, ReadError>
    where
        A: Borrow<P>,
        B: Borrow<Q>,
        P: Hash + Eq + ?Sized,
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.snapshot()?.get_pair(first, second))
    }
}

impl<R: Kept> List<R> {
    /// Only those of these objects that an index has under this key, at the moment that this list shows.
    ///
    /// Begin with the index that has the fewest: the cost is a binary search for each object of this list. A list that is older than the
    /// index costs one call of the extractor for each object of its moment.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use larder::{Index, Kept, List, ReadError};
    /// fn both<R: Kept>(app: &Index<R, String>, tier: &Index<R, String>) -> Result<List<R>, ReadError> {
    ///     app.get("web")?.and(tier, "front")
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReadError::UnknownIndex`] where the index is another informer's.
    pub fn and<K, Q>(self, index: &Index<R, K>, key: &Q) -> Result<Self, ReadError>
    where
        K: Borrow<Q> + Ord + Hash + Clone + Send + Sync + 'static,
        Q: Hash + Eq + ?Sized,
    {
        let postings = index.postings_of(self.state())?;
        let found = postings.get(key);
        Ok(self.within(found.map(|(_, posting)| posting.clone())))
    }
}

impl<R: Kept, K> fmt::Debug for Index<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("kind", self.informer.kind())
            .field("path", &self.spec.path())
            .finish_non_exhaustive()
    }
}

/// A typed handle of an ordered index: an [`Index`] that has ranges too.
///
/// Made by [`Informer::add_ordered_index`]. It takes 4 bytes per distinct key more than one without order.
pub struct OrderedIndex<R: Kept, K>(Index<R, K>);

impl<R: Kept, K: Ord + Hash + Clone + Send + Sync + 'static> OrderedIndex<R, K> {
    /// Over an index that is ordered.
    pub(super) fn new(index: Index<R, K>) -> Self {
        Self(index)
    }

    /// The index at this moment, for lookups that must agree with each other.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn snapshot(&self) -> Result<OrderedIndexSnapshot<R, K>, ReadError> {
        self.0.snapshot().map(OrderedIndexSnapshot::new)
    }

    /// The objects whose keys lie within these bounds, in the order of the keys; with equal keys in no particular one. An object with
    /// several keys in there comes once, at its first.
    ///
    /// Cost: two binary searches, then a pointer per object.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn range(&self, bounds: impl RangeBounds<K>) -> Result<List<R>, ReadError> {
        Ok(self.snapshot()?.range(bounds))
    }

    /// The objects whose keys begin with this text, in the order of the keys.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn prefix(&self, prefix: &str) -> Result<List<R>, ReadError>
    where
        K: Borrow<str>,
    {
        Ok(self.snapshot()?.prefix(prefix))
    }

    /// The smallest key and its objects.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn first(&self) -> Result<Option<(K, List<R>)>, ReadError> {
        Ok(self.snapshot()?.first())
    }

    /// The largest key and its objects.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn last(&self) -> Result<Option<(K, List<R>)>, ReadError> {
        Ok(self.snapshot()?.last())
    }
}

impl<R, A, B> OrderedIndex<R, (A, B)>
where
    R: Kept,
    A: Ord + Hash + Clone + Send + Sync + 'static,
    B: Ord + Hash + Clone + Send + Sync + 'static,
{
    /// The objects whose keys have this first part, in the order of the second.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn by_first<P: Ord + ?Sized>(&self, first: &P) -> Result<List<R>, ReadError>
    where
        A: Borrow<P>,
    {
        Ok(self.snapshot()?.by_first(first))
    }
}

impl<R: Kept, K> Deref for OrderedIndex<R, K> {
    type Target = Index<R, K>;

    fn deref(&self) -> &Index<R, K> {
        &self.0
    }
}

impl<R: Kept, K> Clone for OrderedIndex<R, K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Kept, K> fmt::Debug for OrderedIndex<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OrderedIndex").field(&self.0).finish()
    }
}

/// A handle of an index over objects of `R`, which [`Snapshot::by`] takes: [`Index`] and [`OrderedIndex`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index over what `{R}` keeps",
    note = "an informer's `add_index` and `add_ordered_index` give the handles of its indexes"
)]
pub trait IndexHandle<R: Kept>: sealed::Sealed {
    /// The index at one moment.
    type Snapshot;

    /// What [`Snapshot::by`] answers.
    #[doc(hidden)]
    fn at(&self, snapshot: &Snapshot<R>) -> Result<Self::Snapshot, ReadError>;
}

mod sealed {
    pub trait Sealed {}
}

impl<R: Kept, K> sealed::Sealed for Index<R, K> {}
impl<R: Kept, K> sealed::Sealed for OrderedIndex<R, K> {}

impl<R, K> IndexHandle<R> for Index<R, K>
where
    R: Kept,
    K: Ord + Hash + Clone + Send + Sync + 'static,
{
    type Snapshot = IndexSnapshot<R, K>;

    fn at(&self, snapshot: &Snapshot<R>) -> Result<IndexSnapshot<R, K>, ReadError> {
        let state = snapshot.state();
        let postings = self.postings_of(state)?;
        Ok(IndexSnapshot::new(Arc::clone(state), postings))
    }
}

impl<R, K> IndexHandle<R> for OrderedIndex<R, K>
where
    R: Kept,
    K: Ord + Hash + Clone + Send + Sync + 'static,
{
    type Snapshot = OrderedIndexSnapshot<R, K>;

    fn at(&self, snapshot: &Snapshot<R>) -> Result<OrderedIndexSnapshot<R, K>, ReadError> {
        self.0.at(snapshot).map(OrderedIndexSnapshot::new)
    }
}

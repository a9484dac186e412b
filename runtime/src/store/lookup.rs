//! Lookups in an index at one moment.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, RangeBounds};
use std::sync::Arc;

use super::posting::Posting;
use super::postings::{Postings, Range};
use super::read::List;
use super::state::State;
use super::walk::Walk;
use crate::kept::Kept;

/// An index as it was at the moment of one snapshot: every answer is of the same objects.
///
/// Made by [`Snapshot::by`](crate::Snapshot::by) and [`Index::snapshot`](crate::Index::snapshot). Holds the snapshot's objects in memory, as
/// the snapshot does.
pub struct IndexSnapshot<R: Kept, K> {
    state: Arc<State<R>>,
    postings: Arc<Postings<K>>,
}

impl<R: Kept, K> IndexSnapshot<R, K> {
    pub(crate) fn new(state: Arc<State<R>>, postings: Arc<Postings<K>>) -> Self {
        Self { state, postings }
    }

    fn list(&self, posting: Option<Posting>) -> List<R> {
        List::new(Arc::clone(&self.state), Walk::over(posting))
    }

    fn list_of(&self, found: Option<&(K, Posting)>) -> List<R> {
        self.list(found.map(|(_, posting)| posting.clone()))
    }
}

impl<R: Kept, K: Ord + Hash + Clone + Send + Sync + 'static> IndexSnapshot<R, K> {
    /// The objects that have this key; none where no object has it.
    ///
    /// Cost: one hash, then a pointer per object.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> List<R>
    where
        K: Borrow<Q>,
    {
        self.list_of(self.postings.get(key))
    }

    /// How many distinct keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.postings.len()
    }

    /// Whether no object has a key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distinct keys with the number of objects of each, in order.
    ///
    /// Cost: a clone of each key, and a sort of them unless the index is ordered.
    #[must_use]
    pub fn values(&self) -> Vec<(K, usize)> {
        self.postings.counted()
    }
}

impl<R, A, B> IndexSnapshot<R, (A, B)>
where
    R: Kept,
    A: Ord + Hash + Clone + Send + Sync + 'static,
    B: Ord + Hash + Clone + Send + Sync + 'static,
{
    /// As [`get`](Self::get), for a key of two parts that are borrowed apart.
    pub fn get_pair<P, Q>(&self, first: &P, second: &Q) -> List<R>
    where
        A: Borrow<P>,
        B: Borrow<Q>,
        P: Hash + Eq + ?Sized,
        Q: Hash + Eq + ?Sized,
    {
        self.list_of(self.postings.get_pair(first, second))
    }
}

impl<R: Kept, K> Clone for IndexSnapshot<R, K> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            postings: Arc::clone(&self.postings),
        }
    }
}

impl<R: Kept, K> fmt::Debug for IndexSnapshot<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexSnapshot")
            .field("objects", &self.state.len())
            .field("keys", &self.postings.len())
            .finish()
    }
}

/// An ordered index as it was at the moment of one snapshot: an [`IndexSnapshot`] that has ranges too.
pub struct OrderedIndexSnapshot<R: Kept, K>(IndexSnapshot<R, K>);

impl<R: Kept, K> OrderedIndexSnapshot<R, K> {
    /// Over an index that is ordered.
    pub(crate) fn new(snapshot: IndexSnapshot<R, K>) -> Self {
        Self(snapshot)
    }
}

impl<R: Kept, K: Ord + Hash + Clone + Send + Sync + 'static> OrderedIndexSnapshot<R, K> {
    fn over(&self, range: Range) -> List<R> {
        let postings = Arc::clone(&self.0.postings);
        List::new(Arc::clone(&self.0.state), Walk::range(postings, range))
    }

    /// The objects whose keys lie within these bounds, in the order of the keys; with equal keys in no particular one. An object with
    /// several keys in there comes once, at its first.
    ///
    /// Cost: two binary searches, then a pointer per object.
    pub fn range(&self, bounds: impl RangeBounds<K>) -> List<R> {
        self.over(self.postings.range(&bounds))
    }

    /// The objects whose keys begin with this text, in the order of the keys.
    pub fn prefix(&self, prefix: &str) -> List<R>
    where
        K: Borrow<str>,
    {
        let before = |key: &K| key.borrow() < prefix;
        let behind = |key: &K| !before(key) && !key.borrow().starts_with(prefix);
        self.over(self.postings.places(before, behind))
    }

    /// The smallest key and its objects.
    #[must_use]
    pub fn first(&self) -> Option<(K, List<R>)> {
        self.keyed(self.postings.first())
    }

    /// The largest key and its objects.
    #[must_use]
    pub fn last(&self) -> Option<(K, List<R>)> {
        self.keyed(self.postings.last())
    }

    fn keyed(&self, found: Option<&(K, Posting)>) -> Option<(K, List<R>)> {
        Some((found?.0.clone(), self.list_of(found)))
    }
}

impl<R, A, B> OrderedIndexSnapshot<R, (A, B)>
where
    R: Kept,
    A: Ord + Hash + Clone + Send + Sync + 'static,
    B: Ord + Hash + Clone + Send + Sync + 'static,
{
    /// The objects whose keys have this first part, in the order of the second.
    pub fn by_first<P: Ord + ?Sized>(&self, first: &P) -> List<R>
    where
        A: Borrow<P>,
    {
        self.over(self.postings.places_of_first(first))
    }
}

impl<R: Kept, K> Deref for OrderedIndexSnapshot<R, K> {
    type Target = IndexSnapshot<R, K>;

    fn deref(&self) -> &IndexSnapshot<R, K> {
        &self.0
    }
}

impl<R: Kept, K> Clone for OrderedIndexSnapshot<R, K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Kept, K> fmt::Debug for OrderedIndexSnapshot<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OrderedIndexSnapshot")
            .field(&self.0)
            .finish()
    }
}

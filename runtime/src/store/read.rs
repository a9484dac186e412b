//! What readers hold: one state, and lists out of it.

use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use super::posting::Posting;
use super::postings::Postings;
use super::state::State;
use crate::entry::Entry;
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
        List::new(Arc::clone(&self.0), Walk::All { next: 0 })
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

    /// The namespaces that have objects, with how many, in order of their names.
    #[must_use]
    pub fn namespaces(&self) -> Vec<(Arc<str>, usize)> {
        counted(self.0.namespaces())
    }

    /// Whether two snapshots show the same state.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn postings<K: 'static>(&self, index: usize) -> Option<&Postings<K>> {
        let postings: &dyn Any = self.0.index(index)?.postings();
        postings.downcast_ref()
    }

    pub(crate) fn by_index<K, Q>(&self, index: usize, value: &Q) -> List<R>
    where
        K: Hash + Eq + Clone + Borrow<Q> + 'static,
        Q: Hash + Eq + ?Sized,
    {
        let posting = self
            .postings::<K>(index)
            .and_then(|postings| postings.get(value));
        List::new(
            Arc::clone(&self.0),
            Walk::over(posting.map(|(_, posting)| posting.clone())),
        )
    }

    pub(crate) fn index_values<K: Hash + Ord + Clone + 'static>(
        &self,
        index: usize,
    ) -> Vec<(K, usize)> {
        self.postings::<K>(index).map(counted).unwrap_or_default()
    }
}

fn counted<K: Hash + Ord + Clone>(postings: &Postings<K>) -> Vec<(K, usize)> {
    let mut values = Vec::with_capacity(postings.len());
    values.extend(
        postings
            .iter()
            .map(|(value, posting)| (value.clone(), posting.len())),
    );
    values.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    values
}

impl<R: Kept> IntoIterator for Snapshot<R> {
    type Item = R::Read;
    type IntoIter = List<R>;

    fn into_iter(self) -> List<R> {
        List::new(self.0, Walk::All { next: 0 })
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
    /// How many more it yields at most.
    left: usize,
    /// An object is in all of these.
    also: Vec<Posting>,
}

/// What an object must be for a list to yield it.
pub(crate) type Filter<R> = Box<dyn Fn(&Entry<<R as Kept>::Stored>) -> bool + Send + Sync>;

enum Walk {
    All {
        next: u32,
    },
    Posting {
        posting: Posting,
        chunk: usize,
        at: usize,
    },
    Nothing,
}

impl Walk {
    fn over(posting: Option<Posting>) -> Self {
        posting.map_or(Self::Nothing, |posting| Self::Posting {
            posting,
            chunk: 0,
            at: 0,
        })
    }

    /// The next number, which may be vacant where all are walked.
    fn step(&mut self, bound: u32) -> Option<u32> {
        match self {
            Self::Nothing => None,
            Self::All { next } => {
                let id = *next;
                *next = id.checked_add(1)?;
                (id < bound).then_some(id)
            }
            Self::Posting { posting, chunk, at } => loop {
                let part = posting.part(*chunk)?;
                if let Some(id) = part.get(*at) {
                    *at += 1;
                    return Some(*id);
                }
                (*chunk, *at) = (*chunk + 1, 0);
            },
        }
    }
}

impl<R: Kept> List<R> {
    fn new(state: Arc<State<R>>, walk: Walk) -> Self {
        Self {
            state,
            walk,
            filter: None,
            left: usize::MAX,
            also: Vec::new(),
        }
    }

    /// Only the objects that an index has under a value at this list's moment; `None` where `state` is another store's, or where the
    /// index was not there then.
    pub(crate) fn in_index<K, Q>(
        mut self,
        state: &State<R>,
        index: usize,
        value: &Q,
    ) -> Option<Self>
    where
        K: Hash + Eq + Clone + Borrow<Q> + 'static,
        Q: Hash + Eq + ?Sized,
    {
        if !self.state.is_of_store(state) {
            return None;
        }
        let snapshot = Snapshot(Arc::clone(&self.state));
        match snapshot.postings::<K>(index)?.get(value) {
            Some((_, posting)) => self.also.push(posting.clone()),
            None => self.walk = Walk::Nothing,
        }
        Some(self)
    }

    /// Only the objects that the filter lets through.
    pub(crate) fn filtered(mut self, filter: Filter<R>) -> Self {
        self.filter = Some(filter);
        self
    }

    /// So many objects at most.
    pub(crate) fn at_most(mut self, objects: usize) -> Self {
        self.left = objects;
        self
    }

    fn next_entry(&mut self) -> Option<&Entry<R::Stored>> {
        // By field, so that what is found may be borrowed while the walk goes on.
        let (state, filter) = (&*self.state, self.filter.as_ref());
        let left = self.left.checked_sub(1)?;
        loop {
            let id = self.walk.step(state.bound())?;
            if !self.also.iter().all(|posting| posting.contains(id)) {
                continue;
            }
            let Some(entry) = state.entry(id) else {
                continue;
            };
            if filter.is_none_or(|filter| filter(entry)) {
                self.left = left;
                return Some(entry);
            }
        }
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
        let (all, untouched) = match &self.walk {
            Walk::All { next } => (self.state.len(), *next == 0),
            Walk::Posting { posting, chunk, at } => (posting.len(), (*chunk, *at) == (0, 0)),
            Walk::Nothing => (0, true),
        };
        let most = all.min(self.left);
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

//! One index of a state: what it is made of, and the erased form in which a state holds it.

use std::any::Any;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::extract::{Extract, IndexKey};
use super::postings::Postings;
use crate::entry::Entry;
use crate::kept::Kept;
use crate::observe::{Say, Seldom};
use crate::query::Query;

/// What an index is made of. Shared by the index in each state, and by the handles.
pub(crate) struct Spec<R: Kept, K> {
    extract: Box<dyn Extract<R, Key = K>>,
    path: Option<Box<str>>,
    ordered: bool,
    /// How often a panic of the extractor is said aloud.
    complaints: Seldom,
}

impl<R: Kept, K: IndexKey> Spec<R, K> {
    pub(crate) fn new(extract: impl Extract<R, Key = K>, ordered: bool) -> Arc<Self> {
        Arc::new(Self {
            path: extract.path().map(Box::from),
            extract: Box::new(extract),
            ordered,
            complaints: Seldom::default(),
        })
    }

    /// The index of these objects, whose numbers rise.
    pub(crate) fn fill<'a>(
        &self,
        objects: impl Iterator<Item = (u32, &'a Entry<R::Stored>)> + Clone,
    ) -> Postings<K> {
        let keyed = objects.clone();
        let keyed = keyed.map(|(id, entry)| (id, self.keys_of(&entry.stored)));
        self.guard(|| Postings::fill(self.ordered, keyed))
            .unwrap_or_else(|| self.fill_singly(objects))
    }

    /// Where some key panics: the others are in the index all the same.
    #[cold]
    fn fill_singly<'a>(
        &self,
        objects: impl Iterator<Item = (u32, &'a Entry<R::Stored>)>,
    ) -> Postings<K> {
        let mut postings = Postings::new(self.ordered);
        for (id, entry) in objects {
            let keys = self.keys_of(&entry.stored);
            if keys.len() > 1 {
                postings.note_several();
            }
            for key in keys {
                self.guard(|| postings.insert(key, id));
            }
        }
        postings
    }

    fn same_keys(&self, old: &R::Stored, new: &R::Stored) -> bool {
        let same = self.guard(|| self.extract.__same(old, new));
        same.unwrap_or_default()
    }

    /// The keys of one object in order, each once.
    fn keys_of(&self, stored: &R::Stored) -> Vec<K> {
        let keys = self.guard(|| {
            let mut keys = Vec::new();
            self.extract.keys(stored, &mut |key| keys.push(key));
            keys.sort_unstable();
            keys.dedup();
            keys
        });
        keys.unwrap_or_default()
    }

    /// Which of these keys are not among others, which are in order; all of them where comparing panics.
    fn lacking(&self, keys: &[K], others: &[K]) -> Vec<bool> {
        let lacks = |key| others.binary_search(key).is_err();
        let lacking = self.guard(|| keys.iter().map(lacks).collect());
        lacking.unwrap_or_else(|| vec![true; keys.len()])
    }

    /// Runs what asks the extractor, or compares keys: both are the user's code, and sorting may panic where there is no order.
    fn guard<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        let ran = catch_unwind(AssertUnwindSafe(run));
        if ran.is_err() {
            self.complain();
        }
        ran.ok()
    }

    /// An extractor that panics at every object would fill the log.
    #[cold]
    fn complain(&self) {
        let path = self.path();
        match self.complaints.next() {
            Say::Aloud { withheld } => tracing::error!(
                path,
                withheld,
                "an index's extractor or key panicked; the object lacks that key, or all, in the index"
            ),
            Say::Quietly => tracing::debug!(path, "an index's extractor panicked once more"),
        }
    }
}

impl<R: Kept, K> Spec<R, K> {
    pub(crate) fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

/// One index of a state, whatever its keys are.
pub(crate) trait ErasedIndex<R: Kept>: Send + Sync {
    fn insert(&mut self, id: u32, entry: &Entry<R::Stored>);
    fn remove(&mut self, id: u32, entry: &Entry<R::Stored>);
    fn update(&mut self, id: u32, old: &Entry<R::Stored>, new: &Entry<R::Stored>);
    fn share(&self) -> Box<dyn ErasedIndex<R>>;
    /// The same index of no objects.
    fn emptied(&self) -> Box<dyn ErasedIndex<R>>;
    /// The JSON path that the keys come from, where there is one.
    fn path(&self) -> Option<&str>;
    /// The objects that have the key which is written so.
    fn query(&self, value: &str) -> Option<Query<<R::Stored as Deref>::Target>>
    where
        R::Stored: Deref<Target: Sized>;
    /// The `Indexed` of this index's key type.
    fn inner(&self) -> &dyn Any;
    /// The `Postings` of this index's key type.
    fn erased_postings(&self) -> &dyn Any;
}

/// The postings of one index.
pub(crate) struct Indexed<R: Kept, K> {
    spec: Arc<Spec<R, K>>,
    postings: Arc<Postings<K>>,
}

impl<R: Kept, K: IndexKey> Indexed<R, K> {
    /// The index of these objects, whose numbers rise.
    pub(crate) fn of<'a>(
        spec: Arc<Spec<R, K>>,
        objects: impl Iterator<Item = (u32, &'a Entry<R::Stored>)> + Clone,
    ) -> Self {
        let postings = Arc::new(spec.fill(objects));
        Self { spec, postings }
    }

    pub(crate) fn spec(&self) -> &Arc<Spec<R, K>> {
        &self.spec
    }

    pub(crate) fn postings(&self) -> &Arc<Postings<K>> {
        &self.postings
    }

    // Each key by itself, so that one which panics takes no other with it.

    fn insert_keys(&mut self, id: u32, keys: impl Iterator<Item = K>) {
        for key in keys {
            let postings = &mut self.postings;
            self.spec.guard(|| Arc::make_mut(postings).insert(key, id));
        }
    }

    fn remove_keys<'a>(&mut self, id: u32, keys: impl Iterator<Item = &'a K>) {
        for key in keys {
            let postings = &mut self.postings;
            self.spec.guard(|| Arc::make_mut(postings).remove(key, id));
        }
    }

    /// The keys of an object that is put in.
    fn new_keys(&mut self, entry: &Entry<R::Stored>) -> Vec<K> {
        let keys = self.spec.keys_of(&entry.stored);
        if keys.len() > 1 && !self.postings.has_several() {
            Arc::make_mut(&mut self.postings).note_several();
        }
        keys
    }
}

impl<R: Kept, K: IndexKey> ErasedIndex<R> for Indexed<R, K> {
    fn insert(&mut self, id: u32, entry: &Entry<R::Stored>) {
        let keys = self.new_keys(entry);
        self.insert_keys(id, keys.into_iter());
    }

    fn remove(&mut self, id: u32, entry: &Entry<R::Stored>) {
        let keys = self.spec.keys_of(&entry.stored);
        self.remove_keys(id, keys.iter());
    }

    fn update(&mut self, id: u32, old: &Entry<R::Stored>, new: &Entry<R::Stored>) {
        if self.spec.same_keys(&old.stored, &new.stored) {
            return;
        }
        let old = self.spec.keys_of(&old.stored);
        let new = self.new_keys(new);
        // Mostly nothing has moved, and then the postings stay shared with the state before.
        if self.spec.guard(|| old == new) == Some(true) {
            return;
        }
        let stale = self.spec.lacking(&old, &new);
        let fresh = self.spec.lacking(&new, &old);
        self.remove_keys(id, chosen(&old, stale));
        self.insert_keys(id, chosen(new, fresh));
    }

    fn share(&self) -> Box<dyn ErasedIndex<R>> {
        Box::new(Self {
            spec: Arc::clone(&self.spec),
            postings: Arc::clone(&self.postings),
        })
    }

    fn emptied(&self) -> Box<dyn ErasedIndex<R>> {
        Box::new(Self {
            spec: Arc::clone(&self.spec),
            postings: Arc::new(Postings::new(self.spec.ordered)),
        })
    }

    fn path(&self) -> Option<&str> {
        self.spec.path()
    }

    fn query(&self, value: &str) -> Option<Query<<R::Stored as Deref>::Target>>
    where
        R::Stored: Deref<Target: Sized>,
    {
        self.spec.extract.query(value)
    }

    fn inner(&self) -> &dyn Any {
        self
    }

    fn erased_postings(&self) -> &dyn Any {
        &*self.postings
    }
}

fn chosen<T>(keys: impl IntoIterator<Item = T>, which: Vec<bool>) -> impl Iterator<Item = T> {
    let keys = keys.into_iter().zip(which);
    keys.filter_map(|(key, chosen)| chosen.then_some(key))
}

//! Indexes: extractors of keys, and the erased form in which a state holds them.

use std::any::Any;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::postings::Postings;
use crate::entry::Entry;
use crate::kept::Kept;
use crate::observe::{Say, Seldom};

/// Takes an index's keys out of a stored object.
///
/// An index is a value of such a type, so that it can say more than a closure can: the path it reads, where it reads one.
/// `keys` must give the same keys whenever it is asked about the same stored object: the store asks again to find the
/// entries that a change made stale. An object may have no key, one, or several; equal keys count once.
///
/// A panic in `keys`, or in the order of the keys, is caught: the object has no key in that index.
///
/// `keys` runs while the store is being changed. It may read the informer; to add a handler, a stream, an index or a
/// namespace to it from in there waits for that very change, and so for ever.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{Extract, Kept};
///
/// /// Pods by the node they run on.
/// struct ByNode;
///
/// impl<R: Kept<Stored = Arc<Pod>>> Extract<R> for ByNode {
///     type Key = String;
///
///     fn path(&self) -> Option<&str> {
///         Some("spec.nodeName")
///     }
///
///     fn keys(&self, pod: &Arc<Pod>, emit: &mut dyn FnMut(String)) {
///         if let Some(node) = pod.spec.as_ref().and_then(|spec| spec.node_name.clone()) {
///             emit(node);
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index over what `{R}` keeps",
    note = "a function becomes one by `computed(|object: &T| …)`, where `T` is what is stored, such as `Pod`"
)]
pub trait Extract<R: Kept>: Send + Sync + 'static {
    /// The type of the keys.
    type Key: Ord + Hash + Clone + Send + Sync + 'static;

    /// The JSON path that the keys come from, as `spec.nodeName`, where there is one.
    fn path(&self) -> Option<&str> {
        None
    }

    /// Calls `emit` with each key of the object.
    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(Self::Key));
}

/// An index computed by a function of the decoded object: see [`computed`].
pub struct Computed<T, K, F> {
    keys: F,
    types: PhantomData<fn(&T) -> K>,
}

/// An index over any keys that a function makes of the decoded object.
///
/// The function answers with its keys as anything that can be iterated: an `Option` where there is at most one, an
/// array or `Vec` where there are several. Its parameter needs a type: the object as it is stored behind its `Arc`,
/// the kind's own type unless another is kept.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::computed;
///
/// let by_owner = computed(|pod: &Pod| {
///     pod.metadata.owner_references.iter().flatten().map(|owner| owner.uid.clone()).collect::<Vec<_>>()
/// });
/// ```
pub fn computed<T, K, I, F>(keys: F) -> Computed<T, K, F>
where
    I: IntoIterator<Item = K>,
    F: Fn(&T) -> I + Send + Sync + 'static,
{
    Computed {
        keys,
        types: PhantomData,
    }
}

impl<R, T, K, I, F> Extract<R> for Computed<T, K, F>
where
    R: Kept,
    R::Stored: Deref<Target = T>,
    T: 'static,
    K: Ord + Hash + Clone + Send + Sync + 'static,
    I: IntoIterator<Item = K>,
    F: Fn(&T) -> I + Send + Sync + 'static,
{
    type Key = K;

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(K)) {
        (self.keys)(stored).into_iter().for_each(emit);
    }
}

impl<T, K, F> fmt::Debug for Computed<T, K, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Computed(..)")
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
    /// The `Postings` of this index's key type.
    fn postings(&self) -> &dyn Any;
}

/// The postings of one extractor.
pub(crate) struct Indexed<R: Kept, X: Extract<R>> {
    extract: Arc<X>,
    /// How often a panic of the extractor is said aloud.
    complaints: Arc<Seldom>,
    postings: Postings<X::Key>,
}

impl<R: Kept, X: Extract<R>> Indexed<R, X> {
    pub(crate) fn new(extract: Arc<X>) -> Self {
        Self {
            extract,
            complaints: Arc::default(),
            postings: Postings::default(),
        }
    }
}

impl<R: Kept, X: Extract<R>> Indexed<R, X> {
    /// The keys of one object in order, each once.
    fn keys_of(&self, stored: &R::Stored) -> Vec<X::Key> {
        // The order of the keys is the user's code, too, and sorting may panic where it is none.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut keys = Vec::new();
            self.extract.keys(stored, &mut |key| keys.push(key));
            keys.sort_unstable();
            keys.dedup();
            keys
        }));
        ran.unwrap_or_else(|_| {
            self.complain();
            Vec::new()
        })
    }

    /// An extractor that panics at every object would fill the log.
    #[cold]
    fn complain(&self) {
        let path = self.extract.path();
        match self.complaints.next() {
            Say::Aloud { withheld } => tracing::error!(
                path,
                withheld,
                "an index's extractor panicked; the object has no key in it"
            ),
            Say::Quietly => tracing::debug!(path, "an index's extractor panicked once more"),
        }
    }
}

impl<R: Kept, X: Extract<R>> ErasedIndex<R> for Indexed<R, X> {
    fn insert(&mut self, id: u32, entry: &Entry<R::Stored>) {
        for key in self.keys_of(&entry.stored) {
            self.postings.insert(key, id);
        }
    }

    fn remove(&mut self, id: u32, entry: &Entry<R::Stored>) {
        for key in self.keys_of(&entry.stored) {
            self.postings.remove(&key, id);
        }
    }

    fn update(&mut self, id: u32, old: &Entry<R::Stored>, new: &Entry<R::Stored>) {
        let old = self.keys_of(&old.stored);
        let new = self.keys_of(&new.stored);
        if old == new {
            return;
        }
        for key in old.iter().filter(|key| new.binary_search(key).is_err()) {
            self.postings.remove(key, id);
        }
        for key in new {
            if old.binary_search(&key).is_err() {
                self.postings.insert(key, id);
            }
        }
    }

    fn share(&self) -> Box<dyn ErasedIndex<R>> {
        Box::new(Self {
            extract: Arc::clone(&self.extract),
            complaints: Arc::clone(&self.complaints),
            postings: self.postings.clone(),
        })
    }

    fn emptied(&self) -> Box<dyn ErasedIndex<R>> {
        Box::new(Self::new(Arc::clone(&self.extract)))
    }

    fn postings(&self) -> &dyn Any {
        &self.postings
    }
}

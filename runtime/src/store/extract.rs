//! What an index is made of: extractors of keys.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Deref;

use super::composite::Composite;
use crate::kept::Kept;
use crate::query::Query;

/// Takes an index's keys out of a stored object.
///
/// An index is a value of such a type, so that it can say more than a closure can: the path it reads, where it reads one.
/// `keys` must give the same keys whenever it is asked about the same stored object: the store asks again to find the
/// entries that a change made stale. An object may have no key, one, or several; equal keys count once.
///
/// A panic in `keys` is caught: the object has no key in that index. So is one in what compares or hashes a key while it is put in: the
/// object is under its other keys then, and other objects are not concerned.
///
/// `keys` runs while the store is being changed. It may read the informer; to add a handler, a stream, an index or a
/// namespace to it from in there waits for that very change, and so for ever. The first use of a built-in index adds one.
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
    ///
    /// Whoever names a path promises that the keys are the values there, as [`field!`](crate::field!) of that path has them: queries
    /// about the path, and the built-in index over it, are answered from this index. An extractor that changes what it reads names none.
    fn path(&self) -> Option<&str> {
        None
    }

    /// Calls `emit` with each key of the object.
    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(Self::Key));

    /// Whether two states of an object are known to have the same keys; asked before the keys of either are. `false` says nothing.
    #[doc(hidden)]
    fn __same(&self, _old: &R::Stored, _new: &R::Stored) -> bool {
        false
    }

    /// The objects that have the key which is written as `value`; `None`, the default, where no key is.
    ///
    /// Through it a selector that is a text, as [`Lister::fields`](crate::Lister::fields) takes it, can name the path. A
    /// [`field!`](crate::field!) answers by [`FieldKey::from_text`](crate::FieldKey::from_text); an extractor of one's own may answer with a
    /// test of such a path.
    fn query(&self, _value: &str) -> Option<Query<<R::Stored as Deref>::Target>>
    where
        R::Stored: Deref<Target: Sized>,
    {
        None
    }
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

impl<T, K, F> Computed<T, K, F> {
    /// An index over the pairs of these keys and another's.
    #[must_use]
    pub const fn with<X>(self, other: X) -> Composite<Self, X> {
        Composite::new(self, other)
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

/// What a key is, in short.
pub(crate) trait IndexKey: Ord + Hash + Clone + Send + Sync + 'static {}

impl<K: Ord + Hash + Clone + Send + Sync + 'static> IndexKey for K {}

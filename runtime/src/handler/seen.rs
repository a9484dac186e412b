//! What a handler is handed: one state of one object, decoded only when asked for.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::entry::Entry;
use crate::identity::{ResourceVersion, Uid};
use crate::kept::Kept;
use crate::key::ObjectKey;

/// One state of one object, as the store holds it.
///
/// Key, uid and version cost nothing. [`object`](Self::object) is where an object that is kept in another form is
/// decoded: in the caller's task, at most once for this handle and all its clones. A clone is a reference count, so
/// a handle may be kept or sent to another task; as long as it lives, so does the state it names.
///
/// `Debug` prints key, uid and version, never data, so it is safe in logs.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{ObjectKey, ResourceVersion, Seen, Uid};
/// # mod pod {
/// #     use std::sync::Arc;
/// #     use k8s_openapi::api::core::v1::Pod;
/// #     use larder::{Kept, RawObject, StoreError, Transform, store_decoded};
/// #     pub enum Full {}
/// #     impl Kept for Full {
/// #         type Object = Pod;
/// #         type Stored = Arc<Pod>;
/// #         type Read = Arc<Pod>;
/// #         fn store(raw: &RawObject<'_>, transform: &Transform<Pod>) -> Result<Arc<Pod>, StoreError> {
/// #             store_decoded(raw, transform)
/// #         }
/// #         fn read(stored: &Arc<Pod>) -> Arc<Pod> { stored.clone() }
/// #     }
/// # }
///
/// // Informers make these; a test of a handler makes its own.
/// let pod: Seen<pod::Full> = Seen::new(
///     ObjectKey::namespaced("web", "api-0"),
///     Uid::new("0a1b2c3d-0000-4fff-8000-00000000000f"),
///     ResourceVersion::new("17"),
///     Arc::new(Pod::default()),
/// );
/// assert_eq!((pod.namespace(), pod.name()), (Some("web"), "api-0"));
/// assert!(Arc::ptr_eq(&pod.object(), &pod.object()));
/// ```
pub struct Seen<R: Kept>(Arc<State<R>>);

struct State<R: Kept> {
    key: ObjectKey,
    uid: Uid,
    version: ResourceVersion,
    stored: R::Stored,
    read: OnceLock<R::Read>,
}

impl<R: Kept> Seen<R> {
    /// The handle of one state. Informers make them; a test of a handler may.
    #[must_use]
    pub fn new(key: ObjectKey, uid: Uid, version: ResourceVersion, stored: R::Stored) -> Self {
        Self(Arc::new(State {
            key,
            uid,
            version,
            stored,
            read: OnceLock::new(),
        }))
    }

    /// Namespace and name.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        &self.0.key
    }

    /// The namespace, or `None` for a cluster-scoped object.
    #[inline]
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.0.key.namespace()
    }

    /// The name.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.key.name()
    }

    /// The uid: differs between two objects of one name that lived one after the other.
    #[inline]
    #[must_use]
    pub fn uid(&self) -> &Uid {
        &self.0.uid
    }

    /// The resource version of this state.
    #[inline]
    #[must_use]
    pub fn version(&self) -> &ResourceVersion {
        &self.0.version
    }

    /// The object.
    ///
    /// Free where objects are kept decoded; elsewhere the first call decodes, and all others, also on clones of this
    /// handle, answer with what it made.
    #[must_use]
    pub fn object(&self) -> R::Read {
        self.0.read.get_or_init(|| R::read(&self.0.stored)).clone()
    }
}

impl<R: Kept> From<Entry<R::Stored>> for Seen<R> {
    fn from(entry: Entry<R::Stored>) -> Self {
        Self::new(entry.key, entry.uid, entry.version, entry.stored)
    }
}

impl<R: Kept> Clone for Seen<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Kept> fmt::Debug for Seen<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen")
            .field("key", &self.0.key)
            .field("uid", &self.0.uid)
            .field("version", &self.0.version)
            .finish_non_exhaustive()
    }
}

/// An object that is gone.
///
/// Its key is always there. The object is its last state if [`final_state`](Self::final_state) says so; otherwise
/// the delete itself was missed (the watch was away) and the object is the last state that the store knew, which may
/// be an old one.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use std::sync::Arc;
/// # use larder::{ObjectKey, ResourceVersion, Seen, Uid};
/// # mod pod {
/// #     use std::sync::Arc;
/// #     use k8s_openapi::api::core::v1::Pod;
/// #     use larder::{Kept, RawObject, StoreError, Transform, store_decoded};
/// #     pub enum Full {}
/// #     impl Kept for Full {
/// #         type Object = Pod;
/// #         type Stored = Arc<Pod>;
/// #         type Read = Arc<Pod>;
/// #         fn store(raw: &RawObject<'_>, transform: &Transform<Pod>) -> Result<Arc<Pod>, StoreError> {
/// #             store_decoded(raw, transform)
/// #         }
/// #         fn read(stored: &Arc<Pod>) -> Arc<Pod> { stored.clone() }
/// #     }
/// # }
/// use larder::Tombstone;
///
/// fn describe(gone: &Tombstone<pod::Full>) -> String {
///     match gone.final_state() {
///         true => format!("{} is gone", gone.key()),
///         false => format!("{} went while nobody watched", gone.key()),
///     }
/// }
/// # let seen = Seen::new(ObjectKey::namespaced("web", "api-0"), Uid::new("1"), ResourceVersion::new("1"), Arc::default());
/// assert_eq!(describe(&Tombstone::new(seen, true)), "web/api-0 is gone");
/// ```
pub struct Tombstone<R: Kept> {
    last: Seen<R>,
    final_state: bool,
}

impl<R: Kept> Tombstone<R> {
    /// The tombstone of an object last seen as `last`. Informers make them; a test of a handler may.
    #[must_use]
    pub fn new(last: Seen<R>, final_state: bool) -> Self {
        Self { last, final_state }
    }

    /// Namespace and name.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        self.last.key()
    }

    /// The namespace, or `None` for a cluster-scoped object.
    #[inline]
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.last.namespace()
    }

    /// The name.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &str {
        self.last.name()
    }

    /// The uid of the object that is gone; another object may have its name by now.
    #[inline]
    #[must_use]
    pub fn uid(&self) -> &Uid {
        self.last.uid()
    }

    /// The resource version of the state that [`last_known`](Self::last_known) yields.
    #[inline]
    #[must_use]
    pub fn version(&self) -> &ResourceVersion {
        self.last.version()
    }

    /// Whether the object is known in its very last state; `false` if its delete was missed.
    #[inline]
    #[must_use]
    pub fn final_state(&self) -> bool {
        self.final_state
    }

    /// The last known state of the object, decoded as [`Seen::object`] does it.
    #[must_use]
    pub fn last_known(&self) -> R::Read {
        self.last.object()
    }

    /// The handle of the last known state.
    #[inline]
    #[must_use]
    pub fn seen(&self) -> &Seen<R> {
        &self.last
    }
}

impl<R: Kept> Clone for Tombstone<R> {
    fn clone(&self) -> Self {
        Self::new(self.last.clone(), self.final_state)
    }
}

impl<R: Kept> fmt::Debug for Tombstone<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tombstone")
            .field("key", self.key())
            .field("uid", self.uid())
            .field("version", self.version())
            .field("final_state", &self.final_state)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::decode::RawObject;
    use crate::kept::{StoreError, Transform, TransformError};

    /// Counts how often it is read.
    struct Counted;

    impl Kept for Counted {
        type Object = ();
        type Stored = Arc<AtomicUsize>;
        type Read = Arc<str>;

        fn store(_: &RawObject<'_>, _: &Transform<()>) -> Result<Self::Stored, StoreError> {
            Err(TransformError::new("not made from bytes").into())
        }

        fn read(stored: &Self::Stored) -> Arc<str> {
            stored.fetch_add(1, Ordering::Relaxed);
            Arc::from("secret value")
        }
    }

    fn seen(reads: &Arc<AtomicUsize>) -> Seen<Counted> {
        Seen::new(
            ObjectKey::namespaced("web", "api-0"),
            Uid::new("u-1"),
            ResourceVersion::new("7"),
            Arc::clone(reads),
        )
    }

    #[test]
    fn c060_an_object_is_decoded_at_most_once_for_a_handle_and_its_clones() {
        let reads = Arc::new(AtomicUsize::new(0));
        let handle = seen(&reads);
        let clone = handle.clone();
        assert_eq!((handle.name(), handle.namespace()), ("api-0", Some("web")));
        assert_eq!(reads.load(Ordering::Relaxed), 0, "identity decodes nothing");
        assert!(Arc::ptr_eq(&handle.object(), &clone.object()));
        assert_eq!(reads.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn c136_a_tombstone_carries_key_namespace_and_name_and_shows_no_data() {
        let reads = Arc::new(AtomicUsize::new(0));
        let gone = Tombstone::new(seen(&reads), false);
        assert_eq!(gone.key().to_string(), "web/api-0");
        assert_eq!((gone.namespace(), gone.name()), (Some("web"), "api-0"));
        let shown = format!("{gone:?} {:?}", gone.seen());
        assert_eq!(
            shown,
            "Tombstone { key: web/api-0, uid: u-1, version: 7, final_state: false, .. } \
             Seen { key: web/api-0, uid: u-1, version: 7, .. }"
        );
        assert_eq!(reads.load(Ordering::Relaxed), 0, "Debug decodes nothing");
        assert_eq!(&*gone.last_known(), "secret value");
    }
}

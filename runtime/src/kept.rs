//! The seam between the runtime and what a user keeps per object.
//!
//! Everything generic in this crate takes one parameter, `R: Kept`. Generated code has a marker type per kind
//! (`pod::Full`), users may write their own: bytes, a few fields, anything that is made from one object's bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::decode::{DecodeError, RawObject};
use crate::informer::Absent;
use crate::selector::Selectable;

/// Says what the server sends for a kind, what is stored of it, and what a read yields.
///
/// Implemented on marker types of our own or the user's, never on the object type itself. `store` runs once per
/// received object, in the reflector's task; `read` runs at each read and cannot fail, so `store` validates
/// whatever `read` relies on.
///
/// Pods of which three fields are kept. Decoding into one's own type skips the others without allocating anything for them:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use std::borrow::Cow;
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
///
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{Kept, KeptLabels, RawBuffer, RawObject, StoreError, Transform};
/// use serde::Deserialize;
///
/// /// What is stored and read, and at once what is decoded.
/// #[derive(Deserialize)]
/// struct SlimPod {
///     metadata: SlimMetadata,
///     #[serde(default)]
///     spec: SlimSpec,
/// }
///
/// #[derive(Deserialize)]
/// struct SlimMetadata {
///     name: String,
///     #[serde(default)]
///     labels: BTreeMap<String, String>,
/// }
///
/// #[derive(Deserialize, Default)]
/// #[serde(rename_all = "camelCase")]
/// struct SlimSpec {
///     node_name: Option<String>,
/// }
///
/// /// The marker that informers take: `PodInformer<Slim>`.
/// enum Slim {}
///
/// impl Kept for Slim {
///     type Object = Pod;
///     type Stored = Arc<SlimPod>;
///     type Read = Arc<SlimPod>;
///
///     fn store(raw: &RawObject<'_>, _: &Transform<Pod>) -> Result<Arc<SlimPod>, StoreError> {
///         Ok(Arc::new(raw.decode()?))
///     }
///
///     fn read(stored: &Arc<SlimPod>) -> Arc<SlimPod> {
///         Arc::clone(stored)
///     }
/// }
///
/// impl KeptLabels for Slim {
///     fn labels(stored: &Arc<SlimPod>) -> Cow<'_, BTreeMap<String, String>> {
///         Cow::Borrowed(&stored.metadata.labels)
///     }
/// }
///
/// // A test of it needs no server.
/// let json = r#"{"metadata":{"name":"api-0","labels":{"app":"api"}},"spec":{"nodeName":"node-7","containers":[]}}"#;
/// let pod = Slim::read(&Slim::store(&RawBuffer::new(json)?.raw(), &Transform::none())?);
/// assert_eq!((pod.metadata.name.as_str(), pod.spec.node_name.as_deref()), ("api-0", Some("node-7")));
/// assert_eq!(Slim::labels(&pod)["app"], "api");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how objects are kept",
    note = "where a type asks for it, name the kind's marker and not its object: `Index<pod::Full, String>`, `List<pod::Full>`"
)]
pub trait Kept: Sized + Send + Sync + 'static {
    /// The type of the objects that the server sends.
    type Object: 'static;
    /// What the store holds per object. A clone must be cheap (a reference count): snapshots and handlers share it.
    type Stored: Clone + Send + Sync + 'static;
    /// What listers, indexes and handlers yield. A clone must be cheap.
    type Read: Clone + Send + Sync + 'static;

    /// What the server is asked for.
    ///
    /// [`Metadata`](Representation::Metadata) suits a type that reads nothing but `metadata`: `store` is then given objects that
    /// have nothing else, however large they are on the server.
    const REPRESENTATION: Representation = Representation::Whole;

    /// What an informer does when the server does not serve its kind, where neither its options nor the cache's say so.
    const WHEN_ABSENT: Absent = Absent::Wait;

    /// Makes what is stored from one object's bytes.
    ///
    /// `transform` is to be applied to the decoded object; a type that never has the whole object in hand
    /// cannot be transformed and does not implement [`Transformable`].
    ///
    /// # Errors
    ///
    /// When the bytes do not decode or the transform refuses the object. The error is counted and reported with
    /// the object's key; the object's last good state stays in the store.
    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<Self::Object>,
    ) -> Result<Self::Stored, StoreError>;

    /// What a read of a stored object yields.
    fn read(stored: &Self::Stored) -> Self::Read;

    /// The metadata of a decoded object, for transforms that apply to every kind.
    ///
    /// `None`, the default, leaves this type out of such transforms.
    fn metadata_mut(_object: &mut Self::Object) -> Option<&mut ObjectMeta> {
        None
    }
}

/// What of each object the server is asked for, in lists and in watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Representation {
    /// The whole object.
    Whole,
    /// The object's metadata alone, as `PartialObjectMetadata` of `meta.k8s.io/v1` (API concepts, "Metadata-only fetches").
    ///
    /// There is no falling back to whole objects: a server that does not serve this answers 406, which shows as the informer's
    /// last error. One that sends whole objects all the same is read as well.
    Metadata,
}

/// A [`Kept`] whose stored form knows the object's labels, so that listers can select by them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what labels its objects have",
    note = "to select by labels, keep them and implement `KeptLabels` for `{Self}`"
)]
pub trait KeptLabels: Kept {
    /// The labels of a stored object; empty where it has none.
    fn labels(stored: &Self::Stored) -> Cow<'_, BTreeMap<String, String>>;
}

/// A [`Kept`] of which it is known by which fields the server can select its objects, so that texts may name them.
///
/// A kept type of one's own lists those that it keeps, in the words of the kind; with none, texts may still name
/// `metadata.name`, `metadata.namespace` and the informer's own indexes:
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use std::sync::Arc;
/// # use larder::{Kept, KeptFields, RawObject, StoreError, Transform};
/// # #[derive(serde::Deserialize)]
/// # struct SlimPod {}
/// # enum Slim {}
/// # impl Kept for Slim {
/// #     type Object = k8s_openapi::api::core::v1::Pod;
/// #     type Stored = Arc<SlimPod>;
/// #     type Read = Arc<SlimPod>;
/// #     fn store(raw: &RawObject<'_>, _: &Transform<Self::Object>) -> Result<Arc<SlimPod>, StoreError> {
/// #         Ok(Arc::new(raw.decode()?))
/// #     }
/// #     fn read(stored: &Arc<SlimPod>) -> Arc<SlimPod> {
/// #         Arc::clone(stored)
/// #     }
/// # }
/// impl KeptFields for Slim {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which fields of its objects texts may name",
    note = "implement `KeptFields` for `{Self}`; `impl KeptFields for … {{}}` allows names, namespaces and indexes"
)]
pub trait KeptFields: Kept<Stored: Deref<Target: Sized + 'static>> {
    /// The fields, with how they are read from what is stored.
    const FIELDS: &'static [Selectable<<Self::Stored as Deref>::Target>] = &[];
}

/// A [`Kept`] whose stored form has the object's whole metadata.
///
/// An informer of such a type finds objects by their owners; see [`Indexer::by_owner`](crate::Indexer::by_owner).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not keep the metadata of its objects",
    note = "keep the whole `ObjectMeta` and implement `KeptMetadata` for `{Self}`"
)]
pub trait KeptMetadata: KeptLabels {
    /// The metadata of a stored object.
    fn metadata(stored: &Self::Stored) -> &ObjectMeta;
}

/// A [`Kept`] that decodes the whole object and so accepts a transform of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no transform",
    note = "a kept type that decodes only a part leaves out in `Kept::store` what nobody reads",
    note = "one that decodes the whole object and applies its transform implements `Transformable`"
)]
pub trait Transformable: Kept {}

/// Decodes an object, transforms it and puts it behind its `Arc`: [`Kept::store`] of every decoded kind.
///
/// # Errors
///
/// When the bytes do not decode as `T` or the transform refuses the object.
pub fn store_decoded<'de, T: serde::Deserialize<'de>>(
    raw: &RawObject<'de>,
    transform: &Transform<T>,
) -> Result<Arc<T>, StoreError> {
    let mut object = raw.decode::<T>()?;
    transform.apply(&mut object)?;
    Ok(Arc::new(object))
}

/// The labels in an object's metadata: [`KeptLabels::labels`] of everything that keeps its metadata.
#[must_use]
pub fn labels_of(metadata: &ObjectMeta) -> Cow<'_, BTreeMap<String, String>> {
    match &metadata.labels {
        Some(labels) => Cow::Borrowed(labels),
        None => Cow::Owned(BTreeMap::new()),
    }
}

/// A change made to each received object before it is stored, such as dropping what nobody reads.
///
/// Runs exactly once per received object, never on a tombstone. Handlers and indexes see what it left. It must leave name and namespace
/// as they are: an object is found by those that the server sent.
pub struct Transform<T>(Option<Arc<TransformFn<T>>>);

type TransformFn<T> = dyn Fn(&mut T) -> Result<(), TransformError> + Send + Sync;

impl<T> Transform<T> {
    /// Leaves objects as they are.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Applies `change` to each object; an error rejects that object alone.
    pub fn new(
        change: impl Fn(&mut T) -> Result<(), TransformError> + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(change)))
    }

    /// Applies the change.
    ///
    /// # Errors
    ///
    /// What the transform answered.
    #[inline]
    pub fn apply(&self, object: &mut T) -> Result<(), TransformError> {
        match &self.0 {
            Some(change) => change(object),
            None => Ok(()),
        }
    }

    /// Whether this transform does nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Clone for Transform<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Transform<T> {
    fn default() -> Self {
        Self::none()
    }
}

impl<T> fmt::Debug for Transform<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() {
            "Transform(none)"
        } else {
            "Transform(..)"
        })
    }
}

/// Why a transform refused an object. The text reaches logs, so it must not quote the object.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct TransformError(Cow<'static, str>);

impl TransformError {
    /// A refusal for the given reason.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self(reason.into())
    }
}

/// Why an object was not stored.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The bytes do not decode as the kind's type.
    #[error("the object does not decode")]
    Decode(
        #[from]
        #[source]
        DecodeError,
    ),
    /// What is stored names the object's kind, and the object came from no informer and was given none.
    #[error("the object's kind is not known: give it with `RawBuffer::of_kind`")]
    UnknownKind,
    /// The transform refused the object.
    #[error("the transform refused the object")]
    Transform(
        #[from]
        #[source]
        TransformError,
    ),
    /// The object has more labels, or more annotations, than are taken.
    #[error(
        "the object has {count} labels or annotations, more than the limit of {limit} (`ReflectorOptions::max_labels` raises it)"
    )]
    TooManyLabels {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
}

//! Metadata alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::kind_of;
use super::parts::Parts;
use crate::decode::RawObject;
use crate::kept::{
    Kept, KeptFields, KeptLabels, KeptMetadata, Representation, StoreError, Transform,
    Transformable, labels_of,
};
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::selector::Selectable;

/// Keeps the metadata of objects of any kind, and asks the server for nothing else: reads yield
/// `Arc<`[`PartialObjectMetadata`]`>`.
///
/// For controllers that look at names, labels, annotations, owners and deletion alone. What a list moves over the network, and what an
/// object takes in memory, no longer depends on how large the object is: of a pod of 9.4 KB JSON, 2.6 KB instead of 29 KB. The server sends an event for every change of the object all the
/// same, and `resourceVersion` moves with each.
///
/// A kind known at compile time has a [`MetadataInformer`](crate::MetadataInformer), as `PodMetadataInformer`; for one known at run time
/// alone see [`Cache::metadata`](crate::Cache::metadata). A transform changes the [`ObjectMeta`], and so does the default transform of a
/// cache:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
/// use larder::{InformerOptions, Metadata};
///
/// let options = InformerOptions::<Metadata>::new().transform(|metadata: &mut ObjectMeta| {
///     metadata.annotations = None;
///     Ok(())
/// });
/// ```
///
/// There is no whole object for a transform to change:
///
/// ```compile_fail,E0631
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{InformerOptions, Metadata};
///
/// let options = InformerOptions::<Metadata>::new().transform(|pod: &mut Pod| {
///     pod.status = None;
///     Ok(())
/// });
/// ```
pub enum Metadata {}

impl Kept for Metadata {
    type Object = ObjectMeta;
    type Stored = Arc<PartialObjectMetadata>;
    type Read = Arc<PartialObjectMetadata>;

    const REPRESENTATION: Representation = Representation::Metadata;

    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<ObjectMeta>,
    ) -> Result<Self::Stored, StoreError> {
        let kind = kind_of(raw)?;
        let Parts { mut metadata, .. } = raw.decode::<Parts<()>>()?;
        transform.apply(&mut metadata)?;
        Ok(Arc::new(PartialObjectMetadata { kind, metadata }))
    }

    fn read(stored: &Self::Stored) -> Self::Read {
        Arc::clone(stored)
    }

    fn metadata_mut(metadata: &mut ObjectMeta) -> Option<&mut ObjectMeta> {
        Some(metadata)
    }
}

impl KeptLabels for Metadata {
    fn labels(stored: &Self::Stored) -> Cow<'_, BTreeMap<String, String>> {
        labels_of(&stored.metadata)
    }
}

impl KeptFields for Metadata {
    const FIELDS: &'static [Selectable<PartialObjectMetadata>] =
        &[Selectable::METADATA_NAME, Selectable::METADATA_NAMESPACE];
}

impl KeptMetadata for Metadata {
    fn metadata(stored: &Self::Stored) -> &ObjectMeta {
        &stored.metadata
    }
}

impl Transformable for Metadata {}

/// An object's kind and metadata.
///
/// The kind is the object's own, although the wire says `PartialObjectMetadata`. Serialised, it is an object with `apiVersion`, `kind` and
/// `metadata`. `Debug` shows which object it is and no data.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{Kept, Kind, Metadata, RawBuffer, Scope, Transform};
///
/// let json = r#"{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"api-0","namespace":"web"}}"#;
/// let pods = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
/// let pod = Metadata::read(&Metadata::store(&RawBuffer::new(json)?.of_kind(pods).raw(), &Transform::none())?);
/// assert_eq!((pod.kind().api_version().as_str(), pod.kind().kind()), ("v1", "Pod"));
/// assert_eq!(pod.metadata.name.as_deref(), Some("api-0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct PartialObjectMetadata {
    kind: Arc<Kind>,
    /// The metadata; without `managedFields`, unless they are kept by option.
    pub metadata: ObjectMeta,
}

impl PartialObjectMetadata {
    /// The kind of the object.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Namespace and name; `None` where a transform took the name away.
    #[must_use]
    pub fn key(&self) -> Option<ObjectKey> {
        ObjectKey::from_metadata(&self.metadata)
    }
}

impl Serialize for PartialObjectMetadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("PartialObjectMetadata", 3)?;
        object.serialize_field("apiVersion", &self.kind.api_version())?;
        object.serialize_field("kind", self.kind.kind())?;
        object.serialize_field("metadata", &self.metadata)?;
        object.end()
    }
}

impl fmt::Debug for PartialObjectMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartialObjectMetadata")
            .field("kind", &format_args!("{}", self.kind))
            .field("key", &self.key())
            .finish_non_exhaustive()
    }
}

//! Whole objects without a type of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::kind_of;
use super::parts::{FIELDS, Parts};
use crate::decode::RawObject;
use crate::informer::Absent;
use crate::kept::{
    Kept, KeptFields, KeptLabels, KeptMetadata, StoreError, Transform, Transformable, labels_of,
};
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::selector::Selectable;

/// Keeps whole objects of any kind as JSON values: reads yield `Arc<`[`DynamicObject`]`>`.
///
/// For kinds that are known at run time alone; see [`Cache::dynamic`](crate::Cache::dynamic), or without a cache:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{DynamicInformer, InformerError, InformerOptions, Kind, Scope, Transport};
///
/// fn widgets(transport: impl Transport) -> Result<DynamicInformer, InformerError> {
///     let kind = Kind::new("example.com", "v1", "Widget", "widgets", Scope::Namespaced);
///     DynamicInformer::spawn(transport, kind, InformerOptions::new())
/// }
/// ```
///
/// JSON values take about twice the memory of the kind's own type (61 KB a pod), so prefer that where there is one, and
/// [`Metadata`](super::Metadata) where metadata is enough. A transform changes the [`DynamicObject`]; the default transform of a cache
/// changes its metadata.
pub enum Dynamic {}

impl Kept for Dynamic {
    type Object = DynamicObject;
    type Stored = Arc<DynamicObject>;
    type Read = Arc<DynamicObject>;

    /// Kinds that are known at run time alone come and go with what runs in the cluster.
    const WHEN_ABSENT: Absent = Absent::Stop;

    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<DynamicObject>,
    ) -> Result<Self::Stored, StoreError> {
        let kind = kind_of(raw)?;
        let Parts { metadata, rest } = raw.decode::<Parts<Map<String, Value>>>()?;
        let mut object = DynamicObject {
            kind,
            metadata,
            data: Value::Object(rest),
        };
        transform.apply(&mut object)?;
        Ok(Arc::new(object))
    }

    fn read(stored: &Self::Stored) -> Self::Read {
        Arc::clone(stored)
    }

    fn metadata_mut(object: &mut DynamicObject) -> Option<&mut ObjectMeta> {
        Some(&mut object.metadata)
    }
}

impl KeptLabels for Dynamic {
    fn labels(stored: &Self::Stored) -> Cow<'_, BTreeMap<String, String>> {
        labels_of(&stored.metadata)
    }
}

impl KeptFields for Dynamic {
    const FIELDS: &'static [Selectable<DynamicObject>] =
        &[Selectable::METADATA_NAME, Selectable::METADATA_NAMESPACE];
}

impl KeptMetadata for Dynamic {
    fn metadata(stored: &Self::Stored) -> &ObjectMeta {
        &stored.metadata
    }
}

impl Transformable for Dynamic {}

/// An object of any kind: what every object has, typed, and the rest as a JSON value.
///
/// Serialised, it is the object as the server has it, with `apiVersion` and `kind`; so it becomes a type by way of `serde_json`. `Debug`
/// shows which object it is and no data.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::apps::v1::Deployment;
/// use larder::{Dynamic, Kept, Kind, RawBuffer, Scope, Transform};
///
/// let json = r#"{"metadata":{"name":"web"},"spec":{"replicas":3,"selector":{},"template":{}}}"#;
/// let kind = Kind::new("apps", "v1", "Deployment", "deployments", Scope::Namespaced);
/// let web = Dynamic::read(&Dynamic::store(&RawBuffer::new(json)?.of_kind(kind).raw(), &Transform::none())?);
/// assert_eq!(web.kind().to_string(), "deployments.apps");
/// assert_eq!(web.metadata.name.as_deref(), Some("web"));
/// assert_eq!(web.data["spec"]["replicas"], 3);
/// assert_eq!(web.data.pointer("/spec/paused"), None);
///
/// let typed: Deployment = serde_json::from_value(serde_json::to_value(&*web)?)?;
/// assert_eq!(typed.metadata.name.as_deref(), Some("web"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct DynamicObject {
    kind: Arc<Kind>,
    /// The metadata; without `managedFields`, unless they are kept by option.
    pub metadata: ObjectMeta,
    /// A JSON object of everything but `apiVersion`, `kind` and `metadata`: `spec`, `status`, `data`, …
    pub data: Value,
}

impl DynamicObject {
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

impl Serialize for DynamicObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("apiVersion", &self.kind.api_version())?;
        object.serialize_entry("kind", self.kind.kind())?;
        object.serialize_entry("metadata", &self.metadata)?;
        // A transform may have put in what stands there already.
        let rest = self.data.as_object().into_iter().flatten();
        for (name, value) in rest.filter(|(name, _)| !FIELDS.contains(&name.as_str())) {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

impl fmt::Debug for DynamicObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicObject")
            .field("kind", &format_args!("{}", self.kind))
            .field("key", &self.key())
            .finish_non_exhaustive()
    }
}

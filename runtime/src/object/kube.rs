//! To kube's own types, for whoever hands an object on to its API.

use super::{DynamicObject, PartialObjectMetadata};
use crate::kind::Kind;

/// For a dynamic `kube::Api`, such as one that patches what a cache read.
impl From<&Kind> for kube::core::ApiResource {
    fn from(kind: &Kind) -> Self {
        Self {
            group: kind.group().to_owned(),
            version: kind.version().to_owned(),
            api_version: kind.api_version(),
            kind: kind.kind().to_owned(),
            plural: kind.plural().to_owned(),
        }
    }
}

/// Copies the object.
impl From<&DynamicObject> for kube::core::DynamicObject {
    fn from(object: &DynamicObject) -> Self {
        Self {
            types: Some(types(object.kind())),
            metadata: object.metadata.clone(),
            data: object.data.clone(),
        }
    }
}

/// Copies the metadata.
impl<K> From<&PartialObjectMetadata> for kube::core::PartialObjectMeta<K> {
    fn from(object: &PartialObjectMetadata) -> Self {
        Self {
            types: Some(types(object.kind())),
            metadata: object.metadata.clone(),
            _phantom: std::marker::PhantomData,
        }
    }
}

fn types(kind: &Kind) -> kube::core::TypeMeta {
    kube::core::TypeMeta {
        api_version: kind.api_version(),
        kind: kind.kind().to_owned(),
    }
}

//! The parameter of options that apply to informers of every kind.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::decode::RawObject;
use crate::kept::{Kept, StoreError, Transform, Transformable};

/// Stands for whatever kind an informer of a cache has, in options that are a cache's defaults: their transforms see what every kind
/// has, the metadata.
///
/// It never has to be named: `cache.add_namespace_with("web", NamespaceOptions::new().label_selector("app=web"))`.
#[derive(Debug)]
pub enum EveryKind {}

impl Kept for EveryKind {
    type Object = ObjectMeta;
    type Stored = Arc<ObjectMeta>;
    type Read = Arc<ObjectMeta>;

    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<ObjectMeta>,
    ) -> Result<Arc<ObjectMeta>, StoreError> {
        let Metadata(mut metadata) = raw.decode()?;
        transform.apply(&mut metadata)?;
        Ok(Arc::new(metadata))
    }

    fn read(stored: &Arc<ObjectMeta>) -> Arc<ObjectMeta> {
        Arc::clone(stored)
    }

    fn metadata_mut(metadata: &mut ObjectMeta) -> Option<&mut ObjectMeta> {
        Some(metadata)
    }
}

impl Transformable for EveryKind {}

/// The metadata out of any object.
struct Metadata(ObjectMeta);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Metadata;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with metadata")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata, A::Error> {
                let mut metadata = ObjectMeta::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    if key == "metadata" {
                        metadata = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Metadata(metadata))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::RawBuffer;

    #[test]
    fn it_keeps_the_metadata_of_any_object() {
        let text =
            r#"{"kind":"X","spec":{"a":[1]},"metadata":{"name":"one","annotations":{"a":"b"}}}"#;
        let raw = RawBuffer::new(text).unwrap();
        let strip = Transform::new(|metadata: &mut ObjectMeta| {
            metadata.annotations = None;
            Ok(())
        });
        let kept = EveryKind::read(&EveryKind::store(&raw.raw(), &strip).unwrap());
        assert_eq!(kept.name.as_deref(), Some("one"));
        assert_eq!(kept.annotations, None);
    }
}

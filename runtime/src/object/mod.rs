//! Objects of any kind: their metadata alone, or the whole of them without a type of their own.
//!
//! One marker, [`Metadata`] or [`Dynamic`], serves all kinds, so that what is generic over it is compiled once. Which kind an object
//! is of it says itself, by the kind of the informer that received it: items of lists may omit it on the wire, and metadata
//! alone always says `PartialObjectMetadata`.

mod dynamic;
#[cfg(feature = "kube")]
mod kube;
mod metadata;
mod parts;
mod value;

#[cfg(test)]
mod tests;

pub use dynamic::{Dynamic, DynamicObject};
pub use metadata::{Metadata, PartialObjectMetadata};

use std::sync::Arc;

use crate::decode::RawObject;
use crate::kept::StoreError;
use crate::kind::Kind;

fn kind_of(raw: &RawObject<'_>) -> Result<Arc<Kind>, StoreError> {
    raw.informer_kind()
        .map(Arc::clone)
        .ok_or(StoreError::UnknownKind)
}

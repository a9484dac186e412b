//! The runtime of Larder: a store of one kind's objects, the reflectors that keep it equal to an API server, handlers that hear
//! of its changes, listers and indexes that read it, and the cache that runs many of these together.
//!
//! Everything is generic over [`Kept`]: what the server sends, what is kept of it, what a read yields. The crate `larder` has this
//! behind typed names for every kind of Kubernetes, and all of it re-exported: depend on that one, unless you generate names of
//! your own with `larder-codegen`. The examples here name it; `pod::Full` in them is `larder::core::v1::pod::Full`. The
//! kind's type comes from k8s-openapi, whose Kubernetes version your crate enables.

mod cache;
pub mod custom;
mod decode;
mod discovery;
mod entry;
mod field;
pub mod handler;
mod identity;
mod informer;
mod kept;
mod key;
mod kind;
#[cfg(all(test, larder_shuttle))]
mod models;
mod object;
mod observe;
mod query;
mod reflector;
mod selector;
mod sink;
mod store;
mod sync;
mod time;
mod transport;
mod turn;

pub use cache::{Cache, CacheBuilder, CacheError, KindCache};
pub use decode::{
    ContentType, DecodeError, DecodeErrorKind, RawBuffer, RawObject, UnsupportedContentType,
    ValueKind, decode_bytes,
};
pub use discovery::{Discovery, DiscoveryError, DocumentError, DocumentFailure, Sought};
pub use field::{Field, FieldKey, IntOrStringKey};
pub use handler::{
    Event, Events, Filtered, Funcs, Handler, HandlerError, HandlerOptions, HandlerStats, Keys,
    Registration, Resync, Seen, Tombstone,
};
pub use identity::{ResourceVersion, Uid};
pub use informer::{
    Absent, CacheInformer, DecodeFailure, DynamicInformer, Health, Index, IndexHandle, Indexer,
    Informer, InformerError, InformerOptions, InvalidScope, LastError, ListOptions,
    ListOptionsError, Lister, MetadataInformer, NamespaceLister, NamespaceOptions, NotWritten,
    OrderedIndex, ReadError, SourceHealth, Stopped, Store, SyncError, TypedInformer, Unsynced,
    WaitError, Written,
};
pub use kept::{
    Kept, KeptFields, KeptLabels, KeptMetadata, Representation, StoreError, Transform,
    TransformError, Transformable, labels_of, store_decoded,
};
pub use key::{InvalidKey, ObjectKey};
pub use kind::{Kind, Scope};
pub use object::{Dynamic, DynamicObject, Metadata, PartialObjectMetadata};
pub use query::{InvalidQuery, Plan, PlanStep, Query};
pub use reflector::{
    Awaited, Backoff, ExponentialBackoff, Phase, ReflectorError, ReflectorFailure,
    ReflectorOptions, ReflectorRequest,
};
pub use selector::{FieldSelector, InvalidSelector, LabelSelector, Selectable, SelectableValue};
pub use store::{
    Composite, Computed, Extract, IndexSnapshot, List, OrderedIndexSnapshot, Snapshot, computed,
};
pub use transport::{BodyStream, Transport, TransportError};
#[cfg(feature = "kube")]
pub use transport::{ClientError, client_from_config};

/// What `field!` and `labels!` expand to, and generated code, name. No part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use k8s_openapi;
    pub use larder_macros::{field, labels, leaf};
    pub use larder_selector::{Requirement, Test, Values};
    pub use serde;

    pub use crate::custom::{
        Known, KnownOr, Numbers, check_api_version, check_kind, names, read_text,
    };
    pub use crate::field::{At, HasFields, IsKey, Keyed, Many, Mapped, Plain, Walked};
    pub use crate::field::{Next, Property, Spells, Spelt, Unspelt};
    pub use crate::selector::{AnyKind, FirstOf, Leaf, OfAnyType, OfKnownType, Reads, shown};
    pub use crate::{
        __object as object, __open_enum as open_enum, __properties as properties, __spelt as spelt,
    };
}

/// The seed of a random test: `LARDER_SEED`, or a new one. Printed, so that a failure shows it.
#[cfg(test)]
fn test_seed() -> u64 {
    let given = std::env::var("LARDER_SEED").ok();
    let seed = given.map_or_else(
        || fastrand::u64(..),
        |text| text.parse().expect("LARDER_SEED is a number"),
    );
    println!("LARDER_SEED={seed}");
    seed
}

//! The runtime of Larder.

mod cache;
mod decode;
mod entry;
pub mod handler;
mod identity;
mod informer;
mod kept;
mod key;
mod kind;
mod reflector;
mod selector;
mod sink;
mod store;
mod transport;
mod turn;

pub use cache::{Cache, CacheBuilder, CacheError};
pub use decode::{
    ContentType, DecodeError, DecodeErrorKind, RawBuffer, RawObject, UnsupportedContentType,
    ValueKind, decode_bytes,
};
pub use handler::{
    Event, Events, Filtered, Funcs, Handler, HandlerError, HandlerOptions, HandlerStats, Keys,
    Registration, Resync, Seen, Tombstone,
};
pub use identity::{ResourceVersion, Uid};
pub use informer::{
    DecodeFailure, Health, Index, Indexer, Informer, InformerError, InformerOptions, LastError,
    Lister, NamespaceLister, Namespaces, ReadError, SourceHealth, Stopped, Store, SyncError,
    TypedInformer, Unsynced,
};
pub use kept::{
    Kept, KeptLabels, StoreError, Transform, TransformError, Transformable, store_decoded,
};
pub use key::{InvalidKey, ObjectKey};
pub use kind::{Kind, Scope};
pub use reflector::{
    Awaited, Backoff, ExponentialBackoff, Phase, ReflectorError, ReflectorFailure,
    ReflectorOptions, ReflectorRequest,
};
pub use selector::{InvalidSelector, LabelSelector};
pub use store::{Computed, Extract, List, Snapshot, computed};
pub use transport::{BodyStream, Transport, TransportError};
#[cfg(feature = "kube")]
pub use transport::{ClientError, client_from_config};

/// The seed of a random test, printed by its failure messages: `LARDER_SEED` or a new one.
#[cfg(test)]
fn test_seed() -> u64 {
    std::env::var("LARDER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| fastrand::u64(..))
}

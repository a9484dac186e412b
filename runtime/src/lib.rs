//! The runtime of Larder.

mod decode;
mod entry;
#[allow(dead_code, reason = "the informer calls the hub")]
pub mod handler;
mod identity;
mod kept;
mod key;
mod kind;
mod sink;

pub use decode::{DecodeError, RawObject};
pub use handler::{
    Event, Events, Filtered, Funcs, Handler, HandlerError, HandlerOptions, HandlerStats, Keys,
    Registration, Resync, Seen, Tombstone,
};
pub use identity::{ResourceVersion, Uid};
pub use kept::{
    Kept, KeptLabels, StoreError, Transform, TransformError, Transformable, store_decoded,
};
pub use key::{InvalidKey, ObjectKey};
pub use kind::{Kind, Scope};

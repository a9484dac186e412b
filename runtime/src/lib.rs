//! The runtime of Larder.

mod decode;
mod entry;
mod identity;
mod kept;
mod key;
mod kind;
mod reflector;
mod sink;
mod transport;

pub use decode::{
    ContentType, DecodeError, DecodeErrorKind, RawBuffer, RawObject, UnsupportedContentType,
    ValueKind, decode_bytes,
};
pub use identity::{ResourceVersion, Uid};
pub use kept::{
    Kept, KeptLabels, StoreError, Transform, TransformError, Transformable, store_decoded,
};
pub use key::{InvalidKey, ObjectKey};
pub use kind::{Kind, Scope};
pub use reflector::{
    Awaited, Backoff, ExponentialBackoff, Phase, ReflectorError, ReflectorFailure,
    ReflectorOptions, ReflectorRequest,
};
pub use transport::{BodyStream, Transport, TransportError};
#[cfg(feature = "kube")]
pub use transport::{ClientError, client_from_config};

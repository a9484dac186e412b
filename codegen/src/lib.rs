//! The generator of Larder: OpenAPI documents in, Rust out.

mod error;
mod json;
mod model;
mod normalised;
mod read;
mod suggest;

pub use error::{Error, Errors, Place, Problem};
pub use model::{Field, Kind, KindId, Model, Origin, Schema, Scope, Verb};
pub use normalised::normalised;
pub use read::{read, read_bytes};

//! The generator of Larder: OpenAPI documents in, Rust out.

mod cargo;
mod config;
mod emit;
mod error;
mod json;
mod model;
mod normalised;
mod output;
mod plan;
mod read;
mod suggest;

pub use cargo::{KubernetesVersion, path_from_env};
pub use config::{Config, Generated, configure};
pub use error::{Error, Errors, Place, Problem};
pub use model::{Field, Kind, KindId, Model, Origin, Schema, Scope, Verb};
pub use normalised::normalised;
pub use plan::{LeftOut, LeftOutReason};
pub use read::{read, read_bytes};

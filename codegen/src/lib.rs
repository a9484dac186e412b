//! The generator of Larder: OpenAPI documents and definitions of custom resources in, Rust out.
//!
//! ```text
//! OpenAPI v3, v2, normalised ──read──▶ Model ──plan──▶ kinds to emit, kinds left out ──emit──▶ larder.rs
//! custom resource definitions ──crd──▶ CustomKind ──types──▶┘
//!                       Model ──foreign──▶┘
//!                                        Model ──normalised──▶ one small document
//! ```
//!
//! In a build script, [`configure`] is all that is needed:
//!
//! ```no_run
//! let generated = larder_codegen::configure().crds("crds/*.yaml").generate();
//! if let Err(errors) = generated {
//!     errors.print_for_cargo();
//! }
//! ```
//!
//! and in the crate, which depends on `larder` and `k8s-openapi`:
//!
//! ```ignore
//! larder::include_generated!();
//! ```
//!
//! # What always holds
//!
//! - All that is wrong is reported, not the first alone, each as `file: path.in.document: what is wrong`. No input
//!   makes the generator panic.
//! - The same input gives the same bytes; a file that holds them already is not written.
//! - Nothing here depends on the runtime, on kube or on k8s-openapi: what k8s-openapi has is known from a document, and
//!   a test compares names, fields and types with its sources.
//!
//! # What a document does not say by itself
//!
//! - That a list accepts `watch` as a parameter does not mean that it can be watched. A kind of Kubernetes itself can
//!   be if and only if there is a path below `/watch/`; custom resources have none and always can; of others such a path is
//!   enough, and without one discovery has to be asked.
//! - A kind is namespaced if and only if a path of its plural has `/namespaces/{namespace}/`.
//! - The type of a kind is what its list's items are. A group's name does not give the name of a definition.
//! - Enums are in the documents of live clusters alone: a string is a string.
//!
//! Source: the documents of Kubernetes 1.33 to 1.37; tests check each against them.

mod built_in;
mod cargo;
mod config;
mod crd;
mod emit;
mod error;
mod existing;
mod foreign;
pub mod inspect;
mod json;
mod model;
mod normalised;
mod output;
mod plan;
mod read;
mod selectable;
mod suggest;
mod types;
mod warning;

// What the integration tests share, for tests of what is private; it names this crate from outside.
#[cfg(test)]
extern crate self as larder_codegen;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

pub use cargo::{KubernetesVersion, path_from_env};
pub use config::{Config, Generated, configure};
pub use error::{Error, Errors, Place, Problem};
#[doc(hidden)]
pub use existing::{Existing, SelectablePath};
pub use model::{Field, Kind, KindId, Model, Origin, Schema, Scope, Verb};
pub use normalised::normalised;
pub use plan::{GeneratedKind, LeftOut, LeftOutReason};
pub use read::{read, read_bytes, read_parts};
pub use warning::{PassedOver, Warning};

//! What every document is read into: kinds and types.
//!
//! Readers make it, the emitter and the comparisons use it. What always holds: kinds are sorted by group, version and
//! kind, and no two share all three; fields are sorted by name; every reference names a type that is there.

mod custom;
mod described;
mod kind;
mod schema;

use std::collections::BTreeMap;

pub(crate) use custom::{CustomKind, Docs, Member, Object, PrinterColumn, Property, Scale, Shape};
pub(crate) use described::Described;
pub use kind::{Kind, KindId, Origin, Scope, Verb};
pub(crate) use schema::Type;
pub use schema::{Field, Schema};

/// Kinds and types of a cluster or a Kubernetes release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// The kinds, by group, version and kind.
    pub kinds: BTreeMap<KindId, Kind>,
    /// The types by the name of their definition, as `io.k8s.api.core.v1.Pod`.
    pub types: BTreeMap<String, Schema>,
    /// What types are made of, by the names of definitions that are not Kubernetes' own.
    pub(crate) described: BTreeMap<String, Described>,
    /// What was noticed and passed over, for the user to read.
    pub notes: Vec<String>,
}

impl Model {
    /// The kind of this group, version and name.
    #[must_use]
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Kind> {
        self.kinds.get(&KindId::new(group, version, kind))
    }
}

//! The fields of Kubernetes' own kinds that the API server can select by.
//!
//! No document says them: they stand in the server's code, and `table` has them with the files that they are from. A test compares the
//! table with those files in every release from 1.33 on, and one of `larder-real` asks a real server about every field, about
//! fields that are none, and whether what it selects is what is read here.

mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use larder_naming::field_name;

use self::table::ROWS;
use crate::cargo::KubernetesVersion;
use crate::model::{Kind, Origin, Scope};
use crate::types::{Leaf, Types, distinct};

/// A field that the server selects a kind's objects by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selectable {
    /// The path that the server knows it by.
    pub(crate) path: Cow<'static, str>,
    pub(crate) reads: Reads,
}

/// Where the value stands in an object. What is absent reads as `""`, `false` or `0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reads {
    /// `metadata.name`.
    Name,
    /// `metadata.namespace`.
    Namespace,
    /// A text at this path.
    Text(Cow<'static, str>),
    /// A boolean at this path.
    Bool(Cow<'static, str>),
    /// A number of 32 bits at this path.
    I32(Cow<'static, str>),
    /// A number of 64 bits at this path.
    I64(Cow<'static, str>),
    /// An enum of texts at this path.
    Choice(Cow<'static, str>),
    /// What stands at this path as it is written: a time, an unsigned number.
    Shown(Cow<'static, str>),
    /// The first of the texts at two paths that is not empty.
    FirstOf(&'static str, &'static str),
    /// Of whatever type it is, at this path as `field!` takes it.
    Anything(String),
}

impl Reads {
    /// How the server reads what is absent. Of a custom resource the type makes no difference: it is compared as an empty text.
    pub(crate) fn absent(&self, origin: Origin) -> &'static str {
        match self {
            _ if origin == Origin::CustomResource => "\"\"",
            Self::Bool(_) => "false",
            Self::I32(_) | Self::I64(_) => "0",
            _ => "\"\"",
        }
    }
}

/// The fields that a server of Kubernetes 1.`minor` selects objects of `kind` by. With no version, those of every supported one.
///
/// `metadata.namespace` is among them for namespaced kinds alone: elsewhere it is of no use where it is accepted.
pub(crate) fn fields(kind: &Kind, minor: Option<u8>) -> Vec<Selectable> {
    let of = |path: &'static str, reads: &Reads| Selectable {
        path: path.into(),
        reads: reads.clone(),
    };
    let mut all = vec![of("metadata.name", &Reads::Name)];
    let row = match kind.origin {
        Origin::Kubernetes => row(kind),
        Origin::CustomResource => None,
        // Aggregated servers have rules of their own.
        Origin::Aggregated => return all,
    };
    if kind.scope == Scope::Namespaced && row.is_none_or(|row| row.namespace) {
        all.push(of("metadata.namespace", &Reads::Namespace));
    }
    let own = row.map_or(&[][..], |row| row.fields);
    let known = own
        .iter()
        .filter(|field| field.since <= minor.unwrap_or_default());
    all.extend(known.map(|field| of(field.path, &field.reads)));
    all
}

fn row(kind: &Kind) -> Option<&'static table::Row> {
    ROWS.iter()
        .find(|row| row.group == kind.id.group && row.kind == kind.id.kind)
}

/// A field that a definition of custom resources declares, by the types that were made of its schema; `None` where they cannot tell, as
/// where the field was left out or is of a type of the user's.
pub(crate) fn declared(path: &str, types: &Types) -> Option<Selectable> {
    let path: Cow<'static, str> = path.to_owned().into();
    let reads = match types.leaf(&path)? {
        Leaf::Choice => Reads::Choice(path.clone()),
        Leaf::Text => Reads::Text(path.clone()),
        Leaf::Boolean => Reads::Bool(path.clone()),
        Leaf::I32 => Reads::I32(path.clone()),
        Leaf::I64 => Reads::I64(path.clone()),
        Leaf::Shown => Reads::Shown(path.clone()),
    };
    Some(Selectable { path, reads })
}

/// A field that the server selects a kind's objects by, for people to read about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectableField {
    /// The path that the server knows it by, as `spec.nodeName`.
    pub path: String,
    /// Its constant in the module `selectable` of generated code, as `SPEC_NODE_NAME`; `None` where code cannot have one, as the
    /// type at the path does not say how the server reads it.
    pub constant: Option<String>,
    /// The first version of Kubernetes whose servers know it; `None` if all that are supported do. A constant of that is made for
    /// those who say that their servers are new enough ([`Config::server_version`](crate::Config::server_version)).
    pub since: Option<KubernetesVersion>,
}

/// The fields that servers select objects of `kind` by. What the definition of a custom resource adds is not in a [`Kind`]:
/// see [`read_crds`](crate::inspect::read_crds).
///
/// ```
/// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/v1_37.json");
/// let model = larder_codegen::read(document)?;
/// let fields = larder_codegen::inspect::selectable_fields(model.kind("", "v1", "Node").unwrap());
/// let field = fields.iter().find(|field| field.path == "spec.unschedulable").unwrap();
/// assert_eq!(field.constant.as_deref(), Some("SPEC_UNSCHEDULABLE"));
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn selectable_fields(kind: &Kind) -> Vec<SelectableField> {
    let everywhere = fields(kind, None);
    let fields = fields(kind, Some(u8::MAX));
    let mut described = described(&fields);
    for field in &mut described {
        if !everywhere.iter().any(|known| known.path == field.path) {
            field.since = since(kind, &field.path);
        }
    }
    described
}

fn since(kind: &Kind, path: &str) -> Option<KubernetesVersion> {
    let row = row(kind)?;
    let field = row.fields.iter().find(|field| field.path == path)?;
    Some(KubernetesVersion::of_minor(field.since))
}

/// Those that have a constant.
pub(crate) fn described(fields: &[Selectable]) -> Vec<SelectableField> {
    let fields = named(fields).map(|named| SelectableField {
        path: named.field.path.to_string(),
        constant: Some(named.constant),
        since: None,
    });
    fields.collect()
}

/// A field with its names in generated code.
pub(crate) struct Named<'a> {
    pub(crate) field: &'a Selectable,
    /// `SPEC_NODE_NAME`
    pub(crate) constant: String,
    /// `by_spec_node_name`
    pub(crate) method: String,
}

/// The names of one kind's fields, each once. Of several paths of a custom resource that give one name none gets it, so that a field
/// which becomes selectable never takes the name of another; each is spelt out instead.
pub(crate) fn named(fields: &[Selectable]) -> impl Iterator<Item = Named<'_>> {
    let paths: Vec<&str> = fields.iter().map(|field| &*field.path).collect();
    let spelt_out = |path: &str| joined(path, crate::types::spelt_out);
    let names = distinct(&paths, |path| joined(path, field_name), spelt_out);
    fields.iter().zip(names).map(|(field, mut name)| {
        // The list of all constants, and the methods that every kind has.
        if ["all", "namespace", "labels", "owner"].contains(&name.as_str()) {
            name.push_str("_field");
        }
        Named {
            field,
            constant: name.to_uppercase(),
            method: format!("by_{name}"),
        }
    })
}

fn joined(path: &str, name: impl Fn(&str) -> String) -> String {
    let words: Vec<String> = path.split('.').map(name).collect();
    // A keyword is none behind other words, nor in capitals.
    words.join("_").trim_end_matches('_').to_owned()
}

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
        Origin::Kubernetes => ROWS
            .iter()
            .find(|row| row.group == kind.id.group && row.kind == kind.id.kind),
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

/// The paths that servers of every supported version select objects of `kind` by, each with the name of its constant in generated
/// code: `spec.nodeName` and `SPEC_NODE_NAME`.
///
/// ```
/// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/v1_37.json");
/// let model = larder_codegen::read(document)?;
/// let fields = larder_codegen::selectable_fields(model.kind("", "v1", "Node").unwrap());
/// assert!(fields.contains(&("spec.unschedulable".into(), "SPEC_UNSCHEDULABLE".to_owned())));
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn selectable_fields(kind: &Kind) -> Vec<(Cow<'static, str>, String)> {
    let fields = fields(kind, None);
    let constants: Vec<String> = named(&fields).map(|field| field.constant).collect();
    let paths = fields.into_iter().map(|field| field.path);
    paths.zip(constants).collect()
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

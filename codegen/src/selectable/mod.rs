//! The fields of Kubernetes' own kinds that the API server can select by.
//!
//! No document says them: they stand in the server's code, and `table` has them with the files that they are from. A test compares the
//! table with those files in every release from 1.33 on, and one of `larder-real` asks a real server about every field, about
//! fields that are none, and whether what it selects is what is read here.

mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use self::table::ROWS;
use crate::model::{Kind, Origin, Scope};
use crate::types::{Body, Type, Types};

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
    let mut of = &types.root;
    let mut segments = path.split('.').peekable();
    loop {
        let segment = segments.next()?;
        let field = of.fields.iter().find(|field| field.json == segment)?;
        // Of colliding names none goes by the rule that `field!` knows.
        if field.name != larder_naming::field_name(segment) {
            return None;
        }
        let of_type = match field.of_type.present() {
            Type::Boxed(inner) => inner.present(),
            of_type => of_type,
        };
        let place = match of_type {
            Type::Named(place) => place,
            _ if segments.peek().is_some() => return None,
            leaf => {
                return Some(Selectable {
                    path: path.to_owned().into(),
                    reads: reads(path, leaf)?,
                });
            }
        };
        match types.find(place)? {
            Body::Struct(below) => of = below,
            Body::Choice(_) if segments.peek().is_none() => {
                let path: Cow<'static, str> = path.to_owned().into();
                let reads = Reads::Choice(path.clone());
                return Some(Selectable { path, reads });
            }
            Body::Choice(_) | Body::Alias(_) | Body::BuiltIn(_) => return None,
        }
    }
}

fn reads(path: &str, leaf: &Type) -> Option<Reads> {
    let path = path.to_owned().into();
    Some(match leaf {
        Type::Text => Reads::Text(path),
        Type::Boolean => Reads::Bool(path),
        Type::I32 => Reads::I32(path),
        Type::I64 => Reads::I64(path),
        Type::U32 | Type::U64 | Type::DateTime | Type::IntOrString => Reads::Shown(path),
        _ => return None,
    })
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

/// The names of one kind's fields, each once. Two paths of a custom resource may give one name, and one may give a name that is taken.
pub(crate) fn named(fields: &[Selectable]) -> impl Iterator<Item = Named<'_>> {
    // The list of all constants, and the methods that every kind has.
    let mut taken: BTreeSet<String> = ["all", "namespace", "labels", "owner"]
        .map(str::to_owned)
        .into();
    fields.iter().map(move |field| {
        let plain = snake(&field.path);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        // There are more numbers than fields.
        let name = names
            .find(|name| taken.insert(name.clone()))
            .unwrap_or(plain);
        Named {
            field,
            constant: name.to_uppercase(),
            method: format!("by_{name}"),
        }
    })
}

fn snake(path: &str) -> String {
    let words: Vec<String> = path.split('.').map(larder_naming::field_name).collect();
    // A keyword is none behind other words, nor in capitals.
    words.join("_").trim_end_matches('_').to_owned()
}

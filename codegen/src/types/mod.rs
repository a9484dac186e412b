//! From the shape of a kind's objects to the Rust types to emit.
//!
//! `build` makes the types. `names` finds the names of fields and variants, `places` where each type stands and what it is called;
//! `library` has the definitions of a document that kinds refer to, and `packages` their names; `reuse` knows the types of
//! Kubernetes itself that are used where they are the same, `options` applies what the user asks for at single paths,
//! `default` turns a default into an expression, `leaf` tells what stands at a path. What always holds: a type is named after the
//! path that it stands at, or its definition, and nothing else, so that what stands elsewhere never renames it; of several
//! equal types one is defined, and the others are aliases of it.

mod build;
mod default;
mod leaf;
mod library;
mod names;
mod options;
mod packages;
mod places;
mod reuse;

use std::collections::HashMap;

use serde_json::Value;

pub(crate) use default::{Expression, expression};
pub(crate) use leaf::Leaf;
pub(crate) use library::{Library, Shared, SharedBody};
pub(crate) use names::{distinct, kind_modules, kind_type, spelt_out, variant_names};
pub(crate) use options::{Action, PathOption, apply};

use crate::model::{Docs, Shape};
use places::spelt_below;

/// The types of one kind.
#[derive(Debug)]
pub(crate) struct Types {
    /// The object itself, without metadata.
    pub(crate) root: Struct,
    /// Those below it, in the order of their paths.
    pub(crate) below: Vec<Definition>,
    /// Where each of them is in `below`.
    numbers: HashMap<Place, usize>,
    /// The paths of fields whose default is no value of their type, as in `field!`.
    pub(crate) impossible_defaults: Vec<String>,
}

/// Where a type is: the modules below the kind's own, and its name.
pub(crate) type Place = Vec<String>;

/// A type below a kind.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) place: Place,
    /// The path that it stands at, as in `field!`.
    pub(crate) path: String,
    pub(crate) docs: Docs,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Struct(Struct),
    /// One of these strings, or another.
    Choice(Vec<String>),
    /// The same as a type of this kind.
    Alias(Place),
    /// The same as a type of Kubernetes, at this path below k8s-openapi's root.
    BuiltIn(String),
    /// The same as a definition, at this path below the root of what is emitted.
    Definition(Place),
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<Field>,
    /// The field that has what no property names, and the type of its values.
    pub(crate) rest: Option<(String, Type)>,
}

#[derive(Debug)]
pub(crate) struct Field {
    /// The name in Rust.
    pub(crate) name: String,
    /// The name in JSON.
    pub(crate) json: String,
    /// The whole type, `Optional` where it is.
    pub(crate) of_type: Type,
    pub(crate) docs: Docs,
    /// Whether `None` is written as null, as absence would mean something else.
    pub(crate) writes_null: bool,
    /// What is there where the field is absent, unless it is the type's own default.
    pub(crate) default: Option<Value>,
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Any,
    Boolean,
    I32,
    I64,
    Number,
    Text,
    DateTime,
    IntOrString,
    ObjectMeta,
    /// One of the kind's own.
    Named(Place),
    /// A type of Kubernetes, at this path below k8s-openapi's root.
    BuiltIn(String),
    /// A definition of the document, at this path below the root of what is emitted.
    Definition(Place),
    /// A path that the user gave.
    Foreign(String),
    List(Box<Type>),
    Map(Box<Type>),
    Optional(Box<Type>),
    Boxed(Box<Type>),
}

impl Type {
    /// The type without `Option`.
    pub(crate) fn present(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner,
            other => other,
        }
    }

    fn optional(self) -> Self {
        Self::Optional(Box::new(self))
    }
}

impl Types {
    /// What is defined at a place, or at that which it is an alias of.
    pub(crate) fn find(&self, place: &Place) -> Option<&Body> {
        match &self.below.get(*self.numbers.get(place)?)?.body {
            Body::Alias(of) => self.find(of),
            body => Some(body),
        }
    }

    /// The types that have fields, and the paths that they stand at, as in `field!`.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&str, &Struct)> {
        let below = self.below.iter().filter_map(|definition| {
            let Body::Struct(of) = &definition.body else {
                return None;
            };
            Some((definition.path.as_str(), of))
        });
        std::iter::once(("", &self.root)).chain(below)
    }

    /// A default that is no value of its type is the server's to refuse; here the field is optional then.
    fn drop_impossible_defaults(&mut self) {
        let mut dropped = Vec::new();
        for (path, of) in self.structs() {
            for field in &of.fields {
                let default = field.default.as_ref();
                if default.is_some_and(|d| expression(d, &field.of_type, self).is_none()) {
                    dropped.push(spelt_below(path, &field.json));
                }
            }
        }
        if dropped.is_empty() {
            return;
        }
        for (path, of) in self.structs_mut() {
            for field in &mut of.fields {
                if dropped.contains(&spelt_below(path, &field.json)) {
                    field.give_up_default();
                }
            }
        }
        self.impossible_defaults = dropped;
    }

    fn structs_mut(&mut self) -> impl Iterator<Item = (&str, &mut Struct)> {
        let below = self.below.iter_mut().filter_map(|definition| {
            let Body::Struct(of) = &mut definition.body else {
                return None;
            };
            Some((definition.path.as_str(), of))
        });
        std::iter::once(("", &mut self.root)).chain(below)
    }
}

impl Field {
    fn give_up_default(&mut self) {
        self.default = None;
        if !matches!(self.of_type, Type::Optional(_)) {
            self.of_type = self.of_type.clone().optional();
        }
    }
}

/// The name of the definition of the type of Kubernetes that is the same as `shape`.
pub(crate) fn built_in_definition(shape: &Shape) -> Option<&'static str> {
    reuse::definition(shape)
}

/// The fields of the properties of one object.
pub(crate) fn property_names(properties: &[&str]) -> Vec<String> {
    names::properties(properties)
}

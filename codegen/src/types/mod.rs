//! From the shape of a kind's objects to the Rust types to emit.
//!
//! `names` finds the name of everything, `library` has the definitions of a document that kinds refer to, `reuse` knows the
//! types of Kubernetes itself that are used where they are the same, `options` applies what the user asks for at single
//! paths, `default` turns a default into an expression, `leaf` tells what stands at a path. What
//! always holds: a type is named after the path that it stands at and nothing else, so that what stands elsewhere never
//! renames it; of several equal types one is defined, and the others are aliases of it.

mod default;
mod leaf;
mod library;
mod names;
mod options;
mod reuse;

use std::collections::HashMap;

use serde_json::Value;

pub(crate) use default::{Expression, expression};
pub(crate) use leaf::Leaf;
pub(crate) use library::{Library, Shared, SharedBody};
pub(crate) use names::{distinct, kind_modules, kind_type, spelt_out, variant_names};
pub(crate) use options::{Action, PathOption, apply};

use crate::model::{CustomKind, Docs, Member, Object, Shape};
use library::Target;
use names::{Named, field_names, spelt_below, type_names};

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
    pub(crate) fn of(kind: &CustomKind, library: &Library) -> Self {
        let named = type_names(&kind.object);
        let (of, tells_zeros) = (kind.definition(), kind.is_aggregated());
        Self::built(&named, &kind.object, of, tells_zeros, library)
    }

    /// The types of a definition, which stand beside it as those of a kind do.
    fn of_definition(name: &str, object: &Object, library: &Library) -> Self {
        let mut named = type_names(object);
        named.retain(|named| !matches!(named.shape, Shape::Definition(_)));
        Self::built(&named, object, Some(name), true, library)
    }

    fn built(
        named: &[Named<'_>],
        object: &Object,
        definition: Option<&str>,
        tells_zeros: bool,
        library: &Library,
    ) -> Self {
        let mut types = Builder {
            named: named.iter().map(|n| (n.path.as_str(), n)).collect(),
            first: first_of_each(named),
            library,
            definition,
            tells_zeros,
            expanding: Vec::new(),
            below: Vec::new(),
        };
        let root = types.object("", object);
        let below = types.below;
        let numbers = below.iter().enumerate();
        let mut types = Self {
            numbers: numbers.map(|(at, of)| (of.place.clone(), at)).collect(),
            root,
            below,
            impossible_defaults: Vec::new(),
        };
        types.drop_impossible_defaults();
        types
    }

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

/// For each shape that occurs, the name that is defined: that of the shortest path, and of those the first.
fn first_of_each<'a>(named: &[Named<'a>]) -> HashMap<&'a Shape, Place> {
    let mut first: HashMap<&Shape, &Named<'_>> = HashMap::new();
    for candidate in named {
        let there = first.entry(candidate.shape).or_insert(candidate);
        if candidate.place.len() < there.place.len() {
            *there = candidate;
        }
    }
    let first = first.into_iter();
    first
        .map(|(shape, named)| (shape, named.place.clone()))
        .collect()
}

/// Whether a default is the one that its type has anyway.
fn is_default(default: &Value, of_type: &Type) -> bool {
    match (default, of_type) {
        (Value::Bool(value), Type::Boolean) => !value,
        (Value::String(text), Type::Text | Type::Named(_)) => text.is_empty(),
        (Value::Array(items), Type::List(_)) => items.is_empty(),
        (Value::Object(members), Type::Map(_) | Type::Named(_)) => members.is_empty(),
        (Value::Object(members), Type::BuiltIn(_) | Type::Definition(_)) => members.is_empty(),
        (Value::Number(number), Type::I32 | Type::I64 | Type::Number) => {
            number.as_f64() == Some(0.0)
        }
        _ => false,
    }
}

struct Builder<'a> {
    /// The names of types, by the path of their field.
    named: HashMap<&'a str, &'a Named<'a>>,
    first: HashMap<&'a Shape, Place>,
    library: &'a Library,
    /// The definition that the types are of.
    definition: Option<&'a str>,
    /// Whether defaults that a type has anyway are told, as Go's generator does for every field.
    tells_zeros: bool,
    /// Definitions in whose place another one is being put.
    expanding: Vec<String>,
    below: Vec<Definition>,
}

impl Builder<'_> {
    fn object(&mut self, path: &str, object: &Object) -> Struct {
        let names = field_names(object, path);
        let mut fields = Vec::new();
        for (property, name) in object.properties.iter().zip(&names.properties) {
            let member = &property.member;
            // A definition may say itself that it can be null.
            let (mut of_type, nullable) = match self.of_member(&names::below(path, name), member) {
                Type::Optional(inner) => (*inner, true),
                of_type => (of_type, member.nullable),
            };
            let circular = self.library.is_circular(self.definition, property);
            // It would have no end.
            let endless = circular && !library::is_optional(property);
            let default = property.default.clone().filter(|_| !endless);
            let default = default.filter(|_| self.is_object(&of_type));
            if property.boxed || circular {
                of_type = Type::Boxed(Box::new(of_type));
            }
            let is_there = !endless && (property.required || default.is_some());
            if nullable || !is_there || !self.has_default(&of_type) {
                of_type = of_type.optional();
            }
            let is_own = |default: &Value| self.tells_zeros && is_default(default, &of_type);
            fields.push(Field {
                name: name.clone(),
                json: property.name.clone(),
                default: default.filter(|d| !d.is_null() && !is_own(d)),
                of_type,
                docs: member.docs.clone(),
                writes_null: nullable && is_there,
            });
        }
        let rest = object.rest.as_ref().map(|rest| {
            let of_type = self.of_value(&names::below(path, &names.rest), rest);
            (names.rest.clone(), of_type)
        });
        Struct { fields, rest }
    }

    fn has_default(&self, of_type: &Type) -> bool {
        self.built_in(of_type).is_none_or(reuse::has_default)
    }

    /// Whether a type of Kubernetes, if it is one, is an object: a quantity or a time has no default but none.
    fn is_object(&self, of_type: &Type) -> bool {
        self.built_in(of_type).is_none_or(reuse::is_object)
    }

    /// Its path, where it is a type of Kubernetes.
    fn built_in<'b>(&'b self, of_type: &'b Type) -> Option<&'b str> {
        let place = match of_type {
            Type::BuiltIn(path) => return Some(path),
            Type::Boxed(inner) => return self.built_in(inner),
            Type::Named(place) => place,
            _ => return None,
        };
        let is_here = |definition: &&Definition| definition.place == *place;
        match &self.below.iter().rfind(is_here)?.body {
            Body::BuiltIn(path) => Some(path),
            _ => None,
        }
    }

    /// The type of a list's items or a map's values, which may be null.
    fn of_value(&mut self, path: &str, member: &Member) -> Type {
        let of_type = self.of_member(path, member);
        // What is anything may be null anyway.
        let is_optional = matches!(of_type, Type::Any | Type::Optional(_));
        if member.nullable && !is_optional {
            of_type.optional()
        } else {
            of_type
        }
    }

    fn of_member(&mut self, path: &str, member: &Member) -> Type {
        match &member.shape {
            Shape::Any => Type::Any,
            Shape::Boolean => Type::Boolean,
            Shape::I32 => Type::I32,
            Shape::I64 => Type::I64,
            Shape::Number => Type::Number,
            Shape::Text => Type::Text,
            Shape::DateTime => Type::DateTime,
            Shape::IntOrString => Type::IntOrString,
            Shape::ObjectMeta => Type::ObjectMeta,
            Shape::Foreign(path) => Type::Foreign(path.clone()),
            Shape::List(items) => Type::List(Box::new(self.of_value(path, items))),
            Shape::Map(values) => Type::Map(Box::new(self.of_value(path, values))),
            Shape::Definition(name) => self.of_definition(path, name, member),
            Shape::Choice(_) | Shape::Object(_) => self.define(path, member),
        }
    }

    /// The type of what a definition describes; an alias for it, where its path has a name.
    fn of_definition(&mut self, path: &str, name: &str, member: &Member) -> Type {
        let library = self.library;
        let (of_type, body) = match library.target(name) {
            Some(Target::BuiltIn(path)) => {
                (Type::BuiltIn(path.clone()), Body::BuiltIn(path.clone()))
            }
            Some(Target::Named(place)) => {
                let (place, body) = (place.clone(), Body::Definition(place.clone()));
                (Type::Definition(place), body)
            }
            Some(Target::Inline(inner)) if !self.expanding.iter().any(|there| there == name) => {
                self.expanding.push(name.to_owned());
                let of_type = self.of_value(path, inner);
                self.expanding.pop();
                return of_type;
            }
            // It stands for itself, or for nothing that is known.
            Some(Target::Inline(_)) | None => return Type::Any,
        };
        let Some(named) = self.named.get(path) else {
            return of_type;
        };
        let place = named.place.clone();
        self.below.push(Definition {
            place: place.clone(),
            path: named.spelt.clone(),
            docs: member.docs.clone(),
            body,
        });
        Type::Named(place)
    }

    fn define(&mut self, path: &str, member: &Member) -> Type {
        let Some(named) = self.named.get(path).copied() else {
            // Every shape of this sort was given a name.
            return Type::Any;
        };
        let place = named.place.clone();
        let at = self.below.len();
        let built_in = reuse::find(&member.shape);
        let first = self
            .first
            .get(&member.shape)
            .filter(|first| **first != place);
        let body = match (built_in, first) {
            (Some(path), _) => Body::BuiltIn(path.to_owned()),
            (None, Some(first)) => Body::Alias(first.clone()),
            (None, None) => Body::Struct(Struct {
                fields: Vec::new(),
                rest: None,
            }),
        };
        self.below.push(Definition {
            place: place.clone(),
            path: named.spelt.clone(),
            docs: member.docs.clone(),
            body,
        });
        // Those below have names of their own even where this one is an alias.
        if built_in.is_none() {
            let body = match &member.shape {
                Shape::Object(object) => Body::Struct(self.object(path, object)),
                Shape::Choice(values) => Body::Choice(values.clone()),
                _ => return Type::Named(place),
            };
            if !matches!(self.below[at].body, Body::Alias(_)) {
                self.below[at].body = body;
            }
        }
        Type::Named(place)
    }
}

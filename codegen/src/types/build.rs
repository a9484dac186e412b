//! From shapes and names to types.

use std::collections::HashMap;

use serde_json::Value;

use super::library::{self, Library, Target};
use super::names::field_names;
use super::places::{self, Named, type_names};
use super::{Body, Definition, Field, Place, Struct, Type, Types, reuse};
use crate::model::{CustomKind, Member, Object, Shape};

impl Types {
    pub(crate) fn of(kind: &CustomKind, library: &Library) -> Self {
        let named = type_names(&kind.object);
        let (of, tells_zeros) = (kind.definition(), kind.is_aggregated());
        Self::built(&named, &kind.object, of, tells_zeros, library)
    }

    /// The types of a definition, which stand beside it as those of a kind do.
    pub(super) fn of_definition(name: &str, object: &Object, library: &Library) -> Self {
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
            let (mut of_type, nullable) = match self.of_member(&places::below(path, name), member) {
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
            let of_type = self.of_value(&places::below(path, &names.rest), rest);
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

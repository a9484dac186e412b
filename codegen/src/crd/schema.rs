//! From the schema of a definition to the shape of its objects.
//!
//! The API server decides what is accepted; a shape must hold all of it. So `type` decides, and what only validates
//! (`enum` against the type, patterns, limits, `oneOf` and the like) does not.
//! Source: "structural schemas" in the page on custom resource definitions; `validate/values.go` of kube-openapi for the
//! formats of numbers, which are the ones that are checked.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::{Docs, Member, Object, Property, Shape, Type};

/// What an object has in any case, and no schema can restrict.
const OF_EVERY_OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The object that a kind's own schema describes, without what every object has.
pub(super) fn read_root(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> (Object, Docs) {
    if let Some(of_type) = schema.get("type") {
        of_type.word(
            "type of an object",
            &[("object", Type::Object)],
            diagnostics,
        );
    }
    let mut object = read_properties(schema, diagnostics);
    object
        .properties
        .retain(|property| !is_of_every_object(&property.name));
    (object, docs(schema, diagnostics))
}

/// Whether a property of an object's root is one that every object has.
pub(crate) fn is_of_every_object(property: &str) -> bool {
    OF_EVERY_OBJECT.contains(&property)
}

/// The shape of one value, and whether it may be null.
pub(crate) fn read_member(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Member {
    Member {
        shape: read_shape(schema, diagnostics),
        nullable: is_set(schema, "nullable"),
        docs: docs(schema, diagnostics),
    }
}

fn docs(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Docs {
    let text = schema.text_of("description", diagnostics);
    Docs::new(text.unwrap_or_default())
}

fn is_set(schema: &Node<'_>, flag: &str) -> bool {
    schema.value.get(flag).and_then(Value::as_bool) == Some(true)
}

/// `Any` after an error, of which there is then one in `diagnostics`.
pub(crate) fn read_shape(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Shape {
    if schema.value.as_object().is_none() {
        // Says that an object is expected.
        schema.members(diagnostics);
        return Shape::Any;
    }
    if let Some(name) = definition(schema.value) {
        return Shape::Definition(name);
    }
    if is_int_or_string(schema) {
        return Shape::IntOrString;
    }
    if is_set(schema, "x-kubernetes-embedded-resource") {
        return Shape::Object(read_embedded(schema, diagnostics));
    }
    let given = schema.get("type").filter(|t| t.value.as_str() != Some(""));
    let of_type = match given {
        Some(of_type) => match of_type.word("type of a schema", &Type::WORDS, diagnostics) {
            Some(of_type) => of_type,
            None => return Shape::Any,
        },
        None => match implied_type(schema, diagnostics) {
            Ok(of_type) => of_type,
            Err(shape) => return shape,
        },
    };
    match of_type {
        Type::Boolean => Shape::Boolean,
        Type::Integer => integer(schema.text_of("format", diagnostics)),
        Type::Number => Shape::Number,
        Type::String => read_string(schema, diagnostics),
        Type::Array => Shape::List(Box::new(read_items(schema, diagnostics))),
        Type::Object => read_object(schema, diagnostics),
    }
}

/// The format says so, too, of an integer, a string, or what has no type: of others the server does not look at it.
fn is_int_or_string(schema: &Node<'_>) -> bool {
    let text = |key| schema.value.get(key).and_then(Value::as_str);
    is_set(schema, "x-kubernetes-int-or-string")
        || (text("format") == Some("int-or-string")
            && matches!(text("type"), None | Some("" | "integer" | "string")))
}

/// The definition that a schema refers to, which those of custom resources never do. To say more beside a reference, documents
/// wrap it into an `allOf` of one.
pub(crate) fn definition(schema: &Value) -> Option<String> {
    const PREFIXES: [&str; 2] = ["#/components/schemas/", "#/definitions/"];
    if let Some(reference) = schema.get("$ref") {
        let reference = reference.as_str()?;
        let name = PREFIXES.iter().find_map(|p| reference.strip_prefix(p));
        // RFC 6901, section 3.
        let name = name.unwrap_or(reference);
        return Some(name.replace("~1", "/").replace("~0", "~"));
    }
    let decides = ["type", "properties", "additionalProperties", "items"];
    if decides.iter().any(|keyword| schema.get(keyword).is_some()) {
        return None;
    }
    let of = |keyword| schema.get(keyword).and_then(Value::as_array);
    match of("allOf")
        .or_else(|| of("oneOf"))
        .or_else(|| of("anyOf"))?
        .as_slice()
    {
        [only] => definition(only),
        _ => None,
    }
}

/// The type of a schema that gives none; or the shape where there is not one type.
fn implied_type(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Result<Type, Shape> {
    if schema.get("properties").is_some() || schema.get("additionalProperties").is_some() {
        return Ok(Type::Object);
    }
    let mut types = BTreeSet::new();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let members = schema.get(keyword).filter(|m| m.value.is_array());
        for member in members.map_or_else(Vec::new, |m| m.elements(diagnostics)) {
            if let Some(of_type) = member.get("type") {
                types.extend(of_type.word("type of a schema", &Type::WORDS, diagnostics));
            }
        }
    }
    let types: Vec<Type> = types.into_iter().collect();
    match types.as_slice() {
        [] if schema.get("items").is_some() => Ok(Type::Array),
        [] if choices(schema).is_some() => Ok(Type::String),
        [] => Err(Shape::Any),
        [one] => Ok(*one),
        [Type::Integer, Type::String] => Err(Shape::IntOrString),
        _ => Err(Shape::Any),
    }
}

/// The server checks the range of this format and of no other: a `uint8`, `uint32` or `uint64` may hold any signed 64-bit integer, and no
/// larger one (apiextensions-apiserver, `validation/formats.go`, takes formats away that it does not know; up to Kubernetes 1.35 also `int32`).
fn integer(format: Option<&str>) -> Shape {
    match format {
        Some("int32") => Shape::I32,
        _ => Shape::I64,
    }
}

fn read_string(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Shape {
    if let Some(values) = choices(schema) {
        return Shape::Choice(values);
    }
    match schema.text_of("format", diagnostics) {
        Some("date-time" | "datetime") => Shape::DateTime,
        _ => Shape::Text,
    }
}

/// The values of an enum of strings, as they stand; `None` where there is none, or it has other values, too.
fn choices(schema: &Node<'_>) -> Option<Vec<String>> {
    let values = schema.value.get("enum")?.as_array()?;
    let mut texts: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| !value.is_null()) {
        let text = value.as_str()?;
        if !texts.iter().any(|there| there == text) {
            texts.push(text.to_owned());
        }
    }
    (!texts.is_empty()).then_some(texts)
}

fn read_items(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Member {
    match schema.get("items") {
        // A schema for each place: not allowed by the server, and no one shape.
        Some(items) if !items.value.is_array() => read_member(&items, diagnostics),
        _ => Member::any(),
    }
}

fn read_object(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Shape {
    let object = read_properties(schema, diagnostics);
    if object.properties.is_empty() {
        return Shape::Map(object.rest.unwrap_or_else(|| Box::new(Member::any())));
    }
    Shape::Object(object)
}

fn read_properties(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Object {
    let mut object = Object::default();
    let required = required(schema, diagnostics);
    let properties = schema.get("properties");
    for (name, property) in properties.map_or_else(Vec::new, |p| p.members(diagnostics)) {
        let default = property.value.get("default");
        object.properties.push(Property {
            name: name.to_owned(),
            required: required.contains(name),
            // As for the server: in its type of a schema a default is what a pointer leads to, and null is no pointer.
            default: default.filter(|d| !d.is_null()).cloned(),
            boxed: false,
            member: read_member(&property, diagnostics),
        });
    }
    let additional = schema.get("additionalProperties");
    object.rest = match additional.as_ref().map(|a| a.value) {
        Some(Value::Bool(true)) => Some(Box::new(Member::any())),
        None | Some(Value::Bool(false)) => None,
        Some(_) => additional.map(|a| Box::new(read_member(&a, diagnostics))),
    };
    if object.rest.is_none() && is_set(schema, "x-kubernetes-preserve-unknown-fields") {
        object.rest = Some(Box::new(Member::any()));
    }
    object
}

/// Names that are no property are kept by nobody.
fn required<'a>(schema: &Node<'a>, diagnostics: &mut Diagnostics) -> BTreeSet<&'a str> {
    let names = schema.get("required");
    let names = names.map_or_else(Vec::new, |names| names.elements(diagnostics));
    names.iter().filter_map(|n| n.text(diagnostics)).collect()
}

/// A whole object inside another: it has what every object has, whatever the schema says of that.
fn read_embedded(schema: &Node<'_>, diagnostics: &mut Diagnostics) -> Object {
    let mut object = read_properties(schema, diagnostics);
    for name in OF_EVERY_OBJECT {
        let (shape, required) = match name {
            "metadata" => (Shape::ObjectMeta, false),
            _ => (Shape::Text, true),
        };
        let docs = object.properties.iter().find(|p| p.name == name);
        let docs = docs.map(|property| property.member.docs.clone());
        object.properties.retain(|property| property.name != name);
        object.properties.push(Property {
            name: name.to_owned(),
            required,
            default: None,
            boxed: false,
            member: Member {
                shape,
                nullable: false,
                docs: docs.unwrap_or_default(),
            },
        });
    }
    object.properties.sort_by(|a, b| a.name.cmp(&b.name));
    object
}

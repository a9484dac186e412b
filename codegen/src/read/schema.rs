//! From a JSON schema to its shape.

use std::collections::BTreeSet;

use crate::error::{Diagnostics, Problem};
use crate::json::Node;
use crate::model::{Field, Schema, Type};
use crate::suggest::nearest;

/// The definitions of one document: how references to them start, and which there are.
pub(super) struct Definitions<'a> {
    prefix: &'static str,
    names: BTreeSet<&'a str>,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(prefix: &'static str, names: impl Iterator<Item = &'a str>) -> Self {
        let names = names.collect();
        Self { prefix, names }
    }

    /// The name that the `$ref` of `node` refers to; `None` if there is no `$ref`, or with an error.
    pub(super) fn reference(
        &self,
        node: &Node<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let reference = node.get("$ref")?;
        let text = reference.text(diagnostics)?;
        let Some(name) = text.strip_prefix(self.prefix) else {
            let (prefix, text) = (self.prefix, text.to_owned());
            diagnostics.push(reference.error(Problem::ForeignReference {
                reference: text,
                prefix,
            }));
            return None;
        };
        // RFC 6901, section 3.
        let name = name.replace("~1", "/").replace("~0", "~");
        if !self.names.contains(name.as_str()) {
            let suggestion = nearest(&name, self.names.iter().copied());
            diagnostics.push(reference.error(Problem::Undefined { name, suggestion }));
            return None;
        }
        Some(name)
    }
}

/// The shape that `node` describes; `None` after an error.
///
/// A type given directly decides; unions describe the shape only where there is none, else they validate.
pub(super) fn read_schema(
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Schema> {
    if node.get("$ref").is_some() {
        return definitions
            .reference(node, diagnostics)
            .map(Schema::Reference);
    }
    let format = node.text_of("format", diagnostics);
    // v2 calls it a string, v3 a union, custom resources mark it with an extension of its own.
    let marked = node.get("x-kubernetes-int-or-string");
    if format == Some("int-or-string") || marked.is_some_and(|m| m.value.as_bool() == Some(true)) {
        return Some(Schema::IntOrString);
    }
    // An empty one says nothing.
    let format = format
        .filter(|format| !format.is_empty())
        .map(str::to_owned);
    let Some(of_type) = node.get("type") else {
        return read_untyped(node, definitions, diagnostics);
    };
    Some(
        match of_type.word("type of a schema", &Type::WORDS, diagnostics)? {
            Type::Boolean => Schema::Boolean,
            Type::Integer => Schema::Integer(format),
            Type::Number => Schema::Number(format),
            Type::String => Schema::String(format),
            Type::Array => read_array(node, definitions, diagnostics)?,
            Type::Object => read_object(node, definitions, diagnostics)?,
        },
    )
}

fn read_untyped(
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Schema> {
    if node.get("properties").is_some() || node.get("additionalProperties").is_some() {
        return read_object(node, definitions, diagnostics);
    }
    if node.get("items").is_some() {
        return read_array(node, definitions, diagnostics);
    }
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let Some(members) = node.get(keyword) else {
            continue;
        };
        let elements = members.elements(diagnostics);
        let mut shapes = Vec::with_capacity(elements.len());
        for element in &elements {
            let shape = read_schema(element, definitions, diagnostics)?;
            if shape != Schema::Any {
                shapes.push(shape);
            }
        }
        return Some(one_of(shapes, keyword == "allOf"));
    }
    Some(Schema::Any)
}

/// v3 wraps a reference into an `allOf` of one, to put a description beside it. A true conjunction has no one shape.
fn one_of(mut shapes: Vec<Schema>, all: bool) -> Schema {
    shapes.sort();
    shapes.dedup();
    match (shapes.len(), shapes.pop()) {
        (1, Some(shape)) => shape,
        (_, Some(last)) if !all => {
            shapes.push(last);
            Schema::Union(shapes)
        }
        _ => Schema::Any,
    }
}

fn read_array(
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Schema> {
    let items = match node.get("items") {
        Some(items) => read_schema(&items, definitions, diagnostics)?,
        None => Schema::Any,
    };
    Some(Schema::Array(Box::new(items)))
}

fn read_object(
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Schema> {
    if let Some(properties) = node.get("properties") {
        let fields = read_fields(node, &properties, definitions, diagnostics);
        if !fields.is_empty() {
            return Some(Schema::Struct(fields));
        }
    }
    let Some(additional) = node.get("additionalProperties") else {
        return Some(Schema::Object);
    };
    let members = match additional.value.as_bool() {
        Some(false) => return Some(Schema::Object),
        Some(true) => Schema::Any,
        None => read_schema(&additional, definitions, diagnostics)?,
    };
    Some(Schema::Map(Box::new(members)))
}

fn read_fields(
    node: &Node<'_>,
    properties: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Field> {
    let required = node.get("required");
    let required = required.map_or_else(Vec::new, |names| names.elements(diagnostics));
    let required: BTreeSet<&str> = required
        .iter()
        .filter_map(|name| name.text(diagnostics))
        .collect();
    let mut fields = Vec::new();
    for (name, property) in properties.members(diagnostics) {
        if let Some(schema) = read_schema(&property, definitions, diagnostics) {
            let required = required.contains(name);
            let name = name.to_owned();
            fields.push(Field {
                name,
                schema,
                required,
            });
        }
    }
    fields
}

//! The schema of a definition that is not Kubernetes' own, with everything that types are made of, and nothing else: no prose, no
//! validation.
//!
//! What is kept is what [`crd::read_member`](crate::crd::read_member) looks at; a test reads both, and compares the types.

use serde_json::Value;

use crate::crd::definition_of;

/// The paths that the server selects objects of a custom resource by; it publishes what the definition declares.
pub(crate) const SELECTABLE: &str = "x-kubernetes-selectable-fields";

/// What of a schema decides about types: always the same text for the same, and short.
pub(crate) fn deciding(schema: &Value) -> String {
    let mut text = String::new();
    write_schema(schema, &mut text);
    text
}

fn write_schema(schema: &Value, text: &mut String) {
    let mut members = Vec::new();
    if let Some(name) = definition_of(schema) {
        members.push(("$ref", Value::from(name).to_string()));
    } else {
        shape(schema, &mut members);
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        members.push(("nullable", "true".to_owned()));
    }
    for key in ["default", SELECTABLE] {
        if let Some(value) = schema.get(key) {
            members.push((key, canonical(value)));
        }
    }
    write_members(members.iter().map(|(key, value)| (*key, value)), text);
}

type Members = Vec<(&'static str, String)>;

fn shape(schema: &Value, members: &mut Members) {
    let text_of = |key| schema.get(key).and_then(Value::as_str);
    for key in ["type", "format"] {
        let value = text_of(key).filter(|value| !value.is_empty());
        members.extend(value.map(|value| (key, Value::from(value).to_string())));
    }
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let values = schema.get("enum").and_then(Value::as_array);
    if values.is_some_and(|values| values.iter().all(is_text)) {
        members.extend(schema.get("enum").map(|values| ("enum", canonical(values))));
    }
    for key in [
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
    ] {
        if schema.get(key) == Some(&Value::Bool(true)) {
            members.push((key, "true".to_owned()));
        }
    }
    for key in ["items", "additionalProperties"] {
        let inner = schema
            .get(key)
            .filter(|inner| inner.is_object() || inner.is_boolean());
        members.extend(inner.map(|inner| (key, written(inner))));
    }
    object(schema, members);
    if text_of("type").is_none() {
        unions(schema, members);
    }
}

fn object(schema: &Value, members: &mut Members) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let mut named: Vec<(&str, String)> = properties
        .iter()
        .map(|(name, property)| (name.as_str(), written(property)))
        .collect();
    named.sort_unstable();
    let mut text = String::new();
    write_members(
        named.iter().map(|(name, property)| (*name, property)),
        &mut text,
    );
    members.push(("properties", text));
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let mut required: Vec<&str> = required
        .filter(|name| properties.contains_key(*name))
        .collect();
    required.sort_unstable();
    required.dedup();
    if !required.is_empty() {
        members.push(("required", Value::from(required).to_string()));
    }
}

/// Where no type is given, they say what there may be.
fn unions(schema: &Value, members: &mut Members) {
    for key in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(shapes)) = schema.get(key) else {
            continue;
        };
        let shapes: Vec<String> = shapes.iter().map(written).collect();
        members.push((key, format!("[{}]", shapes.join(","))));
    }
}

fn written(schema: &Value) -> String {
    if let Value::Bool(_) = schema {
        return schema.to_string();
    }
    deciding(schema)
}

fn write_members<'a>(members: impl Iterator<Item = (&'a str, &'a String)>, text: &mut String) {
    text.push('{');
    for (at, (key, value)) in members.enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        text.push_str(&format!("{}:{value}", Value::from(key)));
    }
    text.push('}');
}

/// JSON in which members are sorted, whatever order the parser of this build keeps.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<(&str, String)> = members
                .iter()
                .map(|(key, value)| (key.as_str(), canonical(value)))
                .collect();
            members.sort_unstable();
            let mut text = String::new();
            write_members(members.iter().map(|(key, value)| (*key, value)), &mut text);
            text
        }
        scalar => scalar.to_string(),
    }
}

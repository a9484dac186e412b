//! The normalised document: kinds, types, fields and formats, without prose.
//!
//! The `larder` crate carries one per Kubernetes version, and one can be made of any cluster. It is JSON, one kind and
//! one type a line, sorted, so that two of them compare well line by line:
//!
//! ```json
//! {"larder":1,
//! "kinds":[
//! {"group":"apps","version":"v1","kind":"Deployment","plural":"deployments","scope":"Namespaced","verbs":["get","list","watch"],"subresources":["scale","status"],"type":{"$ref":"io.k8s.api.apps.v1.Deployment"},"list":{"$ref":"io.k8s.api.apps.v1.DeploymentList"}}
//! ],
//! "types":{
//! "io.k8s.api.apps.v1.Deployment":{"properties":{"spec":{"$ref":"io.k8s.api.apps.v1.DeploymentSpec"}},"required":["spec"]}
//! }}
//! ```
//!
//! - `origin` of a kind is left out for kinds of Kubernetes itself, else it is `CustomResource` or `Aggregated`.
//! - `watch` of a kind is `unknown` where the document was made without discovery, and its paths do not say whether the
//!   kind can be watched.
//! - Types are JSON schemas with the keywords `$ref` (the bare name), `type`, `format`, `items`,
//!   `additionalProperties`, `properties`, `required` and `oneOf`, and nothing else. Those that are not Kubernetes' own have
//!   `nullable`, `default`, `enum` of strings, `allOf`, `anyOf` and four extensions of Kubernetes besides, for types are made of
//!   them: `x-kubernetes-embedded-resource`, `…-int-or-string`, `…-preserve-unknown-fields` and `…-selectable-fields`. These
//!   are written by `foreign`.

mod foreign;

use std::fmt::Write as _;

pub(crate) use self::foreign::{SELECTABLE, deciding};

use crate::model::{Field, Kind, Model, Origin, Schema};

/// The format that is written, and the only one that is read.
pub(crate) const FORMAT: u64 = 1;

/// What is said of `watch` where nothing is known.
pub(crate) const UNKNOWN: &str = "unknown";

/// The normalised document of a model: the same model gives the same bytes.
///
/// ```
/// use larder_codegen::{normalised, read_bytes};
///
/// let document = normalised(&Default::default());
/// let model = read_bytes("empty.json".as_ref(), document.as_bytes())?;
/// assert!(model.kinds.is_empty());
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn normalised(model: &Model) -> String {
    let kinds: Vec<String> = model.kinds.values().map(kind_line).collect();
    let types: Vec<String> = model
        .types
        .iter()
        .map(|(name, schema)| {
            let mut line = format!("{}:", quoted(name));
            match model.described.get(name) {
                Some(described) => line.push_str(&described.text),
                None => write_schema(&mut line, schema),
            }
            line
        })
        .collect();
    format!(
        "{{\"larder\":{FORMAT},\n\"kinds\":[\n{}\n],\n\"types\":{{\n{}\n}}}}\n",
        kinds.join(",\n"),
        types.join(",\n")
    )
}

/// A JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn array<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> String {
    let quoted: Vec<String> = texts.map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", quoted.join(","))
}

fn kind_line(kind: &Kind) -> String {
    let mut line = format!(
        "{{\"group\":{},\"version\":{},\"kind\":{},\"plural\":{},\"scope\":\"{}\",\"verbs\":{}",
        quoted(&kind.id.group),
        quoted(&kind.id.version),
        quoted(&kind.id.kind),
        quoted(&kind.plural),
        kind.scope,
        array(kind.verbs.iter().map(ToString::to_string)),
    );
    if !kind.subresources.is_empty() {
        let names = array(kind.subresources.iter());
        append(&mut line, "subresources", &names);
    }
    for (key, name) in [("type", &kind.type_name), ("list", &kind.list_type)] {
        if let Some(name) = name {
            append(&mut line, key, &reference(name));
        }
    }
    if kind.origin != Origin::Kubernetes {
        append(&mut line, "origin", &quoted(&kind.origin.to_string()));
    }
    if kind.watch_unknown {
        append(&mut line, "watch", &quoted(UNKNOWN));
    }
    line.push('}');
    line
}

fn append(line: &mut String, key: &str, value: &str) {
    // Writing to a `String` does not fail.
    let _ = write!(line, ",\"{key}\":{value}");
}

fn reference(name: &str) -> String {
    format!("{{\"$ref\":{}}}", quoted(name))
}

/// A type alone.
pub(crate) fn schema_text(schema: &Schema) -> String {
    let mut text = String::new();
    write_schema(&mut text, schema);
    text
}

fn write_schema(line: &mut String, schema: &Schema) {
    match schema {
        Schema::Any => line.push_str("{}"),
        Schema::Boolean => write_scalar(line, "boolean", None),
        Schema::Integer(format) => write_scalar(line, "integer", format.as_deref()),
        Schema::Number(format) => write_scalar(line, "number", format.as_deref()),
        Schema::String(format) => write_scalar(line, "string", format.as_deref()),
        Schema::Object => write_scalar(line, "object", None),
        Schema::IntOrString => line.push_str("{\"format\":\"int-or-string\"}"),
        Schema::Reference(name) => line.push_str(&reference(name)),
        Schema::Array(items) => write_around(line, "{\"items\":", items),
        Schema::Map(members) => write_around(line, "{\"additionalProperties\":", members),
        Schema::Struct(fields) => write_fields(line, fields),
        Schema::Union(members) => {
            line.push_str("{\"oneOf\":[");
            for (at, member) in members.iter().enumerate() {
                line.push_str(if at == 0 { "" } else { "," });
                write_schema(line, member);
            }
            line.push_str("]}");
        }
    }
}

fn write_scalar(line: &mut String, of_type: &str, format: Option<&str>) {
    let _ = write!(line, "{{\"type\":\"{of_type}\"");
    if let Some(format) = format {
        append(line, "format", &quoted(format));
    }
    line.push('}');
}

fn write_around(line: &mut String, before: &str, inner: &Schema) {
    line.push_str(before);
    write_schema(line, inner);
    line.push('}');
}

fn write_fields(line: &mut String, fields: &[Field]) {
    line.push_str("{\"properties\":{");
    for (at, field) in fields.iter().enumerate() {
        line.push_str(if at == 0 { "" } else { "," });
        let _ = write!(line, "{}:", quoted(&field.name));
        write_schema(line, &field.schema);
    }
    line.push('}');
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name.as_str())
        .collect();
    if !required.is_empty() {
        append(line, "required", &array(required.into_iter()));
    }
    line.push('}');
}

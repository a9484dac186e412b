//! Walking a path, spelt as for `field!`, through the types of a document.

use anyhow::{anyhow, bail};
use larder_codegen::{Field, Model, Schema};
use larder_naming::is_plain;

use crate::model::type_name;
use crate::text::did_you_mean;

/// Where a path led.
pub(super) struct Walk<'a> {
    model: &'a Model,
    schema: &'a Schema,
    /// The name of the last definition that was passed, which says more than its shape.
    definition: Option<&'a str>,
    optional: bool,
    several: bool,
    /// Objects in Rust do not carry what their type says already: `apiVersion` and `kind`.
    is_in_rust: bool,
    /// The keys of a map are texts, whatever its values are.
    at_keys: bool,
    /// What was walked, for errors.
    so_far: String,
    /// The same as `field!` takes it, which has to be told the Rust names that no rule gives.
    spelt: String,
    steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(String),
    /// `[]`
    Each,
    /// `["key"]`
    Key(String),
    /// `{}`
    Keys,
}

/// So many fields are told where none is near to what was asked for.
const FEW: usize = 12;

const TEXT: Schema = Schema::String(None);

impl<'a> Walk<'a> {
    pub(super) fn along(model: &'a Model, root: &'a str, path: &str) -> anyhow::Result<Self> {
        let Some((root, schema)) = model.types.get_key_value(root) else {
            bail!("the document does not define {root:?}");
        };
        let mut walk = Self {
            model,
            schema,
            definition: Some(root),
            optional: false,
            several: false,
            is_in_rust: true,
            at_keys: false,
            so_far: String::new(),
            spelt: String::new(),
            steps: Vec::new(),
        };
        for (step, text) in steps(path)? {
            walk.spelt.push_str(&spelt(&step, &text));
            walk.step(&step)?;
            walk.so_far.push_str(&text);
            walk.steps.push(step);
        }
        Ok(walk)
    }

    /// The path as `field!` takes it.
    pub(super) fn spelt(&self) -> &str {
        &self.spelt
    }

    /// The selector of labels that asks for what the path leads to; `None` where it is no label of the object's own.
    pub(super) fn label_selector(&self) -> Option<String> {
        let is_field =
            |step: &Step, wanted: &str| matches!(step, Step::Field(name) if name == wanted);
        let [metadata, labels, rest @ ..] = self.steps.as_slice() else {
            return None;
        };
        if !is_field(metadata, "metadata") || !is_field(labels, "labels") {
            return None;
        }
        match rest {
            [] | [Step::Keys] => Some("labels!(\"KEY=VALUE\")".to_owned()),
            [Step::Key(key)] if is_label(key) => Some(format!("labels!(\"{key}=VALUE\")")),
            _ => None,
        }
    }

    /// The shape as it is written, which may be a reference.
    pub(super) fn schema(&self) -> &Schema {
        if self.at_keys { &TEXT } else { self.schema }
    }

    /// The shape that a reference leads to.
    pub(super) fn resolved(&self) -> &Schema {
        if self.at_keys {
            return &TEXT;
        }
        let mut schema = self.schema;
        // A definition may be nothing but another's name; one that is its own is not followed for ever.
        for _ in 0..16 {
            match schema {
                Schema::Reference(name) => match self.model.types.get(name) {
                    Some(next) => schema = next,
                    None => break,
                },
                _ => break,
            }
        }
        schema
    }

    pub(super) fn is_optional(&self) -> bool {
        self.optional
    }

    pub(super) fn has_several(&self) -> bool {
        self.several
    }

    /// The type of an index's keys in Rust, where a path can end here: at what `field!` takes as a key.
    pub(super) fn key(&self) -> Option<&'static str> {
        // Equal amounts have different texts.
        const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
        let is_quantity = self.definition == Some(QUANTITY);
        if self.steps.is_empty() || is_quantity || !self.is_in_rust {
            return None;
        }
        match self.resolved() {
            Schema::Boolean => Some("bool"),
            Schema::Integer(format) => Some(match format.as_deref() {
                Some("int32") => "i32",
                _ => "i64",
            }),
            Schema::IntOrString => Some("IntOrStringKey"),
            Schema::String(format) => match format.as_deref() {
                Some("byte") => None,
                Some("date-time") => Some("Timestamp"),
                _ => Some("String"),
            },
            _ => None,
        }
    }

    fn step(&mut self, step: &Step) -> anyhow::Result<()> {
        if self.at_keys {
            bail!("{} ends at the keys of a map: nothing follows", self.so_far);
        }
        let resolved: &'a Schema = match self.schema {
            Schema::Reference(name) => self.model.types.get(name).unwrap_or(self.schema),
            schema => schema,
        };
        match (step, resolved) {
            (Step::Field(name), Schema::Struct(fields)) => self.field(name, fields),
            (Step::Each, Schema::Array(inner) | Schema::Map(inner)) => {
                self.several = true;
                self.optional = true;
                self.enter(inner);
                Ok(())
            }
            (Step::Key(_), Schema::Map(inner)) => {
                self.optional = true;
                self.enter(inner);
                Ok(())
            }
            (Step::Keys, Schema::Map(_)) => {
                (self.several, self.optional, self.at_keys) = (true, true, true);
                Ok(())
            }
            (step, found) => Err(self.misfit(step, found)),
        }
    }

    fn field(&mut self, name: &str, fields: &'a [Field]) -> anyhow::Result<()> {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let names = || fields.iter().map(|field| field.name.as_str());
            let mut hint = did_you_mean(name, names());
            if hint.is_empty() && (1..=FEW).contains(&fields.len()) {
                hint = format!(": it has {}", names().collect::<Vec<_>>().join(", "));
            }
            let place = if self.so_far.is_empty() {
                "the object"
            } else {
                &self.so_far
            };
            bail!("{place} has no field {name:?}{hint}");
        };
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let in_rust = larder_codegen::inspect::field_names(&names);
        // What every object has is called so whatever else there is.
        let is_metadata = self.steps.is_empty() && name == "metadata";
        let at = names
            .iter()
            .position(|other| *other == name && !is_metadata);
        if let Some(in_rust) = at.and_then(|at| in_rust.get(at))
            && *in_rust != larder_naming::field_name(name)
        {
            self.spelt.push_str(&format!(" as {in_rust}"));
        }
        self.optional |= !field.required;
        self.is_in_rust &= !(["apiVersion", "kind"].contains(&name) && self.is_at_object());
        self.enter(&field.schema);
        Ok(())
    }

    /// Whether the type is that of a kind's objects.
    fn is_at_object(&self) -> bool {
        let mut kinds = self.model.kinds.values();
        self.definition.is_some_and(|definition| {
            kinds.any(|kind| kind.type_name.as_deref() == Some(definition))
        })
    }

    fn enter(&mut self, schema: &'a Schema) {
        self.schema = schema;
        self.definition = match schema {
            Schema::Reference(name) => Some(name),
            _ => None,
        };
    }

    fn misfit(&self, step: &Step, found: &Schema) -> anyhow::Error {
        let place = if self.so_far.is_empty() {
            "the object"
        } else {
            &self.so_far
        };
        let what = type_name(self.schema);
        let advice = match (step, found) {
            (Step::Field(name), Schema::Array(_)) => format!("walk its items: {place}[].{name}"),
            (Step::Field(name), Schema::Map(_)) => {
                format!("name a key: {place}[{name:?}], or walk its keys: {place}{{}}")
            }
            (Step::Keys, Schema::Array(_)) => format!("walk its items: {place}[]"),
            (Step::Each | Step::Keys | Step::Key(_), Schema::Struct(_)) => {
                format!("name a field: {place}.NAME")
            }
            (Step::Key(_), Schema::Array(_)) => format!("walk its items: {place}[]"),
            _ => "nothing of that kind follows".to_owned(),
        };
        anyhow!("{place} is of the type {what}: {advice}")
    }
}

/// The steps of a path, each with the text it stands as.
fn steps(path: &str) -> anyhow::Result<Vec<(Step, String)>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = step(rest, steps.is_empty()).ok_or_else(|| {
            anyhow!(
                "the path {path:?} is misspelt at {rest:?}: {}",
                advice(rest)
            )
        })?;
        let text = &rest[..rest.len() - after.len()];
        steps.push((step, text.to_owned()));
        rest = after;
    }
    Ok(steps)
}

/// A step as `field!` takes it: names that are no identifiers are in quotes there.
fn spelt(step: &Step, text: &str) -> String {
    match step {
        Step::Field(name) if !is_plain(name) => {
            let dot = if text.starts_with('.') { "." } else { "" };
            format!("{dot}{name:?}")
        }
        _ => text.to_owned(),
    }
}

/// What those write who know paths from elsewhere.
fn advice(rest: &str) -> String {
    let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match inside {
        Some((index, _)) if index == "*" || index.bytes().all(|byte| byte.is_ascii_digit()) => {
            "a path walks all items: `[]`".to_owned()
        }
        Some((key, _)) if !key.contains(['"', '\'']) => {
            format!("the key of a map stands in quotes: `[{key:?}]`")
        }
        _ if rest == "." => "there is no dot behind the last field".to_owned(),
        _ if rest.starts_with('.') && !rest[1..].starts_with('.') => {
            "there is no dot in front of the first field".to_owned()
        }
        _ => "write it as for `field!`, as `spec.containers[].image`".to_owned(),
    }
}

/// Whether a text is made of what keys of labels are made of.
fn is_label(key: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    !key.is_empty() && key.chars().all(fits)
}

fn step(text: &str, first: bool) -> Option<(Step, &str)> {
    if let Some(rest) = text.strip_prefix("[]") {
        return Some((Step::Each, rest));
    }
    if let Some(rest) = text.strip_prefix("{}") {
        return Some((Step::Keys, rest));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (key, rest) = quoted(rest)?;
        return Some((Step::Key(key), rest.strip_prefix(']')?));
    }
    let text = if first { text } else { text.strip_prefix('.')? };
    if text.starts_with('"') {
        let (name, rest) = quoted(text)?;
        return Some((Step::Field(name), rest));
    }
    let end = text.find(['.', '[', '{']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let fits = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-$".contains(c));
    fits.then(|| (Step::Field(name.to_owned()), rest))
}

/// A quoted text at the start, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((value, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(path: &str) -> Vec<Step> {
        steps(path)
            .unwrap()
            .into_iter()
            .map(|(step, _)| step)
            .collect()
    }

    #[test]
    fn names_that_are_no_identifiers_are_in_quotes() {
        let spelt = |path: &str| -> String {
            let steps = steps(path).unwrap();
            steps.iter().map(|(step, text)| spelt(step, text)).collect()
        };
        for (path, expected) in [
            ("spec.1st[].type", r#"spec."1st"[].type"#),
            (r#"x-a."b c".d"#, r#""x-a"."b c".d"#),
            (r#"a["b c"]{}"#, r#"a["b c"]{}"#),
        ] {
            assert_eq!(spelt(path), expected);
        }
    }

    #[test]
    fn paths_are_spelt_as_for_the_macro() {
        let field = |name: &str| Step::Field(name.to_owned());
        assert_eq!(
            kinds(r#"spec.containers[].image"#),
            [
                field("spec"),
                field("containers"),
                Step::Each,
                field("image")
            ]
        );
        assert_eq!(
            kinds(r#"metadata.labels["a/b.c"]"#),
            [
                field("metadata"),
                field("labels"),
                Step::Key("a/b.c".to_owned())
            ]
        );
        assert_eq!(kinds(r#"data{}"#), [field("data"), Step::Keys]);
        assert_eq!(
            kinds(r#"spec."x-unit".y"#),
            [field("spec"), field("x-unit"), field("y")]
        );
        for wrong in [
            ".spec",
            "spec.",
            "spec..a",
            "spec[",
            "spec[0]",
            "spec[\"a\"",
            "spec a",
            "{",
            "a[]b",
        ] {
            assert!(steps(wrong).is_err(), "{wrong:?}");
        }
    }
}

//! What differs between two models.

use std::collections::{BTreeMap, BTreeSet};

use larder_codegen::{Field, Kind, KindId, Model, Schema};
use serde::Serialize;

use crate::model::type_name;

/// All that differs; sorted by name.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) kinds: Vec<Entry>,
    pub(super) types: Vec<Entry>,
}

impl Comparison {
    pub(super) fn is_same(&self) -> bool {
        self.kinds.is_empty() && self.types.is_empty()
    }
}

/// A kind or type that differs.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) change: Change,
    /// What of it, where it is in both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Part>,
}

/// A fact of a kind, or a field of a type.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) change: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Change {
    Added,
    Removed,
    Changed,
}

impl Change {
    pub(super) fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Removed => '-',
            Self::Changed => '~',
        }
    }
}

/// Compares the kinds that `wanted` picks, and the types that these are made of.
pub(super) fn compare(old: &Model, new: &Model, wanted: impl Fn(&KindId) -> bool) -> Comparison {
    let said = |name: &str| [old, new].map(|model| larder_codegen::inspect::facts(model, name));
    let old = Side::new(old, &wanted);
    let new = Side::new(new, &wanted);
    Comparison {
        kinds: entries(
            &old.kinds,
            &new.kinds,
            ToString::to_string,
            |_, old, new| facts(old, new),
        ),
        types: entries(
            &old.types,
            &new.types,
            |name| (*name).to_owned(),
            |name, old, new| {
                let mut parts = Vec::new();
                shapes("", old, new, &mut parts);
                let [old, new] = said(name);
                besides(&old, &new, &mut parts);
                parts
            },
        ),
    }
}

struct Side<'a> {
    kinds: BTreeMap<&'a KindId, &'a Kind>,
    types: BTreeMap<&'a str, &'a Schema>,
}

impl<'a> Side<'a> {
    fn new(model: &'a Model, wanted: impl Fn(&KindId) -> bool) -> Self {
        let kinds: BTreeMap<_, _> = model.kinds.iter().filter(|(id, _)| wanted(id)).collect();
        let mut types = BTreeMap::new();
        let roots = kinds
            .values()
            .flat_map(|kind| [&kind.type_name, &kind.list_type]);
        let mut open: Vec<&str> = roots.flatten().map(String::as_str).collect();
        while let Some(name) = open.pop() {
            if let Some(schema) = model.types.get(name)
                && types.insert(name, schema).is_none()
            {
                open.extend(schema.references());
            }
        }
        Self { kinds, types }
    }
}

fn entries<K: Ord, V>(
    old: &BTreeMap<K, V>,
    new: &BTreeMap<K, V>,
    name: impl Fn(&K) -> String,
    parts: impl Fn(&K, &V, &V) -> Vec<Part>,
) -> Vec<Entry> {
    let keys: BTreeSet<&K> = old.keys().chain(new.keys()).collect();
    let entry = |key: &K| {
        let (change, parts) = match (old.get(key), new.get(key)) {
            (Some(old), Some(new)) => (Change::Changed, parts(key, old, new)),
            (Some(_), None) => (Change::Removed, Vec::new()),
            (None, _) => (Change::Added, Vec::new()),
        };
        let differs = change != Change::Changed || !parts.is_empty();
        differs.then(|| Entry {
            name: name(key),
            change,
            parts,
        })
    };
    keys.into_iter().filter_map(entry).collect()
}

fn changed(name: &str, old: String, new: String) -> Option<Part> {
    (old != new).then(|| Part {
        name: name.to_owned(),
        change: Change::Changed,
        old: Some(old),
        new: Some(new),
    })
}

/// What a server says of a kind, beside its types.
fn facts(old: &Kind, new: &Kind) -> Vec<Part> {
    let type_of = |kind: &Kind| kind.type_name.clone().unwrap_or_default();
    let mut parts = Vec::new();
    parts.extend(changed("plural", old.plural.clone(), new.plural.clone()));
    parts.extend(changed(
        "scope",
        old.scope.to_string(),
        new.scope.to_string(),
    ));
    parts.extend(changed(
        "origin",
        old.origin.to_string(),
        new.origin.to_string(),
    ));
    parts.extend(changed("type", type_of(old), type_of(new)));
    sets("verb", &old.verbs, &new.verbs, &mut parts);
    sets(
        "subresource",
        &old.subresources,
        &new.subresources,
        &mut parts,
    );
    parts
}

fn sets<T: Ord + ToString>(
    name: &str,
    old: &BTreeSet<T>,
    new: &BTreeSet<T>,
    parts: &mut Vec<Part>,
) {
    let part = |change, old: Option<&T>, new: Option<&T>| Part {
        name: name.to_owned(),
        change,
        old: old.map(ToString::to_string),
        new: new.map(ToString::to_string),
    };
    parts.extend(
        old.difference(new)
            .map(|gone| part(Change::Removed, Some(gone), None)),
    );
    parts.extend(
        new.difference(old)
            .map(|came| part(Change::Added, None, Some(came))),
    );
}

/// Compares two shapes; `path` is where they stand in their type.
fn shapes(path: &str, old: &Schema, new: &Schema, parts: &mut Vec<Part>) {
    match (old, new) {
        (Schema::Struct(old), Schema::Struct(new)) => fields(path, old, new, parts),
        (Schema::Array(old), Schema::Array(new)) => shapes(&format!("{path}[]"), old, new, parts),
        (Schema::Map(old), Schema::Map(new)) => shapes(&format!("{path}{{}}"), old, new, parts),
        _ if old == new => {}
        _ => parts.push(Part {
            name: if path.is_empty() { "shape" } else { path }.to_owned(),
            change: Change::Changed,
            old: Some(full_name(old)),
            new: Some(full_name(new)),
        }),
    }
}

/// Compares what is said of fields beside their shapes. Where a field came or went it has been told.
fn besides(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>, parts: &mut Vec<Part>) {
    const NOTHING: &str = "plain";
    let told: Vec<String> = parts
        .iter()
        .filter(|part| part.change != Change::Changed)
        .map(|part| part.name.clone())
        .collect();
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for path in paths {
        let is_told = told.iter().any(|told| {
            let rest = path.strip_prefix(told.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
        });
        let said = |side: &BTreeMap<String, String>| {
            side.get(path).map_or(NOTHING, |said| said).to_owned()
        };
        let name = if path.is_empty() { "shape" } else { path };
        if !is_told {
            parts.extend(changed(name, said(old), said(new)));
        }
    }
}

/// Two definitions of one short name differ in the rest.
fn full_name(schema: &Schema) -> String {
    match schema {
        Schema::Reference(name) => name.clone(),
        other => type_name(other),
    }
}

fn fields(path: &str, old: &[Field], new: &[Field], parts: &mut Vec<Part>) {
    let by_name = |fields: &'_ [Field]| -> BTreeMap<String, Field> {
        let pairs = fields
            .iter()
            .map(|field| (field.name.clone(), field.clone()));
        pairs.collect()
    };
    let (old, new) = (by_name(old), by_name(new));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let here = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => {
                shapes(&here, &old.schema, &new.schema, parts);
                parts.extend(changed(&here, need(old), need(new)));
            }
            (Some(old), None) => parts.push(only(here, Change::Removed, old)),
            (None, Some(new)) => parts.push(only(here, Change::Added, new)),
            (None, None) => {}
        }
    }
}

fn need(field: &Field) -> String {
    if field.required {
        "required"
    } else {
        "optional"
    }
    .to_owned()
}

fn only(name: String, change: Change, field: &Field) -> Part {
    let what = format!("{}, {}", full_name(&field.schema), need(field));
    let (old, new) = match change {
        Change::Removed => (Some(what), None),
        _ => (None, Some(what)),
    };
    Part {
        name,
        change,
        old,
        new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(kinds: &str, types: &str) -> Model {
        let document = format!("{{\"larder\":1,\"kinds\":[{kinds}],\"types\":{{{types}}}}}");
        larder_codegen::read_bytes("test.json".as_ref(), document.as_bytes()).unwrap()
    }

    fn kind(name: &str, verbs: &str) -> String {
        format!(
            r#"{{"group":"","version":"v1","kind":"{name}","plural":"x","scope":"Cluster","verbs":[{verbs}],"type":{{"$ref":"a.{name}"}}}}"#
        )
    }

    #[test]
    fn what_types_are_made_of_beside_shapes_is_told() {
        let document = |spec: &str| {
            let object = format!(r#""a.A":{{"type":"object","properties":{{"spec":{spec}}}}}"#);
            model(&kind("A", r#""get""#), &object)
        };
        let spec = |properties: &str, more: &str| {
            document(&format!(
                r#"{{"type":"object","properties":{{{properties}}}{more}}}"#
            ))
        };
        let old = spec(
            r#""mode":{"type":"string","enum":["a","b"]},"n":{"type":"integer","default":1},"gone":{"type":"string","nullable":true},
               "items":{"type":"array","items":{"type":"string"}}"#,
            "",
        );
        let new = spec(
            r#""mode":{"type":"string","enum":["a","b","c"],"default":"a"},"n":{"type":"integer","default":2},
               "came":{"type":"string","default":"x"},"items":{"type":"array","items":{"type":"string","nullable":true}}"#,
            r#","x-kubernetes-preserve-unknown-fields":true"#,
        );
        let found = compare(&old, &new, |_| true);
        let parts = found.types[0].parts.iter().map(|part| {
            let value = |side: &Option<String>| side.clone().unwrap_or_default();
            format!(
                "{} {}: {} -> {}",
                part.change.sign(),
                part.name,
                value(&part.old),
                value(&part.new)
            )
        });
        let parts: Vec<String> = parts.collect();
        assert_eq!(
            parts,
            [
                "+ spec.came:  -> string, optional",
                "- spec.gone: string, optional -> ",
                "~ spec: plain -> other fields are kept",
                "~ spec.items[]: plain -> nullable",
                r#"~ spec.mode: one of "a", "b" -> default "a", one of "a", "b", "c""#,
                "~ spec.n: default 1 -> default 2",
            ]
        );
        assert!(compare(&new, &new, |_| true).is_same());
    }

    #[test]
    fn kinds_types_and_fields_that_came_went_and_changed_are_told() {
        let old = model(
            &format!("{},{}", kind("A", r#""get""#), kind("B", r#""get""#)),
            r#""a.A":{"properties":{"gone":{"type":"string"},"kept":{"items":{"$ref":"a.Inner"}},"n":{"type":"integer"}},"required":["n"]},
               "a.B":{}, "a.Inner":{"properties":{"x":{"type":"boolean"}}}, "a.Unreached":{"type":"string"}"#,
        );
        let new = model(
            &format!("{},{}", kind("A", r#""list""#), kind("C", r#""get""#)),
            r#""a.A":{"properties":{"came":{"type":"string"},"kept":{"items":{"$ref":"a.Inner"}},"n":{"type":"string"}}},
               "a.C":{}, "a.Inner":{"properties":{"x":{"type":"boolean"}}}, "a.Unreached":{"type":"integer"}"#,
        );
        let found = compare(&old, &new, |_| true);
        let lines: Vec<String> = found
            .kinds
            .iter()
            .chain(&found.types)
            .flat_map(|entry| {
                let head = format!("{} {}", entry.change.sign(), entry.name);
                let parts = entry.parts.iter().map(|part| {
                    let value = |side: &Option<String>| side.clone().unwrap_or_default();
                    let (old, new) = (value(&part.old), value(&part.new));
                    format!("  {} {}: {old} -> {new}", part.change.sign(), part.name)
                });
                std::iter::once(head).chain(parts)
            })
            .collect();
        assert_eq!(
            lines,
            [
                "~ v1/A",
                "  - verb: get -> ",
                "  + verb:  -> list",
                "- v1/B",
                "+ v1/C",
                "~ a.A",
                "  + came:  -> string, optional",
                "  - gone: string, optional -> ",
                "  ~ n: integer -> string",
                "  ~ n: required -> optional",
                "- a.B",
                "+ a.C",
            ]
        );
        assert!(compare(&old, &old, |_| true).is_same());
        assert!(compare(&old, &new, |_| false).is_same());
    }
}

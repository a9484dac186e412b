//! Keys that the API server does not know: mostly slips, and a slip in a schema changes the types.
//!
//! Validation that makes no difference for types is looked into as well: where a key is missed there, objects are accepted that should not be.

use crate::json::Node;
use crate::suggest::nearest;
use crate::warning::{PassedOver, Warning};

/// The keys of a definition and its parts, each by the name of its type in the API. A test compares them with the carried documents.
const TABLE: [(&str, &[&str]); 10] = [
    (
        "CustomResourceDefinition",
        &["apiVersion", "kind", "metadata", "spec", "status"],
    ),
    (
        "CustomResourceDefinitionSpec",
        &[
            "conversion",
            "group",
            "names",
            "preserveUnknownFields",
            "scope",
            "versions",
        ],
    ),
    (
        "CustomResourceDefinitionNames",
        &[
            "categories",
            "kind",
            "listKind",
            "plural",
            "shortNames",
            "singular",
        ],
    ),
    (
        "CustomResourceDefinitionVersion",
        &[
            "additionalPrinterColumns",
            "deprecated",
            "deprecationWarning",
            "name",
            "schema",
            "selectableFields",
            "served",
            "storage",
            "subresources",
        ],
    ),
    (
        "CustomResourceColumnDefinition",
        &[
            "description",
            "format",
            "jsonPath",
            "name",
            "priority",
            "type",
        ],
    ),
    ("SelectableField", &["jsonPath"]),
    ("CustomResourceValidation", &["openAPIV3Schema"]),
    ("CustomResourceSubresources", &["scale", "status"]),
    (
        "CustomResourceSubresourceScale",
        &[
            "labelSelectorPath",
            "specReplicasPath",
            "statusReplicasPath",
        ],
    ),
    (
        "JSONSchemaProps",
        &[
            "$ref",
            "$schema",
            "additionalItems",
            "additionalProperties",
            "allOf",
            "anyOf",
            "default",
            "definitions",
            "dependencies",
            "description",
            "enum",
            "example",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "externalDocs",
            "format",
            "id",
            "items",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "not",
            "nullable",
            "oneOf",
            "pattern",
            "patternProperties",
            "properties",
            "required",
            "title",
            "type",
            "uniqueItems",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-validations",
        ],
    ),
];

fn keys_of(name: &str) -> &'static [&'static str] {
    let row = TABLE.iter().find(|(there, _)| *there == name);
    row.map_or(&[], |(_, keys)| keys)
}

/// Keys of a definition that no version of it has.
pub(super) fn of_definition(root: &Node<'_>, warnings: &mut Vec<Warning>) {
    check(root, "definition", "CustomResourceDefinition", warnings);
    let Some(spec) = root.get("spec") else {
        return;
    };
    let of = "definition's spec";
    check(&spec, of, "CustomResourceDefinitionSpec", warnings);
    if let Some(names) = spec.get("names") {
        let of = "definition's names";
        check(&names, of, "CustomResourceDefinitionNames", warnings);
    }
}

/// Keys of a version, its schema included.
pub(super) fn of_version(version: &Node<'_>, warnings: &mut Vec<Warning>) {
    check(
        version,
        "version",
        "CustomResourceDefinitionVersion",
        warnings,
    );
    let lists = [
        (
            "additionalPrinterColumns",
            "printer column",
            "CustomResourceColumnDefinition",
        ),
        ("selectableFields", "selectable field", "SelectableField"),
    ];
    for (list, of, name) in lists {
        let list = version.get(list);
        for element in list.map_or_else(Vec::new, |list| list.values()) {
            check(&element, of, name, warnings);
        }
    }
    if let Some(parts) = version.get("subresources") {
        let of = "version's subresources";
        check(&parts, of, "CustomResourceSubresources", warnings);
        if let Some(scale) = parts.get("scale") {
            let of = "scale subresource";
            check(&scale, of, "CustomResourceSubresourceScale", warnings);
        }
    }
    if let Some(validation) = version.get("schema") {
        let of = "version's schema";
        check(&validation, of, "CustomResourceValidation", warnings);
        if let Some(schema) = validation.get("openAPIV3Schema") {
            of_schema(&schema, warnings);
        }
    }
}

fn of_schema(schema: &Node<'_>, warnings: &mut Vec<Warning>) {
    check(schema, "schema", "JSONSchemaProps", warnings);
    for key in ["items", "additionalProperties", "not"] {
        // `additionalProperties` may be a boolean, which has no keys.
        if let Some(inner) = schema.get(key) {
            of_schema(&inner, warnings);
        }
    }
    for key in ["properties", "patternProperties", "definitions"] {
        let named = schema.get(key);
        for inner in named.map_or_else(Vec::new, |named| named.values()) {
            of_schema(&inner, warnings);
        }
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        let members = schema.get(key);
        for inner in members.map_or_else(Vec::new, |members| members.values()) {
            of_schema(&inner, warnings);
        }
    }
}

/// What is no object has no keys, and is complained about where it is read.
fn check(node: &Node<'_>, of: &'static str, name: &str, warnings: &mut Vec<Warning>) {
    let known = keys_of(name);
    let Some(object) = node.value.as_object() else {
        return;
    };
    let mut foreign: Vec<&str> = object.keys().map(String::as_str).collect();
    foreign.retain(|key| !known.contains(key));
    foreign.sort_unstable();
    for key in foreign {
        let suggestion = nearest(key, known.iter().copied());
        // Extensions are other programs' to read.
        if key.starts_with("x-") && suggestion.is_none() {
            continue;
        }
        let place = node.get(key).map_or_else(|| node.place(), |n| n.place());
        let key = key.to_owned();
        let passed_over = PassedOver::Key {
            key,
            of,
            suggestion,
        };
        warnings.push(Warning { place, passed_over });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::support::carried;

    /// A key of a later version of Kubernetes is no slip.
    #[test]
    fn the_keys_are_those_of_the_carried_documents() {
        const PREFIX: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
        for (name, keys) in TABLE {
            let mut of_all = BTreeSet::new();
            for (_, file) in carried() {
                let document: Value =
                    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
                let properties = &document["types"][format!("{PREFIX}{name}")]["properties"];
                of_all.extend(properties.as_object().unwrap().keys().cloned());
            }
            assert_eq!(
                of_all.iter().map(String::as_str).collect::<Vec<_>>(),
                keys,
                "{name}"
            );
        }
    }
}

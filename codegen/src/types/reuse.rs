//! Types of Kubernetes itself that are used where a schema says exactly the same.
//!
//! Few on purpose: those that many definitions have and whose shape nothing else has by chance. Which they are and what
//! they look like stands in `reuse.json`; a test makes it from the carried documents and fails for a type that is not the
//! same in all of them. A type with a value that k8s-openapi reads more narrowly than the server does not belong here.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::crd;
use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::{Member, Object, Shape};

/// By the name of the definition, a schema as a definition of custom resources would have it.
const SCHEMAS: &str = include_str!("reuse.json");

struct BuiltIn {
    definition: String,
    path: String,
    shape: Shape,
}

static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    let schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
    let schemas = schemas.as_object().into_iter().flatten();
    let rows = schemas.filter_map(|(definition, schema)| {
        let node = Node::root(Path::new("reuse.json"), schema);
        let shape = crd::read_shape(&node, &mut Diagnostics::default());
        let path = larder_naming::k8s_openapi_path(definition)?;
        let definition = definition.clone();
        Some(BuiltIn {
            definition,
            path,
            shape,
        })
    });
    rows.collect()
});

/// The path, below k8s-openapi's root, of the type that is the same as `shape`.
pub(super) fn find(shape: &Shape) -> Option<&'static str> {
    row(shape).map(|row| row.path.as_str())
}

/// The name of the definition of the type that is the same as `shape`.
pub(super) fn definition(shape: &Shape) -> Option<&'static str> {
    row(shape).map(|row| row.definition.as_str())
}

fn row(shape: &Shape) -> Option<&'static BuiltIn> {
    let Shape::Object(_) = shape else {
        return None;
    };
    BUILT_IN.iter().find(|row| is_same(shape, &row.shape))
}

/// The shape of a type that [`find`] found.
pub(super) fn shape(path: &str) -> Option<&'static Shape> {
    let row = BUILT_IN.iter().find(|row| row.path == path);
    row.map(|row| &row.shape)
}

/// Whether a type has a default of its own: one with a time in it has none.
pub(super) fn has_default(path: &str) -> bool {
    !path.ends_with("::Condition")
}

/// Kubernetes' own documents have no enums, and a string holds any value of one.
fn is_same(shape: &Shape, built_in: &Shape) -> bool {
    match (shape, built_in) {
        (Shape::Choice(_), Shape::Text) => true,
        (Shape::List(a), Shape::List(b)) | (Shape::Map(a), Shape::Map(b)) => is_same_member(a, b),
        (Shape::Object(a), Shape::Object(b)) => is_same_object(a, b),
        (a, b) => a == b,
    }
}

fn is_same_member(member: &Member, built_in: &Member) -> bool {
    member.nullable == built_in.nullable && is_same(&member.shape, &built_in.shape)
}

fn is_same_object(object: &Object, built_in: &Object) -> bool {
    let (a, b) = (&object.properties, &built_in.properties);
    object.rest == built_in.rest
        && a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            (a.name == b.name && a.required == b.required)
                && (a.default == b.default && a.boxed == b.boxed)
                && is_same_member(&a.member, &b.member)
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// What `reuse.json` holds: a row leaves when a version of Kubernetes changes the type.
    const DEFINITIONS: [&str; 10] = [
        "io.k8s.api.core.v1.Affinity",
        "io.k8s.api.core.v1.NodeSelector",
        "io.k8s.api.core.v1.ObjectReference",
        "io.k8s.api.core.v1.PodSecurityContext",
        "io.k8s.api.core.v1.ResourceRequirements",
        "io.k8s.api.core.v1.SecurityContext",
        "io.k8s.api.core.v1.Toleration",
        "io.k8s.api.core.v1.TopologySpreadConstraint",
        "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
        "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
    ];

    /// A definition of a carried document, with what it refers to put in.
    fn expanded(schema: &Value, types: &Value) -> Value {
        const INT_OR_STRING: [&str; 1] = ["io.k8s.apimachinery.pkg.api.resource.Quantity"];
        let Value::Object(members) = schema else {
            return schema.clone();
        };
        if let Some(Value::String(name)) = members.get("$ref") {
            if INT_OR_STRING.contains(&name.as_str()) {
                return serde_json::json!({"x-kubernetes-int-or-string": true});
            }
            return expanded(&types[name], types);
        }
        let mut schema = serde_json::Map::new();
        for (key, value) in members {
            let value = match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => properties
                    .iter()
                    .map(|(name, property)| (name.clone(), expanded(property, types)))
                    .collect(),
                ("items" | "additionalProperties", inner) => expanded(inner, types),
                (_, other) => other.clone(),
            };
            schema.insert(key.clone(), value);
        }
        let of_type = [
            ("properties", "object"),
            ("additionalProperties", "object"),
            ("items", "array"),
        ];
        for (key, word) in of_type {
            if schema.contains_key(key) {
                schema.insert("type".to_owned(), word.into());
            }
        }
        schema.into()
    }

    #[test]
    fn the_types_are_the_same_in_every_carried_version() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut versions = (33..=37).map(|minor| {
            let file = folder.join(format!("../generated/v1_{minor}.json"));
            let text = std::fs::read_to_string(file).unwrap();
            let document: Value = serde_json::from_str(&text).unwrap();
            let types = &document["types"];
            let rows = DEFINITIONS.iter().map(|name| {
                assert!(types.get(*name).is_some(), "{name}");
                ((*name).to_owned(), expanded(&types[*name], types))
            });
            rows.collect::<BTreeMap<String, Value>>()
        });
        let first = versions.next().unwrap();
        for other in versions {
            assert_eq!(other, first);
        }
        let text = format!("{}\n", serde_json::to_string_pretty(&first).unwrap());
        if std::env::var_os("LARDER_BLESS").is_some() {
            std::fs::write(folder.join("src/types/reuse.json"), &text).unwrap();
        } else {
            assert!(text == SCHEMAS, "reuse.json is stale: LARDER_BLESS=1");
        }
    }

    #[test]
    fn every_type_has_a_shape_of_its_own() {
        assert_eq!(BUILT_IN.len(), DEFINITIONS.len());
        for row in BUILT_IN.iter() {
            assert!(matches!(row.shape, Shape::Object(_)), "{}", row.path);
            let alike = BUILT_IN
                .iter()
                .filter(|other| is_same(&row.shape, &other.shape));
            assert_eq!(alike.count(), 1, "{}", row.path);
        }
    }
}

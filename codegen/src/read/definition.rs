//! One definition of a document. Of those that are not Kubernetes' own everything is kept that types are made of.

use larder_naming::k8s_openapi_path;
use serde_json::Value;

use super::schema::{Definitions, read_schema};
use crate::crd::read_member;
use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::{Described, Model};
use crate::normalised::{SELECTABLE, deciding};

/// Adds the definition to the types of `model`, unless something is wrong with it.
pub(super) fn read_definition(
    name: &str,
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    model: &mut Model,
    diagnostics: &mut Diagnostics,
) {
    let errors = diagnostics.len();
    let Some(schema) = read_schema(node, definitions, diagnostics) else {
        return;
    };
    model.types.insert(name.to_owned(), schema);
    // What is wrong with a schema was found already, and is to be told once.
    if diagnostics.len() > errors || k8s_openapi_path(name).is_some() {
        return;
    }
    let described = Described {
        text: deciding(node.value),
        member: read_member(node, diagnostics),
        selectable: selectable(node.value),
    };
    model.described.insert(name.to_owned(), described);
}

/// The server publishes what a definition of custom resources declares.
fn selectable(schema: &Value) -> Vec<String> {
    let fields = schema.get(SELECTABLE).and_then(Value::as_array);
    let fields = fields.into_iter().flatten();
    let paths = fields.filter_map(|field| field.get("fieldPath")?.as_str());
    paths.map(str::to_owned).collect()
}

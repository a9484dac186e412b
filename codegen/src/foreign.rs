//! Kinds of a document that are not Kubernetes' own: aggregated APIs, and custom resources whose definition is not given. What a
//! document lacks that a definition has (short names, printer columns) they lack, too.

use std::path::Path;

use serde_json::Value;

use crate::crd::{is_of_every_object, read_member};
use crate::error::{Diagnostics, Place};
use crate::json::Node;
use crate::model::{CustomKind, Kind, Member, Model, Object, Origin, Shape};
use crate::normalised::schema_text;

/// All such kinds whose objects the document, which is `file`, describes.
pub(crate) fn kinds(model: &Model, file: &Path) -> impl Iterator<Item = CustomKind> {
    let foreign = model.kinds.values();
    let foreign = foreign.filter(|kind| kind.origin != Origin::Kubernetes);
    foreign.filter_map(|kind| custom_kind(kind, model, file))
}

fn custom_kind(kind: &Kind, model: &Model, file: &Path) -> Option<CustomKind> {
    let name = kind.type_name.as_ref()?;
    let object = member(model, name)?;
    let described = model.described.get(name);
    Some(CustomKind {
        id: kind.id.clone(),
        plural: kind.plural.clone(),
        singular: kind.id.kind.to_lowercase(),
        list_kind: format!("{}List", kind.id.kind),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: kind.scope,
        deprecated: None,
        has_status: kind.subresources.contains("status"),
        scale: None,
        printer_columns: Vec::new(),
        selectable: described.map_or_else(Vec::new, |of| of.selectable.clone()),
        object: root(&object.shape),
        docs: object.docs,
        place: Place::inside(file, name, String::new()),
        warnings: Vec::new(),
        document: Some(kind.clone()),
    })
}

/// What a definition describes. Of Kubernetes' own the bare shape is known.
pub(crate) fn member(model: &Model, name: &str) -> Option<Member> {
    if let Some(described) = model.described.get(name) {
        return Some(described.member.clone());
    }
    let text = schema_text(model.types.get(name)?);
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let node = Node::root(Path::new(name), &value);
    Some(read_member(&node, &mut Diagnostics::default()))
}

/// The object without what every object has. One about which nothing is said keeps everything.
fn root(shape: &Shape) -> Object {
    match shape {
        Shape::Object(object) => {
            let mut object = object.clone();
            object.properties.retain(|p| !is_of_every_object(&p.name));
            object
        }
        Shape::Map(values) => Object {
            properties: Vec::new(),
            rest: Some(values.clone()),
        },
        _ => Object {
            properties: Vec::new(),
            rest: Some(Box::new(Member::any())),
        },
    }
}

//! One OpenAPI document, v2 or v3: where its definitions and references are.

use super::definition::read_definition;
use super::paths::Resources;
use super::schema::Definitions;
use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::Model;

/// Which OpenAPI it is. Only places differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// `definitions`, and a response has its schema directly.
    V2,
    /// `components.schemas`, and a response has a schema per content type.
    V3,
}

pub(super) fn read(root: &Node<'_>, flavour: Flavour, diagnostics: &mut Diagnostics) -> Model {
    let (schemas, prefix) = match flavour {
        Flavour::V2 => (root.get("definitions"), "#/definitions/"),
        Flavour::V3 => (
            root.get("components").and_then(|c| c.get("schemas")),
            "#/components/schemas/",
        ),
    };
    let members = schemas.map_or_else(Vec::new, |schemas| schemas.members(diagnostics));
    let definitions = Definitions::new(prefix, members.iter().map(|(name, _)| *name));
    let mut model = Model::default();
    for (name, node) in &members {
        read_definition(name, node, &definitions, &mut model, diagnostics);
    }
    if let Some(paths) = root.require("paths", "an object of paths", diagnostics) {
        let mut resources = Resources::new(&definitions);
        for (path, node) in paths.members(diagnostics) {
            resources.add(path, &node, diagnostics);
        }
        resources.into_kinds(&mut model);
    }
    model
}

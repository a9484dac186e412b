//! Reads the normalised document. The writer beside which its format is described is [`crate::normalised`].

use std::collections::BTreeSet;

use super::definition::read_definition;
use super::schema::Definitions;
use crate::error::{Diagnostics, Problem};
use crate::json::Node;
use crate::model::{Kind, KindId, Model, Origin, Scope, Verb};
use crate::normalised::{FORMAT, UNKNOWN};

pub(super) fn read(root: &Node<'_>, diagnostics: &mut Diagnostics) -> Model {
    let mut model = Model::default();
    if let Some(format) = root.get("larder")
        && format.value.as_u64() != Some(FORMAT)
    {
        diagnostics.push(format.error(Problem::Unknown {
            what: "format of a normalised document that this version reads",
            word: format.value.to_string(),
            suggestion: None,
        }));
        return model;
    }
    let types = root.require("types", "an object of types", diagnostics);
    let types = types.map_or_else(Vec::new, |types| types.members(diagnostics));
    let definitions = Definitions::new("", types.iter().map(|(name, _)| *name));
    for (name, node) in &types {
        read_definition(name, node, &definitions, &mut model, diagnostics);
    }
    let kinds = root.require("kinds", "an array of kinds", diagnostics);
    let kinds = kinds.map_or_else(Vec::new, |kinds| kinds.elements(diagnostics));
    for node in kinds {
        if let Some(kind) = read_kind(&node, &definitions, diagnostics) {
            model.kinds.insert(kind.id.clone(), kind);
        }
    }
    model
}

fn read_kind(
    node: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Kind> {
    let mut text = |key| {
        let value = node.require(key, "a string", diagnostics)?;
        value.text(diagnostics)
    };
    let (group, version) = (text("group"), text("version"));
    let (kind, plural) = (text("kind"), text("plural"));
    let scope = node.require("scope", "a scope", diagnostics);
    let scope = scope.and_then(|s| s.word("scope", &Scope::WORDS, diagnostics));
    let origin = match node.get("origin") {
        Some(origin) => origin.word("origin of a kind", &Origin::WORDS, diagnostics),
        None => Some(Origin::Kubernetes),
    };
    let watch = node.get("watch");
    let watch =
        watch.and_then(|w| w.word("statement about `watch`", &[(UNKNOWN, ())], diagnostics));
    let verbs = node.elements_of("verbs", diagnostics);
    let verbs = verbs
        .iter()
        .filter_map(|v| v.word("verb", &Verb::WORDS, diagnostics));
    let verbs: BTreeSet<Verb> = verbs.collect();
    let subresources = node.elements_of("subresources", diagnostics);
    let subresources = subresources.iter().filter_map(|s| s.text(diagnostics));
    let subresources = subresources.map(str::to_owned).collect();
    let mut definition = |key| definitions.reference(&node.get(key)?, diagnostics);
    let (type_name, list_type) = (definition("type"), definition("list"));
    Some(Kind {
        id: KindId::new(group?, version?, kind?),
        plural: plural?.to_owned(),
        scope: scope?,
        verbs,
        subresources,
        type_name,
        list_type,
        origin: origin?,
        watch_unknown: watch.is_some(),
    })
}

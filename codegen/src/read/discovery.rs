//! What a server says of its kinds in discovery: the verbs, which no OpenAPI document has.
//!
//! Read are an `APIResourceList` as `/apis/GROUP/VERSION` serves it, an `APIGroupDiscoveryList` as `/apis` serves it to those who
//! ask for aggregated discovery, and arrays of these. Source: the API concepts page, "discovery API".

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::{Model, Origin, Verb};

const LIST: &str = "APIResourceList";
const AGGREGATED: &str = "APIGroupDiscoveryList";

/// Group, version and plural.
type ResourceId = (String, String, String);

/// The verbs of resources.
#[derive(Debug, Default)]
pub(super) struct Discovery(BTreeMap<ResourceId, BTreeSet<Verb>>);

/// Whether a document is discovery's, not one of OpenAPI.
pub(super) fn is_discovery(root: &Node<'_>) -> bool {
    let kind = root.value.get("kind").and_then(|kind| kind.as_str());
    root.value.is_array() || [Some(LIST), Some(AGGREGATED)].contains(&kind)
}

impl Discovery {
    pub(super) fn read(&mut self, root: &Node<'_>, diagnostics: &mut Diagnostics) {
        if root.value.is_array() {
            for document in root.elements(diagnostics) {
                self.read_one(&document, diagnostics);
            }
        } else {
            self.read_one(root, diagnostics);
        }
    }

    fn read_one(&mut self, root: &Node<'_>, diagnostics: &mut Diagnostics) {
        const KINDS: [(&str, bool); 2] = [(LIST, false), (AGGREGATED, true)];
        let kind = root.require("kind", "a kind of discovery", diagnostics);
        match kind.and_then(|kind| kind.word("kind of discovery", &KINDS, diagnostics)) {
            Some(true) => self.read_aggregated(root, diagnostics),
            Some(false) => self.read_list(root, diagnostics),
            None => {}
        }
    }

    fn read_list(&mut self, root: &Node<'_>, diagnostics: &mut Diagnostics) {
        let expected = "a group and version, as `apps/v1`";
        let Some(node) = root.require("groupVersion", expected, diagnostics) else {
            return;
        };
        let Some(text) = node.text(diagnostics) else {
            return;
        };
        let (group, version) = text.split_once('/').unwrap_or(("", text));
        for resource in root.elements_of("resources", diagnostics) {
            self.add(group, version, &resource, "name", diagnostics);
        }
    }

    fn read_aggregated(&mut self, root: &Node<'_>, diagnostics: &mut Diagnostics) {
        for item in root.elements_of("items", diagnostics) {
            let metadata = item.get("metadata");
            // The core group has no name.
            let group = metadata.and_then(|m| m.text_of("name", diagnostics));
            for version in item.elements_of("versions", diagnostics) {
                let name = version.require("version", "a version", diagnostics);
                let Some(name) = name.and_then(|name| name.text(diagnostics)) else {
                    continue;
                };
                for resource in version.elements_of("resources", diagnostics) {
                    let group = group.unwrap_or_default();
                    self.add(group, name, &resource, "resource", diagnostics);
                }
            }
        }
    }

    /// Verbs that are none of a cache's business, as `impersonate`, are passed over.
    fn add<'a>(
        &mut self,
        group: &str,
        version: &str,
        resource: &Node<'a>,
        key: &'a str,
        diagnostics: &mut Diagnostics,
    ) {
        let plural = resource.require(key, "the name of a resource", diagnostics);
        let Some(plural) = plural.and_then(|plural| plural.text(diagnostics)) else {
            return;
        };
        let words = resource.elements_of("verbs", diagnostics);
        let words = words.iter().filter_map(|word| word.text(diagnostics));
        let verbs = words.filter_map(|word| {
            let known = Verb::WORDS.iter().find(|(known, _)| *known == word);
            known.map(|(_, verb)| *verb)
        });
        let id = (group.to_owned(), version.to_owned(), plural.to_owned());
        self.0.insert(id, verbs.collect());
    }

    /// The server's word on kinds that are not Kubernetes' own, of which the paths tell enough.
    pub(super) fn apply(&self, model: &mut Model) {
        for kind in model.kinds.values_mut() {
            let (group, version) = (&kind.id.group, &kind.id.version);
            let id = (group.clone(), version.clone(), kind.plural.clone());
            let Some(verbs) = self.0.get(&id) else {
                continue;
            };
            if kind.origin == Origin::Kubernetes {
                continue;
            }
            // Custom resources can always be watched.
            if kind.origin == Origin::CustomResource && !verbs.contains(&Verb::Watch) {
                kind.origin = Origin::Aggregated;
            }
            kind.verbs.clone_from(verbs);
            kind.watch_unknown = false;
        }
    }
}

//! Documents of one definition, from whatever files, to one definition.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::definition::{Names, name_of, versions};
use super::documents::Document;
use crate::error::{Diagnostics, Error, Place, Problem};
use crate::json::Node;

/// A definition with all versions that any document gives.
pub(super) struct Merged<'a> {
    pub(super) names: Names,
    names_at: Place,
    pub(super) versions: BTreeMap<&'a str, Node<'a>>,
}

/// Merges documents by the definition's name, and their versions by the version's. What two say differently is an error.
pub(super) fn merge<'a>(
    documents: &'a [Document],
    diagnostics: &mut Diagnostics,
) -> Vec<Merged<'a>> {
    let mut merged: BTreeMap<&str, Merged<'a>> = BTreeMap::new();
    for document in documents {
        let Some(name) = name_of(&document.value) else {
            let root = document.root("");
            let metadata = root.require("metadata", "metadata with a name", diagnostics);
            if let Some(metadata) = metadata {
                metadata.require("name", "the name of the definition", diagnostics);
            }
            continue;
        };
        let names = Names::read(document, diagnostics);
        let versions = versions(document, diagnostics);
        if let Some(names) = names {
            merge_one(&mut merged, name, document, names, versions, diagnostics);
        }
    }
    merged.into_values().collect()
}

fn merge_one<'a>(
    merged: &mut BTreeMap<&'a str, Merged<'a>>,
    name: &'a str,
    document: &'a Document,
    names: Names,
    versions: Vec<(&'a str, Node<'a>)>,
    diagnostics: &mut Diagnostics,
) {
    let place = document.root(name).place();
    let conflict = |what: String, place: Place, other: Place| {
        let definition = name.to_owned();
        Error::new(
            place,
            Problem::Conflict {
                definition,
                what,
                other,
            },
        )
    };
    let there = match merged.entry(name) {
        Entry::Occupied(there) => {
            if there.get().names != names {
                let other = there.get().names_at.clone();
                let what = "group, names or scope".to_owned();
                diagnostics.push(conflict(what, place, other));
            }
            there.into_mut()
        }
        Entry::Vacant(vacant) => vacant.insert(Merged {
            names,
            names_at: place,
            versions: BTreeMap::new(),
        }),
    };
    for (version, node) in versions {
        match there.versions.entry(version) {
            Entry::Vacant(vacant) => {
                vacant.insert(node);
            }
            Entry::Occupied(first) if first.get().value == node.value => {}
            Entry::Occupied(first) => {
                let what = format!("version {version}");
                diagnostics.push(conflict(what, node.place(), first.get().place()));
            }
        }
    }
}

//! Definitions of custom resources in, [`CustomKind`]s out.
//!
//! `files` finds the files of a pattern, `documents` takes them apart, `definition` reads what one document says of its
//! kind, `merge` makes one kind of all that is said, `schema` reads the shape of its objects, `keys` warns of keys that nobody reads. What always holds: every
//! error says file, document, definition, version and path, and all of them are collected; what is no definition is
//! skipped and counted; the order of the files makes no difference.

mod definition;
mod documents;
mod files;
mod keys;
mod merge;
mod schema;

pub(crate) use files::watched;
pub(crate) use schema::{definition as definition_of, is_of_every_object, read_member, read_shape};

use std::collections::BTreeMap;

use crate::error::{Diagnostics, Error, Problem};
use crate::model::{CustomKind, KindId};
use crate::warning::Warning;

/// What a set of patterns has.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// The kinds, one for each version that is wanted.
    pub(crate) kinds: BTreeMap<KindId, CustomKind>,
    /// Versions that are not served, and were not asked for.
    pub(crate) unserved: Vec<KindId>,
    /// How many documents are no definition.
    pub(crate) others: usize,
    /// What was passed over in definitions, beside what each kind has of its own version.
    pub(crate) warnings: Vec<Warning>,
}

impl Definitions {
    /// Adds a kind; another definition of the same is an error, as one of the two would be lost.
    fn add(&mut self, kind: CustomKind, diagnostics: &mut Diagnostics) {
        if let Some(first) = self.kinds.get(&kind.id) {
            diagnostics.push(Error::new(
                kind.place,
                Problem::Conflict {
                    definition: kind.id.to_string(),
                    what: "the definition".to_owned(),
                    other: first.place.clone(),
                },
            ));
            return;
        }
        self.kinds.insert(kind.id.clone(), kind);
    }

    /// Whether there is a definition of this kind, served or not.
    pub(crate) fn describe(&self, id: &KindId) -> bool {
        self.kinds.contains_key(id) || self.unserved.contains(id)
    }
}

/// Reads all definitions that `patterns` lead to.
pub(crate) fn read(
    patterns: &[String],
    unserved: bool,
    diagnostics: &mut Diagnostics,
) -> Definitions {
    let mut found = documents::Documents::default();
    for pattern in patterns {
        let before = (found.definitions.len(), found.others);
        let files = files::of(pattern, diagnostics);
        let mut complete = !files.is_empty();
        for file in files {
            complete &= found.add(&file, diagnostics);
        }
        let others = found.others - before.1;
        if complete && found.definitions.len() == before.0 {
            let problem = Problem::NoDefinition { others };
            diagnostics.push(Error::at_file(pattern.as_ref(), problem));
        }
    }
    let mut definitions = Definitions {
        others: found.others,
        ..Definitions::default()
    };
    for document in &found.definitions {
        let name = definition::name_of(&document.value).unwrap_or_default();
        keys::of_definition(&document.root(name), &mut definitions.warnings);
    }
    for definition in merge::merge(&found.definitions, diagnostics) {
        definition.read_versions(unserved, &mut definitions, diagnostics);
    }
    definitions
}

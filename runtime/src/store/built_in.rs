//! The indexes that every informer has, each made when it is first used: labels, owners and names.

use std::borrow::Borrow;

use larder_selector::{Requirement, Test};

use super::extract::Extract;
use super::posting::Posting;
use super::postings::Postings;
use crate::kept::{KeptLabels, KeptMetadata};
use crate::selector::LabelSelector;

/// Of the owners' index.
pub(crate) const OWNERS: &str = "metadata.ownerReferences[].uid";

/// By the uid of each owner.
pub(crate) struct Owners;

impl<R: KeptMetadata> Extract<R> for Owners {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some(OWNERS)
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(String)) {
        let owners = R::metadata(stored).owner_references.iter().flatten();
        owners.for_each(|owner| emit(owner.uid.clone()));
    }
}

/// By the name, whichever the namespace is.
pub(crate) struct Names;

impl<R: KeptMetadata> Extract<R> for Names {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("metadata.name")
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(String)) {
        R::metadata(stored).name.clone().into_iter().for_each(emit);
    }
}

/// By the labels, for selectors.
pub(crate) struct Labels;

/// What the labels index has an object under: `key` for each label, and `key=value`. A type of its own, so that nobody else's index is
/// taken for this one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LabelText(Box<str>);

impl Borrow<str> for LabelText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Of the labels index.
pub(crate) const LABELS: &str = "metadata.labels";

impl<R: KeptLabels> Extract<R> for Labels {
    type Key = LabelText;

    fn path(&self) -> Option<&str> {
        Some(LABELS)
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(LabelText)) {
        for (key, value) in &*R::labels(stored) {
            // No selector can name such a key, and it would read as another's value.
            if key.contains('=') {
                continue;
            }
            emit(LabelText(key.as_str().into()));
            emit(LabelText(format!("{key}={value}").into()));
        }
    }

    /// Nearly every change of an object leaves its labels, and making the texts costs far more than comparing.
    fn __same(&self, old: &R::Stored, new: &R::Stored) -> bool {
        R::labels(old) == R::labels(new)
    }
}

/// Those objects that fulfil one requirement of a label selector, by the labels index.
pub(crate) struct Labelled<'a> {
    postings: Vec<&'a Posting>,
    /// Whether the requirement is all that the selector asks for, so that these objects need no further look.
    whole: bool,
}

impl Labelled<'_> {
    /// How many objects there are. A label has one value, so no object is counted twice.
    pub(crate) fn count(&self) -> usize {
        self.postings.iter().map(|posting| posting.len()).sum()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The objects, in none of these twice.
    pub(crate) fn postings(&self) -> Vec<Posting> {
        self.postings.iter().copied().cloned().collect()
    }
}

impl Postings<LabelText> {
    /// The requirement of a selector that the fewest objects fulfil. `None` where there is none that the index can serve, as where
    /// all ask for what is not there.
    pub(crate) fn labelled(&self, selector: &LabelSelector) -> Option<Labelled<'_>> {
        let alone = selector.requirements().len() == 1;
        let served = selector.requirements().iter().filter_map(|requirement| {
            let (texts, exactly) = served(requirement)?;
            let found = texts.iter().filter_map(|text| self.get(text.as_str()));
            Some(Labelled {
                postings: found.map(|(_, posting)| posting).collect(),
                whole: alone && exactly,
            })
        });
        served.min_by_key(Labelled::count)
    }
}

impl Postings<LabelText> {
    /// The objects that have the label with one of these different values.
    pub(crate) fn with_label(&self, key: &str, values: &[String]) -> Vec<Posting> {
        let texts = values.iter().map(|value| format!("{key}={value}"));
        texts
            .filter_map(|text| self.get(text.as_str()).map(|(_, posting)| posting.clone()))
            .collect()
    }
}

/// Whether the labels index can serve a requirement of this selector.
pub(crate) fn serves_labels(selector: &LabelSelector) -> bool {
    selector
        .requirements()
        .iter()
        .any(|one| served(one).is_some())
}

/// The texts of which an object has exactly one where it fulfils the requirement, and whether every object that has one fulfils it.
fn served(requirement: &Requirement) -> Option<(Vec<String>, bool)> {
    let key = requirement.key();
    match requirement.test() {
        Test::In(values) => Some((
            values
                .iter()
                .map(|value| format!("{key}={value}"))
                .collect(),
            true,
        )),
        Test::Exists => Some((vec![key.to_owned()], true)),
        Test::Greater(_) | Test::Less(_) => Some((vec![key.to_owned()], false)),
        Test::NotIn(_) | Test::Absent => None,
    }
}

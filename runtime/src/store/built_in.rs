//! The indexes that every informer has, each made when it is first used: labels and owners.

use std::borrow::Borrow;

use super::extract::Extract;
use super::posting::Posting;
use super::postings::Postings;
use super::state::State;
use crate::kept::{Kept, KeptLabels, KeptMetadata};
use crate::selector::LabelSelector;

/// By the uid of each owner.
pub(crate) struct Owners;

impl<R: KeptMetadata> Extract<R> for Owners {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("metadata.ownerReferences[].uid")
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(String)) {
        let owners = R::metadata(stored).owner_references.iter().flatten();
        owners.for_each(|owner| emit(owner.uid.clone()));
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
}

/// Those objects that fulfil one requirement of a label selector, by the labels index.
pub(crate) struct Labelled<'a> {
    /// What the index was asked for: an object has one of these.
    texts: Vec<String>,
    postings: Vec<&'a Posting>,
    /// Whether the requirement is all that the selector asks for, so that these objects need no further look.
    whole: bool,
}

impl Labelled<'_> {
    /// How many objects there are. A label has one value, so no object is counted twice.
    pub(crate) fn count(&self) -> usize {
        self.postings.iter().map(|posting| posting.len()).sum()
    }

    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The objects; `None` where there is none.
    pub(crate) fn posting(&self) -> Option<Posting> {
        Posting::union(self.postings.iter().copied())
    }
}

impl<R: Kept> State<R> {
    /// The labels index, where it was made.
    pub(crate) fn labels(&self) -> Option<&Postings<LabelText>> {
        self.by_path(LABELS).map(|postings| &**postings)
    }
}

impl Postings<LabelText> {
    /// The requirement of a selector that the fewest objects fulfil. `None` where there is none that the index can serve, as where
    /// all ask for what is not there.
    pub(crate) fn labelled(&self, selector: &LabelSelector) -> Option<Labelled<'_>> {
        let look_up = |texts: Vec<String>, whole| {
            let found = texts.iter().filter_map(|text| self.get(text.as_str()));
            Labelled {
                postings: found.map(|(_, posting)| posting).collect(),
                texts,
                whole,
            }
        };
        let served = selector.indexed();
        served
            .map(|(texts, whole)| look_up(texts, whole))
            .min_by_key(Labelled::count)
    }
}

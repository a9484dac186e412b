//! A complete listing while it arrives, beside the state that readers see.

use std::collections::HashMap;
use std::sync::Arc;

use crate::entry::Entry;
use crate::key::ObjectKey;

/// What a listing said so far: a bit per unchanged object, an entry per changed one. A listing in which nothing changed
/// costs one bit an object.
pub(crate) struct Staging<S> {
    unchanged: Vec<u64>,
    changed: Vec<Option<Entry<S>>>,
    place: HashMap<ObjectKey, usize>,
    /// Held while objects are noted by their numbers.
    _numbers: Option<Numbers>,
}

/// Whoever holds one has noted numbers of stored objects, which therefore stay as they are.
#[derive(Clone, Default)]
pub(crate) struct Numbers(Arc<()>);

impl Numbers {
    /// Whether nobody else holds one.
    pub(crate) fn are_free(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl<S> Default for Staging<S> {
    fn default() -> Self {
        Self {
            unchanged: Vec::new(),
            changed: Vec::new(),
            place: HashMap::new(),
            _numbers: None,
        }
    }
}

impl<S> Staging<S> {
    /// An empty listing that may note numbers.
    pub(crate) fn new(numbers: Numbers) -> Self {
        Self {
            _numbers: Some(numbers),
            ..Self::default()
        }
    }

    /// The stored object with this number is in the listing as it is.
    pub(crate) fn keep(&mut self, id: u32) {
        let word = id as usize / 64;
        if word >= self.unchanged.len() {
            self.unchanged.resize(word + 1, 0);
        }
        if let Some(bits) = self.unchanged.get_mut(word) {
            *bits |= 1 << (id % 64);
        }
    }

    /// The stored object with this number is not, or no longer, in the listing as it is.
    pub(crate) fn discard(&mut self, id: u32) {
        if let Some(bits) = self.unchanged.get_mut(id as usize / 64) {
            *bits &= !(1 << (id % 64));
        }
    }

    pub(crate) fn keeps(&self, id: u32) -> bool {
        self.unchanged
            .get(id as usize / 64)
            .is_some_and(|bits| bits >> (id % 64) & 1 == 1)
    }

    /// The listing has this object, new or changed; a later word on a key replaces an earlier one.
    pub(crate) fn put(&mut self, entry: Entry<S>) {
        match self.place.get(&entry.key) {
            Some(at) => {
                if let Some(place) = self.changed.get_mut(*at) {
                    *place = Some(entry);
                }
            }
            None => {
                self.place.insert(entry.key.clone(), self.changed.len());
                self.changed.push(Some(entry));
            }
        }
    }

    /// Whatever was put under this key is not in the listing after all.
    pub(crate) fn forget(&mut self, key: &ObjectKey) {
        if let Some(place) = self.place.get(key).and_then(|at| self.changed.get_mut(*at)) {
            *place = None;
        }
    }

    pub(crate) fn has_changed(&self, key: &ObjectKey) -> bool {
        self.place
            .get(key)
            .and_then(|at| self.changed.get(*at))
            .is_some_and(Option::is_some)
    }

    /// The new and changed objects in the order of the listing.
    pub(crate) fn into_changed(self) -> impl Iterator<Item = Entry<S>> {
        self.changed.into_iter().flatten()
    }
}

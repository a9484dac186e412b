//! A handler that folds what it is told into a map, and checks on the way what a handler may rely on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use larder::{Handler, Kept, ObjectKey, ResourceVersion, Seen, Tombstone};

/// The versions of all objects according to one handler, and what it was told wrongly.
#[derive(Clone, Default)]
pub(crate) struct Fold(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    versions: BTreeMap<ObjectKey, ResourceVersion>,
    missed_deletes: usize,
    wrong: Vec<String>,
}

impl Fold {
    pub(crate) fn versions(&self) -> BTreeMap<ObjectKey, ResourceVersion> {
        self.0.lock().unwrap().versions.clone()
    }

    pub(crate) fn missed_deletes(&self) -> usize {
        self.0.lock().unwrap().missed_deletes
    }

    pub(crate) fn wrong(&self) -> Vec<String> {
        self.0.lock().unwrap().wrong.clone()
    }
}

impl State {
    fn expect(&mut self, right: bool, what: &str, key: &ObjectKey) {
        if !right {
            self.wrong.push(format!("{what}: {key}"));
        }
    }
}

impl<R: Kept> Handler<R> for Fold {
    fn on_add(&self, new: &Seen<R>, _initial: bool) {
        let mut state = self.0.lock().unwrap();
        let before = state
            .versions
            .insert(new.key().clone(), new.version().clone());
        state.expect(before.is_none(), "an add of what was there", new.key());
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        let mut state = self.0.lock().unwrap();
        let before = state
            .versions
            .insert(new.key().clone(), new.version().clone());
        state.expect(
            before.as_ref() == Some(old.version()),
            "old is not what was told last",
            new.key(),
        );
        state.expect(
            old.uid() == new.uid(),
            "an update from one object to another",
            new.key(),
        );
    }

    fn on_delete(&self, gone: &Tombstone<R>) {
        let mut state = self.0.lock().unwrap();
        let before = state.versions.remove(gone.key());
        state.expect(
            before.is_some(),
            "a delete of what was not there",
            gone.key(),
        );
        state.missed_deletes += usize::from(!gone.final_state());
    }
}

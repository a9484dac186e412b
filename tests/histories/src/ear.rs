//! A handler that checks what every handler is promised.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use larder::{Handler, Kept, ObjectKey, Seen, Tombstone};

use crate::fold::Fold;
use crate::trace::Trace;

/// The whole fold; beyond it, versions of a key never go back. (The simulator's versions are numbers that rise.)
#[derive(Clone)]
pub(crate) struct Ear {
    name: Arc<str>,
    trace: Trace,
    fold: Fold,
    more: Arc<Mutex<More>>,
}

#[derive(Default)]
struct More {
    highest: HashMap<ObjectKey, u64>,
    calls: usize,
    wrong: Vec<String>,
}

impl Ear {
    pub(crate) fn new(name: &str, trace: &Trace) -> Self {
        Self {
            name: name.into(),
            trace: trace.clone(),
            fold: Fold::default(),
            more: Arc::default(),
        }
    }

    /// Key and version of each object that it was told of.
    pub(crate) fn told(&self) -> BTreeMap<String, String> {
        let versions = self.fold.versions().into_iter();
        versions
            .map(|(key, version)| (key.to_string(), version.to_string()))
            .collect()
    }

    pub(crate) fn calls(&self) -> usize {
        self.more.lock().unwrap().calls
    }

    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut wrong = self.fold.wrong();
        wrong.extend(self.more.lock().unwrap().wrong.iter().cloned());
        wrong
    }

    fn hear<R: Kept>(&self, what: &str, seen: &Seen<R>, rises: bool) {
        let (key, name) = (seen.key(), &self.name);
        self.trace
            .note(format_args!("{name}: {what} {key}@{}", seen.version()));
        let version: u64 = seen.version().to_string().parse().unwrap();
        let mut more = self.more.lock().unwrap();
        more.calls += 1;
        let before = more.highest.insert(key.clone(), version).unwrap_or(0);
        if before > version || (rises && before == version) {
            more.wrong
                .push(format!("{key} went from {before} to {version}"));
        }
    }
}

impl<R: Kept> Handler<R> for Ear {
    fn on_add(&self, new: &Seen<R>, initial: bool) {
        self.hear(if initial { "initial" } else { "add" }, new, false);
        self.fold.on_add(new, initial);
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        self.hear("update", new, old.version() != new.version());
        self.fold.on_update(old, new);
    }

    fn on_delete(&self, gone: &Tombstone<R>) {
        self.hear("delete", gone.seen(), false);
        self.fold.on_delete(gone);
    }
}

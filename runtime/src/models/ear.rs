//! A handler that checks what every handler is promised, and lets others wait for what it was told.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use shuttle::sync::{Condvar, Mutex};

use super::cluster::{Content, Number};
use crate::handler::{Handler, Seen, Tombstone};
use crate::identity::Uid;
use crate::store::Shared;

/// What a handler was told, for the model to look at.
#[derive(Default)]
pub(super) struct Ear {
    heard: Mutex<Heard>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct Heard {
    /// Key → uid and version.
    told: BTreeMap<String, (Uid, u64)>,
    /// What the contract forbids. Not a panic: the handler's task would catch that.
    wrong: Vec<String>,
    pub(super) calls: usize,
    pub(super) resyncs: usize,
    /// A call runs at this moment.
    pub(super) running: bool,
    /// The handler is gone.
    pub(super) dropped: bool,
    /// `remove` has returned.
    pub(super) removed: bool,
    /// Calls that began after that.
    pub(super) after_removal: usize,
}

impl Heard {
    pub(super) fn content(&self) -> Content {
        let told = self.told.iter();
        told.map(|(key, (_, version))| (key.clone(), *version))
            .collect()
    }
}

impl Ear {
    /// A handler of `store` and what it will hear.
    pub(super) fn new(store: &Arc<Shared<Number>>) -> (Box<Listening>, Arc<Self>) {
        let ear = Arc::new(Self::default());
        let store = Arc::downgrade(store);
        let listening = Listening {
            store,
            ear: Arc::clone(&ear),
        };
        (Box::new(listening), ear)
    }

    /// The same without a look at the store.
    pub(super) fn alone() -> (Listening, Arc<Self>) {
        let ear = Arc::new(Self::default());
        let listening = Listening {
            store: Weak::new(),
            ear: Arc::clone(&ear),
        };
        (listening, ear)
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&mut Heard) -> T) -> T {
        look(&mut self.heard.lock().unwrap())
    }

    pub(super) fn wait(&self, wanted: impl Fn(&Heard) -> bool) {
        let mut heard = self.heard.lock().unwrap();
        while !wanted(&heard) {
            heard = self.changed.wait(heard).unwrap();
        }
    }

    /// Waits until it was told of this content, and checks all that it was told up to now.
    pub(super) fn ends_with(&self, content: &Content) {
        self.wait(|heard| heard.content() == *content);
        self.check();
    }

    pub(super) fn check(&self) {
        let wrong = self.look(|heard| std::mem::take(&mut heard.wrong));
        assert_eq!(wrong, Vec::<String>::new());
    }
}

pub(super) struct Listening {
    store: Weak<Shared<Number>>,
    ear: Arc<Ear>,
}

impl Listening {
    fn hear(&self, call: impl FnOnce(&mut Heard)) {
        self.ear.look(|heard| {
            heard.calls += 1;
            heard.after_removal += usize::from(heard.removed);
            if std::mem::replace(&mut heard.running, true) {
                heard.wrong.push("two calls at once".to_owned());
            }
        });
        // Others may run while the call does.
        self.ear.look(|heard| {
            heard.running = false;
            call(heard);
        });
        self.ear.changed.notify_all();
    }

    /// The state that was told of must be in the store already, or be in its past.
    fn ahead(&self, seen: &Seen<Number>) -> Option<String> {
        let state = self.store.upgrade()?.state();
        let told: u64 = seen.object();
        let shown = match state.get(seen.key()) {
            Some(entry) => *entry.stored,
            None => {
                let versions = (0..2).filter_map(|id| state.version_of(crate::entry::SourceId(id)));
                versions
                    .filter_map(|version| version.to_string().parse().ok())
                    .max()
                    .unwrap_or(0)
            }
        };
        (shown < told).then(|| format!("{} at {told} before the store showed it", seen.key()))
    }
}

impl Handler<Number> for Listening {
    fn on_add(&self, new: &Seen<Number>, _: bool) {
        let behind = self.ahead(new);
        self.hear(|heard| {
            heard.wrong.extend(behind);
            let told = (new.uid().clone(), new.object());
            if heard.told.insert(new.key().to_string(), told).is_some() {
                heard.wrong.push(format!("{} added twice", new.key()));
            }
        });
    }

    fn on_update(&self, old: &Seen<Number>, new: &Seen<Number>) {
        let behind = self.ahead(new);
        self.hear(|heard| {
            heard.wrong.extend(behind);
            let told = (new.uid().clone(), new.object());
            let before = heard.told.insert(new.key().to_string(), told);
            if before != Some((old.uid().clone(), old.object())) || old.uid() != new.uid() {
                let wrong = format!("{} updated from what was not told last", new.key());
                heard.wrong.push(wrong);
            }
            match old.object().cmp(&new.object()) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => heard.resyncs += 1,
                std::cmp::Ordering::Greater => {
                    heard.wrong.push(format!("{} went back", new.key()));
                }
            }
        });
    }

    fn on_delete(&self, gone: &Tombstone<Number>) {
        let store = self.store.upgrade();
        let current = store.and_then(|store| store.state().get(gone.key()).cloned());
        let there = current.is_some_and(|entry| entry.uid == *gone.uid());
        self.hear(|heard| {
            if there {
                let wrong = format!("{} deleted before the store showed it", gone.key());
                heard.wrong.push(wrong);
            }
            let before = heard.told.remove(&gone.key().to_string());
            if before.map(|(uid, _)| uid) != Some(gone.uid().clone()) {
                heard
                    .wrong
                    .push(format!("{} deleted but not there", gone.key()));
            }
        });
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.ear.look(|heard| heard.dropped = true);
        self.ear.changed.notify_all();
    }
}

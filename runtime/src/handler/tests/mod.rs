//! Tests of the folder as a whole, named by what they show. This file is the harness: a small store that calls the hub
//! as the real one does, and a handler that writes down what it hears.

mod calls;
mod concurrent;
mod hub;
mod queue;
mod resync;
mod stream;

use std::collections::{BTreeMap, btree_map};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use super::hub::{Hub, HubConfig};
use super::resync::{Current, Replay};
use super::{Events, Handler, HandlerOptions, Registration, Seen, Tombstone};
use crate::decode::RawObject;
use crate::entry::{Change, Entry, SourceId};
use crate::identity::{ResourceVersion, Uid};
use crate::kept::{Kept, StoreError, Transform, TransformError};
use crate::key::ObjectKey;
use crate::kind::{Kind, Scope};
use crate::observe::Observed;

const SECOND: Duration = Duration::from_secs(1);

/// Objects that are a text each.
struct Texts;

impl Kept for Texts {
    type Object = ();
    type Stored = Arc<str>;
    type Read = Arc<str>;

    fn store(_: &RawObject<'_>, _: &Transform<()>) -> Result<Arc<str>, StoreError> {
        Err(TransformError::new("these are not made from bytes").into())
    }

    fn read(stored: &Arc<str>) -> Arc<str> {
        Arc::clone(stored)
    }
}

fn widgets() -> Kind {
    Kind::from_static("example.com", "v1", "Widget", "widgets", Scope::Namespaced)
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("web", name)
}

fn entry(name: &str, uid: u64, version: u64) -> Entry<Arc<str>> {
    Entry {
        key: key(name),
        uid: Uid::new(&format!("uid-{uid}")),
        version: ResourceVersion::new(&version.to_string()),
        source: SourceId(0),
        stored: Arc::from(format!("{name} at {version}")),
    }
}

/// A store that does nothing but keep the promises that the hub relies on.
struct Store {
    hub: Hub<Texts>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<ObjectKey, Entry<Arc<str>>>,
    version: u64,
    synced: bool,
}

struct Walk(btree_map::IntoValues<ObjectKey, Entry<Arc<str>>>);

impl Replay<Texts> for Walk {
    fn next(&mut self) -> Option<Entry<Arc<str>>> {
        self.0.next()
    }
}

impl State {
    fn walk(&self) -> Box<dyn Replay<Texts>> {
        Box::new(Walk(self.objects.clone().into_values()))
    }
}

impl Current<Texts> for Store {
    fn snapshot(&self) -> Box<dyn Replay<Texts>> {
        self.lock().walk()
    }

    fn current(&self, key: &ObjectKey) -> Option<Entry<Arc<str>>> {
        self.lock().objects.get(key).cloned()
    }
}

impl Store {
    fn new() -> Arc<Self> {
        Self::with_resync(None)
    }

    fn with_resync(resync: Option<Duration>) -> Arc<Self> {
        Arc::new_cyclic(|weak: &Weak<Self>| Self {
            hub: Hub::new(HubConfig {
                informer: Observed::alone(&widgets()),
                runtime: tokio::runtime::Handle::current(),
                resync,
                current: weak.clone(),
            }),
            state: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Creates or updates an object, as a watch event would.
    fn set(&self, name: &str) {
        let mut state = self.lock();
        state.version += 1;
        let version = state.version;
        let old = state.objects.get(&key(name)).cloned();
        let new = match &old {
            Some(old) => Entry {
                uid: old.uid.clone(),
                ..entry(name, 0, version)
            },
            None => entry(name, version, version),
        };
        state.objects.insert(key(name), new.clone());
        let initial = !state.synced;
        self.hub.publish(&[match old {
            Some(old) => Change::Update { old, new },
            None => Change::Add { new, initial },
        }]);
    }

    fn delete(&self, name: &str, final_state: bool) {
        let mut state = self.lock();
        if let Some(last) = state.objects.remove(&key(name)) {
            self.hub.publish(&[Change::Delete { last, final_state }]);
        }
    }

    /// The first listing: all these objects, in one step, then synced.
    fn list(&self, names: &[&str]) {
        let mut state = self.lock();
        for name in names {
            state.version += 1;
            let new = entry(name, state.version, state.version);
            state.objects.insert(key(name), new);
        }
        self.hub.publish_initial(&|| state.walk());
        state.synced = true;
        self.hub.mark_synced();
    }

    fn mark_synced(&self) {
        let mut state = self.lock();
        state.synced = true;
        self.hub.mark_synced();
    }

    fn add(&self, handler: impl Handler<Texts>, options: HandlerOptions) -> Registration {
        let state = self.lock();
        self.hub
            .add(Box::new(handler), options, Some(state.walk()), state.synced)
            .unwrap()
    }

    fn events(&self, options: HandlerOptions) -> Events<Texts> {
        let state = self.lock();
        self.hub
            .events(options, Some(state.walk()), state.synced)
            .unwrap()
    }
}

/// Writes down what it hears, in the order in which it hears it.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    /// What was heard since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Handler<Texts> for Recorder {
    fn on_add(&self, object: &Seen<Texts>, initial: bool) {
        let initial = if initial { " initial" } else { "" };
        self.push(format!("add {}{initial}", object.object()));
    }

    fn on_update(&self, old: &Seen<Texts>, new: &Seen<Texts>) {
        self.push(format!("update {} to {}", old.object(), new.version()));
    }

    fn on_delete(&self, gone: &Tombstone<Texts>) {
        let missed = if gone.final_state() { "" } else { " missed" };
        self.push(format!("delete {}{missed}", gone.last_known()));
    }
}

/// Lets every task run until none can: with the clock paused, time passes only then.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

fn options() -> HandlerOptions {
    HandlerOptions::default()
}

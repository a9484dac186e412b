//! The objects of one kind, now and at earlier versions.

use super::log::{Change, Event, Log};
use crate::{
    bell::{Bell, Listener},
    kind::Kind,
    object::Stored,
    selector::Selector,
};
use std::{collections::BTreeMap, ops::Bound, sync::Arc};

/// Objects by key, their log, and the bell that open watches listen to.
pub(crate) struct Table {
    kind: Arc<Kind>,
    objects: BTreeMap<Arc<str>, Arc<Stored>>,
    log: Log,
    bell: Bell<u64>,
}

/// What a list asks of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageQuery<'a> {
    /// The version whose state is read; now, if absent.
    pub(crate) at: Option<u64>,
    /// Empty for all namespaces.
    pub(crate) namespace: &'a str,
    /// Where to go on: the first key that may be part of the page.
    pub(crate) from: Option<&'a str>,
    pub(crate) selector: &'a Selector,
    /// 0 for no limit.
    pub(crate) limit: usize,
}

/// A page of objects.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Stored>>,
    /// The key of the last object, if more follow.
    pub(crate) more_after: Option<Arc<str>>,
    /// How many follow; known without a selector only, as from the real server.
    pub(crate) remaining: Option<u64>,
}

impl Table {
    pub(crate) fn new(kind: Arc<Kind>, history: usize, from: u64) -> Self {
        let bell = Bell::new(0);
        Self {
            kind,
            objects: BTreeMap::new(),
            log: Log::new(history, from),
            bell,
        }
    }

    pub(crate) fn kind(&self) -> &Arc<Kind> {
        &self.kind
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<Stored>> {
        self.objects.get(key).cloned()
    }

    /// The version from which on the log is complete.
    pub(crate) fn oldest(&self) -> u64 {
        self.log.dropped()
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    pub(crate) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    /// Rings on every change, and falls silent for good when the kind is removed.
    pub(crate) fn bell(&self) -> Listener<u64> {
        self.bell.listen()
    }

    pub(crate) fn trim(&mut self, compacted: u64) {
        self.log.trim(compacted);
    }

    pub(crate) fn apply(&mut self, change: Change, object: Arc<Stored>, compacted: u64) {
        let previous = match change {
            Change::Deleted => self.objects.remove(&object.key),
            Change::Added | Change::Modified => self
                .objects
                .insert(Arc::clone(&object.key), Arc::clone(&object)),
        };
        let version = object.version;
        self.log.push(
            Event {
                change,
                object,
                previous,
            },
            compacted,
        );
        self.bell.ring(version);
    }

    /// All objects, in the order of their keys.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Arc<Stored>> {
        self.objects.values()
    }

    /// One page of the state now or at an earlier version, which must not be before the oldest one kept.
    /// Costs a step per object that lies in the namespace after the start.
    pub(crate) fn page(&self, query: PageQuery<'_>) -> Page {
        let prefix = if query.namespace.is_empty() {
            String::new()
        } else {
            format!("{}/", query.namespace)
        };
        let from: &str = query.from.unwrap_or(&prefix);
        let undone = query.at.map(|at| self.undo(at)).unwrap_or_default();
        let in_scope = |object: &Arc<Stored>| object.key.starts_with(&prefix);
        let mut candidates = self
            .merged(from, &undone)
            .take_while(|object| in_scope(object));
        let mut page = Page::default();
        while let Some(object) = candidates.next() {
            if query.selector.is_empty() || query.selector.matches(object) {
                page.objects.push(Arc::clone(object));
            }
            if query.limit > 0 && page.objects.len() >= query.limit {
                let rest = candidates.count();
                if rest > 0 {
                    page.more_after = page.objects.last().map(|last| Arc::clone(&last.key));
                    page.remaining = query.selector.is_empty().then_some(rest as u64);
                }
                break;
            }
        }
        page
    }

    /// What was different at `version`: for each key that changed since, the object of then.
    fn undo(&self, version: u64) -> BTreeMap<&str, Option<&Arc<Stored>>> {
        let mut then = BTreeMap::new();
        for event in self.log.after(version) {
            then.entry(&*event.object.key)
                .or_insert(event.previous.as_ref());
        }
        then
    }

    /// The objects from `from` on, each in its state of then where `undone` knows it.
    fn merged<'a>(
        &'a self,
        from: &str,
        undone: &'a BTreeMap<&'a str, Option<&'a Arc<Stored>>>,
    ) -> impl Iterator<Item = &'a Arc<Stored>> {
        let bounds = (Bound::Included(from), Bound::<&str>::Unbounded);
        let mut now = self.objects.range::<str, _>(bounds).peekable();
        let mut then = undone.range::<str, _>(bounds).peekable();
        std::iter::from_fn(move || {
            loop {
                let next_now = now.peek().map(|(key, _)| &***key);
                let next_then = then.peek().map(|(key, _)| **key);
                let (take_now, take_then) = match (next_now, next_then) {
                    (None, None) => return None,
                    (Some(_), None) => (true, false),
                    (None, Some(_)) => (false, true),
                    (Some(a), Some(b)) => (a <= b, b <= a),
                };
                let current = if take_now {
                    now.next().map(|(_, object)| object)
                } else {
                    None
                };
                if !take_then {
                    return current;
                }
                if let Some((_, Some(object))) = then.next() {
                    return Some(*object);
                }
            }
        })
    }
}

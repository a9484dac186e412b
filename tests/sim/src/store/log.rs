//! The changes of one kind, in order, as far back as they are kept.

use crate::object::Stored;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Modified,
    Deleted,
}

/// One change. A deleted object is its last state at the version of its deletion.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) change: Change,
    pub(crate) object: Arc<Stored>,
    pub(crate) previous: Option<Arc<Stored>>,
}

/// Changes after `dropped`, and how far each open watch has read them.
#[derive(Debug)]
pub(crate) struct Log {
    events: VecDeque<Event>,
    limit: usize,
    dropped: u64,
    readers: BTreeMap<u64, u64>,
    next_reader: u64,
}

impl Log {
    pub(crate) fn new(limit: usize, from: u64) -> Self {
        Self {
            events: VecDeque::new(),
            limit,
            dropped: from,
            readers: BTreeMap::new(),
            next_reader: 0,
        }
    }

    /// The version up to which changes were dropped; 0 for a log that is complete.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn push(&mut self, event: Event, compacted: u64) {
        self.events.push_back(event);
        self.trim(compacted);
    }

    /// Drops what is compacted and read by every open watch, and whatever exceeds the limit.
    pub(crate) fn trim(&mut self, compacted: u64) {
        while self.events.len() > self.limit {
            self.drop_first();
        }
        let unread = self.readers.values().min().copied().unwrap_or(u64::MAX);
        let through = compacted.min(unread);
        while self
            .events
            .front()
            .is_some_and(|event| event.object.version <= through)
        {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.dropped = event.object.version;
        }
    }

    /// The changes after `version`, oldest first.
    pub(crate) fn after(&self, version: u64) -> impl DoubleEndedIterator<Item = &Event> {
        let from = self
            .events
            .partition_point(|event| event.object.version <= version);
        self.events.range(from..)
    }

    /// Registers a watch that has seen everything up to `version`.
    pub(crate) fn open_reader(&mut self, version: u64) -> u64 {
        self.next_reader += 1;
        self.readers.insert(self.next_reader, version);
        self.next_reader
    }

    pub(crate) fn move_reader(&mut self, reader: u64, version: u64) {
        if let Some(position) = self.readers.get_mut(&reader) {
            *position = version;
        }
    }

    pub(crate) fn close_reader(&mut self, reader: u64) {
        self.readers.remove(&reader);
    }

    pub(crate) fn readers(&self) -> usize {
        self.readers.len()
    }
}

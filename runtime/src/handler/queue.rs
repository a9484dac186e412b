//! The events that wait for one handler: first in, first out, merged per key once there are too many.
//!
//! A pure data structure, without locks or tasks. What always holds:
//!
//! - The events of one key, taken in order, are a chain: each starts at the state where the one before ended. Merging
//!   two neighbours of a key keeps the chain, so `old` is always the state this handler was given last.
//! - Up to `capacity` events wait as they came. Above it at most two wait per key: a delete and the re-creation after
//!   it, which never merge. So memory is bounded by the number of keys, whatever the handler does.
//! - Every change pushed is either popped, waits, was merged into another, or vanished as one of a pair of add and
//!   delete: `pushed = popped + waiting + merged + 2 × dropped pairs`.

use std::collections::{HashMap, VecDeque};

use crate::entry::Change;
use crate::kept::Kept;
use crate::key::ObjectKey;

/// What comes out of a queue.
pub(crate) enum Item<R: Kept> {
    Change(Change<R>),
    /// Everything that was there at the start came before this.
    Synced,
}

/// Counts of one queue, for the handler's statistics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QueueStats {
    /// Changes that wait now.
    pub(crate) waiting: usize,
    /// The most that ever waited.
    pub(crate) high_water: usize,
    /// Changes that were merged into another of their key.
    pub(crate) merged: u64,
    /// Adds that vanished together with their delete.
    pub(crate) dropped_pairs: u64,
}

pub(crate) struct Queue<R: Kept> {
    /// Holes are what vanished; see `compact`.
    slots: VecDeque<Option<Slot<R>>>,
    /// The number of the first slot; numbers go up by one from slot to slot.
    first: u64,
    capacity: usize,
    /// The number of each key's latest slot. Kept only from the first overflow until the queue is empty again: most
    /// queues never need it.
    latest: Option<HashMap<ObjectKey, u64>>,
    stats: QueueStats,
}

struct Slot<R: Kept> {
    item: Item<R>,
    /// The number of the slot before this one with the same key; meaningless once popped.
    earlier: Option<u64>,
}

/// What two neighbouring changes of one key come to.
enum Merged<R: Kept> {
    /// One change in the place of the first.
    InPlace(Change<R>),
    /// The delete alone; it may merge further back.
    Delete(Change<R>),
    /// Nothing: the object came and went.
    Nothing,
    /// Two changes as before.
    Apart(Change<R>, Change<R>),
}

fn merge<R: Kept>(first: Change<R>, second: Change<R>) -> Merged<R> {
    match (first, second) {
        (Change::Add { initial, .. }, Change::Update { new, .. }) => {
            Merged::InPlace(Change::Add { new, initial })
        }
        (Change::Update { old, .. }, Change::Update { new, .. }) => {
            Merged::InPlace(Change::Update { old, new })
        }
        (Change::Add { .. }, Change::Delete { .. }) => Merged::Nothing,
        (Change::Update { .. }, delete @ Change::Delete { .. }) => Merged::Delete(delete),
        (first, second) => Merged::Apart(first, second),
    }
}

impl<R: Kept> Queue<R> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            capacity,
            latest: None,
            stats: QueueStats::default(),
        }
    }

    /// Puts a change behind those that wait, or merges it with those of its key if the queue is full.
    pub(crate) fn push(&mut self, change: Change<R>) {
        if self.stats.waiting < self.capacity {
            self.append(change);
        } else {
            self.coalesce(change);
        }
    }

    /// Puts the sync marker behind all that waits. It takes no room and merges with nothing.
    pub(crate) fn push_synced(&mut self) {
        self.slots.push_back(Some(Slot {
            item: Item::Synced,
            earlier: None,
        }));
    }

    pub(crate) fn pop(&mut self) -> Option<Item<R>> {
        let mut popped = None;
        while popped.is_none() && !self.slots.is_empty() {
            popped = self.slots.pop_front().flatten().map(|slot| slot.item);
            self.first += 1;
        }
        if let Some(Item::Change(change)) = &popped {
            self.stats.waiting -= 1;
            self.unlist(change.key(), self.first - 1, None);
        }
        if self.slots.is_empty() {
            self.latest = None;
            if self.slots.capacity() / 2 > self.capacity {
                self.slots.shrink_to(self.capacity);
            }
        }
        popped
    }

    /// Whether nothing waits; a marker counts.
    pub(crate) fn is_empty(&self) -> bool {
        self.stats.waiting == 0 && self.slots.iter().all(Option::is_none)
    }

    /// Empties the queue and hands out what waited, for the caller to drop where it costs nobody; counts stay.
    pub(crate) fn clear(&mut self) -> impl Sized + use<R> {
        self.first += self.slots.len() as u64;
        self.stats.waiting = 0;
        (std::mem::take(&mut self.slots), self.latest.take())
    }

    pub(crate) fn stats(&self) -> QueueStats {
        self.stats
    }

    fn append(&mut self, change: Change<R>) {
        let number = self.first + self.slots.len() as u64;
        let earlier = self
            .latest
            .as_mut()
            .and_then(|latest| latest.insert(change.key().clone(), number));
        self.slots.push_back(Some(Slot {
            item: Item::Change(change),
            earlier,
        }));
        self.stats.waiting += 1;
        self.stats.high_water = self.stats.high_water.max(self.stats.waiting);
    }

    fn coalesce(&mut self, mut change: Change<R>) {
        if self.latest.is_none() {
            self.list_all();
        }
        let key = change.key().clone();
        while let Some((number, pending, earlier)) = self.take_latest(&key) {
            match merge(pending, change) {
                Merged::InPlace(merged) => {
                    self.put_back(number, merged, earlier);
                    self.stats.merged += 1;
                    return;
                }
                Merged::Apart(pending, next) => {
                    self.put_back(number, pending, earlier);
                    change = next;
                    break;
                }
                Merged::Delete(delete) => {
                    self.vacate(&key, number, earlier);
                    self.stats.merged += 1;
                    change = delete;
                }
                Merged::Nothing => {
                    self.vacate(&key, number, earlier);
                    self.stats.dropped_pairs += 1;
                    self.compact();
                    return;
                }
            }
        }
        self.append(change);
        self.compact();
    }

    /// Takes the latest waiting change of a key out of its slot: its number, itself and the number before it.
    fn take_latest(&mut self, key: &ObjectKey) -> Option<(u64, Change<R>, Option<u64>)> {
        let number = *self.latest.as_ref()?.get(key)?;
        match self.slot(number)?.take()? {
            Slot {
                item: Item::Change(change),
                earlier,
            } => Some((number, change, earlier)),
            Slot {
                item: Item::Synced, ..
            } => None,
        }
    }

    fn put_back(&mut self, number: u64, change: Change<R>, earlier: Option<u64>) {
        if let Some(slot) = self.slot(number) {
            *slot = Some(Slot {
                item: Item::Change(change),
                earlier,
            });
        }
    }

    /// Leaves a hole where a change was taken; the key's latest is now the one before it, if that still waits.
    fn vacate(&mut self, key: &ObjectKey, number: u64, earlier: Option<u64>) {
        self.stats.waiting -= 1;
        self.unlist(
            key,
            number,
            earlier.filter(|earlier| *earlier >= self.first),
        );
    }

    fn slot(&mut self, number: u64) -> Option<&mut Option<Slot<R>>> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(at)
    }

    /// Makes `earlier` the latest slot of a key if `number` was it.
    fn unlist(&mut self, key: &ObjectKey, number: u64, earlier: Option<u64>) {
        let Some(latest) = &mut self.latest else {
            return;
        };
        if latest.get(key) != Some(&number) {
            return;
        }
        match earlier {
            Some(earlier) => latest.insert(key.clone(), earlier),
            None => latest.remove(key),
        };
    }

    /// Finds each key's latest slot, and each slot's earlier one, from scratch.
    fn list_all(&mut self) {
        let mut latest = HashMap::with_capacity(self.stats.waiting);
        for (number, slot) in (self.first..).zip(&mut self.slots) {
            let Some(Slot {
                item: Item::Change(change),
                earlier,
            }) = slot
            else {
                continue;
            };
            *earlier = latest.insert(change.key().clone(), number);
        }
        self.latest = Some(latest);
    }

    /// Closes the holes once most slots are holes, so that objects that come and go take no room either.
    fn compact(&mut self) {
        let holes = self.slots.len() - self.stats.waiting;
        if holes > 32 && holes > self.stats.waiting {
            self.slots.retain(Option::is_some);
            self.list_all();
        }
    }

    #[cfg(test)]
    pub(crate) const SLOT: usize = size_of::<Option<Slot<R>>>();

    /// How many slots there are, holes included.
    #[cfg(test)]
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// For how many keys the latest slot is known, if at all.
    #[cfg(test)]
    pub(crate) fn listed(&self) -> Option<usize> {
        self.latest.as_ref().map(HashMap::len)
    }

    /// For how many slots there is memory.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        self.slots.capacity()
    }
}

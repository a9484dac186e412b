//! From a hash to a `u32` number: open addressing over shared chunks.
//!
//! The table holds no keys: whoever owns the numbered values compares them. Half of the hash stands beside each number, so
//! that a miss seldom touches a value, and growing and removing never do.

use super::cow::CowVec;

/// A hash table of numbers. At most three quarters full; linear probing, removal shifts back (no tombstones).
#[derive(Clone, Default)]
pub(crate) struct Table {
    /// `hash << 32 | number + 1`, or 0 for an empty place. The length is a power of two or zero.
    slots: CowVec<u64>,
    len: usize,
}

const FIRST_CAPACITY: usize = 8;

fn slot(hash: u64, id: u32) -> u64 {
    hash >> 32 << 32 | (u64::from(id) + 1)
}

fn id_of(slot: u64) -> u32 {
    // The low half is never 0 in a used slot.
    (slot as u32).wrapping_sub(1)
}

impl Table {
    #[inline]
    fn home(&self, slot: u64) -> usize {
        (slot >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn at(&self, place: usize) -> u64 {
        self.slots.get(place).copied().unwrap_or(0)
    }

    fn put(&mut self, place: usize, value: u64) {
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = value;
        }
    }

    /// The number stored under `hash` for which `is_it` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        self.place(hash, is_it).map(|place| id_of(self.at(place)))
    }

    fn place(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut place = self.home(hash);
        loop {
            let slot = self.at(place);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 && is_it(id_of(slot)) {
                return Some(place);
            }
            place = (place + 1) & mask;
        }
    }

    /// Adds a number that is not in the table yet.
    pub(crate) fn insert(&mut self, hash: u64, id: u32) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.place_new(slot(hash, id));
        self.len += 1;
    }

    fn place_new(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut place = self.home(slot);
        while self.at(place) != 0 {
            place = (place + 1) & mask;
        }
        self.put(place, slot);
    }

    fn grow(&mut self) {
        let capacity = (self.slots.len() * 2).max(FIRST_CAPACITY);
        let old = std::mem::replace(&mut self.slots, CowVec::filled(&0, capacity));
        for slot in old.iter().filter(|slot| **slot != 0) {
            self.place_new(*slot);
        }
    }

    /// Takes a number out; nothing happens where it is not in the table.
    pub(crate) fn remove(&mut self, hash: u64, id: u32) {
        let Some(mut hole) = self.place(hash, |other| other == id) else {
            return;
        };
        let mask = self.slots.len() - 1;
        let mut place = hole;
        loop {
            place = (place + 1) & mask;
            let slot = self.at(place);
            if slot == 0 {
                break;
            }
            // A slot may move into the hole unless its home lies between the hole and itself.
            let from_home = place.wrapping_sub(self.home(slot)) & mask;
            let from_hole = place.wrapping_sub(hole) & mask;
            if from_home >= from_hole {
                self.put(hole, slot);
                hole = place;
            }
        }
        self.put(hole, 0);
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Few distinct hashes, so that probing, wrapping and shifting back all happen.
    fn poor_hash(id: u32) -> u64 {
        (u64::from(id % 97) << 32).wrapping_mul(0x9e37_79b9) | 5
    }

    #[test]
    fn equals_a_map_under_random_changes_with_many_collisions() {
        let seed = crate::test_seed();
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut real, mut model) = (Table::default(), HashMap::new());
        for step in 0..20_000u32 {
            let id = random.u32(..600);
            match model.remove(&id) {
                Some(()) => real.remove(poor_hash(id), id),
                None => {
                    real.insert(poor_hash(id), id);
                    model.insert(id, ());
                }
            }
            let probe = random.u32(..600);
            let found = real.find(poor_hash(probe), |other| other == probe);
            assert_eq!(
                found.is_some(),
                model.contains_key(&probe),
                "seed {seed}, step {step}"
            );
        }
        assert_eq!(real.len, model.len());
        assert_eq!(
            real.slots.iter().filter(|slot| **slot != 0).count(),
            model.len()
        );
    }
}

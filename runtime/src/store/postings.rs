//! The map of one index: from a value to the numbers of the objects that have it.

use std::borrow::Borrow;
use std::hash::Hash;

use ahash::RandomState;

use super::posting::Posting;
use super::slab::Slab;
use super::table::Table;

/// An index's values and their postings, cheap to clone. A value without objects is not in it.
#[derive(Clone)]
pub(crate) struct Postings<K> {
    values: Slab<(K, Posting)>,
    table: Table,
    hasher: RandomState,
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self {
            values: Slab::default(),
            table: Table::default(),
            hasher: RandomState::new(),
        }
    }
}

impl<K: Hash + Eq + Clone> Postings<K> {
    fn find<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        let is_it = |id| {
            self.values
                .get(id)
                .is_some_and(|(other, _)| other.borrow() == value)
        };
        self.table.find(self.hasher.hash_one(value), is_it)
    }

    /// The value as it is kept here and its posting.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> Option<&(K, Posting)>
    where
        K: Borrow<Q>,
    {
        self.values.get(self.find(value)?)
    }

    /// All values with their postings, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(K, Posting)> {
        self.values.iter().map(|(_, value)| value)
    }

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn insert(&mut self, value: K, id: u32) {
        match self.find(&value) {
            Some(at) => {
                if let Some((_, posting)) = self.values.get_mut(at) {
                    posting.insert(id);
                }
            }
            None => {
                let hash = self.hasher.hash_one(&value);
                let at = self.values.insert((value, Posting::One(id)));
                self.table.insert(hash, at);
            }
        }
    }

    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, value: &Q, id: u32)
    where
        K: Borrow<Q>,
    {
        let Some(at) = self.find(value) else { return };
        let Some((_, posting)) = self.values.get_mut(at) else {
            return;
        };
        if posting.remove(id) {
            self.table.remove(self.hasher.hash_one(value), at);
            self.values.remove(at);
        }
    }
}

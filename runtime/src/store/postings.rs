//! The map of one index: from a value to the numbers of the objects that have it, ordered where ranges are asked for.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, Hasher as _};
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use ahash::RandomState;

use super::order::{Order, Place};
use super::posting::Posting;
use super::slab::Slab;
use super::table::Table;

/// An index's values and their postings, cheap to clone. A value without objects is not in it.
#[derive(Clone)]
pub(crate) struct Postings<K> {
    /// Each shared by itself: a change copies a chunk of them, and a copy of a key may cost an allocation.
    values: Slab<Arc<(K, Posting)>>,
    table: Table,
    hasher: RandomState,
    /// The values by size, in an ordered index.
    order: Option<Order>,
    /// Whether an object had several values: then it may be in several postings.
    several: bool,
}

impl<K> Default for Postings<K> {
    fn default() -> Self {
        Self::new(false)
    }
}

impl<K> Postings<K> {
    /// Of no objects.
    pub(crate) fn new(ordered: bool) -> Self {
        Self {
            values: Slab::default(),
            table: Table::default(),
            hasher: RandomState::new(),
            order: ordered.then(Order::default),
            several: false,
        }
    }

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// All values with their postings: of an ordered index in order, else in no particular one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(K, Posting)> {
        let order = self.order.as_ref();
        let ordered = order.into_iter().flat_map(Order::iter);
        let unordered = order.is_none().then(|| self.values.iter());
        let unordered = unordered.into_iter().flatten();
        ordered
            .filter_map(|at| self.values.get(at))
            .chain(unordered.map(|(_, value)| value))
            .map(|value| &**value)
    }

    /// Through `Hash` alone: `hash_one` may take a short cut by the type, and what is borrowed of a value is of another.
    #[allow(clippy::manual_hash_one)]
    fn hash<Q: Hash + ?Sized>(&self, value: &Q) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        value.hash(&mut hasher);
        hasher.finish()
    }

    fn value(&self, at: u32) -> Option<&(K, Posting)> {
        self.values.get(at).map(|value| &**value)
    }

    /// Whether an object may be in several postings.
    pub(crate) fn has_several(&self) -> bool {
        self.several
    }

    /// What to note before an object with several values is put in.
    pub(super) fn note_several(&mut self) {
        self.several = true;
    }
}

impl<K: Hash + Ord + Clone> Postings<K> {
    /// Of pairs of a number and its values, with the numbers in rising order and no value of a number twice.
    pub(super) fn fill(ordered: bool, objects: impl Iterator<Item = (u32, Vec<K>)>) -> Self {
        let mut filled = Self::new(ordered);
        // Lists first, as a posting that grows number by number is copied each time.
        let mut lists: HashMap<K, Vec<u32>, RandomState> = HashMap::default();
        for (id, values) in objects {
            filled.several |= values.len() > 1;
            for value in values {
                lists.entry(value).or_default().push(id);
            }
        }
        for (value, ids) in lists {
            if let Some(posting) = Posting::of(&ids) {
                let hash = filled.hash(&value);
                let at = filled.values.insert(Arc::new((value, posting)));
                filled.table.insert(hash, at);
            }
        }
        if ordered {
            let mut sorted: Vec<(&K, u32)> = filled
                .values
                .iter()
                .map(|(at, value)| (&value.0, at))
                .collect();
            sorted.sort_unstable();
            let sorted: Vec<u32> = sorted.into_iter().map(|(_, at)| at).collect();
            filled.order = Some(Order::of(&sorted));
        }
        filled
    }

    fn find<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
    {
        self.find_by(self.hash(value), |other| other.borrow() == value)
    }

    fn find_by(&self, hash: u64, is_it: impl Fn(&K) -> bool) -> Option<u32> {
        let is_it = |at| self.values.get(at).is_some_and(|value| is_it(&value.0));
        self.table.find(hash, is_it)
    }

    /// The value as it is kept here and its posting.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, value: &Q) -> Option<&(K, Posting)>
    where
        K: Borrow<Q>,
    {
        self.value(self.find(value)?)
    }

    pub(crate) fn insert(&mut self, value: K, id: u32) {
        if let Some(at) = self.find(&value) {
            if let Some(value) = self.values.get_mut(at) {
                Arc::make_mut(value).1.insert(id);
            }
            return;
        }
        let hash = self.hash(&value);
        let place = self.place_before(|other| other < &value);
        let at = self.values.insert(Arc::new((value, Posting::One(id))));
        self.table.insert(hash, at);
        if let Some(order) = &mut self.order {
            order.insert(place, at);
        }
    }

    pub(crate) fn remove<Q: Hash + Ord + ?Sized>(&mut self, value: &Q, id: u32)
    where
        K: Borrow<Q>,
    {
        let Some(at) = self.find(value) else { return };
        let only = |value: &Arc<(K, Posting)>| value.1.is_only(id);
        if !self.values.get(at).is_some_and(only) {
            if let Some(value) = self.values.get_mut(at) {
                Arc::make_mut(value).1.remove(id);
            }
            return;
        }
        // What runs the user's code comes before the first change, as it may panic.
        let hash = self.hash(value);
        let place = self.place_before(|other| other.borrow() < value);
        if let Some(order) = &mut self.order {
            order.remove(place, at);
        }
        self.table.remove(hash, at);
        self.values.remove(at);
    }

    /// The distinct values with the number of objects of each, in order.
    pub(crate) fn counted(&self) -> Vec<(K, usize)> {
        let mut values = Vec::with_capacity(self.len());
        values.extend(
            self.iter()
                .map(|(value, posting)| (value.clone(), posting.len())),
        );
        if self.order.is_none() {
            values.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        }
        values
    }

    /// The first place whose value is not `before`; in an index without order there is but one.
    fn place_before(&self, before: impl Fn(&K) -> bool) -> Place {
        let is_before = |at| self.values.get(at).is_some_and(|value| before(&value.0));
        self.order
            .as_ref()
            .map_or(Place::FIRST, |order| order.seek(is_before))
    }

    /// From the first value that is not `before` to the first that is `behind`. Nothing in an index without order.
    pub(crate) fn places(&self, before: impl Fn(&K) -> bool, behind: impl Fn(&K) -> bool) -> Range {
        Range {
            next: self.place_before(before),
            end: self.place_before(|value| !behind(value)),
        }
    }

    /// The places of a range. None in one that ends before it begins.
    pub(crate) fn range(&self, bounds: &impl RangeBounds<K>) -> Range {
        let before = |value: &K| match bounds.start_bound() {
            Bound::Included(start) => value < start,
            Bound::Excluded(start) => value <= start,
            Bound::Unbounded => false,
        };
        let behind = |value: &K| match bounds.end_bound() {
            Bound::Included(end) => value > end,
            Bound::Excluded(end) => value >= end,
            Bound::Unbounded => false,
        };
        self.places(before, behind)
    }

    pub(crate) fn first(&self) -> Option<&(K, Posting)> {
        let first = self.order.as_ref()?.next(Place::FIRST, Place::END)?;
        self.value(first.0)
    }

    pub(crate) fn last(&self) -> Option<&(K, Posting)> {
        self.value(self.order.as_ref()?.last()?)
    }
}

impl<A: Hash + Ord + Clone, B: Hash + Ord + Clone> Postings<(A, B)> {
    /// As [`get`](Self::get), of a pair whose parts are borrowed apart.
    pub(crate) fn get_pair<P, Q>(&self, first: &P, second: &Q) -> Option<&((A, B), Posting)>
    where
        A: Borrow<P>,
        B: Borrow<Q>,
        P: Hash + Eq + ?Sized,
        Q: Hash + Eq + ?Sized,
    {
        // A tuple hashes as its parts in turn, and what is borrowed of a part as the part.
        let hash = self.hash(&(first, second));
        let at = self.find_by(hash, |(a, b)| a.borrow() == first && b.borrow() == second);
        self.value(at?)
    }

    /// The places of all pairs that begin with this.
    pub(crate) fn places_of_first<P: Ord + ?Sized>(&self, first: &P) -> Range
    where
        A: Borrow<P>,
    {
        let compare = |(a, _): &(A, B)| a.borrow().cmp(first);
        self.places(
            |value| compare(value) == Ordering::Less,
            |value| compare(value) == Ordering::Greater,
        )
    }
}

/// Values that stand side by side, to be walked over the postings that they come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    next: Place,
    end: Place,
}

/// The postings of an ordered index in the order of its values, whatever these are.
pub(crate) trait Ordered: Send + Sync {
    /// The next posting of a range.
    fn next(&self, range: &mut Range) -> Option<&Posting>;
    /// Whether an object may be in several postings.
    fn repeats(&self) -> bool;
}

impl<K: Send + Sync> Ordered for Postings<K> {
    fn next(&self, range: &mut Range) -> Option<&Posting> {
        let (at, next) = self.order.as_ref()?.next(range.next, range.end)?;
        range.next = next;
        self.value(at).map(|(_, posting)| posting)
    }

    fn repeats(&self) -> bool {
        self.several
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    type Model = BTreeMap<u32, BTreeSet<u32>>;

    fn walked(postings: &Postings<u32>, mut range: Range) -> Vec<u32> {
        let mut ids = Vec::new();
        while let Some(posting) = postings.next(&mut range) {
            ids.extend(posting.iter());
        }
        ids
    }

    fn check(real: &Postings<u32>, model: &Model, random: &mut fastrand::Rng, bound: u32) {
        let counted = model.iter().map(|(value, ids)| (*value, ids.len()));
        assert_eq!(real.counted(), Vec::from_iter(counted));
        assert_eq!(real.len(), model.len());
        let end =
            |found: Option<&(u32, Posting)>| found.map(|(value, posting)| (*value, posting.len()));
        let of_model =
            |found: Option<(&u32, &BTreeSet<u32>)>| found.map(|(value, ids)| (*value, ids.len()));
        assert_eq!(end(real.first()), of_model(model.first_key_value()));
        assert_eq!(end(real.last()), of_model(model.last_key_value()));
        let (low, high) = (random.u32(..bound), random.u32(..bound));
        let (low, high) = (low.min(high), low.max(high));
        let expected: Vec<u32> = (model.range(low..high))
            .flat_map(|(_, ids)| ids.iter().copied())
            .collect();
        assert_eq!(walked(real, real.range(&(low..high))), expected);
        let expected: Vec<u32> = (model.range(low..=high))
            .flat_map(|(_, ids)| ids.iter().copied())
            .collect();
        assert_eq!(walked(real, real.range(&(low..=high))), expected);
        assert_eq!(
            walked(real, real.range(&(high + 1..low))),
            [0; 0],
            "ends before it begins"
        );
    }

    #[test]
    fn an_ordered_index_equals_a_map_under_random_changes_and_clones_stay_as_they_were() {
        let seed = crate::test_seed();
        let mut random = fastrand::Rng::with_seed(seed);
        // Few values of many objects, and so many values that their order takes several chunks.
        for bound in [5, 300, 4_000] {
            let mut real = Postings::new(true);
            let mut model = Model::new();
            let mut held = Vec::new();
            for step in 0..16_000 {
                let (value, id) = (random.u32(..bound), random.u32(..3));
                let growing = step / 4_000 % 2 == 0;
                if random.f32() < if growing { 0.9 } else { 0.1 } {
                    real.insert(value, id);
                    model.entry(value).or_default().insert(id);
                } else {
                    real.remove(&value, id);
                    let ids = model.entry(value).or_default();
                    ids.remove(&id);
                    if ids.is_empty() {
                        model.remove(&value);
                    }
                }
                if step % 1_999 == 0 {
                    held.push((real.clone(), model.clone()));
                }
            }
            let objects = (0..3).map(|id| {
                let of = |(value, ids): (&u32, &BTreeSet<u32>)| ids.contains(&id).then_some(*value);
                (id, model.iter().filter_map(of).collect())
            });
            held.push((Postings::fill(true, objects), model.clone()));
            held.push((real, model));
            for (real, model) in held {
                check(&real, &model, &mut random, bound);
            }
        }
    }

    /// An order that contradicts itself, as a user's may: nothing panics, and what is taken out is gone.
    #[test]
    fn an_order_that_is_none_loses_nothing() {
        use std::cell::Cell;

        thread_local!(static TURNED: Cell<bool> = const { Cell::new(false) });

        #[derive(Clone, PartialEq, Eq, Hash)]
        struct Fickle(u32);

        impl Ord for Fickle {
            fn cmp(&self, other: &Self) -> Ordering {
                match TURNED.get() {
                    true => other.0.cmp(&self.0),
                    false => self.0.cmp(&other.0),
                }
            }
        }

        impl PartialOrd for Fickle {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        let mut postings = Postings::new(true);
        for value in 0..2_000 {
            postings.insert(Fickle(value), value);
        }
        TURNED.set(true);
        for value in 0..1_999 {
            postings.remove(&Fickle(value), value);
        }
        assert_eq!(postings.len(), 1);
        assert_eq!(postings.iter().count(), 1);
        assert_eq!(postings.last().map(|(value, _)| value.0), Some(1_999));
    }
}

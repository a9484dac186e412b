//! The values of an ordered index in their order, cheap to clone.
//!
//! Holds the numbers of the values alone; whoever owns the values compares them.

use std::sync::Arc;

/// A chunk holds at most as many numbers.
const CHUNK: usize = 512;

/// The numbers of values, sorted by the values. Chunks of which a change copies one; none is empty.
#[derive(Clone, Default)]
pub(super) struct Order(Arc<Vec<Arc<[u32]>>>);

/// Where a value stands. Means nothing in another state of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    chunk: usize,
    at: usize,
}

impl Place {
    pub(super) const FIRST: Self = Self { chunk: 0, at: 0 };

    /// Behind all there are.
    pub(super) const END: Self = Self {
        chunk: usize::MAX,
        at: 0,
    };
}

impl Order {
    /// Of numbers in their order.
    pub(super) fn of(sorted: &[u32]) -> Self {
        // Room for one more in each, as what comes later comes anywhere.
        let chunks = sorted.chunks(CHUNK * 7 / 8).map(Arc::from);
        Self(Arc::new(chunks.collect()))
    }

    /// The first place whose value is not `before` what is sought: the values for which it holds stand in front.
    pub(super) fn seek(&self, mut before: impl FnMut(u32) -> bool) -> Place {
        let mut holds = |chunk: &Arc<[u32]>| chunk.first().is_some_and(|first| before(*first));
        let chunk = self.0.partition_point(&mut holds).saturating_sub(1);
        let at = self
            .0
            .get(chunk)
            .map_or(0, |ids| ids.partition_point(|id| before(*id)));
        Place { chunk, at }
    }

    /// The number at a place, or the first of those behind it, and the place after; none at the end or behind it.
    pub(super) fn next(&self, mut place: Place, end: Place) -> Option<(u32, Place)> {
        loop {
            let chunk = self.0.get(place.chunk)?;
            if place >= end {
                return None;
            }
            if let Some(id) = chunk.get(place.at) {
                place.at += 1;
                return Some((*id, place));
            }
            place = Place {
                chunk: place.chunk + 1,
                at: 0,
            };
        }
    }

    pub(super) fn last(&self) -> Option<u32> {
        self.0.last()?.last().copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|chunk| chunk.iter().copied())
    }

    /// Puts a number in at a place that [`seek`](Self::seek) found.
    pub(super) fn insert(&mut self, place: Place, id: u32) {
        let chunks = Arc::make_mut(&mut self.0);
        let Some(chunk) = chunks.get_mut(place.chunk) else {
            chunks.push(Arc::from([id]));
            return;
        };
        let (front, behind) = chunk.split_at(place.at.min(chunk.len()));
        let grown = [front, &[id], behind].concat();
        if grown.len() <= CHUNK {
            *chunk = grown.into();
            return;
        }
        // Values that rise, as times do, leave the lower part nearly full.
        let (low, high) = grown.split_at(CHUNK * 7 / 8);
        let halves = [Arc::from(low), Arc::from(high)];
        chunks.splice(place.chunk..=place.chunk, halves);
    }

    /// Takes a number out that stands at this place; one that does not, as an order that contradicts itself may have it,
    /// is looked for everywhere.
    pub(super) fn remove(&mut self, place: Place, id: u32) {
        let stands = |place: Place| {
            let chunk = self.0.get(place.chunk)?;
            (*chunk.get(place.at)? == id).then_some(place)
        };
        // At the end of a chunk the value may be the first of the next.
        let next = Place {
            chunk: place.chunk.saturating_add(1),
            at: 0,
        };
        let found = stands(place)
            .or_else(|| stands(next))
            .or_else(|| self.find(id));
        let Some(place) = found else { return };
        let chunks = Arc::make_mut(&mut self.0);
        let Some(chunk) = chunks.get_mut(place.chunk) else {
            return;
        };
        if chunk.len() == 1 {
            chunks.remove(place.chunk);
            return;
        }
        let shrunk = [&chunk[..place.at], &chunk[place.at + 1..]].concat();
        *chunk = shrunk.into();
    }

    #[cold]
    fn find(&self, id: u32) -> Option<Place> {
        let chunks = self.0.iter().enumerate();
        { chunks }.find_map(|(chunk, ids)| {
            let at = ids.iter().position(|other| *other == id)?;
            Some(Place { chunk, at })
        })
    }
}

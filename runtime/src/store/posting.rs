//! The numbers of the objects that share one index value: a sorted set of `u32`, cheap to clone.

use std::sync::Arc;

const CHUNK: usize = 512;

/// How much of a chunk is filled where there are more to come.
const FULL: usize = CHUNK * 7 / 8;

/// A posting. One number takes no allocation, few share one, many are chunks of which a change copies one.
#[derive(Clone)]
pub(crate) enum Posting {
    One(u32),
    /// Two to `CHUNK` numbers, in order.
    Few(Arc<[u32]>),
    /// Chunks in order, none empty.
    Many(Arc<Vec<Arc<[u32]>>>),
}

impl Posting {
    /// Of numbers in rising order, each once; `None` where there is none.
    pub(crate) fn of(sorted: &[u32]) -> Option<Self> {
        Some(match sorted {
            [] => return None,
            [id] => Self::One(*id),
            ids if ids.len() <= CHUNK => Self::Few(ids.into()),
            ids => Self::Many(Arc::new(ids.chunks(FULL).map(Arc::from).collect())),
        })
    }

    /// The numbers in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).map_while(|chunk| self.part(chunk)).flatten().copied()
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Few(ids) => ids.len(),
            Self::Many(chunks) => chunks.iter().map(|chunk| chunk.len()).sum(),
        }
    }

    pub(crate) fn contains(&self, id: u32) -> bool {
        match self {
            Self::One(one) => *one == id,
            Self::Few(ids) => ids.binary_search(&id).is_ok(),
            Self::Many(chunks) => chunks
                .get(chunk_for(chunks, id))
                .is_some_and(|chunk| chunk.binary_search(&id).is_ok()),
        }
    }

    /// The numbers of one chunk in order: how a cursor walks a posting that it owns.
    pub(crate) fn part(&self, chunk: usize) -> Option<&[u32]> {
        match self {
            Self::One(id) => (chunk == 0).then(|| std::slice::from_ref(id)),
            Self::Few(ids) => (chunk == 0).then_some(&**ids),
            Self::Many(chunks) => chunks.get(chunk).map(|chunk| &**chunk),
        }
    }

    /// Adds a number; nothing happens where it is in already.
    pub(crate) fn insert(&mut self, id: u32) {
        match self {
            Self::One(other) if *other == id => {}
            Self::One(other) => *self = Self::Few([(*other).min(id), (*other).max(id)].into()),
            Self::Few(ids) => {
                let Some(grown) = with(ids, id) else { return };
                *self = match split(&grown) {
                    None => Self::Few(grown.into()),
                    Some(halves) => Self::Many(Arc::new(halves.into())),
                };
            }
            Self::Many(chunks) => {
                let at = chunk_for(chunks, id);
                let Some(grown) = with(&chunks[at], id) else {
                    return;
                };
                let chunks = Arc::make_mut(chunks);
                match split(&grown) {
                    None => chunks[at] = grown.into(),
                    Some(halves) => drop(chunks.splice(at..=at, halves)),
                }
            }
        }
    }

    /// Whether this is its only number, without which there is no posting.
    pub(crate) fn is_only(&self, id: u32) -> bool {
        matches!(self, Self::One(only) if *only == id)
    }

    /// Takes a number out that is not the only one.
    pub(crate) fn remove(&mut self, id: u32) {
        match self {
            Self::One(_) => {}
            Self::Few(ids) => {
                if let Some(shrunk) = without(ids, id) {
                    *self = match shrunk[..] {
                        [only] => Self::One(only),
                        _ => Self::Few(shrunk.into()),
                    };
                }
            }
            Self::Many(chunks) => {
                let at = chunk_for(chunks, id);
                if let Some(shrunk) = without(&chunks[at], id) {
                    let chunks = Arc::make_mut(chunks);
                    if shrunk.is_empty() {
                        chunks.remove(at);
                    } else {
                        chunks[at] = shrunk.into();
                    }
                    if let [only] = &chunks[..] {
                        *self = match only[..] {
                            [id] => Self::One(id),
                            _ => Self::Few(Arc::clone(only)),
                        };
                    }
                }
            }
        }
    }
}

/// The chunk that holds `id` or would hold it. `chunks` is never empty.
fn chunk_for(chunks: &[Arc<[u32]>], id: u32) -> usize {
    chunks
        .partition_point(|chunk| chunk.first().is_some_and(|first| *first <= id))
        .saturating_sub(1)
}

fn with(ids: &[u32], id: u32) -> Option<Vec<u32>> {
    let at = ids.binary_search(&id).err()?;
    let mut grown = Vec::with_capacity(ids.len() + 1);
    grown.extend_from_slice(&ids[..at]);
    grown.push(id);
    grown.extend_from_slice(&ids[at..]);
    Some(grown)
}

fn without(ids: &[u32], id: u32) -> Option<Vec<u32>> {
    let at = ids.binary_search(&id).ok()?;
    let mut shrunk = Vec::with_capacity(ids.len() - 1);
    shrunk.extend_from_slice(&ids[..at]);
    shrunk.extend_from_slice(&ids[at + 1..]);
    Some(shrunk)
}

/// The two halves of a chunk that grew too long. Numbers mostly arrive in rising order, so the split leaves the
/// lower chunk nearly full.
fn split(ids: &[u32]) -> Option<[Arc<[u32]>; 2]> {
    (ids.len() > CHUNK).then(|| {
        let (low, high) = ids.split_at(FULL);
        [low.into(), high.into()]
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn equals_a_set_under_random_changes() {
        let seed = crate::test_seed();
        let mut random = fastrand::Rng::with_seed(seed);
        for bound in [3, 40, 700, 5_000] {
            let mut real = Posting::One(0);
            let mut model = BTreeSet::from([0]);
            for step in 0..6_000 {
                let id = random.u32(..bound);
                let growing = step / 1_500 % 2 == 0;
                if random.f32() < if growing { 0.8 } else { 0.2 } {
                    real.insert(id);
                    model.insert(id);
                } else {
                    let is_only = model.len() == 1 && model.contains(&id);
                    assert_eq!(
                        real.is_only(id),
                        is_only,
                        "seed {seed}, bound {bound}, step {step}"
                    );
                    real.remove(id);
                    if !is_only {
                        model.remove(&id);
                    }
                }
                assert_eq!(real.len(), model.len());
            }
            assert!(
                real.iter().eq(model.iter().copied()),
                "seed {seed}, bound {bound}"
            );
            let sorted: Vec<u32> = model.iter().copied().collect();
            let made = Posting::of(&sorted).unwrap();
            assert!(made.iter().eq(real.iter()) && made.len() == real.len());
        }
    }
}

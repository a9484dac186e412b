//! Numbered places for values: a value keeps its `u32` number until it is removed.

use super::cow::CowVec;

/// A slab over shared chunks; vacant places form a list through the slab itself, so that a clone copies no free list.
pub(crate) struct Slab<T> {
    slots: CowVec<Slot<T>>,
    vacant: Option<u32>,
    len: usize,
}

#[derive(Clone)]
enum Slot<T> {
    Vacant { next: Option<u32> },
    Taken(T),
}

impl<T> Clone for Slab<T> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            vacant: self.vacant,
            len: self.len,
        }
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            slots: CowVec::default(),
            vacant: None,
            len: 0,
        }
    }
}

impl<T> Slab<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// One more than the largest number in use ever was.
    pub(crate) fn bound(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<&T> {
        match self.slots.get(id as usize)? {
            Slot::Taken(value) => Some(value),
            Slot::Vacant { .. } => None,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> + Clone {
        (0..)
            .zip(self.slots.iter())
            .filter_map(|(id, slot)| match slot {
                Slot::Taken(value) => Some((id, value)),
                Slot::Vacant { .. } => None,
            })
    }
}

impl<T: Clone> Slab<T> {
    /// Puts a value into a vacant place, or a new one, and says which.
    ///
    /// # Panics
    ///
    /// With more than `u32::MAX` values, which is beyond what a process can hold.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        self.len += 1;
        if let Some(id) = self.vacant
            && let Some(slot) = self.slots.get_mut(id as usize)
        {
            if let Slot::Vacant { next } = slot {
                self.vacant = *next;
            }
            *slot = Slot::Taken(value);
            return id;
        }
        let id = u32::try_from(self.slots.len()).expect("fewer than 2^32 objects");
        self.slots.push(Slot::Taken(value));
        id
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        match self.slots.get_mut(id as usize)? {
            Slot::Taken(value) => Some(value),
            Slot::Vacant { .. } => None,
        }
    }

    pub(crate) fn remove(&mut self, id: u32) -> Option<T> {
        self.get(id)?;
        let slot = self.slots.get_mut(id as usize)?;
        let Slot::Taken(value) = std::mem::replace(slot, Slot::Vacant { next: self.vacant }) else {
            return None;
        };
        self.vacant = Some(id);
        self.len -= 1;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn equals_a_map_under_random_changes() {
        let seed = crate::test_seed();
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut real, mut model) = (Slab::default(), HashMap::new());
        for step in 0..10_000u32 {
            if random.f32() < 0.55 {
                let id = real.insert(step);
                assert_eq!(
                    model.insert(id, step),
                    None,
                    "seed {seed}: a taken place was given away"
                );
            } else {
                let id = random.u32(..real.bound().max(1));
                assert_eq!(real.remove(id), model.remove(&id), "seed {seed}");
            }
            assert_eq!(real.len(), model.len());
        }
        assert_eq!(
            real.iter()
                .map(|(id, value)| (id, *value))
                .collect::<HashMap<_, _>>(),
            model
        );
    }
}

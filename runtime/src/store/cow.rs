//! A vector that is cheap to clone and to change after a clone: three levels of shared chunks.
//!
//! A clone copies one pointer per 4,096 elements; the first change after it copies one chunk of 64 elements and the
//! two nodes above. This is what makes a snapshot cost microseconds and a publish cost one event's worth of work.

use std::sync::Arc;

const LEAF: usize = 64;
const FAN: usize = 64;
const NODE: usize = LEAF * FAN;

type Leaf<T> = Arc<Vec<T>>;
type Node<T> = Arc<Vec<Leaf<T>>>;

/// A growable sequence whose clones share all chunks that neither side changed since.
pub(crate) struct CowVec<T> {
    nodes: Vec<Node<T>>,
    len: usize,
}

impl<T> Clone for CowVec<T> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            len: self.len,
        }
    }
}

impl<T> Default for CowVec<T> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            len: 0,
        }
    }
}

impl<T> CowVec<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.nodes
            .get(at / NODE)?
            .get(at % NODE / LEAF)?
            .get(at % LEAF)
    }

    /// All elements in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.nodes
            .iter()
            .flat_map(|node| node.iter())
            .flat_map(|leaf| leaf.iter())
    }
}

impl<T: Clone> CowVec<T> {
    /// `len` copies of `value`; whole chunks of equal values are one chunk in memory until they are changed.
    pub(crate) fn filled(value: &T, len: usize) -> Self {
        let leaf = |len| Arc::new(vec![value.clone(); len]);
        let full_leaf = leaf(LEAF);
        let full_node: Node<T> = Arc::new(vec![Arc::clone(&full_leaf); FAN]);
        let mut nodes = vec![full_node; len / NODE];
        let rest = len % NODE;
        if rest > 0 {
            let mut node = vec![full_leaf; rest / LEAF];
            if !rest.is_multiple_of(LEAF) {
                node.push(leaf(rest % LEAF));
            }
            nodes.push(Arc::new(node));
        }
        Self { nodes, len }
    }

    /// The element to change in place; its chunk is copied first where a clone shares it.
    #[inline]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let node = Arc::make_mut(self.nodes.get_mut(at / NODE)?);
        Arc::make_mut(node.get_mut(at % NODE / LEAF)?).get_mut(at % LEAF)
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.len.is_multiple_of(NODE) {
            self.nodes.push(Arc::new(Vec::new()));
        }
        let Some(node) = self.nodes.last_mut().map(Arc::make_mut) else {
            return;
        };
        if self.len.is_multiple_of(LEAF) {
            node.push(Arc::new(Vec::new()));
        }
        let Some(leaf) = node.last_mut().map(Arc::make_mut) else {
            return;
        };
        leaf.push(value);
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_vec_under_random_changes_and_clones_stay_as_they_were() {
        let seed = crate::test_seed();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut real = CowVec::default();
        let mut model: Vec<u32> = Vec::new();
        let mut kept: Vec<(CowVec<u32>, Vec<u32>)> = Vec::new();
        for step in 0..20_000 {
            if model.is_empty() || random.f32() < 0.6 {
                real.push(step);
                model.push(step);
            } else {
                let at = random.usize(..model.len());
                *real.get_mut(at).unwrap() = step;
                model[at] = step;
            }
            if step % 997 == 0 {
                kept.push((real.clone(), model.clone()));
            }
        }
        kept.push((real, model));
        for (real, model) in kept {
            assert_eq!(real.len(), model.len());
            assert!(real.iter().eq(model.iter()), "seed {seed}");
            assert_eq!(real.get(model.len()), None);
        }
    }

    #[test]
    fn filled_has_the_length_asked_for() {
        for len in [0, 1, 63, 64, 65, 4095, 4096, 4097, 10_000] {
            let mut filled = CowVec::filled(&7, len);
            assert_eq!((filled.len(), filled.iter().count()), (len, len));
            if len > 0 {
                *filled.get_mut(len - 1).unwrap() = 8;
                assert_eq!(filled.iter().filter(|value| **value == 8).count(), 1);
            }
        }
    }
}

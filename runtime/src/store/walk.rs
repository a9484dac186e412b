//! The ways through a state that a list takes: all places, one posting, several, the postings of a range.

use std::sync::Arc;
use std::vec;

use super::posting::Posting;
use super::postings::{Ordered, Range};

/// Where a list is on its way.
pub(super) enum Walk {
    All { next: u32 },
    Posting(Cursor),
    Several(Box<Several>),
    Nothing,
}

impl Walk {
    /// All that there is.
    pub(super) const fn all() -> Self {
        Self::All { next: 0 }
    }

    pub(super) fn over(posting: Option<Posting>) -> Self {
        posting.map_or(Self::Nothing, |posting| Self::Posting(Cursor::new(posting)))
    }

    /// In the order of an index's values.
    pub(super) fn range(index: Arc<dyn Ordered>, range: Range) -> Self {
        let repeats = index.repeats();
        Self::several(From::Range { index, range }, repeats)
    }

    /// Posting by posting.
    pub(super) fn union(mut postings: Vec<Posting>, repeats: bool) -> Self {
        match postings.len() {
            0 | 1 => Self::over(postings.pop()),
            _ => Self::several(From::Postings(postings.into_iter()), repeats),
        }
    }

    fn several(from: From, repeats: bool) -> Self {
        Self::Several(Box::new(Several {
            seen: repeats.then(Vec::new),
            from,
            cursor: None,
        }))
    }

    /// The next number, which may be vacant where all are walked.
    #[inline]
    pub(super) fn step(&mut self, bound: u32) -> Option<u32> {
        match self {
            Self::Nothing => None,
            Self::All { next } => {
                let id = *next;
                *next = id.checked_add(1)?;
                (id < bound).then_some(id)
            }
            Self::Posting(cursor) => cursor.step(),
            Self::Several(several) => several.step(),
        }
    }

    /// How many there are at most, of so many in the state; and whether it is exactly as many, as none was walked yet.
    pub(super) fn left(&self, all: usize) -> (usize, bool) {
        match self {
            Self::All { next } => (all, *next == 0),
            Self::Posting(cursor) => (cursor.posting.len(), cursor.place == (0, 0)),
            Self::Several(several) => several.left(all),
            Self::Nothing => (0, true),
        }
    }
}

/// A way through one posting.
pub(super) struct Cursor {
    posting: Posting,
    /// The chunk, and where in it.
    place: (usize, usize),
}

impl Cursor {
    fn new(posting: Posting) -> Self {
        Self {
            posting,
            place: (0, 0),
        }
    }

    #[inline]
    fn step(&mut self) -> Option<u32> {
        loop {
            let (chunk, at) = self.place;
            let part = self.posting.part(chunk)?;
            if let Some(id) = part.get(at) {
                self.place.1 += 1;
                return Some(*id);
            }
            self.place = (chunk + 1, 0);
        }
    }
}

/// A way through several postings, one after the other.
pub(super) struct Several {
    from: From,
    cursor: Option<Cursor>,
    /// A bit for each number that was walked, where one may be in several postings.
    seen: Option<Vec<u64>>,
}

/// Where postings come from.
enum From {
    Range {
        index: Arc<dyn Ordered>,
        range: Range,
    },
    Postings(vec::IntoIter<Posting>),
}

impl From {
    fn next(&mut self) -> Option<Posting> {
        match self {
            Self::Range { index, range } => index.next(range).cloned(),
            Self::Postings(postings) => postings.next(),
        }
    }
}

impl Several {
    fn step(&mut self) -> Option<u32> {
        loop {
            let Some(id) = self.cursor.as_mut().and_then(Cursor::step) else {
                self.cursor = Some(Cursor::new(self.from.next()?));
                continue;
            };
            if self.seen.as_mut().is_none_or(|seen| is_new(seen, id)) {
                return Some(id);
            }
        }
    }

    fn left(&self, all: usize) -> (usize, bool) {
        match (&self.from, &self.cursor) {
            (From::Postings(postings), None) => {
                let count: usize = postings.as_slice().iter().map(Posting::len).sum();
                (count.min(all), self.seen.is_none())
            }
            _ => (all, false),
        }
    }
}

fn is_new(seen: &mut Vec<u64>, id: u32) -> bool {
    let (word, bit) = (id as usize / 64, 1 << (id % 64));
    if seen.len() <= word {
        seen.resize(word + 1, 0);
    }
    let known = seen[word] & bit != 0;
    seen[word] |= bit;
    !known
}

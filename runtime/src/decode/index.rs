//! What the scanner noted about one object.

/// A range of an object's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        bytes.get(self.start as usize..self.end as usize)
    }
}

/// The values that can be asked of every object without decoding it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    ApiVersion,
    Kind,
    Name,
    Namespace,
    Uid,
    ResourceVersion,
    /// The whole object of annotations; of the others, the text between the quotes.
    Annotations,
}

impl Noted {
    const COUNT: usize = Self::Annotations as usize + 1;
}

/// Positions and lengths of one object; reused from object to object.
#[derive(Debug, Default)]
pub(super) struct Index {
    noted: [Option<Span>; Noted::COUNT],
    /// How many labels or annotations there are, whichever are more.
    pub(super) most_labels: usize,
    pub(super) tape: Vec<u32>,
}

/// The largest object that an index can describe, in bytes.
pub(super) const MAX_BYTES: usize = ESCAPED as usize - 1;

/// An entry of the tape: the lengths of the arrays and strings of an object (keys among them), in the order of their
/// opening brackets and quotes.
///
/// An array's entry is the number of its elements, a string's the number of bytes between its quotes, with
/// [`ESCAPED`] added where they are not simply the text. Neither knows its place, so bytes may be cut out together
/// with their entries. Whoever walks the object takes one entry at each opening bracket of an array and at each
/// opening quote.
pub(super) const ESCAPED: u32 = 1 << 31;

impl Index {
    /// An index this long stays allocated between objects; what a giant needed is given back.
    const KEPT_ENTRIES: usize = 16 * 1024;

    pub(super) fn clear(&mut self) {
        self.noted = Default::default();
        self.most_labels = 0;
        self.tape.clear();
        self.tape.shrink_to(Self::KEPT_ENTRIES);
    }

    pub(super) fn note(&mut self, what: Noted, span: Span) {
        if let Some(slot) = self.noted.get_mut(what as usize) {
            *slot = Some(span);
        }
    }

    pub(super) fn get(&self, what: Noted) -> Option<Span> {
        self.noted.get(what as usize).copied().flatten()
    }

    /// The bytes of `cut` are gone: what lay behind them moves forward.
    pub(super) fn cut(&mut self, cut: Span) {
        let gone = cut.end - cut.start;
        for span in self.noted.iter_mut().flatten() {
            if span.start >= cut.end {
                span.start -= gone;
                span.end -= gone;
            }
        }
    }
}

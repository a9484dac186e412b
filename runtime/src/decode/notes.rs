//! What the scanner notes of an object while it passes: the keys at its root and in its `metadata`.

use super::index::{Index, Noted, Span};

/// Fills an [`Index`] and finds `metadata.managedFields`.
///
/// Told of strings and brackets at depths 1 (keys of the object) and 2 (keys of `metadata`).
pub(super) struct Notes {
    pub(super) index: Index,
    /// Strings at depths up to this are of interest: 1, and 2 inside `metadata`.
    pub(super) watched: usize,
    key: Key,
    /// Where the annotations that are being walked through begin.
    annotations: Option<u32>,
    /// How much of the tape comes before the labels or annotations that are being walked through.
    entries_before: Option<usize>,
    managed: ManagedFields,
}

/// The last key seen at a watched depth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Other,
    Metadata,
    Labels,
    /// With the places of its quotes.
    ManagedFields {
        open: u32,
        close: u32,
    },
    Noted(Noted),
}

/// What becomes of `metadata.managedFields`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ManagedFields {
    Keep,
    /// To be cut out, not seen yet.
    Expected,
    /// Being walked through; `entries` is how much of the tape comes before its key.
    Inside {
        key: u32,
        entries: usize,
    },
    /// From the opening quote of the key to behind the value.
    Seen(Span),
}

impl Notes {
    pub(super) fn new(cut_managed_fields: bool) -> Self {
        Self {
            index: Index::default(),
            watched: 1,
            key: Key::Other,
            annotations: None,
            entries_before: None,
            managed: if cut_managed_fields {
                ManagedFields::Expected
            } else {
                ManagedFields::Keep
            },
        }
    }

    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.watched = 1;
        self.key = Key::Other;
        self.annotations = None;
        self.entries_before = None;
        if self.managed != ManagedFields::Keep {
            self.managed = ManagedFields::Expected;
        }
    }

    /// A string with its quotes at `open` and `close`, at a watched depth.
    pub(super) fn string(&mut self, depth: usize, bytes: &[u8], open: usize, close: usize) {
        match significant_before(bytes, open) {
            Some((_, b':')) => {
                if let Key::Noted(what) = self.key
                    && what != Noted::Annotations
                {
                    self.index.note(what, span(open + 1, close));
                }
                self.key = Key::Other;
            }
            _ => self.key = key(depth, bytes, open, close),
        }
    }

    /// The bracket of an array or object at `at`, inside `depth` others.
    pub(super) fn opened(&mut self, depth: usize, bytes: &[u8], at: usize) {
        let key = std::mem::replace(&mut self.key, Key::Other);
        let Some((colon, b':')) = significant_before(bytes, at) else {
            return;
        };
        match (depth, key) {
            (1, Key::Metadata) if bytes.get(at) == Some(&b'{') => self.watched = 2,
            (2, Key::Noted(Noted::Annotations)) => {
                self.annotations = Some(at as u32);
                self.entries_before = Some(self.index.tape.len());
            }
            (2, Key::Labels) => self.entries_before = Some(self.index.tape.len()),
            (2, Key::ManagedFields { open, close }) => {
                let quote = significant_before(bytes, colon).map(|(at, _)| at as u32);
                if self.managed == ManagedFields::Expected && quote == Some(close) {
                    let entries = self.index.tape.len().saturating_sub(1);
                    self.managed = ManagedFields::Inside { key: open, entries };
                }
            }
            _ => {}
        }
    }

    /// An array or object inside `depth` others ended before `end`.
    pub(super) fn closed(&mut self, depth: usize, end: usize) {
        self.key = Key::Other;
        if depth == 1 {
            self.watched = 1;
        }
        if depth != 2 {
            return;
        }
        if let Some(before) = self.entries_before.take() {
            // One entry for each key and one for each value.
            let count = self.index.tape.len().saturating_sub(before) / 2;
            self.index.most_labels = self.index.most_labels.max(count);
        }
        if let Some(start) = self.annotations.take() {
            self.index
                .note(Noted::Annotations, span(start as usize, end));
        }
        if let ManagedFields::Inside { key, entries } = self.managed {
            self.index.tape.truncate(entries);
            self.managed = ManagedFields::Seen(span(key as usize, end));
        }
    }

    /// Cuts `managedFields` out of a complete object; the object is then the bytes from the returned index on.
    ///
    /// Where the commas around it are not in order nothing is cut: then it is the decoder that refuses the object.
    pub(super) fn cut_managed_fields(&mut self, object: &mut [u8]) -> usize {
        let ManagedFields::Seen(member) = self.managed else {
            return 0;
        };
        let Some(cut) = with_comma(object, member) else {
            return 0;
        };
        // `metadata` stands at the front of what a server sends, so the part before it is the smaller one to move.
        let gone = (cut.end - cut.start) as usize;
        object.copy_within(..cut.start as usize, gone);
        self.index.cut(cut);
        gone
    }
}

fn key(depth: usize, bytes: &[u8], open: usize, close: usize) -> Key {
    let raw = bytes.get(open + 1..close).unwrap_or_default();
    match (depth, raw) {
        (1, b"metadata") => Key::Metadata,
        (1, b"apiVersion") => Key::Noted(Noted::ApiVersion),
        (1, b"kind") => Key::Noted(Noted::Kind),
        (2, b"name") => Key::Noted(Noted::Name),
        (2, b"namespace") => Key::Noted(Noted::Namespace),
        (2, b"uid") => Key::Noted(Noted::Uid),
        (2, b"resourceVersion") => Key::Noted(Noted::ResourceVersion),
        (2, b"labels") => Key::Labels,
        (2, b"annotations") => Key::Noted(Noted::Annotations),
        (2, b"managedFields") => Key::ManagedFields {
            open: open as u32,
            close: close as u32,
        },
        _ => Key::Other,
    }
}

/// The member of an object together with the one comma that goes with it.
fn with_comma(bytes: &[u8], member: Span) -> Option<Span> {
    let (before, byte) = significant_before(bytes, member.start as usize)?;
    if byte == b',' {
        let (_, previous) = significant_before(bytes, before)?;
        return (previous != b'{' && previous != b',').then(|| span(before, member.end as usize));
    }
    if byte != b'{' {
        return None;
    }
    let (after, byte) = significant_after(bytes, member.end as usize)?;
    match byte {
        b'}' => Some(member),
        b',' if significant_after(bytes, after + 1)?.1 == b'"' => {
            Some(span(member.start as usize, after + 1))
        }
        _ => None,
    }
}

/// The last byte before `at` that is no white space.
#[inline]
pub(super) fn significant_before(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let mut at = at;
    loop {
        at = at.checked_sub(1)?;
        let byte = *bytes.get(at)?;
        if !is_white(byte) {
            return Some((at, byte));
        }
    }
}

fn significant_after(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let rest = bytes.get(at..)?;
    let skipped = rest.iter().position(|byte| !is_white(*byte))?;
    Some((at + skipped, *rest.get(skipped)?))
}

/// White space of JSON (RFC 8259, section 2).
#[inline]
pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Positions fit: an object's size is limited to [`MAX_BYTES`](super::index::MAX_BYTES).
fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}

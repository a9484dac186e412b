//! One pass over the bytes of one JSON value, which may stop and resume anywhere.

use super::DEPTH_LIMIT;
use super::index::{ESCAPED, Index};
use super::notes::{Notes, is_white, significant_before};
use super::text::plain_end;

/// Finds the end of a value and fills an [`Index`] on the way.
///
/// It checks strings, the pairing of brackets and that an array or object stands where a value may stand; the rest
/// of the grammar is the decoder's. Works on the value's bytes from its first one on, as many as are there; all
/// positions are relative to that.
pub(super) struct Scanner {
    notes: Notes,
    /// The arrays and objects around `at`, outermost first.
    open: Vec<Open>,
    /// How many more there are beyond [`DEPTH_LIMIT`]: the decoder will refuse the object.
    too_deep: usize,
    /// The next byte to look at; in a string, its opening quote.
    at: usize,
    /// The string at `at`, if its end has not arrived.
    string: Option<Partial>,
    /// Commas of the innermost array so far.
    commas: u32,
    lines: bool,
}

#[derive(Clone, Copy)]
struct Open {
    /// The place of its length on the tape, or `OBJECT`.
    slot: u32,
    /// Commas of the surrounding array so far.
    outer_commas: u32,
}

/// A string whose end is not found yet.
#[derive(Clone, Copy)]
struct Partial {
    /// Where to go on.
    at: usize,
    /// The flag for the string's entry on the tape.
    escaped: u32,
}

const OBJECT: u32 = u32::MAX;

/// Why a value has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

impl Scanner {
    /// `lines`: a raw line break inside a string, which JSON forbids, ends the value as broken instead of being left
    /// to the decoder. In a stream of one object a line it is what shows a lost quote.
    pub(super) fn new(cut_managed_fields: bool, lines: bool) -> Self {
        Self {
            notes: Notes::new(cut_managed_fields),
            open: Vec::with_capacity(16),
            too_deep: 0,
            at: 0,
            string: None,
            commas: 0,
            lines,
        }
    }

    /// Forgets the last value.
    pub(super) fn start(&mut self) {
        self.notes.clear();
        self.open.clear();
        self.too_deep = 0;
        self.at = 0;
        self.string = None;
        self.commas = 0;
    }

    pub(super) fn index(&self) -> &Index {
        &self.notes.index
    }

    pub(super) fn into_index(self) -> Index {
        self.notes.index
    }

    /// See [`Notes::cut_managed_fields`].
    pub(super) fn cut_managed_fields(&mut self, object: &mut [u8]) -> usize {
        self.notes.cut_managed_fields(object)
    }

    /// Goes on with `bytes`, the value so far: `Some` is the index behind its end, `None` asks for more bytes.
    ///
    /// A value that is no object, array or string ends where another token begins; where nothing follows at all the
    /// caller knows that it ended.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> Result<Option<usize>, Broken> {
        if self.open.is_empty() {
            match bytes.get(self.at) {
                Some(b'"' | b'{' | b'[') => {}
                Some(_) => return Ok(self.scalar_end(bytes)),
                None => return Ok(None),
            }
        }
        self.walk(bytes)
    }

    fn scalar_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let rest = bytes.get(self.at + 1..).unwrap_or_default();
        let length = rest.iter().position(|byte| {
            is_white(*byte) || matches!(byte, b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}')
        });
        let end = self.at + 1 + length.unwrap_or(rest.len());
        if length.is_none() {
            self.at = end - 1;
        }
        length.map(|_| end)
    }

    fn walk(&mut self, bytes: &[u8]) -> Result<Option<usize>, Broken> {
        let mut at = self.at;
        let mut commas = self.commas;
        if let Some(string) = self.string.take() {
            let Some(string) = self.string_end(bytes, string)? else {
                return Ok(None);
            };
            self.string(bytes, at, string);
            at = string.at + 1;
            if self.open.is_empty() {
                return Ok(Some(at));
            }
        }
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let mut string = Partial {
                        at: plain_end(bytes, at + 1),
                        escaped: 0,
                    };
                    if bytes.get(string.at) != Some(&b'"') {
                        match self.string_end(bytes, string)? {
                            Some(end) => string = end,
                            None => break,
                        }
                    }
                    self.string(bytes, at, string);
                    at = string.at + 1;
                    if self.open.is_empty() {
                        return Ok(Some(at));
                    }
                    if bytes.get(at) == Some(&b':') {
                        at += 1;
                    }
                }
                b',' => {
                    commas += 1;
                    at += 1;
                }
                b'{' | b'[' => (at, commas) = self.open(bytes, at, byte, commas)?,
                b'}' | b']' => {
                    commas = self.close(bytes, at, byte, commas)?;
                    at += 1;
                    if self.open.is_empty() {
                        return Ok(Some(at));
                    }
                }
                _ => at += 1,
            }
        }
        self.at = at;
        self.commas = commas;
        Ok(None)
    }

    /// Notes a whole string, whose opening quote is at `open`.
    #[inline]
    fn string(&mut self, bytes: &[u8], open: usize, string: Partial) {
        let length = (string.at - open - 1) as u32;
        self.notes.index.tape.push(length | string.escaped);
        let depth = self.open.len();
        if depth <= self.notes.watched {
            self.notes.string(depth, bytes, open, string.at);
        }
    }

    /// The end of a string that is not plain, or whose end is not there yet: then `None`, and how far it went is kept.
    #[inline(never)]
    fn string_end(&mut self, bytes: &[u8], string: Partial) -> Result<Option<Partial>, Broken> {
        let Partial {
            mut at,
            mut escaped,
        } = string;
        loop {
            at = plain_end(bytes, at);
            match bytes.get(at) {
                Some(b'"') => return Ok(Some(Partial { at, escaped })),
                Some(b'\\') if at + 1 < bytes.len() => at += 2,
                Some(b'\\') | None => {
                    self.string = Some(Partial { at, escaped });
                    return Ok(None);
                }
                Some(b'\n') if self.lines => {
                    let expected = "the closing quote of a string before the end of the line";
                    return Err(Broken { at, expected });
                }
                Some(_) => at += 1,
            }
            escaped = ESCAPED;
        }
    }

    /// Returns where to go on, and the commas so far of the array there.
    #[inline]
    fn open(
        &mut self,
        bytes: &[u8],
        at: usize,
        byte: u8,
        commas: u32,
    ) -> Result<(usize, u32), Broken> {
        let depth = self.open.len();
        if depth >= DEPTH_LIMIT {
            self.too_deep += 1;
            return Ok((at + 1, 0));
        }
        if let Some(parent) = self.open.last() {
            let before = significant_before(bytes, at).map(|(_, byte)| byte);
            let in_place = if parent.slot == OBJECT {
                before == Some(b':')
            } else {
                matches!(before, Some(b'[' | b','))
            };
            if !in_place {
                let expected = "a comma or a closing bracket before a further array or object";
                return Err(Broken { at, expected });
            }
            if depth <= 2 {
                self.notes.opened(depth, bytes, at);
            } else if byte == b'{' && bytes.get(at + 1) == Some(&b'}') {
                // Most objects in managedFields are empty.
                return Ok((at + 2, commas));
            }
        }
        let tape = &mut self.notes.index.tape;
        let slot = if byte == b'[' {
            tape.push(0);
            tape.len() as u32 - 1
        } else {
            OBJECT
        };
        self.open.push(Open {
            slot,
            outer_commas: commas,
        });
        Ok((at + 1, 0))
    }

    /// Returns the commas so far of the array around the closed one.
    #[inline]
    fn close(&mut self, bytes: &[u8], at: usize, byte: u8, commas: u32) -> Result<u32, Broken> {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return Ok(commas);
        }
        let Some(closed) = self.open.pop() else {
            let expected = "a value";
            return Err(Broken { at, expected });
        };
        if (closed.slot == OBJECT) != (byte == b'}') {
            let expected = if closed.slot == OBJECT { "`}`" } else { "`]`" };
            return Err(Broken { at, expected });
        }
        if closed.slot != OBJECT
            && let Some(length) = self.notes.index.tape.get_mut(closed.slot as usize)
        {
            // A string cannot end with a bracket, so a bracket before this one is the array's own.
            let empty = matches!(significant_before(bytes, at), Some((_, b'[')));
            *length = if empty { 0 } else { commas + 1 };
        }
        if self.open.len() <= 2 {
            self.notes.closed(self.open.len(), at + 1);
        }
        Ok(closed.outer_commas)
    }
}

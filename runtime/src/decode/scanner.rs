//! One pass over the bytes of one JSON value, which may stop and resume anywhere.

use super::DEPTH_LIMIT;
use super::index::Index;
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
    /// Where to go on in a string whose end has not arrived.
    string: Option<usize>,
    /// Commas of the innermost array so far.
    commas: u32,
    lines: bool,
}

#[derive(Clone, Copy)]
struct Open {
    /// Where its bracket is.
    at: u32,
    /// The place of its length in the index, or `OBJECT`.
    slot: u32,
    /// Commas of the surrounding array so far.
    outer_commas: u32,
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
        let end = bytes.iter().skip(self.at + 1).position(|byte| {
            is_white(*byte) || matches!(byte, b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}')
        });
        end.map(|length| self.at + 1 + length)
    }

    fn walk(&mut self, bytes: &[u8]) -> Result<Option<usize>, Broken> {
        let mut at = self.at;
        let mut commas = self.commas;
        let mut resume = self.string.take();
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let from = resume.take().unwrap_or(at + 1);
                    let Some(close) = self.string_end(bytes, from)? else {
                        break;
                    };
                    if self.open.len() <= self.notes.watched {
                        if self.open.is_empty() {
                            return Ok(Some(close + 1));
                        }
                        self.notes.string(self.open.len(), bytes, at, close);
                    }
                    at = close + 1;
                }
                b',' => {
                    commas += 1;
                    at += 1;
                }
                b'{' | b'[' => {
                    self.open(bytes, at, byte, commas)?;
                    commas = 0;
                    at += 1;
                }
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

    /// The index of the closing quote; `None`, with the place to go on kept, if it is not there yet.
    #[inline]
    fn string_end(&mut self, bytes: &[u8], from: usize) -> Result<Option<usize>, Broken> {
        let mut at = plain_end(bytes, from);
        loop {
            match bytes.get(at) {
                Some(b'"') => return Ok(Some(at)),
                Some(b'\\') if at + 1 < bytes.len() => at += 2,
                Some(b'\\') | None => {
                    self.string = Some(at);
                    return Ok(None);
                }
                Some(b'\n') if self.lines => {
                    let expected = "the closing quote of a string before the end of the line";
                    return Err(Broken { at, expected });
                }
                Some(_) => at += 1,
            }
            at = plain_end(bytes, at);
        }
    }

    #[inline]
    fn open(&mut self, bytes: &[u8], at: usize, byte: u8, commas: u32) -> Result<(), Broken> {
        let depth = self.open.len();
        if depth >= DEPTH_LIMIT {
            self.too_deep += 1;
            return Ok(());
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
            }
        }
        let lengths = &mut self.notes.index.lengths;
        let slot = if byte == b'[' {
            lengths.push(0);
            lengths.len() as u32 - 1
        } else {
            OBJECT
        };
        self.open.push(Open {
            at: at as u32,
            slot,
            outer_commas: commas,
        });
        Ok(())
    }

    /// Returns the commas of the array around the closed one so far.
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
        if let Some(length) = self.notes.index.lengths.get_mut(closed.slot as usize) {
            let empty = commas == 0
                && significant_before(bytes, at).is_some_and(|(at, _)| at == closed.at as usize);
            *length = if empty { 0 } else { commas + 1 };
        }
        if self.open.len() <= 2 {
            self.notes.closed(self.open.len(), at + 1);
        }
        Ok(closed.outer_commas)
    }
}

//! The cursor over the text: white space, punctuation, literals and strings.

use std::borrow::Cow;

use super::super::DEPTH_LIMIT;
use super::super::error::{DecodeError, DecodeErrorKind, ValueKind};
use super::super::index::ESCAPED;
use super::super::text::{escape, plain_end};

pub(super) type Result<T> = std::result::Result<T, DecodeError>;

/// A position in the text of one value.
///
/// `peek` answers 0 at the end: no token begins with a NUL, so the end needs no case of its own anywhere.
pub(super) struct Parser<'de, 't> {
    pub(super) text: &'de str,
    pub(super) at: usize,
    /// The entries of the arrays and strings that are still to come.
    tape: std::slice::Iter<'t, u32>,
    /// How many more arrays or objects may be entered.
    pub(super) room: usize,
    /// Where strings with escapes are put together.
    scratch: String,
}

/// A string of the text.
pub(super) enum Text<'de, 's> {
    Borrowed(&'de str),
    Unescaped(&'s str),
}

impl<'de, 't> Parser<'de, 't> {
    pub(super) fn new(text: &'de str, tape: &'t [u32]) -> Self {
        Self {
            text,
            at: 0,
            tape: tape.iter(),
            room: DEPTH_LIMIT - 1,
            scratch: String::new(),
        }
    }

    #[inline]
    pub(super) fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The first byte of the next token.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        let byte = self.byte();
        if byte > b' ' { byte } else { self.skip_white() }
    }

    #[inline(never)]
    fn skip_white(&mut self) -> u8 {
        while let b' ' | b'\t' | b'\n' | b'\r' = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Result<()> {
        self.peek();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.syntax("nothing after the value"))
        }
    }

    /// The entry of the array or string that begins here; to be taken once for each.
    #[inline]
    pub(super) fn next_entry(&mut self) -> Option<u32> {
        self.tape.next().copied()
    }

    /// The index of the closing quote of the string that begins here, if it is plain and on the tape.
    #[inline]
    pub(super) fn plain_string_end(&mut self) -> Option<usize> {
        let entry = self.next_entry()?;
        let end = self.at + 1 + entry as usize;
        (entry & ESCAPED == 0 && self.text.as_bytes().get(end) == Some(&b'"')).then_some(end)
    }

    /// Goes behind the opening bracket that `peek` has seen.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<()> {
        match self.room.checked_sub(1) {
            Some(room) => self.room = room,
            None => return Err(DecodeError::new(DecodeErrorKind::DepthLimit, self.at)),
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.room += 1;
    }

    #[cold]
    pub(super) fn syntax(&self, reason: &'static str) -> DecodeError {
        DecodeError::new(DecodeErrorKind::Syntax { reason }, self.at)
    }

    /// The error for a token that does not begin the value that is wanted.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: ValueKind) -> DecodeError {
        let found = match self.peek() {
            b'n' => ValueKind::Null,
            b't' | b'f' => ValueKind::Bool,
            b'-' | b'0'..=b'9' => ValueKind::Number,
            b'"' => ValueKind::String,
            b'[' => ValueKind::Array,
            b'{' => ValueKind::Object,
            _ => return self.syntax("a value"),
        };
        let kind = DecodeErrorKind::UnexpectedType { expected, found };
        DecodeError::new(kind, self.at)
    }

    /// Consumes `word`, whose first letter was seen.
    #[inline]
    pub(super) fn literal(&mut self, word: &'static str) -> Result<()> {
        let end = self.at + word.len();
        if self.text.as_bytes().get(self.at..end) == Some(word.as_bytes()) {
            self.at = end;
            Ok(())
        } else {
            Err(self.syntax(word))
        }
    }

    /// Consumes `true` or `false`, whose first letter was seen.
    #[inline]
    pub(super) fn boolean(&mut self) -> Result<bool> {
        if self.byte() == b't' {
            self.literal("true").map(|()| true)
        } else {
            self.literal("false").map(|()| false)
        }
    }

    /// Consumes a string, whose opening quote was seen.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Text<'de, '_>> {
        let start = self.at + 1;
        if let Some(end) = self.plain_string_end()
            && let Some(string) = self.text.get(start..end)
        {
            self.at = end + 1;
            return Ok(Text::Borrowed(string));
        }
        self.searched_string(start)
    }

    #[inline(never)]
    fn searched_string(&mut self, start: usize) -> Result<Text<'de, '_>> {
        let end = plain_end(self.text.as_bytes(), start);
        if let Some(b'"') = self.text.as_bytes().get(end)
            && let Some(string) = self.text.get(start..end)
        {
            self.at = end + 1;
            return Ok(Text::Borrowed(string));
        }
        self.unescape(start, end)?;
        Ok(Text::Unescaped(&self.scratch))
    }

    /// Unescapes a string of which everything before `end` is plain into `scratch`.
    fn unescape(&mut self, start: usize, end: usize) -> Result<()> {
        self.scratch.clear();
        let (mut start, mut end) = (start, end);
        loop {
            self.at = end;
            let Some(plain) = self.text.get(start..end) else {
                return Err(self.syntax("a string"));
            };
            self.scratch.push_str(plain);
            match self.byte() {
                b'"' => break,
                b'\\' => {}
                _ => return Err(self.unfinished_string()),
            }
            let Ok((character, next)) = escape(self.text, end) else {
                return Err(self.syntax("an escape of JSON in a string"));
            };
            self.scratch.push(character);
            start = next;
            end = plain_end(self.text.as_bytes(), start);
        }
        self.at = end + 1;
        Ok(())
    }

    #[cold]
    pub(super) fn unfinished_string(&self) -> DecodeError {
        self.syntax(if self.at == self.text.len() {
            "the closing quote of a string"
        } else {
            "control characters in strings only as escapes"
        })
    }

    /// See [`find_string`](super::find_string).
    pub(super) fn find_string(&mut self, wanted: &str) -> Result<Option<Cow<'de, str>>> {
        if self.peek() != b'{' {
            return Ok(None);
        }
        self.enter()?;
        let mut first = true;
        while self.member(first)? {
            first = false;
            let hit = match self.string()? {
                Text::Borrowed(key) => key == wanted,
                Text::Unescaped(key) => key == wanted,
            };
            self.colon()?;
            if hit && self.peek() == b'"' {
                return Ok(Some(match self.string()? {
                    Text::Borrowed(value) => Cow::Borrowed(value),
                    Text::Unescaped(value) => Cow::Owned(value.to_owned()),
                }));
            }
            self.skip_value()?;
        }
        Ok(None)
    }

    /// Goes to the quote of an object's next key, or behind the object's end.
    #[inline]
    pub(super) fn member(&mut self, first: bool) -> Result<bool> {
        let mut byte = self.peek();
        if byte == b'}' {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            if byte != b',' {
                return Err(self.syntax("`,` or `}`"));
            }
            self.at += 1;
            byte = self.peek();
        }
        if byte != b'"' {
            return Err(self.syntax("a key"));
        }
        Ok(true)
    }

    #[inline]
    pub(super) fn colon(&mut self) -> Result<()> {
        if self.peek() != b':' {
            return Err(self.syntax("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    /// Goes to an array's next element, or behind the array's end.
    #[inline]
    pub(super) fn element(&mut self, first: bool) -> Result<bool> {
        let byte = self.peek();
        if byte == b']' {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            if byte != b',' {
                return Err(self.syntax("`,` or `]`"));
            }
            self.at += 1;
        }
        Ok(true)
    }
}

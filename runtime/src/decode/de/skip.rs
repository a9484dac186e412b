//! Values that nobody wants.

use super::super::text::{hex4, plain_end};
use super::parser::{Parser, Result};

impl Parser<'_, '_> {
    /// Consumes any value, checking its syntax and keeping the array lengths in step.
    pub(super) fn skip_value(&mut self) -> Result<()> {
        // The kinds of the surrounding brackets, innermost in the lowest bit; the depth limit keeps them to 128.
        let mut objects: u128 = 0;
        let outside = self.room;
        loop {
            let opened = self.skip_scalar_or_open(&mut objects)?;
            if opened && self.skip_opening(objects)? {
                continue;
            }
            loop {
                if self.room == outside {
                    return Ok(());
                }
                if self.skip_separator(objects & 1 == 1)? {
                    break;
                }
                self.leave();
                objects >>= 1;
            }
        }
    }

    /// Consumes a value without parts, or an opening bracket: then `true`.
    fn skip_scalar_or_open(&mut self, objects: &mut u128) -> Result<bool> {
        match self.peek() {
            b'"' => self.skip_string()?,
            b'-' | b'0'..=b'9' => self.skip_number()?,
            b't' | b'f' => self.boolean().map(|_| ())?,
            b'n' => self.literal("null")?,
            b'{' => {
                self.enter()?;
                *objects = *objects << 1 | 1;
                return Ok(true);
            }
            b'[' => {
                self.next_entry();
                self.enter()?;
                *objects <<= 1;
                return Ok(true);
            }
            _ => return Err(self.syntax("a value")),
        }
        Ok(false)
    }

    /// After an opening bracket: whether a value follows. If not, the closing bracket is next.
    fn skip_opening(&mut self, objects: u128) -> Result<bool> {
        match (objects & 1 == 1, self.peek()) {
            (true, b'}') | (false, b']') => Ok(false),
            (true, _) => self.skip_key().map(|()| true),
            (false, _) => Ok(true),
        }
    }

    /// After a value: whether another one follows. If not, the closing bracket was consumed.
    fn skip_separator(&mut self, in_object: bool) -> Result<bool> {
        match (in_object, self.peek()) {
            (true, b'}') | (false, b']') => {
                self.at += 1;
                Ok(false)
            }
            (_, b',') => {
                self.at += 1;
                if in_object {
                    self.skip_key()?;
                }
                Ok(true)
            }
            (true, _) => Err(self.syntax("`,` or `}`")),
            (false, _) => Err(self.syntax("`,` or `]`")),
        }
    }

    fn skip_key(&mut self) -> Result<()> {
        if self.peek() != b'"' {
            return Err(self.syntax("a key"));
        }
        self.skip_string()?;
        self.colon()
    }

    /// Consumes a string. As in `serde_json`, the halves of a surrogate pair are not matched in what is skipped.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<()> {
        if let Some(end) = self.plain_string_end() {
            self.at = end + 1;
            return Ok(());
        }
        self.skip_searched_string()
    }

    #[inline(never)]
    fn skip_searched_string(&mut self) -> Result<()> {
        let bytes = self.text.as_bytes();
        let mut at = plain_end(bytes, self.at + 1);
        while bytes.get(at) == Some(&b'\\') {
            let length = match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(b'u') if hex4(bytes, at + 2).is_some() => 6,
                _ => {
                    self.at = at;
                    return Err(self.syntax("an escape of JSON in a string"));
                }
            };
            at = plain_end(bytes, at + length);
        }
        self.at = at;
        if self.byte() != b'"' {
            return Err(self.unfinished_string());
        }
        self.at += 1;
        Ok(())
    }
}

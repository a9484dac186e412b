//! The elements of arrays and the members of objects.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::super::error::{DecodeError, Segment};
use super::super::text::{plain_end, unescape};
use super::keys::KeyDeserializer;
use super::parser::{Parser, Result};

/// An array behind its opening bracket.
pub(super) struct Elements<'p, 'de, 't> {
    parser: &'p mut Parser<'de, 't>,
    length: Option<usize>,
    /// How many were read.
    read: usize,
    ended: bool,
}

impl<'p, 'de, 't> Elements<'p, 'de, 't> {
    #[inline]
    pub(super) fn new(parser: &'p mut Parser<'de, 't>, length: Option<usize>) -> Self {
        Self {
            parser,
            length,
            read: 0,
            ended: false,
        }
    }

    /// Checks that the visitor took all elements.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        if self.parser.peek() != b']' {
            return Err(self
                .parser
                .syntax("`]` after as many elements as the type takes"));
        }
        self.parser.at += 1;
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de, '_> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.ended || !self.parser.element(self.read == 0)? {
            self.ended = true;
            return Ok(None);
        }
        match seed.deserialize(&mut *self.parser) {
            Ok(value) => {
                self.read += 1;
                Ok(Some(value))
            }
            Err(mut error) => {
                error.within(Segment::Index(self.read));
                Err(error)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.length.map(|length| length.saturating_sub(self.read))
    }
}

/// An object behind its opening bracket.
pub(super) struct Members<'p, 'de, 't> {
    parser: &'p mut Parser<'de, 't>,
    fields: &'static [&'static str],
    /// The opening quote of the current key.
    key: usize,
    first: bool,
    ended: bool,
}

impl<'p, 'de, 't> Members<'p, 'de, 't> {
    #[inline]
    pub(super) fn new(parser: &'p mut Parser<'de, 't>, fields: &'static [&'static str]) -> Self {
        Self {
            parser,
            fields,
            key: 0,
            first: true,
            ended: false,
        }
    }

    /// Checks that the visitor took all members.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        if self.parser.peek() != b'}' {
            return Err(self
                .parser
                .syntax("`}` after as many members as the type takes"));
        }
        self.parser.at += 1;
        Ok(())
    }

    #[cold]
    fn segment(&self) -> Segment {
        declared(self.parser.text, self.key, self.fields)
    }
}

/// The name of the key whose quote is at `quote`, if it is one of `names`.
#[cold]
pub(super) fn declared(text: &str, quote: usize, names: &'static [&'static str]) -> Segment {
    let bytes = text.as_bytes();
    let start = quote + 1;
    let mut end = plain_end(bytes, start);
    while bytes.get(end) == Some(&b'\\') {
        end = plain_end(bytes, end + 2);
    }
    let key = bytes.get(start..end).and_then(unescape);
    let declared = names.iter().find(|name| key.as_deref() == Some(**name));
    declared.map_or(Segment::Key, |name| Segment::Field(name))
}

impl<'de> MapAccess<'de> for Members<'_, 'de, '_> {
    type Error = DecodeError;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.ended || !self.parser.member(self.first)? {
            self.ended = true;
            return Ok(None);
        }
        self.first = false;
        self.key = self.parser.at;
        match seed.deserialize(KeyDeserializer(self.parser)) {
            Ok(key) => Ok(Some(key)),
            Err(mut error) => {
                error.within(self.segment());
                Err(error)
            }
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.parser.colon()?;
        let mut result = seed.deserialize(&mut *self.parser);
        if let Err(error) = &mut result {
            error.within(self.segment());
        }
        result
    }
}

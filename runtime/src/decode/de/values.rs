//! serde's `Deserializer` for values.

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};

use super::super::error::{DecodeError, DecodeErrorKind, ValueKind};
use super::access::{Elements, Members};
use super::enums::{Tagged, UnitVariant};
use super::parser::{Parser, Result, Text};

macro_rules! numbers {
    ($($method:ident $wanted:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.peek() {
                b'-' | b'0'..=b'9' => self.visit_number(visitor, ValueKind::$wanted),
                _ => Err(self.unexpected(ValueKind::$wanted)),
            }
        }
    )*};
}

macro_rules! wide_integers {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let (b'-' | b'0'..=b'9') = self.peek() else {
                return Err(self.unexpected(ValueKind::Integer));
            };
            let start = self.at;
            let Ok(value) = self.integer_text()?.parse() else {
                return Err(DecodeError::new(DecodeErrorKind::NumberOutOfRange, start));
            };
            let mut result = visitor.$visit(value);
            located(&mut result, start, ValueKind::Integer);
            result
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Parser<'de, '_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'"' => self.visit_string(visitor, ValueKind::Any),
            b'{' => self.visit_object(visitor, &[], ValueKind::Any),
            b'[' => self.visit_array(visitor, ValueKind::Any),
            b'-' | b'0'..=b'9' => self.visit_number(visitor, ValueKind::Any),
            b't' | b'f' => self.visit_bool(visitor, ValueKind::Any),
            b'n' => self.visit_null(visitor, ValueKind::Any),
            _ => Err(self.syntax("a value")),
        }
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b't' | b'f' => self.visit_bool(visitor, ValueKind::Bool),
            _ => Err(self.unexpected(ValueKind::Bool)),
        }
    }

    numbers! {
        deserialize_i8 Integer
        deserialize_i16 Integer
        deserialize_i32 Integer
        deserialize_i64 Integer
        deserialize_u8 Integer
        deserialize_u16 Integer
        deserialize_u32 Integer
        deserialize_u64 Integer
        deserialize_f32 Number
        deserialize_f64 Number
    }

    wide_integers! {
        deserialize_i128 visit_i128
        deserialize_u128 visit_u128
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'"' => self.visit_string(visitor, ValueKind::String),
            _ => Err(self.unexpected(ValueKind::String)),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'"' => {
                let start = self.at;
                let mut result = match self.string()? {
                    Text::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                    Text::Unescaped(text) => visitor.visit_bytes(text.as_bytes()),
                };
                located(&mut result, start, ValueKind::String);
                result
            }
            b'[' => self.visit_array(visitor, ValueKind::String),
            _ => Err(self.unexpected(ValueKind::String)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek() == b'n' {
            self.literal("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'n' => self.visit_null(visitor, ValueKind::Null),
            _ => Err(self.unexpected(ValueKind::Null)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'[' => self.visit_array(visitor, ValueKind::Array),
            _ => Err(self.unexpected(ValueKind::Array)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            b'{' => self.visit_object(visitor, &[], ValueKind::Object),
            _ => Err(self.unexpected(ValueKind::Object)),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.peek() {
            b'{' => self.visit_object(visitor, fields, ValueKind::Object),
            b'[' => self.visit_array(visitor, ValueKind::Object),
            _ => Err(self.unexpected(ValueKind::Object)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let first = self.peek();
        let start = self.at;
        let mut result = match first {
            b'"' => visitor.visit_enum(UnitVariant(self)),
            b'{' => {
                self.enter()?;
                let mut result = visitor.visit_enum(Tagged::new(self, variants));
                self.leave();
                if result.is_ok() && self.peek() != b'}' {
                    result = Err(self.syntax("`}` after the only variant"));
                }
                self.at += 1;
                result
            }
            _ => Err(self.unexpected(ValueKind::Variant)),
        };
        located(&mut result, start, ValueKind::Variant);
        result
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip_value()?;
        visitor.visit_unit()
    }
}

/// Completes an error that the visitor made.
#[inline]
pub(super) fn located<T>(result: &mut Result<T>, start: usize, wanted: ValueKind) {
    if let Err(error) = result {
        error.locate(start, wanted);
    }
}

impl<'de> Parser<'de, '_> {
    #[inline]
    pub(super) fn visit_string<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        wanted: ValueKind,
    ) -> Result<V::Value> {
        let start = self.at;
        let mut result = match self.string()? {
            Text::Borrowed(text) => visitor.visit_borrowed_str(text),
            Text::Unescaped(text) => visitor.visit_str(text),
        };
        located(&mut result, start, wanted);
        result
    }

    #[inline]
    fn visit_bool<V: Visitor<'de>>(&mut self, visitor: V, wanted: ValueKind) -> Result<V::Value> {
        let start = self.at;
        let value = self.boolean()?;
        let mut result = visitor.visit_bool(value);
        located(&mut result, start, wanted);
        result
    }

    fn visit_null<V: Visitor<'de>>(&mut self, visitor: V, wanted: ValueKind) -> Result<V::Value> {
        let start = self.at;
        self.literal("null")?;
        let mut result = visitor.visit_unit();
        located(&mut result, start, wanted);
        result
    }

    #[inline]
    fn visit_object<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        fields: &'static [&'static str],
        wanted: ValueKind,
    ) -> Result<V::Value> {
        let start = self.at;
        self.enter()?;
        let mut members = Members::new(self, fields);
        let mut result = visitor.visit_map(&mut members);
        if result.is_ok()
            && let Err(error) = members.finish()
        {
            result = Err(error);
        }
        self.leave();
        located(&mut result, start, wanted);
        result
    }

    #[inline]
    fn visit_array<V: Visitor<'de>>(&mut self, visitor: V, wanted: ValueKind) -> Result<V::Value> {
        let start = self.at;
        let length = self.next_entry().map(|length| length as usize);
        self.enter()?;
        let mut elements = Elements::new(self, length);
        let mut result = visitor.visit_seq(&mut elements);
        if result.is_ok()
            && let Err(error) = elements.finish()
        {
            result = Err(error);
        }
        self.leave();
        located(&mut result, start, wanted);
        result
    }

    /// The error for a string where a key of another type is wanted.
    #[cold]
    pub(super) fn key_is_no(&self, wanted: ValueKind, start: usize) -> DecodeError {
        let mut error = DecodeError::invalid_type(Unexpected::Str(""), &"");
        error.locate(start, wanted);
        error
    }
}

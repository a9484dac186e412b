//! serde's `Deserializer` for the keys of objects: strings, or numbers and booleans in quotes.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::super::error::{DecodeError, ValueKind};
use super::parser::{Parser, Result};
use super::values::located;

/// A key whose opening quote is next.
pub(super) struct KeyDeserializer<'p, 'de, 't>(pub(super) &'p mut Parser<'de, 't>);

impl KeyDeserializer<'_, '_, '_> {
    /// Goes behind the opening quote, to a number.
    fn open_number(&mut self, wanted: ValueKind) -> Result<()> {
        let start = self.0.at;
        self.0.next_entry();
        self.0.at += 1;
        match self.0.byte() {
            b'-' | b'0'..=b'9' => Ok(()),
            _ => Err(self.0.key_is_no(wanted, start)),
        }
    }

    fn close_number(parser: &mut Parser<'_, '_>) -> Result<()> {
        if parser.byte() != b'"' {
            return Err(parser.syntax("the closing quote of a number as key"));
        }
        parser.at += 1;
        Ok(())
    }
}

macro_rules! numeric_keys {
    ($($method:ident $wanted:ident)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
            self.open_number(ValueKind::$wanted)?;
            let value = (&mut *self.0).$method(visitor)?;
            Self::close_number(self.0)?;
            Ok(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDeserializer<'_, 'de, '_> {
    type Error = DecodeError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.visit_string(visitor, ValueKind::String)
    }

    numeric_keys! {
        deserialize_i8 Integer
        deserialize_i16 Integer
        deserialize_i32 Integer
        deserialize_i64 Integer
        deserialize_i128 Integer
        deserialize_u8 Integer
        deserialize_u16 Integer
        deserialize_u32 Integer
        deserialize_u64 Integer
        deserialize_u128 Integer
        deserialize_f32 Number
        deserialize_f64 Number
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.0.at;
        self.0.next_entry();
        self.0.at += 1;
        let (b't' | b'f') = self.0.byte() else {
            return Err(self.0.key_is_no(ValueKind::Bool, start));
        };
        let value = self.0.boolean()?;
        Self::close_number(self.0)?;
        let mut result = visitor.visit_bool(value);
        located(&mut result, start, ValueKind::Bool);
        result
    }

    /// A key cannot be null.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.deserialize_bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

//! Enums: a string is a unit variant, an object with one key any variant.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Unexpected, VariantAccess, Visitor,
};

use super::super::error::DecodeError;
use super::access::declared;
use super::parser::{Parser, Result};

/// A variant written as a string.
pub(super) struct UnitVariant<'p, 'de, 't>(pub(super) &'p mut Parser<'de, 't>);

impl<'de> EnumAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let variant = seed.deserialize(&mut *self.0)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value> {
        Err(DecodeError::invalid_type(
            Unexpected::UnitVariant,
            &"newtype variant",
        ))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, _visitor: V) -> Result<V::Value> {
        Err(DecodeError::invalid_type(
            Unexpected::UnitVariant,
            &"tuple variant",
        ))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value> {
        Err(DecodeError::invalid_type(
            Unexpected::UnitVariant,
            &"struct variant",
        ))
    }
}

/// A variant written as an object, behind the opening bracket.
pub(super) struct Tagged<'p, 'de, 't> {
    parser: &'p mut Parser<'de, 't>,
    variants: &'static [&'static str],
    /// The opening quote of the variant's name.
    name: usize,
}

impl<'p, 'de, 't> Tagged<'p, 'de, 't> {
    pub(super) fn new(parser: &'p mut Parser<'de, 't>, variants: &'static [&'static str]) -> Self {
        Self {
            parser,
            variants,
            name: 0,
        }
    }

    fn within<T>(
        parser: &Parser<'de, 't>,
        variants: &'static [&'static str],
        name: usize,
        result: &mut Result<T>,
    ) {
        if let Err(error) = result {
            error.within(declared(parser.text, name, variants));
        }
    }
}

impl<'de> EnumAccess<'de> for Tagged<'_, 'de, '_> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Self)> {
        if self.parser.peek() != b'"' {
            return Err(self.parser.syntax("the name of a variant"));
        }
        self.name = self.parser.at;
        let variant = seed.deserialize(&mut *self.parser)?;
        self.parser.colon()?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Tagged<'_, 'de, '_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<()> {
        let mut result = serde::Deserialize::deserialize(&mut *self.parser);
        Self::within(self.parser, self.variants, self.name, &mut result);
        result
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        let mut result = seed.deserialize(&mut *self.parser);
        Self::within(self.parser, self.variants, self.name, &mut result);
        result
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value> {
        let mut result = self.parser.deserialize_seq(visitor);
        Self::within(self.parser, self.variants, self.name, &mut result);
        result
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let mut result = self.parser.deserialize_struct("", fields, visitor);
        Self::within(self.parser, self.variants, self.name, &mut result);
        result
    }
}

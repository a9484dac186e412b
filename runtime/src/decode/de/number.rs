//! Numbers of JSON (RFC 8259, section 6).

use serde::de::Visitor;

use super::super::error::{DecodeError, DecodeErrorKind, ValueKind};
use super::parser::{Parser, Result};

/// A number as the smallest of serde's types that holds it.
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// An integer too long for the other two, rounded.
    LongInteger(f64),
}

impl<'de> Parser<'de, '_> {
    /// Consumes a number, of which the first byte was seen, and hands it to `visitor`.
    #[inline]
    pub(super) fn visit_number<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        wanted: ValueKind,
    ) -> Result<V::Value> {
        let start = self.at;
        let number = self.number()?;
        let mut result: Result<V::Value> = match number {
            Number::Unsigned(value) => visitor.visit_u64(value),
            Number::Signed(value) => visitor.visit_i64(value),
            Number::Float(value) | Number::LongInteger(value) => visitor.visit_f64(value),
        };
        if let Err(error) = &mut result {
            if let Number::LongInteger(_) = number {
                error.number_was_too_long();
            }
            error.locate(start, wanted);
        }
        result
    }

    /// Consumes a number.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Number> {
        let start = self.at;
        let negative = self.byte() == b'-';
        if negative {
            self.at += 1;
        }
        let first = self.at;
        let mut value: u64 = 0;
        let mut fits = true;
        while let digit @ b'0'..=b'9' = self.byte() {
            let next = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(u64::from(digit - b'0')));
            fits &= next.is_some();
            value = next.unwrap_or(0);
            self.at += 1;
        }
        self.check_integer_part(first)?;
        if let b'.' | b'e' | b'E' = self.byte() {
            self.fraction_and_exponent()?;
            return self.float(start).map(Number::Float);
        }
        if !fits {
            return self.float(start).map(Number::LongInteger);
        }
        if !negative {
            return Ok(Number::Unsigned(value));
        }
        match 0_i64.checked_sub_unsigned(value) {
            // As serde_json has it: the sign of a zero is kept, and only a float can.
            Some(0) => Ok(Number::Float(-0.0)),
            Some(value) => Ok(Number::Signed(value)),
            None => self.float(start).map(Number::LongInteger),
        }
    }

    /// Consumes a number without looking at its size.
    pub(super) fn skip_number(&mut self) -> Result<()> {
        if self.byte() == b'-' {
            self.at += 1;
        }
        let first = self.at;
        self.skip_digits();
        self.check_integer_part(first)?;
        self.fraction_and_exponent()
    }

    /// The text of an integer, for types that are wider than [`Number`].
    pub(super) fn integer_text(&mut self) -> Result<&'de str> {
        let start = self.at;
        if self.byte() == b'-' {
            self.at += 1;
        }
        let first = self.at;
        self.skip_digits();
        self.check_integer_part(first)?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// The digits from `first` to here are at least one, without a zero before others.
    #[inline]
    fn check_integer_part(&self, first: usize) -> Result<()> {
        let digits = self.at - first;
        let leading_zero = digits > 1 && self.text.as_bytes().get(first) == Some(&b'0');
        if digits == 0 || leading_zero {
            return Err(self.syntax("a number without leading zeros"));
        }
        Ok(())
    }

    fn fraction_and_exponent(&mut self) -> Result<()> {
        if self.byte() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.byte() {
            self.at += 1;
            if let b'+' | b'-' = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<()> {
        let first = self.at;
        self.skip_digits();
        if self.at == first {
            return Err(self.syntax("a digit"));
        }
        Ok(())
    }

    fn skip_digits(&mut self) {
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
    }

    fn float(&self, start: usize) -> Result<f64> {
        let text = self.text.get(start..self.at).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(DecodeError::new(DecodeErrorKind::NumberOutOfRange, start)),
        }
    }
}

//! Selectable fields of types that the generator did not make: it knows their paths, and the compiler what stands there.
//!
//! As in `field/walk.rs`, the order of method resolution decides: what takes [`Leaf`] by value is found first, and it is there
//! for the types whose indexes a query goes through. All others are read as the text that they are in JSON, as the server does.

use std::ops::Deref;

use serde::Serialize;
use serde_json::Value;

use super::Selectable;
use super::reads::{Reads, SelectableValue};
use crate::field::Field;
use crate::kept::Kept;
use crate::store::Extract;

/// The field at which a path ends.
#[doc(hidden)]
pub struct Leaf<T, L>(pub Field<T, L>);

/// Of texts, booleans and integers.
#[doc(hidden)]
pub trait OfKnownType<T> {
    fn __reads(self, shown: fn(&T) -> Option<String>) -> Reads<T>;
}

impl<T, L: SelectableValue> OfKnownType<T> for Leaf<T, L> {
    fn __reads(self, _: fn(&T) -> Option<String>) -> Reads<T> {
        L::reads(self.0)
    }
}

/// Of everything else.
#[doc(hidden)]
pub trait OfAnyType<T> {
    fn __reads(self, shown: fn(&T) -> Option<String>) -> Reads<T>;
}

impl<T, L: Serialize> OfAnyType<T> for &Leaf<T, L> {
    fn __reads(self, shown: fn(&T) -> Option<String>) -> Reads<T> {
        Reads::Shown(shown)
    }
}

/// The value of a field as text: `None` where it is absent, or no scalar.
#[doc(hidden)]
pub fn shown<T, L: Serialize>(field: Field<T, L>, object: &T) -> Option<String> {
    let mut text = None;
    field.each(object, |value| {
        text = match serde_json::to_value(value) {
            Ok(Value::String(text)) => Some(text),
            Ok(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
            // What the server selects by is a scalar.
            Ok(Value::Null | Value::Array(_) | Value::Object(_)) | Err(_) => None,
        };
    });
    text
}

/// An index over the texts of a field.
pub(crate) struct Texts<T>(pub(crate) Selectable<T>);

impl<R, T> Extract<R> for Texts<T>
where
    R: Kept<Stored: Deref<Target = T>>,
    T: 'static,
{
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some(self.0.path)
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(String)) {
        let value = self.0.reads().value(stored, self.0.path);
        value.into_iter().for_each(|text| emit(text.into_owned()));
    }
}

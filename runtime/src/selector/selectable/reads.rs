//! Where the value of a selectable field comes from.

use std::borrow::Cow;
use std::ops::Deref;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::field::Field;
use crate::kept::Kept;
use crate::store::Extract;

/// Where a field's value comes from. Generated code makes it, and the planner of queries looks for an index over the same path.
#[doc(hidden)]
pub enum Reads<T> {
    /// A text; absent, it is `""`.
    Text(Field<T, String>),
    /// A boolean; absent, it is `false`.
    Bool(Field<T, bool>),
    /// A number; absent, it is `0`.
    I32(Field<T, i32>),
    /// A number; absent, it is `0`.
    I64(Field<T, i64>),
    /// The first of two texts that is not empty; else it is `""`.
    FirstOf(FirstOf<T>),
    /// A text in the metadata.
    Metadata(fn(&T) -> &ObjectMeta, Field<ObjectMeta, String>),
    /// What stands at the path in a JSON value.
    Json(fn(&T) -> &Value),
    /// What the function finds, as text: the value of an enum, a time; absent, it is `""`.
    Shown(fn(&T) -> Option<String>),
    /// As this function says, where only the compiler knows the type of the field; it says none of this sort.
    Of(fn() -> Self),
}

/// What a [`Selectable`](crate::Selectable) field of a custom resource may be: a text, a boolean, an integer.
pub trait SelectableValue: sealed::Sealed + Sized {
    /// Where it comes from.
    #[doc(hidden)]
    fn reads<T>(field: Field<T, Self>) -> Reads<T>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! values {
    ($($value:ty => $reads:ident),*) => {$(
        impl sealed::Sealed for $value {}

        impl SelectableValue for $value {
            fn reads<T>(field: Field<T, Self>) -> Reads<T> {
                Reads::$reads(field)
            }
        }
    )*};
}

values!(String => Text, bool => Bool, i32 => I32, i64 => I64);

impl<T> Reads<T> {
    /// The value as text; `None` where it is absent.
    pub(super) fn value<'a>(self, object: &'a T, path: &str) -> Option<Cow<'a, str>> {
        let text = |text: &'a String| Cow::Borrowed(text.as_str());
        match self {
            Self::Text(field) => field.first(object).map(text),
            Self::Bool(field) => field.first(object).map(|value| value.to_string().into()),
            Self::I32(field) => field.first(object).map(|value| value.to_string().into()),
            Self::I64(field) => field.first(object).map(|value| value.to_string().into()),
            Self::FirstOf(fields) => fields.value(object).map(text),
            Self::Metadata(metadata, field) => field.first(metadata(object)).map(text),
            Self::Json(data) => at_path(data(object), path),
            Self::Shown(show) => show(object).map(Cow::Owned),
            Self::Of(reads) => reads().value(object, path),
        }
    }

    /// Whether a value that is there can read so.
    pub(super) fn can_be(&self, value: &str) -> bool {
        match self {
            Self::Bool(_) => parsed::<bool>(value).is_some(),
            Self::I32(_) => parsed::<i32>(value).is_some(),
            Self::I64(_) => parsed::<i64>(value).is_some(),
            Self::Of(reads) => reads().can_be(value),
            Self::Text(_)
            | Self::FirstOf(_)
            | Self::Metadata(..)
            | Self::Json(_)
            | Self::Shown(_) => true,
        }
    }

    /// What the server reads where the value is absent, unless the object is a custom resource.
    pub(super) const fn absent(&self) -> &'static str {
        match self {
            Self::Bool(_) => "false",
            Self::I32(_) | Self::I64(_) => "0",
            Self::Text(_)
            | Self::FirstOf(_)
            | Self::Metadata(..)
            | Self::Json(_)
            | Self::Shown(_)
            | Self::Of(_) => "",
        }
    }
}

/// The value that the server writes so. Values are compared as texts: one that is written otherwise is none.
pub(crate) fn parsed<V: FromStr + ToString>(text: &str) -> Option<V> {
    let value = text.parse().ok();
    value.filter(|value: &V| value.to_string() == text)
}

/// The first of two texts that is not empty. As an index it has the path that the server knows the field by.
#[doc(hidden)]
pub struct FirstOf<T> {
    pub path: &'static str,
    pub first: Field<T, String>,
    pub second: Field<T, String>,
}

impl<T> FirstOf<T> {
    fn value<'a>(&self, object: &'a T) -> Option<&'a String> {
        let fields = [self.first, self.second].into_iter();
        let mut values = fields.filter_map(|field| field.first(object));
        values.find(|value| !value.is_empty())
    }
}

impl<R, T> Extract<R> for FirstOf<T>
where
    R: Kept<Stored: Deref<Target = T>>,
    T: 'static,
{
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some(self.path)
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(String)) {
        self.value(stored).cloned().into_iter().for_each(emit);
    }
}

/// The scalar at a path of names with dots between, as text.
fn at_path<'a>(data: &'a Value, path: &str) -> Option<Cow<'a, str>> {
    let value = path
        .split('.')
        .try_fold(data, |value, name| value.get(name))?;
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl<T> Clone for FirstOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FirstOf<T> {}

impl<T> Clone for Reads<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Reads<T> {}

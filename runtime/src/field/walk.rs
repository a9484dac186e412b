//! Steps of an expanded path.
//!
//! A step does not know its type, so it relies on the order of method resolution: what takes `At` by value is found before what
//! takes it by reference. By value are the methods of optional values, lists and maps; by reference those of everything
//! else. Where a step makes no sense, the method that is found has a bound that the type does not meet, and the message of
//! that bound is what the user reads, at the segment. A type that is unknown already, since a segment before is
//! misspelt, finds exactly one method, so that one mistake gives one error.
//!
//! The methods are called as no other trait's are, since one that is for every type and in the user's scope would be found as well.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;
use std::iter;

use super::key::FieldKey;

/// A place in an object.
#[doc(hidden)]
pub struct At<'a, T: ?Sized>(pub &'a T);

impl<'a, T> At<'a, Option<T>> {
    /// The value, where there is one.
    pub fn __present(self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

/// What every value has that is no list and no map.
#[doc(hidden)]
pub trait Plain<'a, T: ?Sized> {
    /// The value, which is there.
    fn __present(self) -> Option<&'a T>;
    /// The value, whose field comes next.
    fn __object(self) -> &'a T;
    /// The value, at which the path ends.
    fn __key(self) -> &'a T
    where
        T: FieldKey;
    /// The value, at which the path ends, whatever it is.
    fn __leaf(self) -> &'a T;
    /// Nothing can be walked.
    fn __items(self) -> iter::Empty<&'a T>
    where
        T: Many;
    /// There are no keys.
    fn __entry(self, key: &str) -> Option<&'a T>
    where
        T: Keyed;
    /// There are no keys.
    fn __names(self) -> iter::Empty<&'a String>
    where
        T: Keyed;
}

impl<'a, T: ?Sized> Plain<'a, T> for &At<'a, T> {
    fn __present(self) -> Option<&'a T> {
        Some(self.0)
    }

    fn __object(self) -> &'a T {
        self.0
    }

    fn __key(self) -> &'a T
    where
        T: FieldKey,
    {
        self.0
    }

    fn __leaf(self) -> &'a T {
        self.0
    }

    fn __items(self) -> iter::Empty<&'a T>
    where
        T: Many,
    {
        iter::empty()
    }

    fn __entry(self, _: &str) -> Option<&'a T>
    where
        T: Keyed,
    {
        None
    }

    fn __names(self) -> iter::Empty<&'a String>
    where
        T: Keyed,
    {
        iter::empty()
    }
}

/// What lists and maps have.
#[doc(hidden)]
pub trait Walked<'a, T: Many> {
    /// Each item of a list, each value of a map.
    fn __items(self) -> impl Iterator<Item = &'a T::Item>
    where
        T: 'a;
    /// There are no fields.
    fn __object(self) -> &'a T::Item
    where
        T: HasFields<T::Item>;
    /// It is no key.
    fn __key(self) -> &'a T::Item
    where
        T: IsKey<T::Item>;
    /// It has no one value.
    fn __leaf(self) -> &'a T::Item
    where
        T: IsKey<T::Item>;
}

impl<'a, T: Many> Walked<'a, T> for At<'a, T> {
    fn __items(self) -> impl Iterator<Item = &'a T::Item>
    where
        T: 'a,
    {
        self.0.items()
    }

    fn __object(self) -> &'a T::Item
    where
        T: HasFields<T::Item>,
    {
        self.0.never()
    }

    fn __key(self) -> &'a T::Item
    where
        T: IsKey<T::Item>,
    {
        self.0.never()
    }

    fn __leaf(self) -> &'a T::Item
    where
        T: IsKey<T::Item>,
    {
        self.0.never()
    }
}

/// What maps have.
#[doc(hidden)]
pub trait Mapped<'a, T: Keyed> {
    /// The value of one key.
    fn __entry(self, key: &str) -> Option<&'a T::Value>;
    /// Each key.
    fn __names(self) -> impl Iterator<Item = &'a String>
    where
        T: 'a;
}

impl<'a, T: Keyed> Mapped<'a, T> for At<'a, T> {
    fn __entry(self, key: &str) -> Option<&'a T::Value> {
        self.0.value(key)
    }

    fn __names(self) -> impl Iterator<Item = &'a String>
    where
        T: 'a,
    {
        self.0.names()
    }
}

/// A list or a map.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`[]` walks a list or the values of a map, and `{Self}` is neither",
    label = "a `{Self}` has no items"
)]
pub trait Many {
    type Item;
    fn items(&self) -> impl Iterator<Item = &Self::Item>;
}

/// A map.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "only a map has keys, and `{Self}` is none",
    label = "a `{Self}` has no keys",
    note = "the items of a list are walked with `[]`; the field of a struct is named behind a `.`"
)]
pub trait Keyed {
    type Value;
    fn value(&self, key: &str) -> Option<&Self::Value>;
    fn names(&self) -> impl Iterator<Item = &String>;
}

/// What no list and no map is: something with fields.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is walked before a field can be named",
    label = "behind this segment, write `[]` for the items of a list or the values of a map, or `[\"key\"]` for one value"
)]
pub trait HasFields<T> {
    fn never(&self) -> &T;
}

/// What no list and no map is: something that a path can end at.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a path cannot end at a list or a map, as `{Self}` is",
    label = "behind this segment, write `[]` for the items of a list or the values of a map, `[\"key\"]` for one value, or `{{}}` for \
             the keys"
)]
pub trait IsKey<T> {
    fn never(&self) -> &T;
}

macro_rules! lists {
    ($($list:ty, [$($parameters:tt)*];)*) => {$(
        impl<T, $($parameters)*> Many for $list {
            type Item = T;

            fn items(&self) -> impl Iterator<Item = &T> {
                self.iter()
            }
        }
    )*};
}

lists! {
    Vec<T>, [];
    Box<[T]>, [];
    [T; N], [const N: usize];
    BTreeSet<T>, [];
    HashSet<T, S>, [S];
}

macro_rules! maps {
    ($($map:ty, [$($parameters:tt)*];)*) => {$(
        impl<T, $($parameters)*> Many for $map {
            type Item = T;

            fn items(&self) -> impl Iterator<Item = &T> {
                self.values()
            }
        }

        impl<T, $($parameters)*> Keyed for $map {
            type Value = T;

            fn value(&self, key: &str) -> Option<&T> {
                self.get(key)
            }

            fn names(&self) -> impl Iterator<Item = &String> {
                self.keys()
            }
        }
    )*};
}

maps! {
    BTreeMap<String, T>, [];
    HashMap<String, T, S>, [S: BuildHasher];
}

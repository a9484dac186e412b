//! Steps of an expanded path.
//!
//! A step does not know its type, so it relies on method resolution: what `At` has of its own for `Option`, lists and
//! maps goes before what [`Plain`] has for every type. The methods for what is wrong have a bound that no type meets; its
//! message is what the user reads, at the segment.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;

use super::key::FieldKey;

/// A place in an object.
#[doc(hidden)]
pub struct At<'a, T: ?Sized>(pub &'a T);

impl<'a, T> At<'a, Option<T>> {
    /// The value, where there is one.
    pub fn present(self) -> Option<&'a T> {
        self.0.as_ref()
    }
}

/// What every type has.
#[doc(hidden)]
pub trait Plain<'a, T: ?Sized> {
    /// The value, which is there.
    fn present(self) -> Option<&'a T>;
    /// The value, whose field comes next.
    fn object(self) -> &'a T;
    /// The value, at which the path ends.
    fn key(self) -> &'a T
    where
        T: FieldKey;
}

impl<'a, T: ?Sized> Plain<'a, T> for At<'a, T> {
    fn present(self) -> Option<&'a T> {
        Some(self.0)
    }

    fn object(self) -> &'a T {
        self.0
    }

    fn key(self) -> &'a T
    where
        T: FieldKey,
    {
        self.0
    }
}

impl<'a, T> At<'a, T> {
    /// Each item.
    pub fn items(self) -> impl Iterator<Item = &'a T::Item>
    where
        T: Many,
    {
        self.0.items()
    }

    /// The value of one key.
    pub fn entry(self, key: &str) -> Option<&'a T::Value>
    where
        T: Keyed,
    {
        self.0.value(key)
    }

    /// Each key.
    pub fn names(self) -> impl Iterator<Item = &'a String>
    where
        T: Keyed,
    {
        self.0.names()
    }
}

/// What `[]` walks.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`[]` walks a list or the values of a map, and `{Self}` is neither",
    label = "a `{Self}` has no items"
)]
pub trait Many {
    type Item;
    fn items(&self) -> impl Iterator<Item = &Self::Item>;
}

/// What has keys.
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

macro_rules! lists {
    ($($list:ty, [$($parameters:tt)*];)*) => {$(
        impl<T, $($parameters)*> Many for $list {
            type Item = T;

            fn items(&self) -> impl Iterator<Item = &T> {
                self.iter()
            }
        }

        impl<'a, T, $($parameters)*> At<'a, $list> {
            /// A list has no fields.
            pub fn object(self) -> &'a T
            where
                $list: ListFields<T>,
            {
                self.0.never()
            }

            /// A list is no key.
            pub fn key(self) -> &'a T
            where
                $list: ListEnds<T>,
            {
                self.0.never()
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

        impl<'a, T, $($parameters)*> At<'a, $map> {
            /// A map has no fields.
            pub fn object(self) -> &'a T
            where
                $map: MapFields<T>,
            {
                self.0.never()
            }

            /// A map is no key.
            pub fn key(self) -> &'a T
            where
                $map: MapEnds<T>,
            {
                self.0.never()
            }
        }
    )*};
}

maps! {
    BTreeMap<String, T>, [];
    HashMap<String, T, S>, [S: BuildHasher];
}

macro_rules! never {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        #[doc(hidden)]
        $(#[$attribute])*
        pub trait $name<T> {
            fn never(&self) -> &T;
        }
    )*};
}

never! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is a list, which has no fields: write `[]` behind its segment to walk it",
        label = "write `[]` behind this segment"
    )]
    ListFields;
    #[diagnostic::on_unimplemented(
        message = "a path cannot end at a list: write `[]` behind its last segment to walk it",
        label = "write `[]` behind this segment"
    )]
    ListEnds;
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is a map: name a key of it as in `[\"app\"]`, or walk its values with `[]`",
        label = "a map: its keys are no fields"
    )]
    MapFields;
    #[diagnostic::on_unimplemented(
        message = "a path cannot end at a map: name a key as in `[\"app\"]`, or walk its keys with `{{}}` or its values with `[]`",
        label = "this is a map"
    )]
    MapEnds;
}

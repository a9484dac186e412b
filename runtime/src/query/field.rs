//! Tests of what a path of `field!` leads to.

use std::any::Any;
use std::fmt;

use super::plan::{Found, Indexes};
use super::{Node, Query};
use crate::field::{Field, FieldKey};

/// A test of a path, whatever the type of its keys is.
pub(super) trait FieldTest<T>: Send + Sync {
    fn path(&self) -> &'static str;
    fn holds(&self, object: &T) -> bool;
    /// The objects that it selects, by an index over its path, where they are not more than so many.
    fn find(&self, indexes: &dyn Indexes, most: usize) -> Option<Found>;
    /// The texts of which there must be one, where it is about texts.
    fn texts(&self) -> Option<&[String]>;
    fn show(&self, negated: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

struct Test<T, L: FieldKey> {
    field: Field<T, L>,
    wanted: Wanted<L::Key>,
}

enum Wanted<K> {
    Anything,
    /// One of these keys, which are in order, each once.
    OneOf(Box<[K]>),
}

impl<T: 'static, L: FieldKey + 'static> Field<T, L> {
    /// Objects that have this value at the path; where it walks a list or a map, among others. In the semantics of an index: an
    /// object without the value has none.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use larder::field;
    ///
    /// let on_node = field!(Pod, spec.nodeName).eq("node-7");
    /// let of_web = field!(Pod, metadata.ownerReferences[].controller).eq(true);
    /// # let _ = on_node.and(of_web);
    /// ```
    pub fn eq(self, value: impl Into<L::Key>) -> Query<T> {
        self.is_in([value])
    }

    /// Objects that do not have this value at the path: others, or none.
    pub fn ne(self, value: impl Into<L::Key>) -> Query<T> {
        !self.eq(value)
    }

    /// Objects that have one of these values at the path. Of no values: nothing.
    pub fn is_in<V: Into<L::Key>>(self, values: impl IntoIterator<Item = V>) -> Query<T> {
        let mut keys: Vec<L::Key> = values.into_iter().map(Into::into).collect();
        keys.sort_unstable();
        keys.dedup();
        self.query(Wanted::OneOf(keys.into()))
    }

    /// Objects that have none of these values at the path: others, or none at all.
    pub fn not_in<V: Into<L::Key>>(self, values: impl IntoIterator<Item = V>) -> Query<T> {
        !self.is_in(values)
    }

    /// Objects that have a value at the path.
    pub fn exists(self) -> Query<T> {
        self.query(Wanted::Anything)
    }

    /// Objects that have no value at the path.
    pub fn absent(self) -> Query<T> {
        !self.exists()
    }

    fn query(self, wanted: Wanted<L::Key>) -> Query<T> {
        let test = Test {
            field: self,
            wanted,
        };
        Query::new(Node::Field(Box::new(test)))
    }
}

impl<K: Ord> Wanted<K> {
    fn fits<L: FieldKey<Key = K>>(&self, value: &L) -> bool {
        match self {
            Self::Anything => true,
            Self::OneOf(keys) => keys
                .binary_search_by(|key| value.cmp_key(key).reverse())
                .is_ok(),
        }
    }
}

impl<T, L: FieldKey> FieldTest<T> for Test<T, L> {
    fn path(&self) -> &'static str {
        self.field.path()
    }

    fn holds(&self, object: &T) -> bool {
        let mut found = false;
        self.field
            .each(object, |value| found = found || self.wanted.fits(value));
        found
    }

    fn find(&self, indexes: &dyn Indexes, most: usize) -> Option<Found> {
        let path = self.field.path();
        match &self.wanted {
            Wanted::Anything => Found::all::<L::Key>(indexes, path, most),
            Wanted::OneOf(keys) => Found::under(indexes, path, keys),
        }
    }

    fn texts(&self) -> Option<&[String]> {
        let wanted: &Wanted<String> = (&self.wanted as &dyn Any).downcast_ref()?;
        match wanted {
            Wanted::OneOf(texts) => Some(texts),
            Wanted::Anything => None,
        }
    }

    fn show(&self, negated: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.field.path();
        let word = |plain, otherwise| if negated { otherwise } else { plain };
        match &self.wanted {
            Wanted::Anything => write!(f, "{path} {}", word("exists", "absent")),
            Wanted::OneOf(keys) => match &**keys {
                [key] => write!(f, "{path} {} {key:?}", word("=", "!=")),
                keys => write!(f, "{path} {} {keys:?}", word("in", "not in")),
            },
        }
    }
}

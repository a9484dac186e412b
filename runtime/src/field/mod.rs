//! Field paths that the compiler checks: what `field!` expands to, and the keys that a path may end in.
//!
//! The macro writes plain field accesses; the helpers in `walk.rs` step over what may be absent, into lists and maps,
//! and carry the messages for what is wrong at a segment. Nothing here runs but `Field`'s own walk.

mod key;
mod spelling;
mod walk;

use std::fmt;
use std::ops::Deref;

pub use key::{FieldKey, IntOrStringKey};
pub use spelling::{Next, Property, Spells, Spelt, Unspelt};
pub use walk::{At, HasFields, IsKey, Keyed, Many, Mapped, Plain, Walked};

use crate::kept::Kept;
use crate::query::Query;
use crate::store::{Composite, Extract};

type Walk<T, L> = for<'a> fn(&'a T, &mut dyn FnMut(&'a L));

/// A path from an object of type `T` to values of type `L`, made by [`field!`](crate::field!).
///
/// It is an index ([`Extract`]) over every informer that keeps a `T`, and can be walked by itself:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{Field, field};
///
/// const IMAGES: Field<Pod, String> = field!(Pod, spec.containers[].image);
///
/// let pod: Pod = serde_json::from_str(
///     r#"{"metadata": {}, "spec": {"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "two"}]}}"#,
/// )?;
/// assert_eq!(IMAGES.path(), "spec.containers[].image");
/// assert_eq!(IMAGES.keys(&pod), ["one", "two"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Field<T, L> {
    path: &'static str,
    walk: Walk<T, L>,
}

impl<T, L> Field<T, L> {
    /// Made by the macro alone, which has checked that the path says what the walk does.
    #[doc(hidden)]
    pub const fn __new(path: &'static str, walk: Walk<T, L>) -> Self {
        Self { path, walk }
    }

    /// The path, as in JSON.
    #[must_use]
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Calls `visit` with each value, in the order of the object. An absent field has none.
    pub fn each<'a>(&self, object: &'a T, mut visit: impl FnMut(&'a L))
    where
        L: 'a,
    {
        (self.walk)(object, &mut visit);
    }

    /// The first value, where there is one.
    pub(crate) fn first<'a>(&self, object: &'a T) -> Option<&'a L> {
        let mut first = None;
        self.each(object, |value| {
            first.get_or_insert(value);
        });
        first
    }
}

impl<T, L> Field<T, L> {
    /// An index over the pairs of this field's keys and another's: `field!(Pod, metadata.namespace).with(field!(Pod, spec.nodeName))`.
    #[must_use]
    pub const fn with<X>(self, other: X) -> Composite<Self, X> {
        Composite::new(self, other)
    }
}

impl<T, L: FieldKey> Field<T, L> {
    /// The keys of an object: none where the field is absent, several where the path walks a list or a map.
    #[must_use]
    pub fn keys(&self, object: &T) -> Vec<L::Key> {
        let mut keys = Vec::new();
        self.each(object, |value| keys.push(value.to_key()));
        keys
    }
}

impl<T, L> Clone for Field<T, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, L> Copy for Field<T, L> {}

impl<T, L> fmt::Debug for Field<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.path).finish()
    }
}

impl<R, T, L> Extract<R> for Field<T, L>
where
    R: Kept,
    R::Stored: Deref<Target = T>,
    T: 'static,
    L: FieldKey + 'static,
{
    type Key = L::Key;

    fn path(&self) -> Option<&str> {
        Some(self.path)
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(L::Key)) {
        self.each(stored, |value| emit(value.to_key()));
    }

    fn query(&self, value: &str) -> Option<Query<T>> {
        Some(self.eq(L::from_text(value)?))
    }
}

/// A path into an object, checked by the compiler.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::{Pod, Service};
/// use larder::{Field, IntOrStringKey, field};
///
/// let by_node = field!(Pod, spec.nodeName);
/// let by_app = field!(Pod, metadata.labels["app"]);      // one key of a map
/// let by_label = field!(Pod, metadata.labels{});         // its keys
/// let by_value = field!(Pod, metadata.labels[]);         // its values
/// let by_image = field!(Pod, spec.containers[].image);   // each item of a list
/// let by_owner = field!(Pod, metadata.ownerReferences[].uid);
///
/// // A path is a constant, too; the second parameter is the type that it ends in.
/// const PHASE: Field<Pod, String> = field!(Pod, status.phase);
/// # let _ = (by_node, by_app, by_label, by_value, by_image, by_owner);
/// ```
///
/// The path is spelt as in JSON. It expands to access of the fields of the Rust type, so a misspelt segment is the
/// compiler's own error at that segment, and it does not matter whether a field is optional. An object without the value
/// has no key. A path ends in a [`FieldKey`].
///
/// A name that is no Rust identifier is written as a string, and where a type's field is not called as the rule for names
/// would have it, `as` names the field:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::field;
///
/// struct Gauge {
///     x_unit: Option<String>,
///     r#type: String,
///     total: i64,
/// }
///
/// let unit = field!(Gauge, "x-unit");
/// let kind = field!(Gauge, type as r#type);
/// let count = field!(Gauge, count as total);
/// let gauge = Gauge { x_unit: None, r#type: "flow".into(), total: 2 };
/// assert_eq!(unit.keys(&gauge), [""; 0]);
/// assert_eq!(kind.keys(&gauge), ["flow"]);
/// assert_eq!(count.keys(&gauge), [2]);
/// ```
///
/// What does not exist, does not compile:
///
/// ```compile_fail,E0609
/// # extern crate larder_runtime as larder;
/// # use k8s_openapi::api::core::v1::Pod;
/// let _ = larder::field!(Pod, spec.nodeNam);
/// ```
///
/// nor does a spelling that is not JSON's (`spec.node_name`), a list without `[]`, or an end at a struct:
///
/// ```compile_fail
/// # extern crate larder_runtime as larder;
/// # use k8s_openapi::api::core::v1::Pod;
/// let _ = larder::field!(Pod, spec.node_name);
/// ```
///
/// ```compile_fail,E0277
/// # extern crate larder_runtime as larder;
/// # use k8s_openapi::api::core::v1::Pod;
/// let _ = larder::field!(Pod, spec.containers.image);
/// ```
///
/// ```compile_fail,E0277
/// # extern crate larder_runtime as larder;
/// # use k8s_openapi::api::core::v1::Pod;
/// let _ = larder::field!(Pod, spec.containers[]);
/// ```
#[macro_export]
macro_rules! field {
    ($($path:tt)*) => {
        $crate::__private::field!($crate; $($path)*)
    };
}

#[cfg(test)]
mod tests;

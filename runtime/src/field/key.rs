//! What a path may end in.

use std::hash::Hash;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;

/// A value that objects can be found by: strings, integers, booleans, times, integers-or-strings.
///
/// Implement it for a type of your own that a path shall end in:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{FieldKey, field};
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
/// enum Tier { Gold, Silver }
///
/// impl FieldKey for Tier {
///     type Key = Self;
///
///     fn to_key(&self) -> Self {
///         self.clone()
///     }
/// }
///
/// struct Plan { tier: Option<Tier> }
///
/// let by_tier = field!(Plan, tier);
/// assert!(by_tier.keys(&Plan { tier: Some(Tier::Gold) }) == [Tier::Gold]);
/// ```
///
/// Floating-point numbers are no keys, as they have no total order; nor are quantities, whose texts differ for one amount
/// (`1`, `1000m`): make such an index with [`computed`](crate::computed).
#[diagnostic::on_unimplemented(
    message = "a path cannot end at `{Self}`",
    label = "the path ends here, at a `{Self}`",
    note = "name a field of it; or, for a type of your own that objects shall be found by, implement `FieldKey`"
)]
pub trait FieldKey {
    /// The key as an index holds it.
    type Key: Ord + Hash + Clone + Send + Sync + 'static;

    /// The key.
    fn to_key(&self) -> Self::Key;
}

macro_rules! are_their_own_keys {
    ($($type:ty)*) => {$(
        impl FieldKey for $type {
            type Key = Self;

            #[inline]
            fn to_key(&self) -> Self {
                self.clone()
            }
        }
    )*};
}

are_their_own_keys!(String Arc<str> Box<str> bool i8 i16 i32 i64 u8 u16 u32 u64 Timestamp);

impl FieldKey for Time {
    type Key = Timestamp;

    #[inline]
    fn to_key(&self) -> Timestamp {
        self.0
    }
}

impl FieldKey for MicroTime {
    type Key = Timestamp;

    #[inline]
    fn to_key(&self) -> Timestamp {
        self.0
    }
}

/// The key of an [`IntOrString`], such as a service's target port. The number 80 and the text `80` are two keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrStringKey {
    /// A number.
    Int(i64),
    /// A text.
    String(String),
}

impl From<i32> for IntOrStringKey {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<i64> for IntOrStringKey {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for IntOrStringKey {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl FieldKey for IntOrString {
    type Key = IntOrStringKey;

    fn to_key(&self) -> IntOrStringKey {
        match self {
            Self::Int(number) => IntOrStringKey::Int((*number).into()),
            Self::String(text) => IntOrStringKey::String(text.clone()),
        }
    }
}

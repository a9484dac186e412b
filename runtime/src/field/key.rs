//! What a path may end in.

use std::cmp::Ordering;
use std::fmt::Debug;
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
/// #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
/// enum Tier { Gold, Silver }
///
/// impl FieldKey for Tier {
///     type Key = Self;
///
///     fn to_key(&self) -> Self {
///         self.clone()
///     }
///
///     // Only for selectors that are texts, as `spec.tier=Gold`.
///     fn from_text(text: &str) -> Option<Self> {
///         match text {
///             "Gold" => Some(Self::Gold),
///             "Silver" => Some(Self::Silver),
///             _ => None,
///         }
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
    note = "name a field of it; or, for a type of your own that objects shall be found by, implement `FieldKey`; a number with a fraction or a quantity is made a key by `computed`"
)]
pub trait FieldKey {
    /// The key as an index holds it. `Debug` is how it is shown in [`Plan`](crate::Plan)s and in queries.
    type Key: Ord + Hash + Clone + Debug + Send + Sync + 'static;

    /// The key.
    fn to_key(&self) -> Self::Key;

    /// Compares the key with another one: `self.to_key().cmp(key)`, which where keys are texts is done without making one.
    #[inline]
    fn cmp_key(&self, key: &Self::Key) -> Ordering {
        self.to_key().cmp(key)
    }

    /// The key that is written so; `None`, the default, where none is.
    ///
    /// By it [`Lister::fields`](crate::Lister::fields) reads the values of a selector such as `spec.replicas=3`. Integers and booleans are written as in
    /// JSON, times as in RFC 3339; an integer-or-string of digits alone is a number, as everywhere in kubectl.
    fn from_text(_text: &str) -> Option<Self::Key> {
        None
    }
}

macro_rules! are_their_own_keys {
    ($($type:ty: $from_text:expr,)*) => {$(
        impl FieldKey for $type {
            type Key = Self;

            #[inline]
            fn to_key(&self) -> Self {
                self.clone()
            }

            #[inline]
            fn cmp_key(&self, key: &Self) -> Ordering {
                self.cmp(key)
            }

            fn from_text(text: &str) -> Option<Self> {
                let read: fn(&str) -> Option<Self> = $from_text;
                read(text)
            }
        }
    )*};
}

are_their_own_keys! {
    String: |text| Some(text.into()),
    Arc<str>: |text| Some(text.into()),
    Box<str>: |text| Some(text.into()),
    bool: |text| text.parse().ok(),
    i8: |text| text.parse().ok(),
    i16: |text| text.parse().ok(),
    i32: |text| text.parse().ok(),
    i64: |text| text.parse().ok(),
    u8: |text| text.parse().ok(),
    u16: |text| text.parse().ok(),
    u32: |text| text.parse().ok(),
    u64: |text| text.parse().ok(),
    Timestamp: |text| text.parse().ok(),
}

macro_rules! times {
    ($($type:ty)*) => {$(
        impl FieldKey for $type {
            type Key = Timestamp;

            #[inline]
            fn to_key(&self) -> Timestamp {
                self.0
            }

            #[inline]
            fn cmp_key(&self, key: &Timestamp) -> Ordering {
                self.0.cmp(key)
            }

            fn from_text(text: &str) -> Option<Timestamp> {
                Timestamp::from_text(text)
            }
        }
    )*};
}

times!(Time MicroTime);

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

    fn cmp_key(&self, key: &IntOrStringKey) -> Ordering {
        match (self, key) {
            (Self::Int(number), IntOrStringKey::Int(other)) => i64::from(*number).cmp(other),
            (Self::Int(_), IntOrStringKey::String(_)) => Ordering::Less,
            (Self::String(_), IntOrStringKey::Int(_)) => Ordering::Greater,
            (Self::String(text), IntOrStringKey::String(other)) => text.cmp(other),
        }
    }

    fn from_text(text: &str) -> Option<IntOrStringKey> {
        let number = text.parse().map(IntOrStringKey::Int);
        Some(number.unwrap_or_else(|_| text.into()))
    }
}

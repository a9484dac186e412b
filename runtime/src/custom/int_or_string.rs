//! Integers or strings.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{FieldKey, IntOrStringKey};

/// An integer or a string, as `x-kubernetes-int-or-string` has it: ports, percentages, quantities.
///
/// Unlike k8s-openapi's type it holds all 64 bits, which the server accepts in custom resources.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::custom::IntOrString;
///
/// let memory: IntOrString = serde_json::from_str("8589934592")?;
/// assert_eq!(memory, IntOrString::Int(8_589_934_592));
/// assert_eq!(IntOrString::from("25%").to_string(), "25%");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrString {
    /// An integer.
    Int(i64),
    /// A string.
    String(String),
}

/// 0, as of an integer.
impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl From<i64> for IntOrString {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<i32> for IntOrString {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for IntOrString {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::String(text) => f.pad(text),
        }
    }
}

impl FieldKey for IntOrString {
    type Key = IntOrStringKey;

    fn to_key(&self) -> IntOrStringKey {
        match self {
            Self::Int(number) => IntOrStringKey::Int(*number),
            Self::String(text) => IntOrStringKey::String(text.clone()),
        }
    }

    fn from_text(text: &str) -> Option<IntOrStringKey> {
        k8s_openapi::apimachinery::pkg::util::intstr::IntOrString::from_text(text)
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntOrStringVisitor)
    }
}

struct IntOrStringVisitor;

impl Visitor<'_> for IntOrStringVisitor {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer or a string")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<IntOrString, E> {
        Ok(IntOrString::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<IntOrString, E> {
        // The server has no larger integers either.
        i64::try_from(number)
            .map(IntOrString::Int)
            .map_err(|_| E::custom("the integer has more than 64 bits"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<IntOrString, E> {
        Ok(text.into())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<IntOrString, E> {
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_read_and_written_as_they_stood() {
        for (json, value) in [
            ("80", IntOrString::Int(80)),
            ("-9223372036854775808", IntOrString::Int(i64::MIN)),
            ("9223372036854775807", IntOrString::Int(i64::MAX)),
            ("\"80\"", "80".into()),
            ("\"\"", "".into()),
        ] {
            let read: IntOrString = serde_json::from_str(json).unwrap();
            assert_eq!(read, value);
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
        for json in ["9223372036854775808", "1.5", "true", "null", "[]"] {
            assert!(serde_json::from_str::<IntOrString>(json).is_err(), "{json}");
        }
    }
}

//! Times.

use std::fmt;

use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::FieldKey;

/// A time in a custom resource (`format: date-time`).
///
/// Unlike k8s-openapi's `Time` it is written as it was read, with fractions of a second and offset, and takes every text
/// that the server takes, such as the end of the year 9999, which is beyond what a [`Timestamp`] holds.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::custom::DateTime;
///
/// let time = DateTime::from("2026-01-02T03:04:05.678+01:00");
/// assert_eq!(time.timestamp().to_string(), "2026-01-02T02:04:05.678Z");
/// assert_eq!(time.to_string(), "2026-01-02T03:04:05.678+01:00");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DateTime {
    at: Timestamp,
    /// The text, where it is not what `at` is written as.
    text: Option<Box<str>>,
}

impl DateTime {
    /// The time. A text that is none, and a time before what can be told, is the earliest; one after it the latest.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        self.at
    }

    fn parse(text: &str) -> Timestamp {
        match text.parse() {
            Ok(at) => at,
            // No other year of four digits is too large.
            Err(_) if text.starts_with("9999-") => Timestamp::MAX,
            Err(_) => Timestamp::MIN,
        }
    }
}

impl From<Timestamp> for DateTime {
    fn from(at: Timestamp) -> Self {
        Self { at, text: None }
    }
}

impl From<&str> for DateTime {
    fn from(text: &str) -> Self {
        let at = Self::parse(text);
        let is_canonical = at.to_string() == text;
        Self {
            at,
            text: (!is_canonical).then(|| text.into()),
        }
    }
}

/// As it stands in JSON.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.pad(text),
            None => self.at.fmt(f),
        }
    }
}

/// Found by the time, however it is written.
impl FieldKey for DateTime {
    type Key = Timestamp;

    fn to_key(&self) -> Timestamp {
        self.at
    }

    fn from_text(text: &str) -> Option<Timestamp> {
        Timestamp::from_text(text)
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.text {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(&self.at),
        }
    }
}

impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::read_text::<Read, D>(deserializer).map(|read| read.0)
    }
}

struct Read(DateTime);

impl From<&str> for Read {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Read {
    fn from(text: String) -> Self {
        Self(text.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_it_was_read() {
        for (text, at) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            (
                "2026-01-02T03:04:05.123456789Z",
                "2026-01-02T03:04:05.123456789Z",
            ),
            ("2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02t03:04:05z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05-08:00", "2026-01-02T11:04:05Z"),
            ("9999-12-31T23:59:59Z", "9999-12-30T22:00:00.999999999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("no time", "-009999-01-02T01:59:59Z"),
            ("", "-009999-01-02T01:59:59Z"),
        ] {
            let json = serde_json::to_string(text).unwrap();
            let read: DateTime = serde_json::from_str(&json).unwrap();
            assert_eq!(read.timestamp().to_string(), at, "{text}");
            assert_eq!(read.to_string(), text);
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
            let again: DateTime = serde_json::from_str(&json).unwrap();
            assert_eq!(again, read);
        }
        assert!(serde_json::from_str::<DateTime>("1").is_err());
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(DateTime::from(at).to_key(), at);
        assert_eq!(DateTime::default().to_string(), "1970-01-01T00:00:00Z");
    }
}

//! What tells one object, and one state of it, from another: uid and resource version.

use std::fmt;

/// The `metadata.uid` of an object. Two objects of one name that lived one after the other differ in it.
///
/// Canonical UUIDs (all that a real server gives) take no allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Uid(UidRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum UidRepr {
    Uuid(u128),
    Text(Box<str>),
}

impl Uid {
    /// The uid written as `text`; an object without one has the empty uid.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(parse_uuid(text).map_or_else(|| UidRepr::Text(text.into()), UidRepr::Uuid))
    }
}

/// Only the form that prints back to the same text: 36 characters, lower case, hyphens in their places.
fn parse_uuid(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut value: u128 = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let digit = match (at, byte) {
            (8 | 13 | 18 | 23, b'-') => continue,
            (8 | 13 | 18 | 23, _) => return None,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'a'..=b'f') => byte - b'a' + 10,
            _ => return None,
        };
        value = value << 4 | u128::from(digit);
    }
    Some(value)
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            UidRepr::Text(text) => f.write_str(text),
            UidRepr::Uuid(v) => write!(
                f,
                "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                v >> 96,
                v >> 80 & 0xffff,
                v >> 64 & 0xffff,
                v >> 48 & 0xffff,
                v & 0xffff_ffff_ffff
            ),
        }
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A resource version: the server's name for one state of an object or of a list.
///
/// Two of them are equal or not; only whoever waits for one has them compared by size, where both are decimal numbers. Those
/// (all that kube-apiserver gives, see KEP-5504) take no allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ResourceVersion(VersionRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum VersionRepr {
    Number(u64),
    Text(Box<str>),
}

impl ResourceVersion {
    /// The version written as `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        // Only texts that print back to the same bytes: no sign, no leading zero.
        let canonical = !text.starts_with(['+', '0']) || text == "0";
        match text.parse::<u64>() {
            Ok(number) if canonical => Self(VersionRepr::Number(number)),
            _ => Self(VersionRepr::Text(text.into())),
        }
    }
}

impl ResourceVersion {
    /// The number that it is, where it is one: of versions of one resource the later has the larger number (KEP-5504).
    pub(crate) fn number(&self) -> Option<u64> {
        match self.0 {
            VersionRepr::Number(number) => Some(number),
            VersionRepr::Text(_) => None,
        }
    }

    /// Whether the server gave none, so that nothing is known to be unchanged.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(&self.0, VersionRepr::Text(text) if text.is_empty())
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            VersionRepr::Number(number) => number.fmt(f),
            VersionRepr::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_print_back_to_their_text() {
        let canonical = "0a1b2c3d-0000-4fff-8000-00000000000f";
        assert!(matches!(Uid::new(canonical).0, UidRepr::Uuid(_)));
        for text in [
            canonical,
            "",
            "0A1B2C3D-0000-4FFF-8000-00000000000F",
            "0a1b2c3d-0000-4fff-8000+00000000000f",
        ] {
            assert_eq!(Uid::new(text).to_string(), text);
        }
    }

    #[test]
    fn versions_print_back_to_their_text() {
        for text in [
            "0",
            "1",
            "18446744073709551615",
            "18446744073709551616",
            "007",
            "+1",
            "",
            "a-1",
        ] {
            assert_eq!(ResourceVersion::new(text).to_string(), text);
        }
        assert_ne!(ResourceVersion::new("7"), ResourceVersion::new("007"));
    }
}

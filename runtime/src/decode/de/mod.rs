//! A serde deserializer for the JSON of one object.
//!
//! Accepts what `serde_json` accepts (except that all bytes must be UTF-8 and that the depth limit also holds in
//! values that are skipped) and differs in three things: arrays report their exact length before their first
//! element, errors carry a path and no content, and strings are looked at in words instead of bytes.
//!
//! [`Parser`] is the cursor and knows tokens; the other files are serde's traits on it. Paths are built on the way
//! out of an error, so success pays nothing for them.

mod access;
mod enums;
mod keys;
mod number;
mod parser;
mod skip;
mod values;

use std::borrow::Cow;

use serde::Deserialize;

use super::error::{DecodeError, DecodeErrorKind};
use super::scanner::Scanner;
use parser::Parser;

/// Decodes the JSON of one object, such as [`RawObject::bytes`](crate::RawObject::bytes) that were stored.
///
/// Bytes are walked twice, first for the lengths of strings and arrays, so that arrays are allocated at their exact
/// length. Strings without escapes can be borrowed.
///
/// # Errors
///
/// When the bytes are malformed or are no `T`: what is wrong and where, but nothing out of the bytes.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let map: ConfigMap = larder::decode_bytes(br#"{"metadata":{"name":"a"},"data":{"k":"v"}}"#)?;
/// assert_eq!(map.metadata.name.as_deref(), Some("a"));
/// # Ok::<(), larder::DecodeError>(())
/// ```
pub fn decode_bytes<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, DecodeError> {
    let mut scanner = Scanner::new(false, false);
    // What the scanner does not like, the decoder likes even less, and says it better.
    let _ = scanner.advance(bytes.trim_ascii_start());
    from_bytes(bytes, &scanner.index().tape)
}

/// Decodes one value with nothing but white space around it; `tape` is what the scanner wrote of it, or a beginning
/// of that: strings that it lacks are searched for their end, arrays that it lacks have no known length.
pub(super) fn from_bytes<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    tape: &[u32],
) -> Result<T, DecodeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| DecodeError::new(DecodeErrorKind::InvalidUtf8, error.valid_up_to()))?;
    let mut parser = Parser::new(text, tape);
    let mut result = T::deserialize(&mut parser);
    if result.is_ok()
        && let Err(error) = parser.end()
    {
        result = Err(error);
    }
    result
}

/// Why bytes that the scanner refused are no JSON.
#[cold]
pub(super) fn why_not(bytes: &[u8]) -> DecodeError {
    match from_bytes::<serde::de::IgnoredAny>(bytes, &[]) {
        Err(error) => error,
        // Of balanced JSON the scanner refuses only what is too large for its positions.
        Ok(_) => DecodeError::new(DecodeErrorKind::InvalidLength, 0),
    }
}

/// The string at `key` in the JSON of an object of strings; `None` if there is none or the bytes are malformed.
pub(super) fn find_string<'de>(bytes: &'de [u8], key: &str) -> Option<Cow<'de, str>> {
    let mut parser = Parser::new(std::str::from_utf8(bytes).ok()?, &[]);
    parser.find_string(key).ok().flatten()
}

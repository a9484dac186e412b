//! From the bytes of a response to one object: `splitter → one object's bytes → decode`.
//!
//! [`splitter`] cuts the body of a list or a watch into objects as it arrives; [`scanner`] walks each object's bytes
//! once on the way and notes what is asked of every object (name, uid, version, …) and how long its arrays are;
//! [`de`] is the serde deserializer that then builds a typed object from them. The reflector uses the splitter,
//! every [`Kept`](crate::Kept) uses [`RawObject`]; nothing here knows a kind.
//!
//! What always holds:
//!
//! - Never more is held than what was pushed and not yet split, plus one unfinished object.
//! - The scanner checks strings and brackets, nothing else. What is balanced becomes an object, whether it decodes
//!   or not: its key stays readable, and the decoder's answer concerns that object alone.
//! - The scanner writes one entry for each string and array that it passes, and the decoder takes one at each that it
//!   passes, read or skipped: so the two stay in step over anything that decodes. Entries and positions of an
//!   [`Index`](index::Index) belong to the bytes they are handed out with; they are read with `get` and never panic.
//! - No text out of a body reaches an error or its `Debug`: [`DecodeError`] is made of positions, of kinds of values
//!   and of names that Rust code declared.
//! - Nothing recurses deeper than [`DEPTH_LIMIT`], whatever the input.

mod content_type;
mod de;
mod envelope;
mod error;
mod index;
mod notes;
mod raw;
mod scanner;
mod split_types;
mod splitter;
mod text;

#[cfg(test)]
mod tests;

pub use content_type::{ContentType, UnsupportedContentType};
pub use de::decode_bytes;
pub use error::{DecodeError, DecodeErrorKind, ValueKind};
pub use raw::{RawBuffer, RawObject};
pub(crate) use split_types::{EventType, Item, ListEnd, SplitOptions};
pub(crate) use splitter::Splitter;

/// An array or object may stand inside fewer than this many others; the same limit as `serde_json`'s.
const DEPTH_LIMIT: usize = 128;

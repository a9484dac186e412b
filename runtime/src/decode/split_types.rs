//! What goes into a [`Splitter`](super::splitter::Splitter) and what comes out.

use std::fmt;

use super::content_type::ContentType;
use super::error::DecodeError;
use super::raw::RawObject;

/// What a [`Splitter`](super::splitter::Splitter) is told beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplitOptions {
    /// How the body is encoded.
    pub(crate) content_type: ContentType,
    /// Whether objects keep `metadata.managedFields`; off by default.
    pub(crate) keep_managed_fields: bool,
    /// The most bytes that one object (of a watch: one event) may have; 32 MiB by default.
    ///
    /// etcd refuses requests above 1.5 MiB by default, so this bounds the memory that a broken peer can take, not
    /// what a cluster can hold.
    pub(crate) max_object_bytes: usize,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            content_type: ContentType::Json,
            keep_managed_fields: false,
            max_object_bytes: 32 << 20,
        }
    }
}

/// The `type` of a watch event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    /// The object is a `Status`.
    Error,
    /// A type that this version does not know.
    Other,
}

impl EventType {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "ADDED" => Self::Added,
            "MODIFIED" => Self::Modified,
            "DELETED" => Self::Deleted,
            "BOOKMARK" => Self::Bookmark,
            "ERROR" => Self::Error,
            _ => Self::Other,
        }
    }
}

/// An item of a list, or an event of a watch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    /// `None` in a list.
    pub(crate) event: Option<EventType>,
    pub(crate) object: RawObject<'a>,
}

/// What a list says about itself; all `None` for a watch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListEnd {
    /// The version of the whole list.
    pub(crate) resource_version: Option<String>,
    /// The token for the next page, if there is one.
    pub(crate) continue_token: Option<String>,
    /// How many items are on later pages, where the server counted them.
    pub(crate) remaining_item_count: Option<i64>,
}

struct Object<'a>(Option<&'a str>);

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(key) => write!(f, "the object {key:?}"),
            None => f.write_str("an object"),
        }
    }
}

/// Why a body could not be split. Positions count from the start of the body.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SplitError {
    /// The body ended inside a list or an event.
    #[error("the body ended before its JSON did")]
    Truncated,
    /// The body is JSON, but not that of a list.
    #[error("the body is not a list: no items and no kind that ends in List")]
    NotAList,
    /// The list's own metadata has the wrong shape.
    #[error("the list's metadata does not decode")]
    Metadata(#[source] DecodeError),
    /// A complete event without type or object.
    #[error("an event of the watch has no type or no object (it ends at byte {position})")]
    NotAnEvent { position: u64 },
    /// One object is larger than allowed.
    #[error(
        "{} is larger than the limit of {limit} bytes (`ReflectorOptions::max_object_bytes` raises it; it begins at byte {position})",
        Object(.key.as_deref())
    )]
    TooLarge {
        limit: usize,
        position: u64,
        /// Namespace and name of the object, where they came before the limit.
        key: Option<Box<str>>,
    },
    /// Brackets, quotes or commas are not where JSON has them.
    #[error("malformed JSON at byte {position}, expected {expected}")]
    Malformed {
        position: u64,
        expected: &'static str,
    },
}

//! What shall go wrong with one response.

use crate::status::Status;
use bytes::Bytes;
use std::time::Duration;

/// How a response ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As if it were complete.
    Clean,
    /// With an error of the connection.
    Cut,
    /// Never; nothing more comes.
    Silence,
}

/// Faults of one response body. The default one has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamPlan {
    /// After how many objects the response ends, whether half of the next one is still sent, and how.
    pub(crate) end: Option<(usize, bool, End)>,
    /// Each event goes out twice.
    pub(crate) duplicate: bool,
    pub(crate) no_bookmarks: bool,
    /// The bookmark that ends the initial events lacks its annotation.
    pub(crate) no_initial_end: bool,
    /// After how many events an `ERROR` event follows, which ends the watch.
    pub(crate) error: Option<(usize, Status)>,
    /// The object by this name is sent damaged.
    pub(crate) broken: Option<(String, Broken)>,
    /// Time between events, or between chunks of a list.
    pub(crate) pace: Option<Duration>,
    /// A watch ends cleanly after this time.
    pub(crate) lifetime: Option<Duration>,
}

impl StreamPlan {
    /// The same without what only makes sense for watches.
    pub(crate) fn for_list(self: Box<Self>) -> Box<Self> {
        Box::new(Self {
            error: None,
            duplicate: false,
            ..*self
        })
    }
}

/// How an object is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// No JSON any more, though braces and quotes are still balanced.
    Syntax,
    /// The value at a JSON pointer is replaced by this JSON.
    Value(String, Bytes),
}

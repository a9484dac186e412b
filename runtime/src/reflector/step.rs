//! What the machine and its driver say to each other.

use std::time::Duration;

use crate::identity::ResourceVersion;

/// Where a listing starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// Whatever the server has at hand.
    Any,
    /// Not older than this version.
    AtLeast(ResourceVersion),
    /// The most recent state.
    Latest,
}

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Open a watch that sends the initial state first, and follow it.
    StreamList { start: Start },
    /// Request a list, or its first page if there is a limit.
    List { start: Start, limit: Option<u32> },
    /// Request the next page.
    ListPage { token: Box<str>, limit: Option<u32> },
    /// Open a watch and follow it.
    Watch { version: ResourceVersion },
    /// Ask discovery whether the kind is served.
    Confirm,
    /// The kind is absent: what was listed of it goes.
    Vanish,
    /// Wait.
    Wait { delay: Duration },
}

/// What came of an action.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The wait is over.
    Waited,
    /// What discovery says of the kind.
    Confirmed(Verdict),
    /// What was listed is gone.
    Vanished,
    /// A page is complete; `next` is the token of the one that follows.
    Page {
        version: ResourceVersion,
        next: Option<Box<str>>,
    },
    /// The streaming list's initial state is complete; the stream goes on as the watch.
    Listed { version: ResourceVersion },
    /// An event of a watch.
    Event { version: ResourceVersion },
    /// A bookmark of a watch.
    Bookmark { version: ResourceVersion },
    /// The request is over.
    Ended(End),
}

/// How a request ended.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) cause: Cause,
    /// Whether it was answered with success at first.
    pub(super) accepted: bool,
    /// How long it lived from when it was accepted.
    pub(super) lived: Duration,
}

/// Why a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The version (or token) is too old: 410 as status or event.
    Expired,
    /// The version is from the server's future: 504 with its own reason, as status or event.
    TooLarge,
    /// The server asks to come later.
    Throttled { retry_after: Option<Duration> },
    /// The server does not accept such a request: 400 or 422.
    Refused,
    /// 404, by whoever answered: perhaps the kind is not served.
    NotFound,
    /// Any other status that is not success, as answer or event.
    Status,
    /// No response's head arrived.
    Unreachable,
    /// The body broke off.
    Cut,
    /// The body cannot be read: wrong content type, no JSON, not a list or watch event.
    Broken,
    /// A deadline passed without a sign of life.
    Silent,
    /// The body ended as it should.
    Complete,
}

impl Cause {
    /// As metrics and logs say it: one of `observe::CAUSES`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::TooLarge => "too_large",
            Self::Throttled { .. } => "throttled",
            Self::Refused => "refused",
            Self::NotFound => "not_found",
            Self::Status => "status",
            Self::Unreachable => "unreachable",
            Self::Cut => "cut",
            Self::Broken => "broken",
            Self::Silent => "silent",
            Self::Complete => "complete",
        }
    }
}

/// What discovery says of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is served.
    Served,
    /// It is not, by a document that lists what is.
    NotServed,
    /// Nothing to this user: 401 or 403.
    Refused,
    /// Nothing that could be relied on.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::CAUSES;

    #[test]
    fn each_cause_is_counted_under_its_name() {
        let throttled = Cause::Throttled { retry_after: None };
        let all = [
            Cause::Complete,
            Cause::Expired,
            Cause::TooLarge,
            throttled,
            Cause::Refused,
            Cause::NotFound,
            Cause::Status,
            Cause::Unreachable,
            Cause::Cut,
            Cause::Broken,
            Cause::Silent,
        ];
        assert_eq!(all.map(Cause::name), CAUSES);
    }
}

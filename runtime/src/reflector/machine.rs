//! What a reflector does next, and what it makes of each answer: a state machine without I/O and without a clock.
//!
//! A driver asks [`Machine::next`] for an [`Action`], carries it out and reports what came of it to [`Machine::on`]
//! until the action has ended; then it asks again. Everything that depends on time arrives as a value.
//!
//! # A listing's start
//!
//! A listing (streaming or not) starts somewhere ([`Start`]), and keeps that over all its retries:
//!
//! | start | when | streaming list | list |
//! |---|---|---|---|
//! | any | nothing was listed yet | at `""` | at `"0"`, paged |
//! | at least | relist, the last version is good | at the last version | at the last version, unpaged |
//! | latest | the last version is useless | at `""` | at `""`, paged |
//!
//! # Each error's one answer
//!
//! *Attempt* is a streaming list if they are on, else a list. *Same* is the same request. *Back off* waits for the
//! next delay of the backoff. "At once" rows cannot follow each other without end: each is bounded by the remark.
//!
//! | state | ended by | answer |
//! |---|---|---|
//! | streaming list | expired (410), version too large | streaming list at latest, at once; if it was at latest, back off first |
//! | | throttled (429; 5xx with Retry-After) | wait as told, same |
//! | | no response | back off, same |
//! | | refused (400, 422) | list at once; streaming lists are off for good |
//! | | silence | list at once; if that succeeds, streaming lists are off for good: only they are silent |
//! | | not found (404) | list at once; if the last answer was 404 too, *ask discovery*, then the same |
//! | | other status, broken stream, cut, end before the bookmark | list at once, for this attempt only |
//! | list, first page | expired, version too large | list at latest, at once; if it was at latest, back off first |
//! | | throttled | wait as told, same |
//! | | refused (400, 422) | back off, attempt at latest |
//! | | not found | *ask discovery*, then attempt from the same start |
//! | | anything else | back off, attempt from the same start |
//! | list, later page | expired | unpaged list from the same start, at once; if it was unpaged, as on the first page |
//! | | throttled | wait as told, same page |
//! | | anything else | as on the first page |
//! | watch | expired, version too large | attempt at latest; at once the first time since progress, later ones back off |
//! | | throttled | wait as told, same: no relist |
//! | | refused (400, 422) | back off, attempt at latest: of all its parameters only the version can be at fault |
//! | | not found | *ask discovery*, then resume |
//! | | broken stream | back off, attempt at least at the last version: an event was lost |
//! | | silence | resume at once (back off if it lived less than [`DECENT_LIFE`] or was never accepted); a second one in a row is *silence* below |
//! | | end or cut after [`DECENT_LIFE`] | resume at once |
//! | | anything else | back off, resume |
//!
//! *Ask discovery* is what follows each 404 while the kind is not known to be absent. If it says that the kind is not served: back off,
//! attempt at latest, as versions may start anew; if it says so for long enough, *vanish*. Else: back off, then as in the row.
//! *Vanish*: what was listed is deleted, nothing is listed any more, and the kind is absent: back off (for
//! [`LOOK_EVERY`](super::absence::LOOK_EVERY) at most), attempt at latest. While it is absent a 404 says nothing new, and discovery is
//! not asked. The first answer with success ends it. See [`absence`](super::absence).
//!
//! *Resume* is a watch from the last event's version. *Silence*: a server restored from a backup accepts a watch at a
//! version from its future and sends nothing. So where bookmarks were seen, a watch that was resumed after an idle
//! one and is idle too, or one that ended by itself after two bookmark intervals, without any event or bookmark,
//! is answered like an expired version; and bookmarks count as unseen until one comes, so that a server that stopped
//! to send them is not relisted over and over.
//!
//! # Progress
//!
//! A watch event or bookmark with a new version, or a watch that lived for [`LONG_LIFE`]. Only progress resets the backoff:
//! a server whose every watch is expired is listed at a bounded rate although each list succeeds.

mod ended;

use std::time::Duration;

use super::absence::Absence;
use super::backoff::Backoff;
use super::step::{Action, Outcome, Start, Verdict};
use crate::identity::ResourceVersion;

/// A watch that lived this long is resumed at once when it ends: that cannot become a tight loop.
pub(super) const DECENT_LIFE: Duration = Duration::from_secs(30);
/// A watch that lived this long counts as progress even if nothing happened in it.
pub(super) const LONG_LIFE: Duration = Duration::from_secs(120);
/// The longest wait that a server's `Retry-After` is followed for.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Streaming {
    On,
    /// The last one was silent; the list that follows decides whether that is to be remembered.
    Suspect,
    Off,
}

#[derive(Debug, Clone)]
enum State {
    StreamList(Start),
    List(Listing),
    Watch { heard: bool },
    Confirm { then: Box<State> },
    Vanish,
    Wait { delay: Duration, then: Box<State> },
}

#[derive(Debug, Clone)]
struct Listing {
    start: Start,
    paged: bool,
    /// The version of the first page, which all pages reflect.
    version: Option<ResourceVersion>,
    token: Option<Box<str>>,
}

impl Listing {
    fn first(start: Start) -> Self {
        Self {
            paged: !matches!(start, Start::AtLeast(_)),
            start,
            version: None,
            token: None,
        }
    }
}

/// The machine; see the module's documentation.
pub(super) struct Machine {
    state: State,
    streaming: Streaming,
    page_size: u32,
    bookmark_interval: Duration,
    backoff: Box<dyn Backoff>,
    last: Option<ResourceVersion>,
    /// Whether the next relist of an expired version may happen at once.
    relist_at_once: bool,
    backed_off: bool,
    bookmarks_seen: bool,
    /// Whether the last sign of a watch was its silence.
    idled: bool,
    absence: Absence,
}

impl Machine {
    /// A machine that has listed nothing; a page size of 0 lists without pages.
    pub(super) fn new(
        streaming: bool,
        page_size: u32,
        bookmark_interval: Duration,
        backoff: Box<dyn Backoff>,
    ) -> Self {
        let mut machine = Self {
            state: State::Watch { heard: false },
            streaming: if streaming {
                Streaming::On
            } else {
                Streaming::Off
            },
            page_size,
            bookmark_interval,
            backoff,
            last: None,
            relist_at_once: true,
            backed_off: false,
            bookmarks_seen: false,
            idled: false,
            absence: Absence::default(),
        };
        machine.state = machine.attempt(Start::Any);
        machine
    }

    /// What to do now. Asking twice gives the same answer.
    pub(super) fn next(&self) -> Action {
        match &self.state {
            State::StreamList(start) => Action::StreamList {
                start: start.clone(),
            },
            State::List(listing) => {
                let limit = Some(self.page_size).filter(|size| listing.paged && *size > 0);
                match &listing.token {
                    Some(token) => Action::ListPage {
                        token: token.clone(),
                        limit,
                    },
                    None => Action::List {
                        start: listing.start.clone(),
                        limit,
                    },
                }
            }
            State::Watch { .. } => Action::Watch {
                // A watch is only entered with a version; an empty one would replay the state as events.
                version: self
                    .last
                    .clone()
                    .unwrap_or_else(|| ResourceVersion::new("")),
            },
            State::Confirm { .. } => Action::Confirm,
            State::Vanish => Action::Vanish,
            State::Wait { delay, .. } => Action::Wait { delay: *delay },
        }
    }

    /// The version that the store reflects: of the last event, bookmark or complete listing.
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        self.last.as_ref()
    }

    /// Whether a quiet watch is known to carry bookmarks.
    pub(super) fn expects_bookmarks(&self) -> bool {
        self.bookmarks_seen
    }

    /// Whether a watch without events may be taken for a healthy one: not while the last sign of a watch was that it
    /// had none where bookmarks were due.
    pub(super) fn trusts_quiet(&self) -> bool {
        !self.idled
    }

    /// Whether the kind is known to be absent.
    pub(super) fn is_absent(&self) -> bool {
        self.absence.is_certain()
    }

    /// Whether discovery said that the kind is not served, and nothing since said that it is.
    pub(super) fn seems_absent(&self) -> bool {
        self.absence.is_denied() || self.absence.is_certain()
    }

    /// Whether the listing under way goes on with its next page, whatever comes before that.
    pub(super) fn keeps_listing(&self) -> bool {
        let state = match &self.state {
            State::Wait { then, .. } | State::Confirm { then } => then,
            state => state,
        };
        matches!(state, State::List(Listing { token: Some(_), .. }))
    }

    /// Takes what came of the action.
    pub(super) fn on(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Waited => self.waited(),
            Outcome::Confirmed(verdict) => self.confirmed(verdict),
            Outcome::Vanished => self.vanished(),
            Outcome::Page { version, next } => self.page(version, next),
            Outcome::Listed { version } => self.listed(version),
            Outcome::Event { version } => self.heard(version),
            Outcome::Bookmark { version } => {
                self.bookmarks_seen = true;
                self.heard(version);
            }
            Outcome::Ended(end) => {
                if end.accepted {
                    self.absence.served();
                }
                self.state = match self.state.clone() {
                    State::StreamList(start) => self.stream_list_ended(start, &end),
                    State::List(listing) => self.list_ended(listing, &end),
                    State::Watch { heard } => self.watch_ended(heard, &end),
                    other @ (State::Confirm { .. } | State::Vanish | State::Wait { .. }) => other,
                };
            }
        }
    }

    fn waited(&mut self) {
        if let State::Wait { delay, then } = &mut self.state {
            self.absence.waited(*delay);
            self.state = std::mem::replace(then, State::Watch { heard: false });
        }
    }

    fn confirmed(&mut self, verdict: Verdict) {
        let State::Confirm { then } = self.state.clone() else {
            return;
        };
        self.absence.hear(verdict);
        self.state = if self.absence.is_certain() {
            State::Vanish
        } else if verdict == Verdict::NotServed {
            self.back_off_and_attempt(Start::Latest)
        } else {
            self.back_off(*then)
        };
    }

    fn vanished(&mut self) {
        self.last = None;
        self.bookmarks_seen = false;
        self.idled = false;
        self.state = self.look_again();
    }

    fn page(&mut self, version: ResourceVersion, next: Option<Box<str>>) {
        let State::List(listing) = &mut self.state else {
            return;
        };
        self.absence.served();
        let version = listing.version.get_or_insert(version).clone();
        match next {
            Some(token) => listing.token = Some(token),
            None => self.listed(version),
        }
    }

    fn listed(&mut self, version: ResourceVersion) {
        if self.streaming == Streaming::Suspect {
            self.streaming = Streaming::Off;
        }
        self.absence.served();
        self.last = Some(version);
        self.idled = false;
        self.state = State::Watch { heard: false };
    }

    fn heard(&mut self, version: ResourceVersion) {
        if let State::Watch { heard } = &mut self.state {
            *heard = true;
        }
        self.idled = false;
        if self.last.as_ref() != Some(&version) {
            self.last = Some(version);
            self.progressed();
        }
    }

    fn progressed(&mut self) {
        self.relist_at_once = true;
        if self.backed_off {
            self.backed_off = false;
            self.backoff.reset();
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

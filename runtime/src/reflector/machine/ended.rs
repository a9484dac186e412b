//! What each end of a request leads to: the table of [`super`], in code.

use std::time::Duration;

use super::{DECENT_LIFE, LONG_LIFE, Listing, MAX_RETRY_AFTER, Machine, State, Streaming};
use crate::reflector::absence::LOOK_EVERY;
use crate::reflector::step::{Cause, End, Start};

impl Machine {
    pub(super) fn stream_list_ended(&mut self, start: Start, end: &End) -> State {
        match end.cause {
            Cause::Expired | Cause::TooLarge => {
                self.at_latest(&start, State::StreamList(Start::Latest))
            }
            Cause::Throttled { retry_after } => {
                self.wait_as_told(retry_after, State::StreamList(start))
            }
            Cause::Unreachable => self.back_off(State::StreamList(start)),
            Cause::Refused => {
                self.streaming = Streaming::Off;
                State::List(Listing::first(start))
            }
            Cause::Silent => {
                self.streaming = Streaming::Suspect;
                State::List(Listing::first(start))
            }
            Cause::NotFound if self.absence.is_doubted() => {
                self.not_found(State::StreamList(start))
            }
            Cause::NotFound | Cause::Status | Cause::Broken | Cause::Cut | Cause::Complete => {
                State::List(Listing::first(start))
            }
        }
    }

    pub(super) fn list_ended(&mut self, listing: Listing, end: &End) -> State {
        match end.cause {
            Cause::Expired if listing.token.is_some() && listing.paged => State::List(Listing {
                paged: false,
                ..Listing::first(listing.start)
            }),
            Cause::Expired | Cause::TooLarge => {
                let latest = State::List(Listing::first(Start::Latest));
                self.at_latest(&listing.start, latest)
            }
            Cause::Throttled { retry_after } => {
                self.wait_as_told(retry_after, State::List(listing))
            }
            Cause::Refused => self.back_off_and_attempt(Start::Latest),
            Cause::NotFound => {
                let attempt = self.attempt_after_list(listing.start);
                self.not_found(attempt)
            }
            Cause::Status
            | Cause::Unreachable
            | Cause::Broken
            | Cause::Cut
            | Cause::Silent
            | Cause::Complete => self.back_off_and_attempt(listing.start),
        }
    }

    pub(super) fn watch_ended(&mut self, heard: bool, end: &End) -> State {
        if end.accepted && end.lived >= LONG_LIFE {
            self.progressed();
        }
        if end.accepted && self.bookmarks_seen && self.is_silence(heard, end) {
            self.bookmarks_seen = false;
            return self.relist();
        }
        let resume = State::Watch { heard: false };
        match end.cause {
            Cause::Expired | Cause::TooLarge => self.relist(),
            Cause::Throttled { retry_after } => self.wait_as_told(retry_after, resume),
            Cause::Refused => self.back_off_and_attempt(Start::Latest),
            Cause::NotFound => self.not_found(resume),
            Cause::Broken => {
                let start = self.last.clone().map_or(Start::Latest, Start::AtLeast);
                self.back_off_and_attempt(start)
            }
            Cause::Silent | Cause::Cut | Cause::Complete
                if end.accepted && end.lived >= DECENT_LIFE =>
            {
                resume
            }
            Cause::Status | Cause::Unreachable | Cause::Cut | Cause::Silent | Cause::Complete => {
                self.back_off(resume)
            }
        }
    }

    /// Whether a watch that should have carried bookmarks shows that its version is from the server's future.
    fn is_silence(&mut self, heard: bool, end: &End) -> bool {
        let quiet = !heard && end.lived >= self.bookmark_interval.saturating_mul(2);
        let idle = match end.cause {
            Cause::Complete => return quiet,
            // The connection's fault as likely as the version's: one more chance, as after silence.
            Cause::Cut => quiet,
            Cause::Silent => true,
            _ => false,
        };
        let again = idle && !heard && self.idled;
        self.idled |= idle;
        again
    }

    pub(super) fn attempt(&self, start: Start) -> State {
        match self.streaming {
            Streaming::On => State::StreamList(start),
            Streaming::Suspect | Streaming::Off => State::List(Listing::first(start)),
        }
    }

    pub(super) fn back_off_and_attempt(&mut self, start: Start) -> State {
        let attempt = self.attempt_after_list(start);
        self.back_off(attempt)
    }

    fn attempt_after_list(&mut self, start: Start) -> State {
        if self.streaming == Streaming::Suspect {
            // The list failed too, so the silence was not the streaming list's own.
            self.streaming = Streaming::On;
        }
        self.attempt(start)
    }

    /// A listing's own step to the latest state: at once, as it can be taken only once a listing.
    fn at_latest(&mut self, from: &Start, latest: State) -> State {
        match from {
            Start::Latest => self.back_off(latest),
            Start::Any | Start::AtLeast(_) => latest,
        }
    }

    /// A watch's step to the latest state.
    fn relist(&mut self) -> State {
        let attempt = self.attempt(Start::Latest);
        if std::mem::take(&mut self.relist_at_once) {
            attempt
        } else {
            self.back_off(attempt)
        }
    }

    pub(super) fn back_off(&mut self, then: State) -> State {
        self.backed_off = true;
        State::Wait {
            delay: self.backoff.next(),
            then: Box::new(then),
        }
    }

    fn wait_as_told(&mut self, retry_after: Option<Duration>, then: State) -> State {
        match retry_after {
            Some(delay) if !delay.is_zero() => State::Wait {
                delay: delay.min(MAX_RETRY_AFTER),
                then: Box::new(then),
            },
            _ => self.back_off(then),
        }
    }

    /// What a 404 leads to.
    fn not_found(&mut self, then: State) -> State {
        if self.absence.is_certain() {
            return self.look_again();
        }
        self.absence.not_found();
        State::Confirm {
            then: Box::new(then),
        }
    }

    /// The next look for an absent kind.
    pub(super) fn look_again(&mut self) -> State {
        match self.back_off_and_attempt(Start::Latest) {
            State::Wait { delay, then } => State::Wait {
                delay: delay.min(LOOK_EVERY),
                then,
            },
            other => other,
        }
    }
}

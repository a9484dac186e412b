//! When a kind counts as absent: what 404s and discovery said of it so far.
//!
//! A 404 alone proves nothing. A server answers it in plain text for a kind of a CRD that is not there, and so does whatever else
//! may stand in its place: a load balancer without a backend, a proxy with a wrong path. (A server that is starting answers 503
//! until it knows its CRDs, apiserver's `notfoundhandler`; one of several that is behind answers 404.) What has been cached
//! leaves only for what nobody but an API server says:
//!
//! | discovery says | what follows |
//! |---|---|
//! | it is not served | certain once that was said twice, with [`CERTAIN_AFTER`] of waiting between, and nothing to the contrary |
//! | it is served | the 404 was a stray one: all is forgotten |
//! | nothing, to this user (401, 403) | certain after [`REFUSED_AFTER`] of waiting in which each answer was 404 |
//! | anything else: 404, 5xx, no answer, no such document | nothing: the wait goes on |
//!
//! Any request for the kind that is answered with success is to the contrary. What says nothing (5xx, 403, no answer) is not.

use std::time::Duration;

use super::step::Verdict;

/// Longer than the servers of one cluster need to learn of a CRD, which is seconds.
pub(super) const CERTAIN_AFTER: Duration = Duration::from_secs(10);
/// Longer than a restart or a wrong configuration that somebody works on.
pub(super) const REFUSED_AFTER: Duration = Duration::from_secs(300);
/// The longest wait between two looks for an absent kind.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(30);

/// What is known about the absence of a kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Absence {
    /// The time waited since the first 404.
    doubted: Option<Duration>,
    /// The time waited since discovery first said that the kind is not served.
    denied: Option<Duration>,
    certain: bool,
}

impl Absence {
    /// A request for the kind was answered 404.
    pub(super) fn not_found(&mut self) {
        self.doubted.get_or_insert_default();
    }

    /// The kind is served.
    pub(super) fn served(&mut self) {
        *self = Self::default();
    }

    pub(super) fn waited(&mut self, delay: Duration) {
        for sum in [&mut self.doubted, &mut self.denied].into_iter().flatten() {
            *sum = sum.saturating_add(delay);
        }
    }

    /// Takes what discovery says.
    pub(super) fn hear(&mut self, verdict: Verdict) {
        let long = |since: Option<Duration>, enough| since.is_some_and(|since| since >= enough);
        match verdict {
            Verdict::Served => self.served(),
            Verdict::NotServed => {
                self.certain |= long(self.denied, CERTAIN_AFTER);
                self.denied.get_or_insert_default();
            }
            Verdict::Refused => self.certain |= long(self.doubted, REFUSED_AFTER),
            Verdict::Unknown => {}
        }
    }

    /// Whether the last answer about the kind itself was 404.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubted.is_some()
    }

    /// Whether discovery said that the kind is not served.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.is_some()
    }

    pub(super) fn is_certain(&self) -> bool {
        self.certain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series of 404s: `n` not served, `r` refused, `u` unknown, `s` served; a number is a wait in seconds.
    fn after(series: &str) -> Absence {
        let mut absence = Absence::default();
        for word in series.split_whitespace() {
            let verdict = match word {
                "n" => Verdict::NotServed,
                "r" => Verdict::Refused,
                "u" => Verdict::Unknown,
                "s" => Verdict::Served,
                seconds => {
                    absence.waited(Duration::from_secs(seconds.parse().unwrap()));
                    continue;
                }
            };
            absence.not_found();
            absence.hear(verdict);
        }
        absence
    }

    #[test]
    fn absence_is_certain_only_by_what_an_api_server_alone_says() {
        for (series, certain) in [
            ("n", false),
            ("n n n", false),
            ("n 9 n", false),
            ("n 10 n", true),
            ("n 1 n 2 n 4 n 8 n", true),
            ("n 5 u 5 n", true),
            ("u 100 n", false),
            ("u 100 n 10 n", true),
            ("n 10 s n", false),
            ("n 10 s n 10 n", true),
            ("n 9999", false),
            ("u 9999 u 9999 u", false),
            ("r 299 r", false),
            ("r 100 r 100 r 100 r", true),
            ("r 300 u", false),
            ("u 300 r", true),
            ("r 300 s r", false),
            ("n 10 n u", true),
        ] {
            assert_eq!(after(series).is_certain(), certain, "{series}");
        }
    }
}

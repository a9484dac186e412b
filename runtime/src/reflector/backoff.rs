//! How long to wait after a failure.

use std::time::Duration;

/// Yields one delay after another; a reflector asks for the next one after each failure that it answers by waiting.
///
/// A `Retry-After` of the server goes before it. Resets come from progress alone: a watch event or a bookmark with
/// a new version, or a watch that lived for two minutes; a finished list is none.
pub trait Backoff: Send {
    /// The delay before the next attempt. Zero makes the reflector retry at once, as often as the server refuses.
    fn next(&mut self) -> Duration;
    /// The last attempt made progress; the next delay is the first one again.
    fn reset(&mut self);
}

/// What a step of zero grows to.
const LEAST: Duration = Duration::from_millis(1);
/// As good as never, and far from what overflows.
const LONGEST: Duration = Duration::from_secs(1 << 40);

/// Delays that grow by a factor up to a cap, each drawn at random from the upper half of its step.
///
/// The default is 800 ms, doubled up to 30 s: client-go's for its reflector. The randomness keeps many reflectors
/// that lost one server from coming back in step.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{Backoff, ExponentialBackoff};
/// use std::time::Duration;
///
/// let mut backoff = ExponentialBackoff::new(Duration::from_secs(1), Duration::from_secs(3));
/// assert!(backoff.next() <= Duration::from_secs(1));
/// assert!(backoff.next() > Duration::from_millis(999));
/// assert!(backoff.next() <= Duration::from_secs(3));
/// ```
#[derive(Debug, Clone)]
pub struct ExponentialBackoff {
    first: Duration,
    cap: Duration,
    step: Duration,
    random: fastrand::Rng,
}

impl ExponentialBackoff {
    /// The delay of the first step unless set otherwise.
    pub const DEFAULT_FIRST: Duration = Duration::from_millis(800);
    /// The longest delay unless set otherwise.
    pub const DEFAULT_CAP: Duration = Duration::from_secs(30);

    /// Steps that double from `first` up to `cap`.
    #[must_use]
    pub fn new(first: Duration, cap: Duration) -> Self {
        let cap = cap.min(LONGEST);
        let first = first.min(cap);
        Self {
            first,
            cap,
            step: first,
            random: fastrand::Rng::new(),
        }
    }
}

impl Default for ExponentialBackoff {
    fn default() -> Self {
        Self::new(Self::DEFAULT_FIRST, Self::DEFAULT_CAP)
    }
}

impl Backoff for ExponentialBackoff {
    fn next(&mut self) -> Duration {
        let step = self.step;
        self.step = step.saturating_mul(2).max(LEAST).min(self.cap);
        step.mul_f64(1.0 - self.random.f64() / 2.0)
    }

    fn reset(&mut self) {
        self.step = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c083_grows_to_its_cap_with_jitter_and_starts_anew() {
        let mut backoff = ExponentialBackoff::default();
        let mut step = ExponentialBackoff::DEFAULT_FIRST;
        for _ in 0..12 {
            let delay = backoff.next();
            assert!(delay > step / 2 && delay <= step, "{delay:?} of {step:?}");
            step = (step * 2).min(ExponentialBackoff::DEFAULT_CAP);
        }
        assert_eq!(step, ExponentialBackoff::DEFAULT_CAP);
        backoff.reset();
        assert!(backoff.next() <= ExponentialBackoff::DEFAULT_FIRST);

        let delays: Vec<_> = (0..8)
            .map(|_| ExponentialBackoff::default().next())
            .collect();
        assert!(delays.iter().any(|delay| *delay != delays[0]), "{delays:?}");
    }

    #[test]
    fn extreme_steps_do_not_overflow() {
        let mut backoff = ExponentialBackoff::new(Duration::MAX, Duration::MAX);
        let mut zero = ExponentialBackoff::new(Duration::from_secs(1), Duration::ZERO);
        for _ in 0..3 {
            assert!(backoff.next() > Duration::from_secs(1));
            assert_eq!(zero.next(), Duration::ZERO);
        }
        let mut from_zero = ExponentialBackoff::new(Duration::ZERO, Duration::from_secs(30));
        assert_eq!(from_zero.next(), Duration::ZERO);
        let last = (0..20).map(|_| from_zero.next()).last();
        assert!(last > Some(Duration::from_secs(14)), "{last:?}");
    }
}

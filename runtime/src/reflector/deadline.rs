//! The deadline of a wait for the server.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::{Awaited, ReflectorFailure};
use crate::time::later;

/// A deadline that starts anew with each sign of life, optionally under a cap that does not.
#[derive(Debug)]
pub(super) struct Deadline {
    step: Duration,
    /// When the step or the cap last started.
    renewed: Instant,
    cap: Option<(Instant, Duration)>,
}

impl Deadline {
    /// Passes `step` after it was last renewed.
    pub(super) fn each(step: Duration) -> Self {
        Self {
            step,
            renewed: Instant::now(),
            cap: None,
        }
    }

    /// As [`each`](Self::each), and `cap` after now at the latest.
    pub(super) fn capped(step: Duration, cap: Duration) -> Self {
        Self {
            cap: Some((Instant::now(), cap)),
            ..Self::each(step)
        }
    }

    /// A sign of life: the step starts anew.
    pub(super) fn renew(&mut self) {
        self.renewed = Instant::now();
    }

    /// When the last sign of life came.
    pub(super) fn renewed(&self) -> Instant {
        self.renewed
    }

    /// When it passes, and what then has passed.
    fn next(&self) -> (Instant, Duration) {
        let step = (later(self.renewed, self.step), self.step);
        match self.cap {
            Some((start, cap)) if later(start, cap) < step.0 => (later(start, cap), cap),
            _ => step,
        }
    }

    /// When it passes.
    pub(super) fn at(&self) -> Instant {
        self.next().0
    }

    /// The failure of having passed.
    pub(super) fn failure(&self, what: Awaited) -> ReflectorFailure {
        ReflectorFailure::Timeout {
            what,
            after: self.next().1,
        }
    }

    /// What `future` yields, if it does before the deadline.
    pub(super) async fn guard<F: Future>(
        &self,
        what: Awaited,
        future: F,
    ) -> Result<F::Output, ReflectorFailure> {
        timeout_at(self.at(), future)
            .await
            .map_err(|_| self.failure(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waits(deadline: &Deadline) -> (Duration, Duration) {
        let start = Instant::now();
        let passed = deadline
            .guard(Awaited::Data, std::future::pending::<()>())
            .await;
        let Err(ReflectorFailure::Timeout { after, .. }) = passed else {
            panic!("{passed:?}");
        };
        (start.elapsed(), after)
    }

    #[tokio::test(start_paused = true)]
    async fn c095_starts_anew_with_each_sign_of_life_under_a_cap() {
        let [minute, cap] = [60, 150].map(Duration::from_secs);
        let mut deadline = Deadline::capped(minute, cap);
        tokio::time::advance(Duration::from_secs(50)).await;
        deadline.renew();
        tokio::time::advance(Duration::from_secs(50)).await;
        deadline.renew();
        assert_eq!(waits(&deadline).await, (Duration::from_secs(50), cap));

        let mut each = Deadline::each(minute);
        tokio::time::advance(Duration::from_secs(50)).await;
        each.renew();
        assert_eq!(waits(&each).await, (minute, minute));
    }

    #[tokio::test(start_paused = true)]
    async fn extreme_durations_neither_panic_nor_pass() {
        let deadline = Deadline::capped(Duration::MAX, Duration::MAX);
        let value = deadline.guard(Awaited::Data, async { 7 }).await;
        assert_eq!(value.unwrap(), 7);
        assert_eq!(
            waits(&Deadline::each(Duration::ZERO)).await.1,
            Duration::ZERO
        );
    }
}

//! Telling a handler again of what is there, and the two traits through which handlers see the store.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;

use super::lifetime::Ended;
use crate::entry::Entry;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::sync::{Sleep, sleep};

/// One consistent state of the store, walked once.
pub(crate) trait Replay<R: Kept>: Send {
    /// The next object, each key once, in any order. Must not copy more than this one entry.
    fn next(&mut self) -> Option<Entry<R::Stored>>;
}

/// The store, as a resync reads it.
pub(crate) trait Current<R: Kept>: Send + Sync {
    /// Everything that is there.
    ///
    /// Every change up to this state must have been published to the hub when this returns, so it takes the lock under
    /// which the store publishes: a state that readers see already, but handlers have not been sent, is not in it.
    fn snapshot(&self) -> Box<dyn Replay<R>>;

    /// The object of a key as readers see it now. Takes no lock.
    fn current(&self, key: &ObjectKey) -> Option<Entry<R::Stored>>;
}

/// Shorter periods would keep a handler busy with nothing else (client-go has the same bound).
const SHORTEST: Duration = Duration::from_secs(1);

/// Draws a period from [0.9, 1.1) × `base`, so that what started together does not stay in step; zero is never.
pub(crate) fn draw_period(base: Duration, rng: &mut fastrand::Rng) -> Option<Duration> {
    if base.is_zero() {
        return None;
    }
    let seconds = base.max(SHORTEST).as_secs_f64() * (0.9 + 0.2 * rng.f64());
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// The resyncs of one handler.
///
/// The handler is told of a state only if that is the one it was given last. Its feed asks here only when its queue is
/// empty, and asks again from there after each answer. So when the first object is walked, all that was published up
/// to the snapshot has been delivered; and a state that is current now, and was in the snapshot, had no other after it
/// in between, for versions do not come back. A later one waits behind this call.
pub(crate) struct Resyncer<R: Kept> {
    period: Option<Duration>,
    current: Weak<dyn Current<R>>,
    runtime: Handle,
    /// Whether the runtime has ended, where this may be polled outside of it.
    ended: Option<Arc<Ended>>,
    timer: Option<Pin<Box<Sleep>>>,
    walk: Option<Box<dyn Replay<R>>>,
}

/// What a resync answers.
pub(crate) enum Step<R: Kept> {
    /// Nothing is due; the task is woken when it is.
    Idle,
    /// Something was done; look at the queue first, then ask again.
    Again,
    /// The handler is to be told of this.
    Tell(Entry<R::Stored>),
    /// A walk is over.
    Finished,
    /// The runtime has ended: nothing will come any more.
    Ended,
}

impl<R: Kept> Resyncer<R> {
    /// The first resync is due one period from now.
    pub(crate) fn new(
        period: Option<Duration>,
        current: Weak<dyn Current<R>>,
        runtime: Handle,
        ended: Option<Arc<Ended>>,
    ) -> Self {
        let mut resyncer = Self {
            period,
            current,
            runtime,
            ended,
            timer: None,
            walk: None,
        };
        resyncer.start_timer();
        resyncer
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Step<R> {
        if let Some(walk) = &mut self.walk {
            let Some(seen) = walk.next() else {
                self.walk = None;
                return Step::Finished;
            };
            let now = self.current.upgrade().and_then(|s| s.current(&seen.key));
            return match now {
                Some(now) if now.uid == seen.uid && now.version == seen.version => Step::Tell(now),
                _ => Step::Again,
            };
        }
        if self.ended.as_ref().is_some_and(|ended| ended.is_set()) {
            return Step::Ended;
        }
        let due = match &mut self.timer {
            Some(timer) => timer.as_mut().poll(cx),
            None => Poll::Pending,
        };
        if due.is_pending() {
            return Step::Idle;
        }
        self.start_timer();
        self.walk = self.current.upgrade().map(|store| store.snapshot());
        Step::Again
    }

    fn start_timer(&mut self) {
        // A timer needs its runtime's clock, and a stream may be polled outside of one.
        let _entered = self.runtime.enter();
        self.timer = self.period.map(|period| Box::pin(sleep(period)));
    }
}

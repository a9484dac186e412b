//! Where the hub leaves what one handler is to hear, and its task or stream takes it.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::task::{Context, Waker};

use super::member::Member;
use super::queue::{Item, Queue, QueueStats};
use super::resync::Replay;
use crate::entry::Change;
use crate::kept::Kept;
use crate::sync::{Mutex, MutexGuard};

/// One writer, the hub under the store's lock, and one taker. Nothing here waits for the taker.
pub(crate) struct Mailbox<R: Kept> {
    pub(crate) member: Member,
    /// Whether a task of ours takes from it, which then says when it has finished. A stream is the user's to poll, so
    /// it has finished when it is closed.
    has_task: bool,
    state: Mutex<State<R>>,
}

struct State<R: Kept> {
    /// Come before the queue, in this order: one per source that made its first listing and was not taken yet.
    replays: VecDeque<Box<dyn Replay<R>>>,
    queue: Queue<R>,
    marked: bool,
    closed: bool,
    waker: Option<Waker>,
}

/// The takers that wait for what was pushed. Dropping it wakes them: a stream may be polled by any executor, so wakers are
/// code of others, which must not run under a lock.
#[derive(Default)]
pub(crate) struct Wakes(Vec<Waker>);

impl FromIterator<Waker> for Wakes {
    fn from_iter<I: IntoIterator<Item = Waker>>(wakers: I) -> Self {
        Self(wakers.into_iter().collect())
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        for waker in self.0.drain(..) {
            waker.wake();
        }
    }
}

/// What the taker finds.
pub(crate) enum Taken<R: Kept> {
    /// Everything in it is to be heard of as added at the start, before anything else is taken.
    Replay(Box<dyn Replay<R>>),
    Change(Change<R>),
    Synced,
    /// Nothing for now; the taker will be woken.
    Nothing,
    /// Nothing any more.
    Closed,
}

impl<R: Kept> Mailbox<R> {
    pub(crate) fn new(
        member: Member,
        has_task: bool,
        capacity: usize,
        replay: Option<Box<dyn Replay<R>>>,
    ) -> Self {
        Self {
            member,
            has_task,
            state: Mutex::new(State {
                replays: replay.into_iter().collect(),
                queue: Queue::new(capacity),
                marked: false,
                closed: false,
                waker: None,
            }),
        }
    }

    pub(crate) fn push_all(&self, changes: &[Change<R>]) -> Option<Waker> {
        self.put(|state| {
            for change in changes {
                state.queue.push(change.clone());
            }
        })
    }

    /// Everything that `snapshot` yields was added at the start, and none of it was there before.
    ///
    /// A taker that has nothing else to take first walks the snapshot itself, so that no event per object ever exists.
    pub(crate) fn push_initial(&self, snapshot: &dyn Fn() -> Box<dyn Replay<R>>) -> Option<Waker> {
        self.put(|state| {
            let mut replay = snapshot();
            if state.queue.is_empty() {
                state.replays.push_back(replay);
                return;
            }
            while let Some(new) = replay.next() {
                state.queue.push(Change::Add { new, initial: true });
            }
        })
    }

    /// Everything that was there at the start has been pushed. Only the first call does something.
    pub(crate) fn push_synced(&self) -> Option<Waker> {
        self.put(|state| {
            if !state.marked {
                state.marked = true;
                state.queue.push_synced();
            }
        })
    }

    /// The next thing to hear of. If there is none, the context's waker is woken at the next push.
    pub(crate) fn take(&self, cx: &Context<'_>) -> Taken<R> {
        let mut state = self.lock();
        let before = state.queue.stats();
        if state.closed {
            return Taken::Closed;
        }
        if let Some(replay) = state.replays.pop_front() {
            return Taken::Replay(replay);
        }
        match state.queue.pop() {
            Some(Item::Change(change)) => {
                self.member.observed.queue(before, state.queue.stats());
                Taken::Change(change)
            }
            Some(Item::Synced) => Taken::Synced,
            None => {
                state.waker = Some(cx.waker().clone());
                Taken::Nothing
            }
        }
    }

    /// Ends it: nothing is taken any more once this returned. Answers with what waited, which the caller drops outside
    /// of its locks, as objects may be destroyed there.
    #[must_use]
    pub(crate) fn close(&self) -> impl Sized + use<R> {
        let (leftovers, waker) = {
            let mut state = self.lock();
            if !std::mem::replace(&mut state.closed, true) {
                self.member.observed.left();
            }
            let leftovers = (state.queue.clear(), std::mem::take(&mut state.replays));
            (leftovers, state.waker.take())
        };
        if !self.has_task {
            self.member.set_finished();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
        leftovers
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// The waker of a taker that waits.
    pub(crate) fn taker(&self) -> Option<Waker> {
        self.lock().waker.take()
    }

    pub(crate) fn stats(&self) -> QueueStats {
        self.lock().queue.stats()
    }

    /// Answers with the taker's waker, where it waits: it is the caller's to wake once it holds no lock.
    fn put(&self, put: impl FnOnce(&mut State<R>)) -> Option<Waker> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        let before = state.queue.stats();
        put(&mut state);
        self.member.observed.queue(before, state.queue.stats());
        state.waker.take()
    }

    /// A panic under this lock can only come from the destructor of a user's stored type; the queue is whole even then.
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

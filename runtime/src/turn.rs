//! Taking turns: how a task with much to do lets others run.

use std::future::poll_fn;
use std::task::Poll;

/// Counts a task's steps, so that it yields after so many of them.
#[derive(Debug, Default)]
pub(crate) struct Turn(u32);

impl Turn {
    /// Steps of some microseconds each: a turn is about a millisecond.
    const STEPS: u32 = 32;

    /// Counts a step; whether the turn is over.
    pub(crate) fn step(&mut self) -> bool {
        self.0 = (self.0 + 1) % Self::STEPS;
        self.0 == 0
    }
}

/// Lets other tasks run, as any thread of the runtime can go on with this one.
///
/// Tokio's own ways to yield put the task on a list that only its present thread looks at: were the next task on that
/// thread a handler that hangs, this one would hang with it. A task that wakes itself goes to the thread's run queue,
/// from which idle threads steal.
pub(crate) async fn yield_to_others() {
    let mut yielded = false;
    poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

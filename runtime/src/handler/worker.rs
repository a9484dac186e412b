//! The task that calls one handler.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use super::feed::Feed;
use super::handler::Handler;
use super::mailbox::Mailbox;
use super::stream::Event;
use crate::kept::Kept;
use crate::key::ObjectKey;

/// After so many events other tasks get a turn, however much waits.
const EVENTS_IN_A_ROW: u32 = 32;

/// Calls `handler` with what `feed` yields, one event at a time, until the mailbox is closed.
pub(crate) struct Worker<R: Kept> {
    handler: Box<dyn Handler<R>>,
    feed: Feed<R>,
    // Last: fields are dropped in order, and the handler is gone when it counts as finished.
    _finished: Finished<R>,
}

impl<R: Kept> Worker<R> {
    pub(crate) fn new(handler: Box<dyn Handler<R>>, feed: Feed<R>) -> Self {
        let finished = Finished(Arc::clone(feed.mailbox()));
        Self {
            handler,
            feed,
            _finished: finished,
        }
    }

    pub(crate) async fn run(mut self) {
        let mut in_a_row = 0;
        while let Some(event) = poll_fn(|cx| self.feed.poll_next(cx)).await {
            if self.feed.mailbox().is_closed() {
                break;
            }
            self.deliver(&event);
            // What the event held is destroyed here, in the handler's own task.
            drop(event);
            in_a_row += 1;
            if in_a_row == EVENTS_IN_A_ROW {
                in_a_row = 0;
                yield_to_others().await;
            }
        }
    }

    /// A panic ends this call and nothing else. Its message goes to the panic hook alone: it may quote the object.
    fn deliver(&self, event: &Event<R>) {
        let called = catch_unwind(AssertUnwindSafe(|| call(&*self.handler, event)));
        if called.is_ok() {
            return;
        }
        let member = &self.feed.mailbox().member;
        member.panics.increment();
        tracing::error!(
            handler = %member.name,
            kind = %member.kind,
            key = event.key().map(tracing::field::display::<&ObjectKey>),
            "a handler panicked; it goes on with the next event"
        );
    }
}

/// Lets other tasks run, as any thread of the runtime can go on with this one.
///
/// Tokio's own ways to yield put the task on a list that only its present thread looks at: were the next task on that
/// thread a handler that hangs, this one would hang with it. A task that wakes itself goes to the thread's run queue,
/// from which idle threads steal.
async fn yield_to_others() {
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

fn call<R: Kept>(handler: &dyn Handler<R>, event: &Event<R>) {
    match event {
        Event::Add { object, initial } => handler.on_add(object, *initial),
        Event::Update { old, new } => handler.on_update(old, new),
        Event::Delete(gone) => handler.on_delete(gone),
        Event::Synced => {}
    }
}

/// Says that the handler has finished however its task ends, also by its runtime's end.
struct Finished<R: Kept>(Arc<Mailbox<R>>);

impl<R: Kept> Drop for Finished<R> {
    fn drop(&mut self) {
        drop(self.0.close());
        self.0.member.set_finished();
    }
}

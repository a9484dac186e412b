//! The task that calls one handler.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::feed::Feed;
use super::handler::Handler;
use super::mailbox::Mailbox;
use super::member::Member;
use super::stream::Event;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::observe::{Say, Stopwatch};
use crate::turn::{Turn, yield_to_others};

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
        let mut turn = Turn::default();
        while let Some(event) = poll_fn(|cx| self.feed.poll_next(cx)).await {
            if self.feed.mailbox().is_closed() {
                break;
            }
            self.deliver(&event);
            // What the event held is destroyed here, in the handler's own task.
            drop(event);
            if turn.step() {
                yield_to_others().await;
            }
        }
    }

    /// A panic ends this call and nothing else. Its message goes to the panic hook alone: it may quote the object.
    fn deliver(&self, event: &Event<R>) {
        if matches!(event, Event::Synced) {
            return;
        }
        let member = &self.feed.mailbox().member;
        let watch = Stopwatch::start();
        let called = catch_unwind(AssertUnwindSafe(|| call(&*self.handler, event)));
        member.observed.called(&watch);
        if called.is_err() {
            member.panics.increment();
            panicked(member, event.key());
        }
    }
}

/// A handler that panics at every object would fill the log.
fn panicked(member: &Member, key: Option<&ObjectKey>) {
    let key = key.map(tracing::field::display);
    let (handler, kind, informer) = (&member.name, member.kind(), member.informer.name());
    match member.complaints.next() {
        Say::Aloud { withheld } => tracing::error!(
            %kind, %informer, %handler, key, withheld,
            "a handler panicked; it goes on with the next event"
        ),
        Say::Quietly => tracing::debug!(
            %kind, %informer, %handler, key,
            "a handler panicked once more; it goes on with the next event"
        ),
    }
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

//! In which order one handler hears of what: the initial objects, then what waits, then a resync if one is due.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::mailbox::{Mailbox, Taken};
use super::resync::{Replay, Resyncer, Step};
use super::seen::{Seen, Tombstone};
use super::stream::Event;
use crate::entry::Change;
use crate::kept::Kept;

/// The taking end of a mailbox; a handler's task and a stream of events both read from one.
pub(crate) struct Feed<R: Kept> {
    mailbox: Arc<Mailbox<R>>,
    replay: Option<Box<dyn Replay<R>>>,
    resync: Resyncer<R>,
}

impl<R: Kept> Feed<R> {
    pub(crate) fn new(mailbox: Arc<Mailbox<R>>, resync: Resyncer<R>) -> Self {
        Self {
            mailbox,
            replay: None,
            resync,
        }
    }

    pub(crate) fn mailbox(&self) -> &Arc<Mailbox<R>> {
        &self.mailbox
    }

    /// The next event; `None` once the mailbox is closed. Asking for it says that the one before has been consumed, so
    /// taking the sync marker makes the handler synced.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<R>>> {
        loop {
            if let Some(added) = self.replayed() {
                return self.deliver(added);
            }
            match self.mailbox.take(cx) {
                Taken::Replay(replay) => self.replay = Some(replay),
                Taken::Change(change) => return self.deliver(event(change)),
                Taken::Synced => {
                    self.mailbox.member.set_synced();
                    return Poll::Ready(Some(Event::Synced));
                }
                Taken::Closed => return Poll::Ready(None),
                Taken::Nothing => match self.resync.poll(cx) {
                    Step::Idle => return Poll::Pending,
                    Step::Ended => return Poll::Ready(None),
                    Step::Again => {}
                    Step::Finished => self.mailbox.member.resyncs.increment(),
                    Step::Tell(entry) => {
                        let seen = Seen::from(entry);
                        return self.deliver(Event::Update {
                            old: seen.clone(),
                            new: seen,
                        });
                    }
                },
            }
        }
    }

    fn deliver(&self, event: Event<R>) -> Poll<Option<Event<R>>> {
        self.mailbox.member.delivered.increment();
        Poll::Ready(Some(event))
    }

    /// The next object of a replay in hand; the replay, and the snapshot in it, goes when it is through or pointless.
    fn replayed(&mut self) -> Option<Event<R>> {
        let replay = self.replay.as_mut()?;
        let next = if self.mailbox.is_closed() {
            None
        } else {
            replay.next()
        };
        if next.is_none() {
            self.replay = None;
        }
        next.map(|entry| Event::Add {
            object: entry.into(),
            initial: true,
        })
    }
}

fn event<R: Kept>(change: Change<R>) -> Event<R> {
    match change {
        Change::Add { new, initial } => Event::Add {
            object: new.into(),
            initial,
        },
        Change::Update { old, new } => Event::Update {
            old: old.into(),
            new: new.into(),
        },
        Change::Delete { last, final_state } => {
            Event::Delete(Tombstone::new(last.into(), final_state))
        }
    }
}

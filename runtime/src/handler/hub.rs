//! The handlers of one informer.

use std::sync::{Arc, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::feed::Feed;
use super::handler::Handler;
use super::lifetime::Ended;
use super::mailbox::{Mailbox, Wakes};
use super::member::{Member, MemberId};
use super::options::{HandlerOptions, Resync};
use super::queue::QueueStats;
use super::registration::{HandlerError, Membership, Registration};
use super::resync::{Current, Replay, Resyncer, draw_period};
use super::stream::Events;
use super::worker::Worker;
use crate::entry::Change;
use crate::kept::Kept;
use crate::observe::Observed;
use crate::sync::{self, Mutex, MutexGuard};

/// What a hub needs to know of its informer.
pub(crate) struct HubConfig<R: Kept> {
    pub(crate) informer: Observed,
    /// Where the handlers' tasks run.
    pub(crate) runtime: Handle,
    /// The period of handlers that inherit the informer's, already drawn; `None` is never.
    pub(crate) resync: Option<Duration>,
    /// The store, which owns the hub. Once it is gone no resync happens.
    pub(crate) current: Weak<dyn Current<R>>,
}

/// The handlers of one informer, owned by its store.
///
/// The store calls [`publish`](Self::publish), [`publish_initial`](Self::publish_initial),
/// [`mark_synced`](Self::mark_synced), [`add`](Self::add) and [`events`](Self::events) under the one lock under which
/// it changes what readers see: right after a change became visible, and with a snapshot that no later change can
/// have entered. That is what makes a late handler hear of each object exactly once. None of them blocks, and neither a
/// handler's code nor a waker runs in them: whoever is to wake is in their answer, which the store drops when it has let go
/// of its lock. The rest may be called at any time.
///
/// Dropping the hub stops all handlers without waiting for them.
pub(crate) struct Hub<R: Kept>(Arc<Inner<R>>);

struct Inner<R: Kept> {
    config: HubConfig<R>,
    roster: Mutex<Roster<R>>,
    stopped: CancellationToken,
    /// Whether the runtime has ended: there is one while there are streams.
    ended: Mutex<Weak<Ended>>,
}

struct Roster<R: Kept> {
    members: Vec<Arc<Mailbox<R>>>,
    /// Those closed whose last call may still run.
    leaving: Vec<Arc<Mailbox<R>>>,
    /// How many ever joined, for default names.
    joined: usize,
    stopped: bool,
}

impl<R: Kept> Hub<R> {
    pub(crate) fn new(config: HubConfig<R>) -> Self {
        Self(Arc::new(Inner {
            config,
            roster: Mutex::new(Roster {
                members: Vec::new(),
                leaving: Vec::new(),
                joined: 0,
                stopped: false,
            }),
            stopped: CancellationToken::new(),
            ended: Mutex::default(),
        }))
    }

    /// Tells every handler of changes, in their order. Their tasks wake when the answer is dropped.
    pub(crate) fn publish(&self, changes: &[Change<R>]) -> Wakes {
        if changes.is_empty() {
            return Wakes::default();
        }
        self.each(|mailbox| mailbox.push_all(changes))
    }

    /// Tells every handler that all in `snapshot` was added at the start: what the first listing into an empty store
    /// would publish as one change per object, without making those.
    ///
    /// `snapshot` is called once per handler, under the caller's lock.
    pub(crate) fn publish_initial(&self, snapshot: &dyn Fn() -> Box<dyn Replay<R>>) -> Wakes {
        self.each(|mailbox| mailbox.push_initial(snapshot))
    }

    /// Everything that was there at the start has been published. Further calls do nothing.
    pub(crate) fn mark_synced(&self) -> Wakes {
        self.each(Mailbox::push_synced)
    }

    fn each(&self, push: impl Fn(&Mailbox<R>) -> Option<Waker>) -> Wakes {
        let roster = self.0.lock();
        Wakes::from_iter(roster.members.iter().filter_map(|mailbox| push(mailbox)))
    }

    /// Registers a handler. It hears of all in `replay` as initial adds, then of what is published from now on, and
    /// has synced after the replay if the store has, else after `mark_synced`.
    ///
    /// # Errors
    ///
    /// When the informer has stopped.
    pub(crate) fn add(
        &self,
        handler: Box<dyn Handler<R>>,
        options: HandlerOptions,
        replay: Option<Box<dyn Replay<R>>>,
        already_synced: bool,
    ) -> Result<Registration, HandlerError> {
        let (feed, registration) = self.join(options, true, replay, already_synced)?;
        let informer = &self.0.config.informer;
        let span = tracing::info_span!(
            "handler",
            kind = %informer.kind(),
            informer = %informer.name(),
            handler = registration.name(),
        );
        let worker = Worker::new(handler, feed).run().instrument(span);
        sync::spawn(&self.0.config.runtime, worker);
        Ok(registration)
    }

    /// Registers a stream, as [`add`](Self::add) does a handler.
    ///
    /// # Errors
    ///
    /// When the informer has stopped.
    pub(crate) fn events(
        &self,
        options: HandlerOptions,
        replay: Option<Box<dyn Replay<R>>>,
        already_synced: bool,
    ) -> Result<Events<R>, HandlerError> {
        let (feed, registration) = self.join(options, false, replay, already_synced)?;
        Ok(Events::new(feed, registration))
    }

    /// Removes a handler; `false` if it is not, or no longer, one of this hub's. See [`Registration::remove`].
    pub(crate) fn remove(&self, registration: &Registration) -> bool {
        self.0.remove(registration.id())
    }

    /// How many handlers and streams there are.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().members.len()
    }

    /// Stops all handlers without waiting for them; what waits is dropped and no handler can be added any more.
    pub(crate) fn stop(&self) {
        self.0.stop();
    }

    /// Stops all handlers and waits, at most `deadline`, until their last calls have returned and they are dropped.
    ///
    /// # Errors
    ///
    /// [`HandlerError::StillStopping`] after the deadline.
    pub(crate) async fn shutdown(&self, deadline: Duration) -> Result<(), HandlerError> {
        self.stop();
        let leaving = self.0.lock().leaving.clone();
        let start = Instant::now();
        for mailbox in &leaving {
            let left = deadline.saturating_sub(start.elapsed());
            mailbox.member.reach(left, |phase| phase.finished).await;
        }
        let running = leaving.iter().filter(|m| !m.member.phase().finished);
        let handlers: Vec<_> = running.map(|m| m.member.name.clone()).collect();
        if handlers.is_empty() {
            return Ok(());
        }
        Err(HandlerError::StillStopping {
            handlers,
            kind: self.0.config.informer.kind().clone(),
            deadline,
        })
    }

    fn join(
        &self,
        options: HandlerOptions,
        has_task: bool,
        replay: Option<Box<dyn Replay<R>>>,
        already_synced: bool,
    ) -> Result<(Feed<R>, Registration), HandlerError> {
        let config = &self.0.config;
        let mut roster = self.0.lock();
        if roster.stopped {
            let kind = config.informer.kind().clone();
            return Err(HandlerError::Stopped { kind });
        }
        let member = Member::new(roster.name(options.name), config.informer.clone());
        let mailbox = Arc::new(Mailbox::new(member, has_task, options.capacity, replay));
        if already_synced {
            // Nobody takes from it yet.
            let _no_waker = mailbox.push_synced();
        }
        roster.members.push(Arc::clone(&mailbox));
        drop(roster);

        let period = match options.resync {
            Resync::Inherit => config.resync,
            Resync::Never => None,
            Resync::Every(base) => draw_period(base, &mut fastrand::Rng::new()),
        };
        let ended = (!has_task).then(|| self.ended());
        let runtime = config.runtime.clone();
        let resync = Resyncer::new(period, config.current.clone(), runtime, ended);
        let registration = Registration::new(Arc::new(Seat {
            mailbox: Arc::clone(&mailbox),
            hub: Arc::downgrade(&self.0),
        }));
        Ok((Feed::new(mailbox, resync), registration))
    }
}

impl<R: Kept> Hub<R> {
    /// Whether the runtime has ended. When it does, whoever waits for a stream is woken and finds out.
    fn ended(&self) -> Arc<Ended> {
        let mut known = self.0.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ended) = known.upgrade() {
            return ended;
        }
        let hub = Arc::downgrade(&self.0);
        let wake = move || {
            let Some(hub) = hub.upgrade() else { return };
            let members = hub.lock().members.clone();
            let takers = members.iter().filter_map(|mailbox| mailbox.taker());
            drop(Wakes::from_iter(takers));
        };
        let done = self.0.stopped.child_token();
        let ended = Ended::watch(&self.0.config.runtime, done, wake);
        *known = Arc::downgrade(&ended);
        ended
    }
}

impl<R: Kept> Drop for Hub<R> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<R: Kept> Inner<R> {
    fn remove(&self, id: MemberId) -> bool {
        let mut roster = self.lock();
        let found = roster.members.iter().position(|m| m.member.id == id);
        let Some(at) = found else {
            return false;
        };
        let mailbox = roster.members.remove(at);
        roster.leaving.retain(|m| !m.member.phase().finished);
        roster.leaving.push(Arc::clone(&mailbox));
        // Closed before anyone else can find it gone.
        let leftovers = mailbox.close();
        drop(roster);
        drop(leftovers);
        true
    }

    fn stop(&self) {
        self.stopped.cancel();
        let mut roster = self.lock();
        roster.stopped = true;
        let members = std::mem::take(&mut roster.members);
        roster.leaving.retain(|m| !m.member.phase().finished);
        let leftovers: Vec<_> = members.iter().map(|mailbox| mailbox.close()).collect();
        roster.leaving.extend(members);
        drop(roster);
        drop(leftovers);
    }

    fn lock(&self) -> MutexGuard<'_, Roster<R>> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Kept> Roster<R> {
    /// The name that was asked for, or a default one; with a number behind it where it is taken.
    fn name(&mut self, wanted: Option<String>) -> String {
        self.joined += 1;
        let wanted = wanted.unwrap_or_else(|| format!("handler-{}", self.joined));
        let taken = |name: &str| self.members.iter().any(|m| m.member.name == name);
        if !taken(&wanted) {
            return wanted;
        }
        let mut numbered = (2..).map(|n: u64| format!("{wanted}-{n}"));
        numbered.find(|name| !taken(name)).unwrap_or(wanted)
    }
}

/// A mailbox and the hub it belongs to, as a registration sees them.
struct Seat<R: Kept> {
    mailbox: Arc<Mailbox<R>>,
    hub: Weak<Inner<R>>,
}

impl<R: Kept> Membership for Seat<R> {
    fn member(&self) -> &Member {
        &self.mailbox.member
    }

    fn queue(&self) -> QueueStats {
        self.mailbox.stats()
    }

    fn leave(&self) -> bool {
        self.hub
            .upgrade()
            .is_some_and(|hub| hub.remove(self.mailbox.member.id))
    }
}

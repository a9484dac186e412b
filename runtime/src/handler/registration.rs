//! What a user holds of a handler once it is registered.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::member::{Member, MemberId};
use super::queue::QueueStats;
use crate::kind::Kind;

/// A handler, or stream of events, that is registered with an informer.
///
/// Dropping it does **not** remove the handler, as in client-go: a handler lives until it is [removed](Self::remove)
/// or its informer stops. A clone names the same handler.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use std::time::Duration;
/// use larder::{HandlerError, Registration};
///
/// async fn replace(old: &Registration) -> Result<(), HandlerError> {
///     old.remove();
///     old.removed(Duration::from_secs(5)).await // from here on its methods run no more
/// }
/// ```
#[derive(Clone)]
pub struct Registration(Arc<dyn Membership>);

/// What a registration needs of the hub and the mailbox, whatever their kind.
pub(crate) trait Membership: Send + Sync {
    fn member(&self) -> &Member;
    fn queue(&self) -> QueueStats;
    fn leave(&self) -> bool;
}

impl Registration {
    pub(crate) fn new(membership: Arc<dyn Membership>) -> Self {
        Self(membership)
    }

    pub(crate) fn id(&self) -> MemberId {
        self.0.member().id
    }

    /// The handler's name, as in logs and errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.member().name
    }

    /// The kind of the objects that it hears of.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        self.0.member().kind()
    }

    /// Whether the handler has consumed everything that was there at the start: its calls for them have returned.
    ///
    /// Never goes back to `false`.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.0.member().phase().synced
    }

    /// Waits until [`has_synced`](Self::has_synced), at most `deadline`. Any number of tasks may wait.
    ///
    /// # Errors
    ///
    /// [`HandlerError::NotSynced`] after the deadline, [`HandlerError::Removed`] if the handler is removed, or its
    /// informer stops, before it has synced.
    pub async fn wait_for_sync(&self, deadline: Duration) -> Result<(), HandlerError> {
        let member = self.0.member();
        let (handler, kind) = (member.name.clone(), member.kind().clone());
        match member.reach(deadline, |p| p.synced || p.finished).await {
            Some(phase) if phase.synced => Ok(()),
            Some(_) => Err(HandlerError::Removed { handler, kind }),
            None => Err(HandlerError::NotSynced {
                handler,
                kind,
                deadline,
            }),
        }
    }

    /// Removes the handler. `false` if it was removed before, or its informer has stopped; that is harmless.
    ///
    /// What waits for it is dropped, and no event is taken for it once this has returned. At most one that was taken
    /// before may still be on its way into the handler or being worked on, for this does not wait (a handler may
    /// remove itself); [`removed`](Self::removed) does.
    pub fn remove(&self) -> bool {
        self.0.leave()
    }

    /// Waits, at most `deadline`, until the handler has been removed (by anyone, or because its informer stopped), its
    /// last call has returned and the handler itself is dropped.
    ///
    /// # Errors
    ///
    /// [`HandlerError::StillRunning`] after the deadline.
    pub async fn removed(&self, deadline: Duration) -> Result<(), HandlerError> {
        let member = self.0.member();
        match member.reach(deadline, |phase| phase.finished).await {
            Some(_) => Ok(()),
            None => Err(HandlerError::StillRunning {
                handler: member.name.clone(),
                kind: member.kind().clone(),
                deadline,
            }),
        }
    }

    /// The handler's counts up to now.
    #[must_use]
    pub fn stats(&self) -> HandlerStats {
        let member = self.0.member();
        let queue = self.0.queue();
        HandlerStats {
            queued: queue.waiting,
            most_queued: queue.high_water,
            delivered: member.delivered.get(),
            merged: queue.merged,
            dropped_pairs: queue.dropped_pairs,
            panics: member.panics.get(),
            resyncs: member.resyncs.get(),
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.name())
            .field("kind", &format_args!("{}", self.kind()))
            .field("has_synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

/// Counts of one handler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStats {
    /// Events that wait for it now. Objects that it has yet to hear of as initial adds wait in the store and do not
    /// count.
    pub queued: usize,
    /// The most events that ever waited for it.
    pub most_queued: usize,
    /// Events that it was given, resyncs included.
    pub delivered: u64,
    /// Events that were merged into another of the same object, because too many waited.
    pub merged: u64,
    /// Objects that came and went unheard of, because too many events waited.
    pub dropped_pairs: u64,
    /// Its calls that panicked.
    pub panics: u64,
    /// Resyncs that were carried through.
    pub resyncs: u64,
}

/// Why a handler was not added, or a wait for one failed. Kinds are named as [`Kind`] displays them: `deployments.apps`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandlerError {
    /// The deadline passed before the handler had consumed the initial objects.
    #[error(
        "handler {handler:?} of {kind} has not consumed the initial objects within {deadline:?}"
    )]
    NotSynced {
        /// The handler's name.
        handler: String,
        /// The kind that it hears of.
        kind: Kind,
        /// How long it was waited for.
        deadline: Duration,
    },
    /// The handler was removed, or its informer stopped, before it had consumed the initial objects.
    #[error("handler {handler:?} of {kind} was removed before it had consumed the initial objects")]
    Removed {
        /// The handler's name.
        handler: String,
        /// The kind that it heard of.
        kind: Kind,
    },
    /// The deadline passed before the handler was removed and its last call had returned.
    #[error("handler {handler:?} of {kind} still runs after {deadline:?}")]
    StillRunning {
        /// The handler's name.
        handler: String,
        /// The kind that it hears of.
        kind: Kind,
        /// How long it was waited for.
        deadline: Duration,
    },
    /// The informer has stopped, so it takes no handler any more.
    #[error("the informer of {kind} has stopped: no handler can be added to it")]
    Stopped {
        /// The informer's kind.
        kind: Kind,
    },
    /// An informer stopped, and calls of these handlers did not return within the deadline.
    #[error("handlers of {kind} still run {deadline:?} after they were stopped: {}", handlers.join(", "))]
    StillStopping {
        /// The handlers' names.
        handlers: Vec<String>,
        /// The informer's kind.
        kind: Kind,
        /// How long they were waited for.
        deadline: Duration,
    },
}

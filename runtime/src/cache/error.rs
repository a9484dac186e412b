//! What can go wrong with a cache.

use crate::discovery::DiscoveryError;
use crate::handler::HandlerError;
use crate::informer::{InformerError, InvalidScope, ReadError, Stopped, SyncError, WaitError};
use crate::kind::Kind;

/// Why a cache did not do what it was asked for.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// `start` was called twice.
    #[error("the cache is already started")]
    AlreadyStarted,
    /// A read before `start`: nothing would ever arrive.
    #[error("the cache is not started: call `start` first")]
    NotStarted,
    /// The cache was shut down.
    #[error("the cache is shut down")]
    ShutDown,
    /// Options for an informer that exists already.
    #[error("the cache has an informer of {kind} {}: give another name", named(name.as_deref()))]
    AlreadyExists {
        /// The informer's kind.
        kind: Kind,
        /// The name that was asked for.
        name: Option<String>,
    },
    /// Strict mode: this kind has no informer.
    #[error("{kind} is not cached: in strict mode ask for its informer first")]
    NotCached {
        /// What was read.
        kind: Kind,
    },
    /// The informer could not be made or started.
    #[error(transparent)]
    Informer(#[from] InformerError),
    /// A namespace that cannot be meant.
    #[error(transparent)]
    Scope(#[from] InvalidScope),
    /// The informer is not synced within the read deadline.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// Handlers whose call had not returned when the deadline passed; they end when it does.
    #[error("still stopping: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    StillStopping(Vec<HandlerError>),
    /// A name means no kind.
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    /// What the lister answered.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The cache did not come to show a write.
    #[error(transparent)]
    Wait(#[from] WaitError),
}

/// So that a function that sets up a cache, its indexes and its handlers needs one error type.
impl From<Stopped> for CacheError {
    fn from(stopped: Stopped) -> Self {
        Self::Informer(stopped.into())
    }
}

fn named(name: Option<&str>) -> String {
    name.map_or_else(
        || "already".to_owned(),
        |name| format!("named {name:?} already"),
    )
}

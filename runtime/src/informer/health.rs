//! The condition of an informer, at any time.

use std::sync::Arc;
use std::time::Instant;

use super::sources::{Feed, Sources};
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::reflector::{Phase, ReflectorError};
use crate::store::Shared;

/// The condition of an informer at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Health {
    /// The informer's kind.
    pub kind: Kind,
    /// The informer's name.
    pub informer: Arc<str>,
    /// Whether it was started, and stays true after it was stopped.
    pub started: bool,
    /// Whether it was stopped.
    pub stopped: bool,
    /// Whether every source delivered its first complete listing. Once true it stays true, unless a namespace is added while
    /// the informer runs: then it is false until that one was listed, too.
    pub synced: bool,
    /// Since when what readers see may lag behind the server: the oldest moment at which a source lost its
    /// watch and did not get it back. `None` while all watches are healthy.
    pub stale_since: Option<Instant>,
    /// How many objects the store holds.
    pub objects: usize,
    /// How many complete listings were made after the first one of each source.
    pub relists: u64,
    /// How many received objects were not stored, because they do not decode or a transform refused them.
    pub decode_failures: u64,
    /// The newest of them.
    pub last_decode_failure: Option<DecodeFailure>,
    /// The newest error of any source; it stays after recovery.
    pub last_error: Option<LastError>,
    /// One entry per list and watch there is now.
    pub sources: Vec<SourceHealth>,
}

/// The condition of one list and watch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SourceHealth {
    /// Its namespace, `None` for all that have no source of their own.
    pub namespace: Option<Arc<str>>,
    /// What it is doing.
    pub phase: Phase,
    /// The version that it has seen, bookmarks and deletes included; `None` before its first complete listing.
    pub version: Option<ResourceVersion>,
    /// See [`Health::stale_since`].
    pub stale_since: Option<Instant>,
    /// See [`Health::relists`].
    pub relists: u64,
    /// Watch events and listed objects that could not be understood at all. Such an event led to a relist.
    pub broken_events: u64,
    /// Watch events of a type that this version of Larder does not know; they are ignored.
    pub unknown_events: u64,
    /// Its newest error; it stays after recovery.
    pub last_error: Option<LastError>,
}

/// A failed request, and when it failed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LastError {
    /// What failed, and why.
    pub error: Arc<ReflectorError>,
    /// When.
    pub at: Instant,
}

/// An object that was not stored.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DecodeFailure {
    /// Its key, where its metadata could be read.
    pub key: Option<ObjectKey>,
    /// Why, without anything out of its body.
    pub error: String,
}

/// The condition of an informer out of its parts.
pub(super) fn of<R: Kept>(shared: &Shared<R>, sources: &Sources<R>) -> Health {
    let state = shared.state();
    let source = |feed: &Arc<Feed<R>>| {
        let status = feed.status.snapshot();
        SourceHealth {
            namespace: feed.namespace.clone(),
            phase: status.phase,
            version: state.version_of(feed.id).cloned(),
            stale_since: status.stale_since.map(tokio::time::Instant::into_std),
            relists: status.relists,
            broken_events: status.broken,
            unknown_events: status.unknown_events,
            last_error: status.last_error.map(|(error, at)| LastError {
                error,
                at: at.into_std(),
            }),
        }
    };
    let (started, stopped) = (sources.is_started(), sources.is_stopped());
    let sources: Vec<SourceHealth> = sources.feeds().iter().map(source).collect();
    Health {
        kind: shared.kind().clone(),
        informer: Arc::clone(shared.name()),
        started,
        stopped,
        synced: shared.has_synced(),
        stale_since: sources.iter().filter_map(|source| source.stale_since).min(),
        objects: state.len(),
        relists: sources.iter().map(|source| source.relists).sum(),
        decode_failures: shared.undecodable(),
        last_decode_failure: shared.last_undecodable().map(|failure| DecodeFailure {
            key: failure.key,
            error: chain(&failure.error),
        }),
        last_error: sources
            .iter()
            .filter_map(|source| source.last_error.clone())
            .max_by_key(|last| last.at),
        sources,
    }
}

/// An error with its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

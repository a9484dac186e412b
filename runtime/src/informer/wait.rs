//! Reading one's own writes: waiting until the store has seen them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Informer;
use super::error::{Cause, ReadError, Stopped};
use super::written::{Left, Written};
use crate::entry::SourceId;
use crate::identity::{ResourceVersion, Uid};
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::reflector::ReflectorError;
use crate::store::{State, WakeAt};
use crate::time::later;

/// Why a wait for a write, or for a version, ended without it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The deadline passed.
    #[error(
        "{kind}: {} not seen within {after:?}; {}{}",
        Wanted { key: key.as_ref(), version: version.as_ref() },
        Held(held.as_ref()),
        Cause(cause.as_deref())
    )]
    Deadline {
        /// The informer's kind.
        kind: Kind,
        /// The object that was waited for; `None` for all of the kind.
        key: Option<ObjectKey>,
        /// The version that was waited for; `None` for a delete.
        version: Option<ResourceVersion>,
        /// The version up to which everything had been seen where the wait was; `None` before the first complete listing.
        held: Option<ResourceVersion>,
        /// How long was waited.
        after: Duration,
        /// The last error of the informer's reflectors, where there was one. It may be long past.
        cause: Option<Arc<ReflectorError>>,
    },
    /// The write is in a namespace that this informer does not watch, so it would never be seen.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The informer was stopped before it saw the write.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

struct Wanted<'a> {
    key: Option<&'a ObjectKey>,
    version: Option<&'a ResourceVersion>,
}

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.key, self.version) {
            (Some(key), Some(version)) => write!(f, "version {version} of {key}"),
            (Some(key), None) => write!(f, "the delete of {key}"),
            (None, Some(version)) => write!(f, "version {version}"),
            (None, None) => f.write_str("anything"),
        }
    }
}

struct Held<'a>(Option<&'a ResourceVersion>);

impl fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(version) => write!(f, "seen up to version {version}"),
            None => f.write_str("not synced yet"),
        }
    }
}

/// What a wait is for.
#[derive(Clone, Copy)]
enum Aim<'a> {
    /// Everything up to a version.
    Kind(&'a ResourceVersion),
    /// That version of an object, or whatever came of it.
    State(&'a ObjectKey, &'a ResourceVersion),
    /// That there is no object of this uid any more.
    Gone {
        key: &'a ObjectKey,
        uid: &'a Uid,
        seen: Option<&'a ResourceVersion>,
    },
}

impl<'a> Aim<'a> {
    fn of(written: &'a Written) -> Self {
        let key = written.key();
        match written.left() {
            Left::State(version) => Self::State(key, version),
            Left::Nothing { uid, seen } => Self::Gone {
                key,
                uid,
                seen: seen.as_ref(),
            },
        }
    }

    fn key(self) -> Option<&'a ObjectKey> {
        match self {
            Self::Kind(_) => None,
            Self::State(key, _) | Self::Gone { key, .. } => Some(key),
        }
    }

    fn version(self) -> Option<&'a ResourceVersion> {
        match self {
            Self::Kind(version) | Self::State(_, version) => Some(version),
            Self::Gone { .. } => None,
        }
    }
}

impl<R: Kept> Informer<R> {
    /// Waits until reads show a write, or what came after it: afterwards a lister answers with that state of the object or a later
    /// one, which may be that it is gone.
    ///
    /// It ends as soon as everything up to the write's version has been seen: by the write's own event, by the listing that
    /// replaces a lost watch, or, where the write is not this informer's to see (an object outside of its selectors), by
    /// the next event or bookmark, which kube-apiserver sends once a minute. An object that was seen and not stored, because
    /// it does not decode or a transform refused it, has been seen.
    ///
    /// Versions are compared as numbers, which is right for versions of one resource on kube-apiserver, custom resources included
    /// (KEP-5504). A version that is no decimal number, which an aggregated API server may give, is looked for among the
    /// newest 256 that were seen: wait for it soon after the write.
    ///
    /// Any number of tasks may wait. Each is woken when its own write may have come, not with each change.
    ///
    /// # Errors
    ///
    /// [`WaitError::Deadline`]; [`WaitError::Read`] at once, where the write's namespace is not watched;
    /// [`WaitError::Stopped`].
    pub async fn wait_for(&self, written: &Written, deadline: Duration) -> Result<(), WaitError> {
        self.wait_until_seen(Aim::of(written), deadline).await
    }

    /// Waits until everything of this kind up to a version has been seen, in all watched namespaces.
    ///
    /// `version` is one of this kind's: of an object or of a list of it. Where nothing happens, versions go on by
    /// bookmarks alone, which kube-apiserver sends once a minute: give such a wait two minutes, or wait for the one object.
    ///
    /// # Errors
    ///
    /// [`WaitError::Deadline`], [`WaitError::Stopped`].
    pub async fn wait_for_version(
        &self,
        version: &ResourceVersion,
        deadline: Duration,
    ) -> Result<(), WaitError> {
        self.wait_until_seen(Aim::Kind(version), deadline).await
    }

    async fn wait_until_seen(&self, aim: Aim<'_>, deadline: Duration) -> Result<(), WaitError> {
        let until = later(Instant::now(), deadline);
        match timeout_at(until, self.seen(aim)).await {
            Ok(seen) => seen,
            Err(_) => Err(self.unseen(aim, deadline)),
        }
    }

    async fn seen(&self, aim: Aim<'_>) -> Result<(), WaitError> {
        let stopping = self.stopping();
        loop {
            let Some(at) = self.missing(aim)? else {
                return Ok(());
            };
            let mut waiter = self.shared().waiting().register(at);
            // It may have come before there was a waiter to wake.
            match self.missing(aim)? {
                None => return Ok(()),
                Some(at) if at != *waiter.waits_at() => continue,
                Some(_) => {}
            }
            tokio::select! {
                biased;
                () = waiter.woken() => {}
                () = stopping.cancelled() => return Err(self.stopped().into()),
            }
        }
    }

    /// What must come before the aim can have been seen; `None` where it was.
    fn missing(&self, aim: Aim<'_>) -> Result<Option<WakeAt>, WaitError> {
        let namespace = aim
            .key()
            .and_then(ObjectKey::namespace)
            .filter(|_| self.kind().is_namespaced());
        let state = self.shared().state();
        if let Some(namespace) = namespace
            && state.coverage().owner(Some(namespace)).is_none()
        {
            return Err(self.not_watched(&state, namespace).into());
        }
        let sources = sources_of(&state, namespace);
        let behind = |version| {
            let mut lagging = sources
                .iter()
                .filter(|source| !self.has_reached(&state, **source, version));
            lagging.next().map(|source| reach(*source, version))
        };
        Ok(match aim {
            Aim::Kind(version) => behind(Some(version)),
            Aim::State(key, version) => {
                let entry = find(&state, namespace, key);
                if entry.is_some_and(|entry| covers(&entry.version, version)) {
                    None
                } else {
                    behind(Some(version))
                }
            }
            Aim::Gone { key, uid, seen } => behind(seen).or_else(|| {
                let entry = find(&state, namespace, key)?;
                (entry.uid == *uid).then(|| WakeAt::Deleted(entry.key.clone()))
            }),
        })
    }

    /// Whether a source has seen everything up to a version; with none, whether it has listed.
    fn has_reached(
        &self,
        state: &State<R>,
        source: SourceId,
        version: Option<&ResourceVersion>,
    ) -> bool {
        let Some(held) = state.version_of(source) else {
            return false;
        };
        let Some(version) = version else { return true };
        covers(held, version)
            || (version.number().is_none() && self.shared().waiting().has_passed(source, version))
    }

    fn unseen(&self, aim: Aim<'_>, after: Duration) -> WaitError {
        let state = self.shared().state();
        let sources = sources_of(&state, aim.key().and_then(ObjectKey::namespace));
        let mut held = sources.iter().map(|source| state.version_of(*source));
        let least = |one: Option<&ResourceVersion>| one.and_then(ResourceVersion::number);
        let first = held.next().flatten();
        let held = held.fold(
            first,
            |low, one| {
                if least(one) < least(low) { one } else { low }
            },
        );
        WaitError::Deadline {
            kind: self.kind().clone(),
            key: aim.key().cloned(),
            version: aim.version().cloned(),
            held: held.cloned(),
            after,
            cause: self.last_error(),
        }
    }
}

/// The source that objects of a namespace come from; all of them for `None`.
fn sources_of<R: Kept>(state: &State<R>, namespace: Option<&str>) -> Vec<SourceId> {
    match namespace {
        Some(_) => state.coverage().owner(namespace).into_iter().collect(),
        None => state.coverage().sources().collect(),
    }
}

fn find<'a, R: Kept>(
    state: &'a State<R>,
    namespace: Option<&str>,
    key: &ObjectKey,
) -> Option<&'a crate::entry::Entry<R::Stored>> {
    state.entry(state.find(namespace, key.name())?)
}

/// Whether who has seen `held` has seen `wanted`.
fn covers(held: &ResourceVersion, wanted: &ResourceVersion) -> bool {
    match (held.number(), wanted.number()) {
        (Some(held), Some(wanted)) => held >= wanted,
        _ => held == wanted,
    }
}

fn reach(source: SourceId, version: Option<&ResourceVersion>) -> WakeAt {
    WakeAt::Reached(
        source,
        version.and_then(ResourceVersion::number).unwrap_or(0),
    )
}

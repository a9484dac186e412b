//! What reads answer from: the one place that says when a namespace, or everything, can be read.

use std::sync::Arc;

use super::Informer;
use super::error::ReadError;
use crate::entry::SourceId;
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::reflector::ReflectorError;
use crate::store::{List, Snapshot, State};

impl<R: Kept> Informer<R> {
    /// The newest error of the sources that are not synced, or else of any.
    pub(super) fn last_error(&self) -> Option<Arc<ReflectorError>> {
        self.last_error_of(|_| true)
    }

    fn last_error_of(&self, which: impl Fn(SourceId) -> bool) -> Option<Arc<ReflectorError>> {
        let state = self.0.shared.state();
        let feeds = self.0.sources.feeds();
        let errors = feeds
            .iter()
            .filter(|feed| which(feed.id))
            .filter_map(|feed| {
                let (error, at) = feed.status.snapshot().last_error?;
                Some((state.version_of(feed.id).is_none(), at, error))
            });
        errors
            .max_by_key(|(unsynced, at, _)| (*unsynced, *at))
            .map(|(_, _, error)| error)
    }

    pub(crate) fn snapshot(&self) -> Snapshot<R> {
        Snapshot::new(self.0.shared.state())
    }

    /// What reads of a namespace, or over everything, answer from.
    pub(super) fn readable(&self, namespace: Option<&str>) -> Result<Snapshot<R>, ReadError> {
        let state = self.0.shared.state();
        self.check_readable(&state, namespace)?;
        Ok(Snapshot::new(state))
    }

    /// Over everything: all that was there at the start was listed. In a namespace: its own source was, so that namespaces
    /// that cannot be listed, or are not yet, keep nobody from those that are.
    pub(super) fn check_readable(
        &self,
        state: &State<R>,
        namespace: Option<&str>,
    ) -> Result<(), ReadError> {
        let Some(namespace) = namespace.filter(|_| self.kind().is_namespaced()) else {
            return match state.is_ready() {
                true => Ok(()),
                false => Err(self.not_synced(self.last_error())),
            };
        };
        match state.coverage().owner(Some(namespace)) {
            None => Err(self.not_watched(state, namespace)),
            Some(id) if state.version_of(id).is_none() => {
                Err(self.not_synced(self.last_error_of(|source| source == id)))
            }
            Some(_) => Ok(()),
        }
    }

    pub(super) fn not_synced(&self, cause: Option<Arc<ReflectorError>>) -> ReadError {
        ReadError::NotSynced {
            kind: self.kind().clone(),
            started: self.0.sources.is_started(),
            cause,
        }
    }

    pub(super) fn not_watched(&self, state: &State<R>, namespace: &str) -> ReadError {
        let coverage = state.coverage();
        let text = |name: &Arc<str>| name.to_string();
        ReadError::NamespaceNotWatched {
            kind: self.kind().clone(),
            namespace: namespace.to_owned(),
            watched: coverage.named().map(text).collect(),
            except: coverage.except().map(|except| except.map(text).collect()),
        }
    }

    pub(super) fn versions(&self) -> Vec<(Option<Arc<str>>, Option<ResourceVersion>)> {
        let state = self.0.shared.state();
        let feeds = self.0.sources.feeds();
        let versions = feeds
            .iter()
            .map(|feed| (feed.namespace.clone(), state.version_of(feed.id).cloned()));
        versions.collect()
    }

    /// The objects of a namespace; all of a cluster-scoped kind, of which a namespace says nothing.
    pub(super) fn list_namespace(&self, namespace: &str) -> Result<List<R>, ReadError> {
        let snapshot = self.readable(Some(namespace))?;
        if self.kind().is_namespaced() {
            Ok(snapshot.namespace(namespace))
        } else {
            Ok(snapshot.list())
        }
    }

    pub(super) fn read(&self, namespace: Option<&str>, name: &str) -> Result<R::Read, ReadError> {
        let namespace = namespace.filter(|_| self.kind().is_namespaced());
        let state = self.0.shared.peek();
        self.check_readable(&state, namespace)?;
        let entry = state
            .find(namespace, name)
            .and_then(|id| state.entry(id))
            .ok_or_else(|| ReadError::NotFound {
                kind: self.kind().clone(),
                namespace: namespace.map(Into::into),
                name: name.to_owned(),
            })?;
        Ok(R::read(&entry.stored))
    }
}

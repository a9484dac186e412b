//! The informers of a cache, erased, and whether they run.

use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{CacheError, Pending};
use crate::handler::HandlerError;
use crate::informer::{Health, Informer, InformerError, NamespaceOptions, Unsynced};
use crate::kept::Kept;
use crate::kind::Kind;
use crate::object::Metadata;

/// An informer's place: what it keeps, of which kind, and the name that its options give.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id {
    kept: TypeId,
    kind: Kind,
    name: Option<Box<str>>,
}

impl Id {
    pub(super) fn of<R: Kept>(kind: &Kind, name: Option<&str>) -> Self {
        Self {
            kept: TypeId::of::<R>(),
            kind: kind.clone(),
            name: name.map(Into::into),
        }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }
}

/// An informer of any kind.
pub(super) trait Erased: Send + Sync {
    fn start(&self) -> Result<(), InformerError>;
    /// Waits until it is synced, it is stopped, or the deadline passes.
    fn synced_or_stopped(&self, until: Instant) -> Pending<'_, ()>;
    fn unsynced(&self) -> Option<Unsynced>;
    fn name(&self) -> Arc<str>;
    fn condition(&self) -> Health;
    /// Stops it and joins its tasks.
    fn stopped(&self, deadline: Duration) -> Pending<'_, Result<(), HandlerError>>;
    /// What the cache's defaults watch more, or no longer; without effect on an informer that names its own namespaces.
    fn inherit(
        &self,
        namespace: &str,
        default: &NamespaceOptions<Metadata>,
    ) -> Result<bool, InformerError>;
    fn disinherit(&self, namespace: &str) -> Result<bool, InformerError>;
    fn as_any(&self) -> &dyn Any;
}

impl<R: Kept> Erased for Informer<R> {
    fn start(&self) -> Result<(), InformerError> {
        Informer::start(self)
    }

    fn synced_or_stopped(&self, until: Instant) -> Pending<'_, ()> {
        Box::pin(self.wait_until(until))
    }

    fn unsynced(&self) -> Option<Unsynced> {
        Informer::unsynced(self)
    }

    fn name(&self) -> Arc<str> {
        Informer::name(self).into()
    }

    fn condition(&self) -> Health {
        self.health()
    }

    fn stopped(&self, deadline: Duration) -> Pending<'_, Result<(), HandlerError>> {
        Box::pin(self.stop(deadline))
    }

    fn inherit(
        &self,
        namespace: &str,
        default: &NamespaceOptions<Metadata>,
    ) -> Result<bool, InformerError> {
        self.inherit_namespace(namespace, default)
    }

    fn disinherit(&self, namespace: &str) -> Result<bool, InformerError> {
        self.disinherit_namespace(namespace)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Default)]
pub(super) struct Registry(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    phase: Phase,
    informers: HashMap<Id, Arc<dyn Erased>>,
    /// The kinds of which it was said that they are kept in two ways.
    kept_twice: HashSet<Kind>,
}

impl Inner {
    fn get<R: Kept>(&self, id: &Id) -> Option<Informer<R>> {
        let informer = self.informers.get(id)?.as_any();
        informer.downcast_ref::<Informer<R>>().cloned()
    }

    /// Says, once for each kind, that it is kept in another way already.
    fn warn_if_kept_twice(&mut self, id: &Id) {
        let mut others = self.informers.iter();
        let Some((_, other)) = others.find(|(one, _)| one.kind == id.kind && one.kept != id.kept)
        else {
            return;
        };
        if self.kept_twice.insert(id.kind.clone()) {
            tracing::warn!(
                kind = %id.kind,
                other = %other.name(),
                "this kind is kept in two ways, each with a list and watch and memory of its own"
            );
        }
    }
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Built,
    Started,
    ShutDown,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_started(&self) -> bool {
        self.lock().phase == Phase::Started
    }

    /// An error once it was shut down.
    pub(super) fn check_open(&self) -> Result<(), CacheError> {
        match self.lock().phase {
            Phase::ShutDown => Err(CacheError::ShutDown),
            Phase::Built | Phase::Started => Ok(()),
        }
    }

    pub(super) fn get<R: Kept>(&self, id: &Id) -> Option<Informer<R>> {
        self.lock().get(id)
    }

    /// The informer under `id`, made and, in a started cache, started where there is none; and whether it was made. One that
    /// cannot start is not kept. One that stopped because its kind was absent is as good as none: the kind may have come since.
    pub(super) fn get_or_insert<R: Kept>(
        &self,
        id: Id,
        make: impl FnOnce() -> Result<Informer<R>, InformerError>,
    ) -> Result<(Informer<R>, bool), CacheError> {
        let mut inner = self.lock();
        if let Some(informer) = inner.get(&id).filter(|one| !one.is_gone()) {
            return Ok((informer, false));
        }
        if inner.phase == Phase::ShutDown {
            return Err(CacheError::ShutDown);
        }
        let informer = make()?;
        if inner.phase == Phase::Started {
            informer.start()?;
        }
        inner.warn_if_kept_twice(&id);
        let gone = inner.informers.insert(id, Arc::new(informer.clone()));
        drop(inner);
        // Outside the lock, as this may free a whole store.
        drop(gone);
        Ok((informer, true))
    }

    pub(super) fn start(&self) -> Result<(), CacheError> {
        let mut inner = self.lock();
        match inner.phase {
            Phase::Started => return Err(CacheError::AlreadyStarted),
            Phase::ShutDown => return Err(CacheError::ShutDown),
            Phase::Built => {}
        }
        for informer in inner.informers.values() {
            match informer.start() {
                Ok(()) | Err(InformerError::Stopped(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        inner.phase = Phase::Started;
        Ok(())
    }

    pub(super) fn all(&self) -> Vec<Arc<dyn Erased>> {
        self.lock().informers.values().cloned().collect()
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.all().iter().map(|informer| informer.name()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn remove(&self, id: &Id) -> Option<Arc<dyn Erased>> {
        self.lock().informers.remove(id)
    }

    /// Refuses everything from now on and gives all informers to be stopped.
    pub(super) fn shut_down(&self) -> Vec<Arc<dyn Erased>> {
        let mut inner = self.lock();
        inner.phase = Phase::ShutDown;
        inner
            .informers
            .drain()
            .map(|(_, informer)| informer)
            .collect()
    }
}

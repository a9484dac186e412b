//! The informer: one store, the reflectors that keep it current, and the handlers that hear of its changes.
//!
//! `Informer` is a counted handle; listers, stores, indexers and indexes hold one, so that what is read stays current for as
//! long as anybody can read it. Reflector tasks, handlers and event streams hold only the store behind it: when the last handle
//! goes, the tasks are told to stop and the streams end.

mod error;
mod health;
mod lister;
mod metadata;
mod options;
mod tasks;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

pub use error::{InformerError, ReadError, Stopped, SyncError, Unsynced};
pub use health::{DecodeFailure, Health, LastError, SourceHealth};
pub use lister::{Index, Indexer, Lister, NamespaceLister, Store};
pub use metadata::MetadataInformer;
pub use options::{Absent, InformerOptions};
pub(crate) use options::{Common, Namespaces};

use self::tasks::Tasks;
use crate::entry::SourceId;
use crate::handler::{
    Events, Handler, HandlerError, HandlerOptions, Registration, Resync, draw_period,
};
use crate::identity::ResourceVersion;
use crate::kept::{Kept, Representation};
use crate::kind::Kind;
use crate::object::Dynamic;
use crate::reflector::{ReflectorError, SourceStatus};
use crate::store::{Extract, List, Shared, Snapshot, State};
use crate::time::later;
use crate::transport::Transport;

/// The base of the resync period where nothing is set, as in controller-runtime.
const RESYNC: Duration = Duration::from_secs(10 * 60 * 60);

/// A generated informer type, such as `PodInformer`: says its kind and what it keeps, and wraps the generic one.
///
/// A [`PodInformer<R>`](TypedInformer) is one for every `R`; whether `R` keeps pods is what [`CacheInformer`] says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no informer",
    note = "name the kind's informer, as in `cache.informer::<PodInformer>()`"
)]
pub trait TypedInformer: Sized + Send + Sync + 'static {
    /// What is kept per object.
    type Kept: Kept;
    /// The type of the kind's objects.
    type Object: 'static;
    /// The kind.
    const KIND: Kind;
    /// The typed informer over a generic one.
    fn wrap(informer: Informer<Self::Kept>) -> Self;
    /// The generic informer inside.
    fn inner(&self) -> &Informer<Self::Kept>;
}

/// A [`TypedInformer`] that keeps objects of its own kind, which is what a cache makes. Implemented for all that do.
pub trait CacheInformer: TypedInformer {}

impl<I> CacheInformer for I
where
    I: TypedInformer,
    I::Kept: Kept<Object = I::Object>,
{
}

/// An informer of whole objects of a kind known at run time alone; see [`Dynamic`].
pub type DynamicInformer = Informer<Dynamic>;

/// Metadata alone has a name of its own, as the same kind may be kept whole beside it.
fn default_name(kind: &Kind, representation: Representation) -> String {
    match representation {
        Representation::Whole => kind.to_string(),
        Representation::Metadata => format!("{kind} (metadata)"),
    }
}

/// Keeps a local copy of the objects of one kind, and tells handlers of changes.
///
/// A clone is another handle of the same informer. One made by a [`Cache`](crate::Cache) lives as long as the cache holds it; one
/// made alone stops when its last handle, lister, store, indexer or index goes. Handlers and event streams do not keep it.
pub struct Informer<R: Kept>(Arc<Inner<R>>);

struct Inner<R: Kept> {
    shared: Arc<Shared<R>>,
    sources: Arc<[Feed]>,
    tasks: Tasks<R>,
}

/// One list and watch of an informer.
pub(crate) struct Feed {
    pub(crate) id: SourceId,
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) status: Arc<SourceStatus>,
}

impl<R: Kept> Clone for Informer<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A kind's informer, such as `PodInformer`, has all of this. Its own `store`, `lister`, `indexer`, `add_handler` and
/// `add_handler_with` stand before those here: they answer with the kind's types, or take its handlers.
impl<R: Kept> Informer<R> {
    /// An informer of its own that runs at once, on the current tokio runtime.
    ///
    /// # Errors
    ///
    /// [`InformerError`] where an option is wrong or there is no runtime.
    pub fn spawn(
        transport: impl Transport,
        kind: Kind,
        options: InformerOptions<R>,
    ) -> Result<Self, InformerError> {
        let informer = Self::registered(Arc::new(transport), kind, options)?;
        informer.start()?;
        Ok(informer)
    }

    /// An informer that does not run yet.
    pub(crate) fn registered(
        transport: Arc<dyn Transport>,
        kind: Kind,
        options: InformerOptions<R>,
    ) -> Result<Self, InformerError> {
        let namespaces = options.sources(&kind)?;
        let name: Arc<str> = options
            .name
            .clone()
            .unwrap_or_else(|| default_name(&kind, R::REPRESENTATION))
            .into();
        let ids = (0..).map(SourceId).take(namespaces.len());
        let Ok(runtime) = Handle::try_current() else {
            return Err(InformerError::NoRuntime { kind });
        };
        let resync = match options.common.resync.unwrap_or_default() {
            Resync::Inherit => draw_period(RESYNC, &mut fastrand::Rng::new()),
            Resync::Never => None,
            Resync::Every(base) => draw_period(base, &mut fastrand::Rng::new()),
        };
        let shared = Shared::new(kind, name, ids.clone(), resync, runtime.clone());
        let sources = ids
            .zip(namespaces)
            .map(|(id, namespace)| Feed {
                id,
                namespace,
                status: Arc::new(SourceStatus::new(shared.changes().clone())),
            })
            .collect();
        let tasks = Tasks::new(transport, runtime, options);
        Ok(Self(Arc::new(Inner {
            shared,
            sources,
            tasks,
        })))
    }

    /// Starts the reflectors; nothing happens where they run already.
    pub(crate) fn start(&self) -> Result<(), InformerError> {
        self.0.tasks.start(&self.0.shared, &self.0.sources)
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        self.0.shared.kind()
    }

    /// The name for logs, health and metrics.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.shared.name()
    }

    /// The objects as they are now.
    #[must_use]
    pub fn store(&self) -> Store<R> {
        Store(self.clone())
    }

    /// Reads that answer an error before sync.
    #[must_use]
    pub fn lister(&self) -> Lister<R> {
        Lister(self.clone())
    }

    /// The indexes.
    #[must_use]
    pub fn indexer(&self) -> Indexer<R> {
        Indexer(self.clone())
    }

    /// Adds an index and gives its typed handle.
    ///
    /// Before start, before sync or after: it is filled from what is stored and serves at once. Readers go on meanwhile;
    /// changes wait for it. Cost: one call of the extractor per object, then two per changed object.
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_index<X: Extract<R>>(&self, extract: X) -> Result<Index<R, X::Key>, Stopped> {
        self.check_running()?;
        let path = extract.path().map(Arc::from);
        let at = self.0.shared.add_index(extract);
        Ok(Index::new(self.clone(), at, path))
    }

    /// Adds a handler: it is told of every object that is there, then of every change. See [`Handler`].
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_handler(&self, handler: impl Handler<R>) -> Result<Registration, Stopped> {
        self.add_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with a name, a queue or a resync period of its own.
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_handler_with(
        &self,
        handler: impl Handler<R>,
        options: HandlerOptions,
    ) -> Result<Registration, Stopped> {
        let added = self.0.shared.add_handler(Box::new(handler), options);
        added.map_err(|_| self.stopped())
    }

    /// Removes a handler; answers whether it was one of this informer's and still there.
    pub fn remove_handler(&self, registration: &Registration) -> bool {
        self.0.shared.hub().remove(registration)
    }

    /// How many handlers and event streams there are.
    #[must_use]
    pub fn handler_count(&self) -> usize {
        self.0.shared.hub().len()
    }

    /// The changes as a stream, for whoever needs to await. Dropping the stream removes it.
    ///
    /// The stream does not keep the informer running: keep a handle, or a lister, beside it.
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn events(&self, options: HandlerOptions) -> Result<Events<R>, Stopped> {
        self.0
            .shared
            .add_stream(options)
            .map_err(|_| self.stopped())
    }

    /// Whether every source delivered its first complete listing.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.0.shared.has_synced()
    }

    /// Waits until [`has_synced`](Self::has_synced).
    ///
    /// # Errors
    ///
    /// [`SyncError::Deadline`] with the last error, [`SyncError::Stopped`].
    pub async fn wait_for_sync(&self, deadline: Duration) -> Result<(), SyncError> {
        self.wait_until(later(Instant::now(), deadline)).await;
        match self.unsynced() {
            None => Ok(()),
            Some(unsynced) if unsynced.stopped => Err(SyncError::Stopped {
                unsynced: vec![unsynced],
            }),
            Some(unsynced) => Err(SyncError::Deadline {
                after: deadline,
                unsynced: vec![unsynced],
            }),
        }
    }

    /// Waits until it is synced, it is stopped, or the deadline passes.
    pub(crate) async fn wait_until(&self, until: Instant) {
        let mut changes = self.0.shared.changes().subscribe();
        let stopped = self.0.tasks.stopping();
        let settled = async {
            while !self.has_synced() {
                tokio::select! {
                    biased;
                    changed = changes.changed() => if changed.is_err() { return },
                    () = stopped.cancelled() => return,
                }
            }
        };
        // The outcome is read from the informer itself.
        let _ = tokio::time::timeout_at(until, settled).await;
    }

    pub(crate) fn unsynced(&self) -> Option<Unsynced> {
        (!self.has_synced()).then(|| Unsynced {
            kind: self.kind().clone(),
            informer: Arc::clone(self.0.shared.name()),
            last_error: self.last_error(),
            stopped: self.0.tasks.is_stopped(),
        })
    }

    /// The condition at this moment.
    #[must_use]
    pub fn health(&self) -> Health {
        health::of(&self.0.shared, &self.0.sources, &self.0.tasks)
    }

    /// Stops the reflectors and handlers and joins their tasks; a stopped informer does not start again.
    ///
    /// What listers and stores held stays readable. Calls in progress of handlers and transforms are waited for, until the
    /// deadline, by each of those who stop it at once.
    ///
    /// # Errors
    ///
    /// [`HandlerError::StillStopping`] names the handlers whose call has not returned by then.
    pub async fn stop(&self, deadline: Duration) -> Result<(), HandlerError> {
        let until = later(Instant::now(), deadline);
        self.0.tasks.stop(until).await;
        self.0.shared.hub().shutdown(until - Instant::now()).await
    }

    fn check_running(&self) -> Result<(), Stopped> {
        if self.0.tasks.is_stopped() {
            return Err(self.stopped());
        }
        Ok(())
    }

    fn stopped(&self) -> Stopped {
        Stopped {
            kind: self.kind().clone(),
            informer: Arc::clone(self.0.shared.name()),
        }
    }

    /// The newest error of the sources that are not synced, or else of any.
    fn last_error(&self) -> Option<Arc<ReflectorError>> {
        let state = self.0.shared.state();
        let errors = self.0.sources.iter().filter_map(|feed| {
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

    fn synced_snapshot(&self) -> Result<Snapshot<R>, ReadError> {
        let state = self.0.shared.state();
        self.check_synced(&state)?;
        Ok(Snapshot::new(state))
    }

    fn check_synced(&self, state: &State<R>) -> Result<(), ReadError> {
        if state.is_complete() {
            return Ok(());
        }
        Err(ReadError::NotSynced {
            kind: self.kind().clone(),
            cause: self.last_error(),
        })
    }

    fn versions(&self) -> Vec<(Option<Arc<str>>, Option<ResourceVersion>)> {
        let state = self.0.shared.state();
        let of = |feed: &Feed| (feed.namespace.clone(), state.version_of(feed.id).cloned());
        self.0.sources.iter().map(of).collect()
    }

    fn check_namespace(&self, namespace: &str) -> Result<(), ReadError> {
        let mut watched = self.0.sources.iter().map(|feed| feed.namespace.as_deref());
        if !self.kind().is_namespaced() || watched.any(|one| one.is_none_or(|one| one == namespace))
        {
            return Ok(());
        }
        Err(ReadError::NamespaceNotWatched {
            kind: self.kind().clone(),
            namespace: namespace.to_owned(),
            watched: self
                .0
                .sources
                .iter()
                .filter_map(|feed| feed.namespace.as_deref().map(Into::into))
                .collect(),
        })
    }

    /// The objects of a namespace; all of a cluster-scoped kind, of which a namespace says nothing.
    fn list_namespace(&self, namespace: &str) -> Result<List<R>, ReadError> {
        self.check_namespace(namespace)?;
        let snapshot = self.synced_snapshot()?;
        if self.kind().is_namespaced() {
            Ok(snapshot.namespace(namespace))
        } else {
            Ok(snapshot.list())
        }
    }

    fn read(&self, namespace: Option<&str>, name: &str) -> Result<R::Read, ReadError> {
        let namespace = namespace.filter(|_| self.kind().is_namespaced());
        if let Some(namespace) = namespace {
            self.check_namespace(namespace)?;
        }
        let state = self.0.shared.peek();
        self.check_synced(&state)?;
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

impl<R: Kept> Drop for Inner<R> {
    fn drop(&mut self) {
        self.tasks.cancel();
        self.shared.hub().stop();
    }
}

impl<R: Kept> fmt::Debug for Informer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Informer")
            .field("kind", self.kind())
            .field("name", &self.name())
            .field("synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

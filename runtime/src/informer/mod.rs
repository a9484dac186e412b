//! The informer: one store, the reflectors that keep it current, and the handlers that hear of its changes.
//!
//! `Informer` is a counted handle; listers, stores, indexers and indexes hold one, so that what is read stays current for as
//! long as anybody can read it. Reflector tasks, handlers and event streams hold only the store behind it: when the last handle
//! goes, the tasks are told to stop and the streams end.
//!
//! `options` and `namespaces` are what a user says, `layers` makes sources of it, `sources` runs them and changes them while they run.

mod error;
mod health;
mod index;
mod indexer;
mod layers;
mod list_options;
#[cfg(feature = "kube")]
mod list_options_kube;
mod lister;
mod metadata;
mod namespaces;
mod options;
mod reading;
mod selecting;
mod sources;
mod wait;
mod written;
#[cfg(feature = "kube")]
mod written_kube;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use error::{InformerError, InvalidScope, ReadError, Stopped, SyncError, Unsynced};
pub use health::{DecodeFailure, Health, LastError, SourceHealth};
pub use index::{Index, IndexHandle, OrderedIndex};
pub use indexer::Indexer;
pub(crate) use layers::{check_name, checked};
pub use list_options::{ListOptions, ListOptionsError};
pub use lister::{Lister, NamespaceLister, Store};
pub use metadata::MetadataInformer;
pub use namespaces::NamespaceOptions;
pub(crate) use namespaces::Namespaces;
pub use options::{Absent, InformerOptions};
pub use wait::WaitError;
pub use written::{NotWritten, Written};

use self::layers::Layers;
use self::sources::Sources;
use crate::handler::{
    Events, Handler, HandlerError, HandlerOptions, Registration, Resync, draw_period,
};
use crate::kept::{Kept, Representation};
use crate::kind::Kind;
use crate::object::{Dynamic, Metadata};
use crate::observe::Observed;
use crate::store::Shared;
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
    sources: Sources<R>,
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
        let (of_kind, defaults) = Default::default();
        let informer = Self::registered(Arc::new(transport), kind, options, of_kind, defaults)?;
        informer.start()?;
        Ok(informer)
    }

    /// An informer that does not run yet.
    pub(crate) fn registered(
        transport: Arc<dyn Transport>,
        kind: Kind,
        options: InformerOptions<R>,
        of_kind: Arc<InformerOptions<R>>,
        defaults: Arc<InformerOptions<Metadata>>,
    ) -> Result<Self, InformerError> {
        let layers = Layers::new(&kind, options, of_kind, defaults);
        let plan = match layers.plan() {
            Ok(plan) => plan,
            Err(source) => return Err(InformerError::Scope { kind, source }),
        };
        let Ok(runtime) = Handle::try_current() else {
            return Err(InformerError::NoRuntime { kind });
        };
        let resync = match layers.resync() {
            Resync::Inherit => draw_period(RESYNC, &mut fastrand::Rng::new()),
            Resync::Never => None,
            Resync::Every(base) => draw_period(base, &mut fastrand::Rng::new()),
        };
        let name = Arc::clone(layers.name());
        let cancel = CancellationToken::new();
        let observed = Observed::new(&kind, &name, &cancel);
        let shared = Shared::new(name, observed, plan.coverage(), resync, runtime.clone());
        let sources = Sources::new(
            transport,
            runtime,
            layers,
            plan,
            Arc::clone(&shared),
            cancel,
        );
        Ok(Self(Arc::new(Inner { shared, sources })))
    }

    /// Starts the reflectors; nothing happens where they run already.
    pub(crate) fn start(&self) -> Result<(), InformerError> {
        self.0.sources.start()
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

    /// Watches a namespace more, from now on, over a list and watch of its own.
    ///
    /// Handlers are told of its objects as initial adds, once the first listing is complete; what is watched already goes on
    /// undisturbed, and can be read meanwhile. [`has_synced`](Self::has_synced) and
    /// [`wait_for_sync`](Self::wait_for_sync) cover the new namespace too. Answers whether the namespace was not watched: `false`
    /// means that nothing has changed.
    ///
    /// # Errors
    ///
    /// [`InformerError::Scope`] for a name that no namespace has and for a cluster-scoped kind; [`InformerError::Stopped`].
    pub fn add_namespace(&self, namespace: &str) -> Result<bool, InformerError> {
        self.add_namespace_with(namespace, NamespaceOptions::default())
    }

    /// As [`add_namespace`](Self::add_namespace), with options of its own. They are not applied to a namespace that is watched
    /// already, where the answer is `false`: remove it first.
    ///
    /// # Errors
    ///
    /// As [`add_namespace`](Self::add_namespace), and for a label selector that does not parse.
    pub fn add_namespace_with(
        &self,
        namespace: &str,
        options: NamespaceOptions<R>,
    ) -> Result<bool, InformerError> {
        self.0.sources.add_named(namespace, options)
    }

    /// Watches a namespace no longer.
    ///
    /// When it returns, no read finds an object of it any more. Handlers are told of deletes, whose state is not final: the
    /// objects have left what is watched, and nobody sees what becomes of them. Where the namespace was one of
    /// [all](InformerOptions::all_namespaces), it is excepted from now on; the server goes on to send its events, which are dropped
    /// undecoded, until the watch is next reopened. Answers whether the namespace was watched.
    ///
    /// # Errors
    ///
    /// As [`add_namespace`](Self::add_namespace).
    pub fn remove_namespace(&self, namespace: &str) -> Result<bool, InformerError> {
        self.0.sources.remove(namespace)
    }

    /// What the cache's defaults came to watch; without effect where this informer's options name their own.
    pub(crate) fn inherit_namespace(
        &self,
        namespace: &str,
        default: &NamespaceOptions<Metadata>,
    ) -> Result<bool, InformerError> {
        self.0.sources.add_inherited(namespace, default)
    }

    /// What the cache's defaults watch no longer.
    pub(crate) fn disinherit_namespace(&self, namespace: &str) -> Result<bool, InformerError> {
        self.0.sources.remove_inherited(namespace)
    }

    /// Whether every source delivered its first complete listing: those there are now, also one added while running.
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
        self.sync_error(deadline)
    }

    fn sync_error(&self, deadline: Duration) -> Result<(), SyncError> {
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
        self.wait_while(|| !self.has_synced(), until).await;
    }

    /// Waits until reads of a namespace, or over everything, are answered, under a deadline.
    pub(crate) async fn wait_for_reads(
        &self,
        namespace: Option<&str>,
        deadline: Duration,
    ) -> Result<(), SyncError> {
        let unready = || {
            let checked = self.check_readable(&self.0.shared.peek(), namespace);
            matches!(checked, Err(ReadError::NotSynced { .. }))
        };
        self.wait_while(unready, later(Instant::now(), deadline))
            .await;
        if unready() {
            self.sync_error(deadline)
        } else {
            Ok(())
        }
    }

    async fn wait_while(&self, unsettled: impl Fn() -> bool, until: Instant) {
        let mut changes = self.0.shared.changes().subscribe();
        let stopped = self.0.sources.stopping();
        let settled = async {
            while unsettled() {
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

    /// Whether it stopped because its kind is absent.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.sources.is_gone()
    }

    pub(crate) fn unsynced(&self) -> Option<Unsynced> {
        (!self.has_synced()).then(|| Unsynced {
            kind: self.kind().clone(),
            informer: Arc::clone(self.0.shared.name()),
            last_error: self.last_error(),
            stopped: self.0.sources.is_stopped(),
        })
    }

    /// The condition at this moment.
    #[must_use]
    pub fn health(&self) -> Health {
        health::of(&self.0.shared, &self.0.sources)
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
        let tasks = self.0.sources.stop(until).await;
        if tasks > 0 {
            tracing::warn!(
                kind = %self.kind(),
                informer = %self.0.shared.observed().name(),
                tasks,
                "reflectors have not ended by the deadline: a transform or an error hook still runs"
            );
        }
        self.0.shared.hub().shutdown(until - Instant::now()).await
    }

    fn check_running(&self) -> Result<(), Stopped> {
        self.0.sources.check_running()
    }

    fn stopped(&self) -> Stopped {
        self.0.sources.stopped()
    }

    fn shared(&self) -> &Shared<R> {
        &self.0.shared
    }

    fn stopping(&self) -> &CancellationToken {
        self.0.sources.stopping()
    }
}

impl<R: Kept> Drop for Inner<R> {
    fn drop(&mut self) {
        self.sources.cancel();
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

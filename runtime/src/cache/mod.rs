//! Informers on demand: one per kind, more under names of their own, started and stopped together.
//!
//! The registry in `registry.rs` is the only place that holds informers of all kinds together, erased; everything typed
//! happens at the edges. Always true: one informer per (kind type, name); after `shutdown` no task of the cache runs.

mod builder;
mod error;
mod namespaces;
mod registry;

use std::any::TypeId;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

pub use builder::CacheBuilder;
pub use error::CacheError;

use self::builder::Settings;
use self::registry::{Erased, Id, Registry};
use crate::informer::{EveryKind, Health, Informer, InformerOptions, SyncError, TypedInformer};
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::store::List;
use crate::time::later;
use crate::transport::Transport;

/// Makes informers on demand and runs them together.
///
/// Asking for an informer before [`start`](Self::start) registers it; afterwards it runs at once. A clone is another handle of the
/// same cache. Dropping all handles of the cache leaves its informers to their own handles: each runs until its last handle goes;
/// [`shutdown`](Self::shutdown) stops all of them and joins their tasks.
///
/// Reads over several kinds are not one snapshot: each kind follows the server on its own.
#[derive(Clone)]
pub struct Cache(Arc<Inner>);

struct Inner {
    transport: Arc<dyn Transport>,
    settings: Settings,
    /// Held while an informer is made and while it changes, so that no informer misses a change.
    defaults: Mutex<Arc<InformerOptions<EveryKind>>>,
    registry: Registry,
}

impl Cache {
    /// A cache over a transport, such as a `kube::Client` (feature `kube`).
    pub fn builder(transport: impl Transport) -> CacheBuilder {
        CacheBuilder::new(Arc::new(transport))
    }

    /// The informer of a kind, made at the first call.
    ///
    /// Before `start` it is registered and unsynced; afterwards it runs at once. It does not wait: see
    /// [`wait_for_cache_sync`](Self::wait_for_cache_sync), or the informer's own `wait_for_sync`.
    ///
    /// # Errors
    ///
    /// [`CacheError::Informer`] where the cache's defaults make no informer of this kind;
    /// [`CacheError::ShutDown`].
    pub fn informer<I: TypedInformer>(&self) -> Result<I, CacheError> {
        let (informer, _) = self.obtain::<I>(InformerOptions::default())?;
        Ok(informer)
    }

    /// A new informer with options of its own; further informers of a kind need a name of their own.
    ///
    /// # Errors
    ///
    /// [`CacheError::AlreadyExists`] where this kind has an informer of this name, since its options would be ignored;
    /// [`CacheError::Informer`] where the options are wrong; [`CacheError::ShutDown`].
    pub fn informer_with<I: TypedInformer>(
        &self,
        options: InformerOptions<I::Kept>,
    ) -> Result<I, CacheError> {
        let name = options.name.clone();
        match self.obtain::<I>(options)? {
            (informer, true) => Ok(informer),
            (_, false) => Err(CacheError::AlreadyExists {
                kind: I::KIND,
                name,
            }),
        }
    }

    /// The informer of a kind under a name, where there is one.
    #[must_use]
    pub fn informer_named<I: TypedInformer>(&self, name: &str) -> Option<I> {
        self.registered::<I>(Some(name))
    }

    fn registered<I: TypedInformer>(&self, name: Option<&str>) -> Option<I> {
        self.0
            .registry
            .get::<I::Kept>(&Id::of::<I>(name))
            .map(I::wrap)
    }

    /// The informer, and whether these options made it.
    fn obtain<I: TypedInformer>(
        &self,
        options: InformerOptions<I::Kept>,
    ) -> Result<(I, bool), CacheError> {
        let id = Id::of::<I>(options.name.as_deref());
        if let Some(informer) = self.0.registry.get::<I::Kept>(&id) {
            return Ok((I::wrap(informer), false));
        }
        let transport = Arc::clone(&self.0.transport);
        let defaults = self.defaults();
        let (informer, is_new) = self.0.registry.get_or_insert(id, || {
            Informer::<I::Kept>::registered(transport, I::KIND, options, Arc::clone(&defaults))
        })?;
        Ok((I::wrap(informer), is_new))
    }

    /// Starts every registered informer; those asked for later start at once. One that was stopped stays stopped.
    ///
    /// # Errors
    ///
    /// [`CacheError::AlreadyStarted`] the second time; [`CacheError::ShutDown`]; [`CacheError::Informer`] outside of a
    /// tokio runtime.
    pub fn start(&self) -> Result<(), CacheError> {
        self.0.registry.start()
    }

    /// Waits until every informer registered so far is synced.
    ///
    /// Many tasks may wait at once. With no informer it returns at once.
    ///
    /// # Errors
    ///
    /// [`SyncError::Deadline`] names each informer that is not synced and its last error; [`SyncError::Stopped`] as soon
    /// as one was stopped unsynced; [`SyncError::NotStarted`].
    pub async fn wait_for_cache_sync(&self, deadline: Duration) -> Result<(), SyncError> {
        if !self.0.registry.is_started() {
            return Err(SyncError::NotStarted);
        }
        let until = later(Instant::now(), deadline);
        let informers = self.0.registry.all();
        let wait = async |informer: &Arc<dyn Erased>| {
            informer.synced_or_stopped(until).await;
            informer.unsynced().is_some_and(|one| one.stopped)
        };
        let mut waits: FuturesUnordered<_> = informers.iter().map(wait).collect();
        while waits.next().await.is_some_and(|stopped| !stopped) {}
        let unsynced: Vec<_> = informers
            .iter()
            .filter_map(|informer| informer.unsynced())
            .collect();
        match unsynced {
            none if none.is_empty() => Ok(()),
            unsynced if unsynced.iter().any(|one| one.stopped) => {
                Err(SyncError::Stopped { unsynced })
            }
            unsynced => Err(SyncError::Deadline {
                after: deadline,
                unsynced,
            }),
        }
    }

    /// An object, from the informer of its kind, which is made and awaited where it does not run yet.
    ///
    /// In strict mode only kinds whose informer was asked for are read.
    ///
    /// # Errors
    ///
    /// [`CacheError::Read`] for what the lister answers, [`CacheError::Sync`] when the informer is not synced within the
    /// cache's read deadline, [`CacheError::NotCached`] in strict mode.
    pub async fn get<I: TypedInformer>(
        &self,
        key: &ObjectKey,
    ) -> Result<<I::Kept as Kept>::Read, CacheError> {
        let informer = self.informer_for_reads::<I>(key.namespace()).await?;
        Ok(informer.inner().lister().get(key)?)
    }

    /// All objects of a kind, from its informer, which is made and awaited where it does not run yet.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn list<I: TypedInformer>(&self) -> Result<List<I::Kept>, CacheError> {
        let informer = self.synced_informer::<I>().await?;
        Ok(informer.inner().lister().list()?)
    }

    /// The informer that a read goes through, once reads over everything are answered. It does not wait for a namespace that was
    /// added while the informer runs.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn synced_informer<I: TypedInformer>(&self) -> Result<I, CacheError> {
        self.informer_for_reads(None).await
    }

    /// The informer, once reads of this namespace, or over everything, are answered.
    async fn informer_for_reads<I: TypedInformer>(
        &self,
        namespace: Option<&str>,
    ) -> Result<I, CacheError> {
        if !self.0.registry.is_started() {
            return Err(CacheError::NotStarted);
        }
        let informer = match self.registered::<I>(None) {
            Some(informer) => informer,
            None if self.0.settings.strict => return Err(CacheError::NotCached { kind: I::KIND }),
            None => self.informer::<I>()?,
        };
        informer
            .inner()
            .wait_for_reads(namespace, self.0.settings.read_deadline)
            .await?;
        Ok(informer)
    }

    /// Takes the informer of a kind out and stops it; asking again makes a new one. The old one stays stopped.
    ///
    /// `name` is the one given in its options. Answers whether there was one.
    ///
    /// # Errors
    ///
    /// [`CacheError::StillStopping`] where a handler's call has not returned by the deadline.
    pub async fn remove<I: TypedInformer>(
        &self,
        name: Option<&str>,
        deadline: Duration,
    ) -> Result<bool, CacheError> {
        let Some(informer) = self.0.registry.remove(&Id::of::<I>(name)) else {
            return Ok(false);
        };
        informer
            .stopped(deadline)
            .await
            .map_err(|error| CacheError::StillStopping(vec![error]))?;
        Ok(true)
    }

    /// The condition of every informer.
    #[must_use]
    pub fn health(&self) -> Vec<Health> {
        self.0
            .registry
            .all()
            .iter()
            .map(|informer| informer.condition())
            .collect()
    }

    /// Stops all informers and their handlers and joins their tasks. Nothing is made or started afterwards.
    ///
    /// What listers and stores held stays readable.
    ///
    /// # Errors
    ///
    /// [`CacheError::StillStopping`] names the handlers whose call has not returned by the deadline.
    pub async fn shutdown(&self, deadline: Duration) -> Result<(), CacheError> {
        let until = later(Instant::now(), deadline);
        let mut late = Vec::new();
        for informer in self.0.registry.shut_down() {
            late.extend(informer.stopped(until - Instant::now()).await.err());
        }
        if late.is_empty() {
            Ok(())
        } else {
            Err(CacheError::StillStopping(late))
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("informers", &self.0.registry.names())
            .finish_non_exhaustive()
    }
}

impl Id {
    fn of<I: TypedInformer>(name: Option<&str>) -> Self {
        Self {
            informer: TypeId::of::<I>(),
            name: name.map(Into::into),
        }
    }
}

/// The future of an erased informer.
type Pending<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

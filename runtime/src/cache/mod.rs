//! Informers on demand: one per kind, more under names of their own, started and stopped together.
//!
//! The registry in `registry.rs` is the only place that holds informers of all kinds together, erased; everything typed
//! happens at the edges; `kind.rs` is the way to it for one kind, typed or not. Always true: one informer for each (what is kept, kind, name); after `shutdown` no task of the cache runs.

mod builder;
mod error;
mod kind;
mod kinds;
mod namespaces;
mod registry;

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

pub use builder::CacheBuilder;
pub use error::CacheError;
pub use kind::KindCache;

use self::builder::Settings;
use self::registry::{Erased, Registry};
use crate::discovery::Discovery;
use crate::informer::{CacheInformer, Health, InformerOptions, SyncError, Written};
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::object::{Dynamic, Metadata};
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
    defaults: Mutex<Arc<InformerOptions<Metadata>>>,
    registry: Registry,
}

impl Cache {
    /// A cache over a transport, such as a `kube::Client` (feature `kube`).
    pub fn builder(transport: impl Transport) -> CacheBuilder {
        CacheBuilder::new(Arc::new(transport))
    }

    /// The part of the cache that keeps whole objects of a kind known at run time alone.
    ///
    /// Where only a name is known, [`discovery`](Self::discovery) says which kind it means. An informer of a kind that the server does
    /// not serve (any more) stops, unless it or the cache's defaults say [`Absent::Wait`](crate::Absent::Wait). Asked
    /// again, by [`KindCache::informer`] or a read, the cache makes a new one.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # async fn example(cache: larder::Cache) -> Result<(), larder::CacheError> {
    /// let kind = cache.discovery().kind("widgets.example.com").await?;
    /// let widgets = cache.dynamic(kind).list().await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn dynamic(&self, kind: Kind) -> KindCache<Dynamic> {
        KindCache::new(self.clone(), kind)
    }

    /// The part of the cache that keeps the metadata of objects of a kind, such as one known at run time alone. A kind's
    /// `PodMetadataInformer` is in the same place.
    #[must_use]
    pub fn metadata(&self, kind: Kind) -> KindCache<Metadata> {
        KindCache::new(self.clone(), kind)
    }

    fn part<I: CacheInformer>(&self) -> KindCache<I::Kept> {
        KindCache::new(self.clone(), I::KIND)
    }

    /// The informer of a kind, made at the first call.
    ///
    /// Before `start` it is registered and unsynced; afterwards it runs at once. It does not wait: see
    /// [`wait_for_cache_sync`](Self::wait_for_cache_sync), or the informer's own `wait_for_sync`.
    ///
    /// A kind that is asked for in two representations, such as `PodInformer` and `PodMetadataInformer`, has two informers, each
    /// with a list and watch and memory of its own. The log says so once.
    ///
    /// # Errors
    ///
    /// [`CacheError::Informer`] where the cache's defaults make no informer of this kind;
    /// [`CacheError::ShutDown`].
    pub fn informer<I: CacheInformer>(&self) -> Result<I, CacheError> {
        self.part::<I>().informer().map(I::wrap)
    }

    /// A new informer with options of its own; further informers of a kind need a name of their own.
    ///
    /// # Errors
    ///
    /// [`CacheError::AlreadyExists`] where this kind has an informer of this name, since its options would be ignored;
    /// [`CacheError::Informer`] where the options are wrong; [`CacheError::ShutDown`].
    pub fn informer_with<I: CacheInformer>(
        &self,
        options: InformerOptions<I::Kept>,
    ) -> Result<I, CacheError> {
        self.part::<I>().informer_with(options).map(I::wrap)
    }

    /// The informer of a kind under a name, where there is one.
    #[must_use]
    pub fn informer_named<I: CacheInformer>(&self, name: &str) -> Option<I> {
        self.part::<I>().informer_named(name).map(I::wrap)
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
    pub async fn get<I: CacheInformer>(
        &self,
        key: &ObjectKey,
    ) -> Result<<I::Kept as Kept>::Read, CacheError> {
        self.part::<I>().get(key).await
    }

    /// All objects of a kind, from its informer, which is made and awaited where it does not run yet.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn list<I: CacheInformer>(&self) -> Result<List<I::Kept>, CacheError> {
        self.part::<I>().list().await
    }

    /// Waits until reads of a kind show a write; see [`Informer::wait_for`](crate::Informer::wait_for). The kind's informer is made where it does not run
    /// yet, as for a read.
    ///
    /// # Errors
    ///
    /// [`CacheError::Wait`] for what the informer answers, [`CacheError::NotCached`] in strict mode,
    /// [`CacheError::NotStarted`].
    pub async fn wait_for<I: CacheInformer>(
        &self,
        written: &Written,
        deadline: Duration,
    ) -> Result<(), CacheError> {
        self.part::<I>().wait_for(written, deadline).await
    }

    /// The informer that a read goes through, once reads over everything are answered. It does not wait for a namespace that was
    /// added while the informer runs.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn synced_informer<I: CacheInformer>(&self) -> Result<I, CacheError> {
        self.part::<I>().synced_informer().await.map(I::wrap)
    }

    /// Takes the informer of a kind out and stops it; asking again makes a new one. The old one stays stopped.
    ///
    /// `name` is the one given in its options. Answers whether there was one.
    ///
    /// # Errors
    ///
    /// [`CacheError::StillStopping`] where a handler's call has not returned by the deadline.
    pub async fn remove<I: CacheInformer>(
        &self,
        name: Option<&str>,
        deadline: Duration,
    ) -> Result<bool, CacheError> {
        self.part::<I>().remove(name, deadline).await
    }

    /// Which kinds the server serves, by name. It makes no request before it is asked.
    ///
    /// An informer of this cache that finds its kind absent makes it forget that kind.
    #[must_use]
    pub fn discovery(&self) -> &Discovery {
        &self.0.settings.discovery
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

/// The future of an erased informer.
type Pending<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

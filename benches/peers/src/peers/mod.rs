//! One module per peer: how its cache is filled in the way that its documentation shows.

mod both;
mod kube;
mod larder;
mod larder_other;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::kube::runtime::reflector::Store;
use ::larder::core::v1::PodInformer;
use k8s_openapi::api::core::v1::Pod;

pub(crate) use self::both::BothCaches;
pub(crate) use self::kube::KubeCache;
pub(crate) use self::larder::LarderCache;
pub(crate) use self::larder_other::LarderOther;

/// How long a sync or a relist may take; the programs also run under valgrind.
pub(crate) const DEADLINE: Duration = Duration::from_secs(1200);

/// A cache of all pods that a child drives.
pub(crate) trait Cache {
    /// Starts to fill it, and waits until it has synced and its program has heard of every object.
    async fn sync(&mut self) -> anyhow::Result<()>;
    /// Begins to count anew.
    fn mark(&mut self);
    /// Waits until one complete listing more has ended than at the last mark.
    async fn relisted(&self) -> anyhow::Result<()>;
    /// What happened since the last mark.
    fn counts(&self) -> Counts;
    /// Objects in the cache.
    fn objects(&self) -> usize;
    /// kube-rs' store, where this has one that was synced.
    fn kube(&self) -> Option<&Store<Pod>> {
        None
    }
    /// Larder's informer of whole pods, where this has one.
    fn larder(&self) -> Option<&PodInformer> {
        None
    }
}

/// See [`Report`](crate::protocol::Report).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) decodes: usize,
    pub(crate) events: usize,
}

/// A count that a task of the cache adds to.
#[derive(Debug, Default)]
struct Counter(AtomicUsize);

impl Counter {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

//! What the tests of this target share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::core::v1::{Pod, PodInformer};
use larder::{Cache, CacheBuilder, Informer, Kept, TransformError};
use larder_sim::{Request, Sim};

use crate::support::SOON;

pub(crate) fn set<const N: usize>(keys: [&str; N]) -> BTreeSet<String> {
    keys.map(str::to_owned).into()
}

/// The keys of all that an informer holds.
pub(crate) fn stored<R: Kept>(informer: &Informer<R>) -> BTreeSet<String> {
    let snapshot = informer.store().snapshot();
    snapshot.list().keys().map(|key| key.to_string()).collect()
}

/// The same as a lister answers it, which must not hold anything twice.
pub(crate) fn listed<R: Kept>(informer: &Informer<R>) -> BTreeSet<String> {
    let keys: Vec<_> = informer.lister().list().unwrap().keys().collect();
    let all: BTreeSet<_> = keys.iter().map(ToString::to_string).collect();
    assert_eq!(all.len(), keys.len(), "something is listed twice: {keys:?}");
    all
}

pub(crate) fn started(builder: CacheBuilder) -> Cache {
    let cache = builder.build();
    cache.start().unwrap();
    cache
}

/// A started cache with the default informer of pods, synced.
pub(crate) async fn pods_of(builder: CacheBuilder) -> (Cache, PodInformer) {
    let cache = started(builder);
    let pods = cache.informer::<PodInformer>().unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    (cache, pods)
}

/// The lists and watches of a resource so far: namespace, label selector, field selector.
pub(crate) fn asked(sim: &Sim, resource: &str) -> BTreeSet<(String, String, String)> {
    let requests = sim.requests();
    let of_it = requests.iter().filter(|one| one.resource == resource);
    let text = |request: &Request, name| request.param(name).unwrap_or_default();
    of_it
        .map(|one| {
            (
                one.namespace.clone(),
                text(one, "labelSelector"),
                text(one, "fieldSelector"),
            )
        })
        .collect()
}

/// Counts the objects that are decoded, as a transform.
#[derive(Clone, Default)]
pub(crate) struct Decoded(Arc<AtomicUsize>);

impl Decoded {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn transform<T>(
        &self,
    ) -> impl Fn(&mut T) -> Result<(), TransformError> + Send + Sync + 'static + use<T> {
        let count = Arc::clone(&self.0);
        move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// A transform that leaves a mark in the labels.
pub(crate) fn mark(
    who: &'static str,
) -> impl Fn(&mut Pod) -> Result<(), TransformError> + Send + Sync + 'static {
    move |pod| {
        let labels = pod.metadata.labels.get_or_insert_default();
        labels.insert("marked-by".into(), who.into());
        Ok(())
    }
}

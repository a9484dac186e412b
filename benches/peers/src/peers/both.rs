//! A cache of either peer in one process, so that reads can be timed in turns.

use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::Store;
use larder::core::v1::PodInformer;

use super::{Cache, Counts, KubeCache, LarderCache};
use crate::protocol::Listing;

/// kube-rs' and Larder's.
pub(crate) struct BothCaches {
    kube: KubeCache,
    larder: LarderCache,
}

impl BothCaches {
    pub(crate) fn new(url: &http::Uri, listing: Listing) -> anyhow::Result<Self> {
        Ok(Self {
            kube: KubeCache::new(url.clone(), listing, false)?,
            larder: LarderCache::new(url.clone(), listing, false)?,
        })
    }
}

impl Cache for BothCaches {
    async fn sync(&mut self) -> anyhow::Result<()> {
        self.kube.sync().await?;
        self.larder.sync().await
    }

    fn mark(&mut self) {
        self.kube.mark();
        self.larder.mark();
    }

    async fn relisted(&self) -> anyhow::Result<()> {
        self.kube.relisted().await?;
        self.larder.relisted().await
    }

    fn counts(&self) -> Counts {
        let (kube, larder) = (self.kube.counts(), self.larder.counts());
        Counts {
            decodes: kube.decodes + larder.decodes,
            events: kube.events + larder.events,
        }
    }

    fn objects(&self) -> usize {
        self.larder.objects()
    }

    fn kube(&self) -> Option<&Store<Pod>> {
        self.kube.kube()
    }

    fn larder(&self) -> Option<&PodInformer> {
        self.larder.larder()
    }
}

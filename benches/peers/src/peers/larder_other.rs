//! Larder: pods kept as metadata alone, or as JSON values.

use std::sync::Arc;

use anyhow::bail;
use larder::core::v1::PodInformer;
use larder::{
    Dynamic, Handler, Informer, Kept, KindCache, Metadata, ReflectorOptions, Seen, Tombstone,
    client_from_config,
};

use super::{Cache, Counter, Counts, DEADLINE};
use crate::protocol::Listing;

/// A cache of Larder with an informer of pods in another representation than their type.
pub(crate) struct LarderOther<R: Kept> {
    cache: larder::Cache,
    pods: Informer<R>,
    events: Arc<Counter>,
}

struct Count(Arc<Counter>);

impl<R: Kept> Handler<R> for Count {
    fn on_add(&self, _: &Seen<R>, _: bool) {
        self.0.add();
    }

    fn on_update(&self, _: &Seen<R>, _: &Seen<R>) {
        self.0.add();
    }

    fn on_delete(&self, _: &Tombstone<R>) {
        self.0.add();
    }
}

impl LarderOther<Metadata> {
    pub(crate) fn metadata(url: http::Uri, listing: Listing) -> anyhow::Result<Self> {
        Self::new(url, listing, |cache| cache.metadata(PodInformer::KIND))
    }
}

impl LarderOther<Dynamic> {
    pub(crate) fn dynamic(url: http::Uri, listing: Listing) -> anyhow::Result<Self> {
        Self::new(url, listing, |cache| cache.dynamic(PodInformer::KIND))
    }
}

impl<R: Kept> LarderOther<R> {
    fn new(
        url: http::Uri,
        listing: Listing,
        part: impl FnOnce(&larder::Cache) -> KindCache<R>,
    ) -> anyhow::Result<Self> {
        let client = client_from_config(kube::Config::new(url))?;
        let streaming = listing == Listing::Streaming;
        let options = ReflectorOptions::default().streaming_list(streaming);
        let cache = larder::Cache::builder(client).reflector(options).build();
        let pods = part(&cache).informer()?;
        Ok(Self {
            cache,
            pods,
            events: Arc::default(),
        })
    }
}

impl<R: Kept> Cache for LarderOther<R> {
    async fn sync(&mut self) -> anyhow::Result<()> {
        let heard = self.pods.add_handler(Count(Arc::clone(&self.events)))?;
        self.cache.start()?;
        self.cache.wait_for_cache_sync(DEADLINE).await?;
        Ok(heard.wait_for_sync(DEADLINE).await?)
    }

    fn mark(&mut self) {
        self.events.clear();
    }

    async fn relisted(&self) -> anyhow::Result<()> {
        bail!("relists are measured on whole pods alone")
    }

    fn counts(&self) -> Counts {
        Counts {
            decodes: 0,
            events: self.events.get(),
        }
    }

    fn objects(&self) -> usize {
        self.pods.store().len()
    }
}

//! Larder: one informer of a cache, with a handler.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use larder::core::v1::{PodEventHandler, PodInformer, pod};
use larder::{InformerOptions, ReflectorOptions, Seen, Tombstone, client_from_config};
use tokio::time::{sleep, timeout};

use super::{Cache, Counter, Counts, DEADLINE};
use crate::protocol::Listing;

/// A cache of Larder with an informer of pods.
pub(crate) struct LarderCache {
    cache: larder::Cache,
    pods: PodInformer,
    events: Arc<Counter>,
    decodes: Arc<Counter>,
    relists_at_mark: u64,
}

/// A program's handler, which counts what it hears of.
struct Count(Arc<Counter>);

impl PodEventHandler for Count {
    fn on_add(&self, _: &Seen<pod::Full>, _: bool) {
        self.0.add();
    }

    fn on_update(&self, _: &Seen<pod::Full>, _: &Seen<pod::Full>) {
        self.0.add();
    }

    fn on_delete(&self, _: &Tombstone<pod::Full>) {
        self.0.add();
    }
}

impl LarderCache {
    pub(crate) fn new(
        url: http::Uri,
        listing: Listing,
        counts_decodes: bool,
    ) -> anyhow::Result<Self> {
        let client = client_from_config(kube::Config::new(url))?;
        let streaming = listing == Listing::Streaming;
        let options = ReflectorOptions::default().streaming_list(streaming);
        let cache = larder::Cache::builder(client).reflector(options).build();
        let decodes = Arc::<Counter>::default();
        let mut options = InformerOptions::new();
        if counts_decodes {
            let decodes = Arc::clone(&decodes);
            options = options.transform(move |_| {
                decodes.add();
                Ok(())
            });
        }
        let pods = cache.informer_with::<PodInformer>(options)?;
        Ok(Self {
            cache,
            pods,
            events: Arc::default(),
            decodes,
            relists_at_mark: 0,
        })
    }
}

impl Cache for LarderCache {
    async fn sync(&mut self) -> anyhow::Result<()> {
        let heard = self.pods.add_handler(Count(Arc::clone(&self.events)))?;
        self.cache.start()?;
        self.cache.wait_for_cache_sync(DEADLINE).await?;
        Ok(heard.wait_for_sync(DEADLINE).await?)
    }

    fn mark(&mut self) {
        self.events.clear();
        self.decodes.clear();
        self.relists_at_mark = self.pods.health().relists;
    }

    async fn relisted(&self) -> anyhow::Result<()> {
        let listed = async {
            while self.pods.health().relists == self.relists_at_mark {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let listed = timeout(DEADLINE, listed).await;
        listed.context("Larder has not listed again in time")
    }

    fn counts(&self) -> Counts {
        Counts {
            decodes: self.decodes.get(),
            events: self.events.get(),
        }
    }

    fn objects(&self) -> usize {
        self.pods.store().len()
    }

    fn larder(&self) -> Option<&PodInformer> {
        Some(&self.pods)
    }
}

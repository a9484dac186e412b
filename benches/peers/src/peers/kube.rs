//! kube-rs: its watcher with the default backoff, reflected into its store.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{self, Store};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt as _, watcher as watch};
use kube::{Api, Client, Config, ResourceExt as _};
use tokio::time::{sleep, timeout};

use super::{Cache, Counter, Counts, DEADLINE};
use crate::protocol::Listing;

/// kube-rs' store, fed by its watcher.
pub(crate) struct KubeCache {
    client: Client,
    listing: Listing,
    /// Whether managed fields are dropped before an object is stored.
    trims: bool,
    store: Option<Store<Pod>>,
    seen: Arc<Seen>,
}

/// What the end of the stream has seen.
#[derive(Default)]
struct Seen {
    /// Objects that came by; each was decoded.
    objects: Counter,
    /// Complete listings.
    lists: Counter,
}

impl KubeCache {
    pub(crate) fn new(url: http::Uri, listing: Listing, trims: bool) -> anyhow::Result<Self> {
        let client = Client::try_from(Config::new(url)).context("kube-rs makes no client")?;
        Ok(Self {
            client,
            listing,
            trims,
            store: None,
            seen: Arc::default(),
        })
    }

    fn spawn(&mut self) -> Store<Pod> {
        let config = match self.listing {
            Listing::Streaming => watcher::Config::default().streaming_lists(),
            Listing::Paged => watcher::Config::default(),
        };
        let (reader, writer) = reflector::store();
        let (seen, trims) = (Arc::clone(&self.seen), self.trims);
        let stream = watch(Api::<Pod>::all(self.client.clone()), config).default_backoff();
        let stream = if trims {
            let trimmed = stream.modify(|pod| pod.managed_fields_mut().clear());
            trimmed.left_stream()
        } else {
            stream.right_stream()
        };
        tokio::spawn(stream.reflect(writer).for_each(move |event| {
            match event {
                Ok(Event::Apply(_) | Event::InitApply(_) | Event::Delete(_)) => seen.objects.add(),
                Ok(Event::InitDone) => seen.lists.add(),
                // Errors are followed by another try.
                Ok(Event::Init) | Err(_) => {}
            }
            std::future::ready(())
        }));
        reader
    }
}

impl Cache for KubeCache {
    async fn sync(&mut self) -> anyhow::Result<()> {
        let store = self.spawn();
        let ready = timeout(DEADLINE, store.wait_until_ready()).await;
        self.store = Some(store);
        Ok(ready.context("kube-rs has not synced in time")??)
    }

    fn mark(&mut self) {
        self.seen.objects.clear();
        self.seen.lists.clear();
    }

    async fn relisted(&self) -> anyhow::Result<()> {
        let listed = async {
            while self.seen.lists.get() == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let listed = timeout(DEADLINE, listed).await;
        listed.context("kube-rs has not listed again in time")
    }

    fn counts(&self) -> Counts {
        Counts {
            decodes: self.seen.objects.get(),
            events: self.seen.objects.get(),
        }
    }

    fn objects(&self) -> usize {
        self.store.as_ref().map_or(0, Store::len)
    }

    fn kube(&self) -> Option<&Store<Pod>> {
        self.store.as_ref()
    }
}

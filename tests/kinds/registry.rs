//! Which informers are one, and what is said of those that are not.

use std::sync::{Arc, Mutex};

use larder::core::v1::{NodeInformer, PodInformer, PodMetadataInformer};
use larder::{Cache, CacheError, InformerOptions, Kind, Scope, TypedInformer as _};
use larder_sim::Verb;
use tracing::field::{Field, Visit};
use tracing::{Level, span};

use crate::support::{SOON, client, cluster, pod, settle};

/// The warnings of this thread, as text.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("larder") && *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = String::new();
        event.record(&mut Text(&mut text));
        self.0.lock().unwrap().push(text);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test(start_paused = true)]
async fn one_kind_in_two_representations_is_said_once() {
    let warnings = Warnings::default();
    let _capturing = tracing::subscriber::set_default(warnings.clone());
    let said = || warnings.0.lock().unwrap().clone();
    let sim = cluster([pod("a", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    let options = |name: &str| InformerOptions::new().name(name);
    let pods = cache.informer::<PodInformer>().unwrap();
    cache.informer::<PodInformer>().unwrap();
    cache
        .informer_with::<PodInformer>(options("second").label_selector("a=b"))
        .unwrap();
    cache.informer::<NodeInformer>().unwrap();
    assert_eq!(said(), [""; 0], "one way, if with several selections");

    let metadata = cache.informer::<PodMetadataInformer>().unwrap();
    let text = said().concat();
    assert!(
        text.contains("kind=pods ") && text.contains("two ways"),
        "{text}"
    );
    cache.informer::<PodMetadataInformer>().unwrap();
    cache.dynamic(PodInformer::KIND).informer().unwrap();
    cache
        .informer_with::<PodMetadataInformer>(InformerOptions::new().name("third"))
        .unwrap();
    assert_eq!(said().len(), 1, "once for each kind");
    cache.metadata(NodeInformer::KIND).informer().unwrap();
    assert_eq!(said().len(), 2);
    assert!(said()[1].contains("kind=nodes "));

    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    settle().await;
    // Typed, second, metadata, dynamic, third.
    assert_eq!(sim.request_count(Verb::Watch, "pods"), 5);
    assert_ne!(
        pods.name(),
        metadata.name(),
        "told apart in logs and metrics"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_kind_and_name_tell_informers_apart() {
    let sim = cluster([pod("a", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    cache.start().unwrap();
    let typed = cache.informer::<PodMetadataInformer>().unwrap();
    // A kind that came from discovery has text of its own.
    let discovered = Kind::new("", "v1", "Pod", "pods", Scope::Namespaced);
    let by_kind = cache.metadata(discovered.clone()).informer().unwrap();
    typed.wait_for_sync(SOON).await.unwrap();
    assert!(
        typed
            .store()
            .snapshot()
            .is_same(&by_kind.store().snapshot()),
        "one informer"
    );
    assert_eq!(sim.request_count(Verb::Watch, "pods"), 1);

    let dynamic = cache.dynamic(discovered.clone());
    let first = dynamic.informer().unwrap();
    let refused = dynamic.informer_with(InformerOptions::new().label_selector("a=b"));
    let Err(CacheError::AlreadyExists { kind, name: None }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(kind, discovered);
    let nodes = cache.dynamic(NodeInformer::KIND).informer().unwrap();
    assert_ne!(nodes.kind(), first.kind());
    assert!(dynamic.informer_named("none").is_none());
}

#[tokio::test(start_paused = true)]
async fn c023_a_removed_informer_stays_stopped_and_another_takes_its_place() {
    let sim = cluster([pod("a", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    cache.start().unwrap();
    let pods = cache.dynamic(PodInformer::KIND);
    let old = pods.synced_informer().await.unwrap();
    let metadata = cache
        .synced_informer::<PodMetadataInformer>()
        .await
        .unwrap();
    assert!(pods.remove(None, SOON).await.unwrap());
    assert!(!pods.remove(None, SOON).await.unwrap());
    assert!(
        old.health().stopped && !metadata.health().stopped,
        "that representation alone"
    );
    assert!(old.add_handler(larder::Keys::new(|_| {})).is_err());
    let new = pods.synced_informer().await.unwrap();
    assert!(!new.health().stopped && old.health().stopped);
    assert!(
        cache
            .remove::<PodMetadataInformer>(None, SOON)
            .await
            .unwrap()
    );
    assert!(metadata.inner().health().stopped && !new.health().stopped);
    cache.shutdown(SOON).await.unwrap();
    assert!(new.health().stopped);
}

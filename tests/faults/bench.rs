//! A pod informer, what it asked the server for, and whether it equals the server.

use std::collections::BTreeMap;
use std::time::Duration;

use larder::core::v1::{Pod, PodInformer};
use larder::{HandlerOptions, InformerOptions, ReflectorOptions, Registration, TypedInformer as _};
use larder_sim::{Request, Sim, Verb};
use serde_json::Value;
use tokio::time::Instant;

use crate::fold::Fold;
use crate::support::{SOON, client, settle};

/// Longer than any fault lasts.
pub(crate) const LONG: Duration = Duration::from_secs(3600);

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// First a list, then a watch.
pub(crate) fn lists() -> ReflectorOptions {
    ReflectorOptions::default().streaming_list(false)
}

/// An informer of all pods that has just begun.
pub(crate) fn begun(sim: &Sim, options: ReflectorOptions) -> PodInformer {
    PodInformer::new(client(sim), InformerOptions::new().reflector(options)).unwrap()
}

/// An informer of all pods that is synced.
pub(crate) async fn synced(sim: &Sim, options: ReflectorOptions) -> PodInformer {
    let pods = begun(sim, options);
    pods.wait_for_sync(SOON).await.unwrap();
    settle().await;
    pods
}

pub(crate) fn folded(pods: &PodInformer, options: HandlerOptions) -> (Fold, Registration) {
    let fold = Fold::default();
    let registration = pods
        .inner()
        .add_handler_with(fold.clone(), options)
        .unwrap();
    (fold, registration)
}

/// Key and version of each object in the store.
pub(crate) fn stored(pods: &PodInformer) -> BTreeMap<String, String> {
    pods.store()
        .snapshot()
        .list()
        .map(|pod| named(&pod))
        .collect()
}

pub(crate) fn named(pod: &Pod) -> (String, String) {
    let meta = &pod.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    (
        format!("{}/{}", text(&meta.namespace), text(&meta.name)),
        text(&meta.resource_version),
    )
}

/// Key and version of each pod on the server.
pub(crate) fn held(sim: &Sim) -> BTreeMap<String, String> {
    let text = |object: &Value, field: &str| {
        let text = object["metadata"][field].as_str();
        text.unwrap_or_default().to_owned()
    };
    let row = |object: &Value| {
        (
            format!("{}/{}", text(object, "namespace"), text(object, "name")),
            text(object, "resourceVersion"),
        )
    };
    sim.list("pods").unwrap().iter().map(row).collect()
}

/// What a handler was told, in the same form.
pub(crate) fn told(fold: &Fold) -> BTreeMap<String, String> {
    let versions = fold.versions();
    let row = |(key, version): (larder::ObjectKey, larder::ResourceVersion)| {
        (key.to_string(), version.to_string())
    };
    versions.into_iter().map(row).collect()
}

/// Waits until the store equals the server.
pub(crate) async fn equal(sim: &Sim, pods: &PodInformer) {
    let start = Instant::now();
    while stored(pods) != held(sim) {
        assert!(
            start.elapsed() < LONG,
            "store {:?}, server {:?}, {:#?}",
            stored(pods),
            held(sim),
            pods.health()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A request in short: `list 0 limit 500`, `page limit 500`, `stream 7`, `watch 7`; no number where no version is asked for.
pub(crate) fn short(request: &Request) -> String {
    let mut text = match request.verb {
        Verb::List if request.param("continue").is_some() => "page".to_owned(),
        Verb::List => "list".to_owned(),
        Verb::Watch if request.is_streaming_list() => "stream".to_owned(),
        Verb::Watch => "watch".to_owned(),
        // Discovery.
        Verb::Other => return format!("ask {}", request.path),
        other => panic!("{other:?}"),
    };
    if let Some(version) = request.param("resourceVersion") {
        text += &format!(" {version}");
    }
    if let Some(limit) = request.param("limit") {
        text += &format!(" limit {limit}");
    }
    text
}

/// All requests so far, in short.
pub(crate) fn asked(sim: &Sim) -> Vec<String> {
    sim.requests().iter().map(short).collect()
}

/// The pauses between requests, in seconds.
pub(crate) fn pauses(sim: &Sim) -> Vec<f64> {
    let requests = sim.requests();
    let pairs = requests.windows(2);
    pairs
        .map(|pair| (pair[1].at - pair[0].at).as_secs_f64())
        .collect()
}

/// Waits until so many requests were made since the log was cleared.
pub(crate) async fn requests(sim: &Sim, count: usize) {
    let waiting = sim.wait_for(|requests| requests.len() >= count);
    if tokio::time::timeout(LONG, waiting).await.is_err() {
        panic!("{count} requests were not made: {:?}", asked(sim));
    }
    settle().await;
}

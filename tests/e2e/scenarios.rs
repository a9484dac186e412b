//! What happens, whatever the server is.

use std::time::Duration;

use futures_util::StreamExt as _;
use kube::api::ListParams;
use larder::core::v1::{ConfigMapInformer, PodInformer, SecretInformer};
use larder::{
    Cache, CacheInformer, HandlerOptions, Informer, InformerOptions, Kept, ReflectorOptions,
    TypedInformer,
};
use serde_json::{Value, json};

use crate::cluster::{Cluster, LIMIT};
use crate::fold::Fold;

/// Requests under way at once.
const PARALLEL: usize = 32;

/// Waits until a condition holds: looks at it after each change that the informer tells of, and every 50 ms.
pub(crate) async fn until<R: Kept>(
    what: &str,
    informer: &Informer<R>,
    mut holds: impl AsyncFnMut() -> bool,
) {
    let mut events = informer
        .events(HandlerOptions::default())
        .expect("the informer runs");
    let waiting = async {
        while !holds().await {
            let _ = tokio::time::timeout(Duration::from_millis(50), events.next()).await;
        }
    };
    if tokio::time::timeout(LIMIT, waiting).await.is_err() {
        panic!("waited {LIMIT:?} until {what}; {:#?}", informer.health());
    }
}

/// What a handler was told, as `Cluster::list` says it.
fn told(fold: &Fold) -> Vec<(String, String)> {
    fold.versions()
        .into_iter()
        .map(|(key, version)| (key.to_string(), version.to_string()))
        .collect()
}

/// Waits until store and handler show what the server lists.
pub(crate) async fn settled<I: CacheInformer>(
    cluster: &Cluster,
    informer: &I,
    fold: &Fold,
    params: &ListParams,
) {
    let kind = I::KIND;
    let informer = informer.inner();
    until(
        &format!("the cache of {kind} equals the server's list"),
        informer,
        async || {
            let listed = cluster.list(&kind.api_version(), kind.kind(), params).await;
            let keys = |list: &[(String, String)]| {
                list.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()
            };
            let mut stored: Vec<String> = informer
                .store()
                .snapshot()
                .list()
                .keys()
                .map(|key| key.to_string())
                .collect();
            stored.sort();
            told(fold) == listed && stored == keys(&listed)
        },
    )
    .await;
    assert_eq!(fold.wrong(), [""; 0], "{kind}");
}

pub(crate) fn pod(name: &str, labels: &Value) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "image"}], "automountServiceAccountToken": false},
    })
}

pub(crate) fn config_map(name: &str, value: usize) -> Value {
    json!({"metadata": {"name": name, "labels": {"parity": if value % 2 == 0 { "even" } else { "odd" }}}, "data": {"value": value.to_string()}})
}

pub(crate) async fn in_parallel<F: Future<Output = ()>>(work: impl Iterator<Item = F>) {
    futures_util::stream::iter(work)
        .for_each_concurrent(PARALLEL, |one| one)
        .await;
}

/// Short waits before a retry, so that a test does not take the minutes that a cluster may.
pub(crate) fn quick() -> ReflectorOptions {
    ReflectorOptions::default().backoff(|| {
        larder::ExponentialBackoff::new(Duration::from_millis(50), Duration::from_millis(500))
    })
}

/// An informer over the relay, synced, and the fold of its handler.
pub(crate) async fn followed<I: CacheInformer>(
    cluster: &Cluster,
    options: InformerOptions<I::Kept>,
) -> (I, Fold) {
    let informer = Informer::spawn(cluster.relayed.clone(), I::KIND, options).unwrap();
    let fold = Fold::default();
    informer.add_handler(fold.clone()).unwrap();
    informer.wait_for_sync(LIMIT).await.unwrap();
    (I::wrap(informer), fold)
}

pub(crate) async fn c060_c077_follows_thousands_of_objects_of_several_kinds(cluster: &Cluster) {
    cluster.namespace("one").await;
    cluster.namespace("two").await;
    let cache = Cache::builder(cluster.relayed.clone())
        .reflector(quick())
        .build();
    let maps = cache.informer::<ConfigMapInformer>().unwrap();
    let secrets = cache.informer::<SecretInformer>().unwrap();
    let pods = cache.informer::<PodInformer>().unwrap();
    let (of_maps, of_secrets, of_pods) = (Fold::default(), Fold::default(), Fold::default());
    maps.inner().add_handler(of_maps.clone()).unwrap();
    // A queue of one: everything is merged.
    secrets
        .inner()
        .add_handler_with(of_secrets.clone(), HandlerOptions::default().capacity(1))
        .unwrap();
    pods.inner().add_handler(of_pods.clone()).unwrap();

    // Half before the cache starts, half while it follows.
    let create = |number: usize| async move {
        let namespace = Some(if number % 3 == 0 { "one" } else { "two" });
        cluster
            .create(
                "v1",
                "ConfigMap",
                namespace,
                config_map(&format!("m{number}"), number),
            )
            .await;
        if number % 2 == 0 {
            let secret =
                json!({"metadata": {"name": format!("s{number}")}, "data": {"key": "dmFsdWU="}});
            cluster.create("v1", "Secret", namespace, secret).await;
        }
        if number % 8 == 0 {
            cluster
                .create(
                    "v1",
                    "Pod",
                    namespace,
                    pod(&format!("p{number}"), &json!({})),
                )
                .await;
        }
    };
    in_parallel((0..700).map(create)).await;
    cache.start().unwrap();
    in_parallel((700..1400).map(create)).await;
    cache.wait_for_cache_sync(LIMIT).await.unwrap();
    in_parallel((0..700).map(|number| async move {
        let namespace = Some(if number % 3 == 0 { "one" } else { "two" });
        let name = format!("m{number}");
        match number % 4 {
            0 => cluster.delete("v1", "ConfigMap", namespace, &name).await,
            1 => {
                let change = json!({"data": {"value": "changed"}, "metadata": {"labels": {"parity": "none"}}});
                cluster.patch("v1", "ConfigMap", namespace, &name, change).await;
            }
            2 => {
                // Another object under the same name.
                cluster.delete("v1", "ConfigMap", namespace, &name).await;
                cluster.create("v1", "ConfigMap", namespace, config_map(&name, number)).await;
            }
            _ => {}
        }
        if number % 16 == 0 {
            cluster.delete("v1", "Pod", namespace, &format!("p{number}")).await;
        }
    }))
    .await;
    settled(cluster, &maps, &of_maps, &ListParams::default()).await;
    settled(cluster, &secrets, &of_secrets, &ListParams::default()).await;
    settled(cluster, &pods, &of_pods, &ListParams::default()).await;
    for health in cache.health() {
        assert_eq!(
            (health.relists, health.decode_failures),
            (0, 0),
            "{health:#?}"
        );
    }
    cache.shutdown(LIMIT).await.unwrap();
}

pub(crate) async fn c008_c061_c155_catches_up_after_compaction_and_restart(cluster: &Cluster) {
    cluster.namespace("one").await;
    for number in 0..20 {
        cluster
            .create(
                "v1",
                "ConfigMap",
                Some("one"),
                config_map(&format!("m{number}"), number),
            )
            .await;
    }
    let options = InformerOptions::new().reflector(quick());
    let (maps, fold) = followed::<ConfigMapInformer>(cluster, options).await;
    settled(cluster, &maps, &fold, &ListParams::default()).await;
    let unchanged = |name: &str| maps.lister().namespace("one").get(name).unwrap();
    let before = unchanged("m9");

    cluster.relay.cut();
    for number in 0..5 {
        cluster
            .delete("v1", "ConfigMap", Some("one"), &format!("m{number}"))
            .await;
    }
    cluster
        .create("v1", "ConfigMap", Some("one"), config_map("m0", 100))
        .await;
    cluster
        .patch(
            "v1",
            "ConfigMap",
            Some("one"),
            "m5",
            json!({"data": {"value": "changed"}}),
        )
        .await;
    cluster
        .create("v1", "ConfigMap", Some("one"), config_map("new", 7))
        .await;
    cluster.compact_and_restart().await;
    assert_eq!(
        maps.store().len(),
        fold.versions().len(),
        "what was known is served on"
    );
    until("the lost watch is visible", maps.inner(), async || {
        maps.health().stale_since.is_some()
    })
    .await;
    cluster.relay.mend();

    settled(cluster, &maps, &fold, &ListParams::default()).await;
    let health = maps.health();
    assert!(
        health.relists >= 1,
        "the version was gone, so it listed again: {health:#?}"
    );
    assert_eq!(
        fold.missed_deletes(),
        5,
        "deletes that the watch missed arrive"
    );
    assert!(
        std::sync::Arc::ptr_eq(&before, &unchanged("m9")),
        "what did not change is what it was"
    );
    until("it is current again", maps.inner(), async || {
        maps.health().stale_since.is_none()
    })
    .await;
    cluster
        .create("v1", "ConfigMap", Some("one"), config_map("later", 8))
        .await;
    settled(cluster, &maps, &fold, &ListParams::default()).await;
    maps.stop(LIMIT).await.unwrap();
}

pub(crate) async fn c158_survives_rights_taken_away_and_given_back(cluster: &Cluster) {
    cluster.namespace("one").await;
    cluster
        .create("v1", "Pod", Some("one"), pod("first", &json!({})))
        .await;
    let options = InformerOptions::new().reflector(quick());
    let (pods, fold) = followed::<PodInformer>(cluster, options).await;

    cluster.forbid().await;
    cluster.relay.cut();
    cluster.relay.mend();
    until("the refusal is visible", pods.inner(), async || {
        let last = pods.health().last_error;
        last.is_some_and(|last| last.error.to_string().contains("403"))
            && pods.health().stale_since.is_some()
    })
    .await;
    assert_eq!(
        pods.lister().list().unwrap().count(),
        1,
        "what was known is served on"
    );

    let other = PodInformer::new(
        cluster.relayed.clone(),
        InformerOptions::new().reflector(quick()),
    )
    .unwrap();
    let error = other
        .wait_for_sync(Duration::from_secs(2))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("pods") && error.contains("403"),
        "a new one says why it does not sync: {error}"
    );

    cluster
        .create("v1", "Pod", Some("one"), pod("second", &json!({})))
        .await;
    cluster.allow().await;
    settled(cluster, &pods, &fold, &ListParams::default()).await;
    until("it is current again", pods.inner(), async || {
        pods.health().stale_since.is_none()
    })
    .await;
    other.wait_for_sync(LIMIT).await.unwrap();
    assert_eq!(other.store().len(), 2);
    pods.stop(LIMIT).await.unwrap();
}

pub(crate) async fn c032_c034_selects_as_the_server_does(cluster: &Cluster) {
    cluster.namespace("one").await;
    cluster.namespace("two").await;
    let create = |number: usize| async move {
        let namespace = Some(if number % 2 == 0 { "one" } else { "two" });
        let labels = json!({"app": format!("a{}", number % 3), "tier": if number % 4 == 0 { "front" } else { "back" }});
        cluster
            .create("v1", "Pod", namespace, pod(&format!("p{number}"), &labels))
            .await;
    };
    in_parallel((0..24).map(create)).await;
    for (labels, fields) in [
        ("app=a1", ""),
        ("app!=a1,tier in (front)", ""),
        ("!missing,app", ""),
        ("", "metadata.namespace=one"),
        (
            "app notin (a0,a2)",
            "metadata.namespace!=two,status.phase=Pending",
        ),
        ("app=none", ""),
        ("", "spec.nodeName="),
    ] {
        for streaming in [true, false] {
            let options = InformerOptions::new()
                .label_selector(labels)
                .field_selector(fields)
                .reflector(quick().streaming_list(streaming).page_size(5));
            let (pods, fold) = followed::<PodInformer>(cluster, options).await;
            let params = ListParams::default().labels(labels).fields(fields);
            settled(cluster, &pods, &fold, &params).await;
            // What leaves the selection is deleted, what enters it is added.
            let flip = |to: &str| json!({"metadata": {"labels": {"app": to}}});
            cluster
                .patch("v1", "Pod", Some("one"), "p4", flip("a2"))
                .await;
            cluster
                .patch("v1", "Pod", Some("two"), "p5", flip("a1"))
                .await;
            settled(cluster, &pods, &fold, &params).await;
            cluster
                .patch("v1", "Pod", Some("one"), "p4", flip("a1"))
                .await;
            cluster
                .patch("v1", "Pod", Some("two"), "p5", flip("a2"))
                .await;
            settled(cluster, &pods, &fold, &params).await;
        }
    }
}

//! A cache over the simulator: reading, informers and indexes, scope, transform, waiting. Named by conformance number.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use larder::core::v1::{NodeInformer, Pod, PodInformer, PodLister, SecretInformer};
use larder::{
    Cache, CacheBuilder, CacheError, HandlerOptions, InformerOptions, Keys, LabelSelector,
    ObjectKey, ReadError, SyncError, TransformError, computed,
};
use larder_sim::Fault;
use serde_json::json;
use support::{SOON, client, cluster, labelled, listings, node, pod, settle, until};

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn names<P: AsRef<Pod>>(pods: impl IntoIterator<Item = P>) -> BTreeSet<String> {
    let full = |pod: P| {
        let meta = &pod.as_ref().metadata;
        format!(
            "{}/{}",
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default()
        )
    };
    pods.into_iter().map(full).collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

async fn started(builder: CacheBuilder) -> Cache {
    let cache = builder.build();
    cache.start().unwrap();
    cache
}

async fn synced(builder: CacheBuilder) -> (Cache, PodInformer) {
    let cache = started(builder).await;
    let pods = cache.informer::<PodInformer>().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    (cache, pods)
}

#[tokio::test(start_paused = true)]
async fn c020_c021_starting() {
    let sim = cluster([pod("a", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    let early = cache.informer::<PodInformer>().unwrap();
    assert!(!early.has_synced());
    settle().await;
    assert_eq!(
        sim.requests().len(),
        0,
        "asking before start registers only"
    );
    assert!(matches!(
        cache.wait_for_cache_sync(SOON).await,
        Err(SyncError::NotStarted)
    ));
    assert!(matches!(
        cache.list::<PodInformer>().await,
        Err(CacheError::NotStarted)
    ));
    cache.start().unwrap();
    assert!(matches!(cache.start(), Err(CacheError::AlreadyStarted)));
    cache.wait_for_cache_sync(SOON).await.unwrap();

    let nodes = cache.informer::<NodeInformer>().unwrap();
    assert!(
        !nodes.has_synced(),
        "asked for after start, it comes back at once"
    );
    nodes.wait_for_sync(SOON).await.unwrap();
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    nodes
        .add_handler(Keys::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        }))
        .unwrap();
    sim.create(node("late", &json!({}))).unwrap();
    until("the handler hears of a later create", || {
        told.load(Ordering::Relaxed) == 1
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn c023_a_removed_informer_stops_and_asking_again_makes_a_new_one() {
    let sim = cluster([pod("a", "one")]);
    let (cache, old) = synced(Cache::builder(client(&sim))).await;
    assert!(cache.remove::<PodInformer>(None, SOON).await.unwrap());
    assert!(!cache.remove::<PodInformer>(None, SOON).await.unwrap());
    until("its watch ends", || sim.watchers_of("pods") == 0).await;
    assert!(old.health().stopped && old.health().started, "c116");
    let new = cache.informer::<PodInformer>().unwrap();
    new.wait_for_sync(SOON).await.unwrap();
    sim.create(pod("a", "two")).unwrap();
    until("the new one follows", || new.store().len() == 2).await;
    assert_eq!(old.store().len(), 1, "the old one stays as it was");
    assert!(old.add_handler(Keys::new(|_| {})).is_err());
    assert!(old.add_index(computed(|_: &Pod| [1])).is_err());
}

#[tokio::test(start_paused = true)]
async fn c024_c026_c027_indexes_before_start_before_sync_and_after() {
    let sim = cluster((0..6).map(|number| {
        let mut pod = labelled(
            "a",
            &format!("p{number}"),
            &json!({"parity": if number % 2 == 0 { "even" } else { "odd" }}),
        );
        pod["spec"]["nodeName"] = json!(format!("node-{}", number % 3));
        pod
    }));
    let by_node = || computed(|pod: &Pod| pod.spec.as_ref()?.node_name.clone());
    let cache = Cache::builder(client(&sim)).build();
    let pods = cache.informer::<PodInformer>().unwrap();
    let before_start = pods.add_index(by_node()).unwrap();
    let Err(early @ ReadError::NotSynced { .. }) = before_start.get("node-1") else {
        panic!("an answer before the start");
    };
    let hint = "not synced yet: its informer is not started; call `start` of the cache";
    assert!(early.to_string().ends_with(hint), "{early}");
    cache.start().unwrap();
    let before_sync = pods.add_index(by_node()).unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let after = pods.add_index(by_node()).unwrap();
    for index in [&before_start, &before_sync, &after] {
        assert_eq!(names(index.get("node-1").unwrap()), set(["a/p1", "a/p4"]));
        assert_eq!(index.get("elsewhere").unwrap().count(), 0);
        let values = index.values().unwrap();
        assert_eq!(
            values,
            [
                ("node-0".into(), 2),
                ("node-1".into(), 2),
                ("node-2".into(), 2)
            ]
        );
    }
    sim.delete_now("pods", "a", "p1").unwrap();
    until("the index follows", || {
        after.get("node-1").unwrap().count() == 1
    })
    .await;
    assert_eq!(pods.indexer().namespaces().unwrap(), [(Arc::from("a"), 5)]);
}

#[tokio::test(start_paused = true)]
async fn c025_an_informer_that_cannot_be_made_leaves_nothing_behind() {
    let sim = cluster([]);
    let cache = started(Cache::builder(client(&sim))).await;
    let bad = InformerOptions::new().label_selector("a in");
    assert!(matches!(
        cache.informer_with::<PodInformer>(bad),
        Err(CacheError::Informer(_))
    ));
    let bad = InformerOptions::new().namespaces(["No Name"]);
    let error = cache.informer_with::<PodInformer>(bad).unwrap_err();
    assert!(error.to_string().contains("No Name"), "{error}");
    // An empty list, as out of an unset variable, must not look like an empty cluster.
    let bad = InformerOptions::new().namespaces([""; 0]);
    let error = cache.informer_with::<PodInformer>(bad).unwrap_err();
    assert!(error.to_string().contains("no namespace"), "{error}");
    assert!(cache.health().is_empty());
}

#[tokio::test(start_paused = true)]
async fn c050_c051_c052_c053_transforms() {
    for (mode, options) in listings() {
        let with_annotations = |name: &str| {
            let mut pod = pod("a", name);
            pod["metadata"]["annotations"] = json!({"note": "long"});
            pod["metadata"]["managedFields"] =
                json!([{"manager": "kubectl", "fieldsV1": {"f:metadata": {}}}]);
            pod
        };
        let sim = cluster([with_annotations("one"), with_annotations("two")]);
        let builder = Cache::builder(client(&sim))
            .reflector(options)
            .transform(|metadata| {
                metadata.annotations = None;
                Ok(())
            });
        let (cache, pods) = synced(builder).await;
        for pod in pods.lister().list().unwrap() {
            assert_eq!(pod.metadata.annotations, None, "{mode}");
            assert_eq!(
                pod.metadata.managed_fields, None,
                "{mode}: dropped without any transform"
            );
        }

        let runs = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&runs);
        let own = InformerOptions::new()
            .name("own")
            .transform(move |pod: &mut Pod| {
                count.fetch_add(1, Ordering::Relaxed);
                if pod.metadata.name.as_deref() == Some("refused") {
                    return Err(TransformError::new("not this one"));
                }
                pod.metadata
                    .labels
                    .get_or_insert_default()
                    .insert("seen".into(), "yes".into());
                Ok(())
            });
        let own = cache.informer_with::<PodInformer>(own).unwrap();
        let by_seen = own
            .add_index(computed(|pod: &Pod| {
                pod.metadata.labels.as_ref()?.get("seen").cloned()
            }))
            .unwrap();
        let mut events = own.events(HandlerOptions::default()).unwrap();
        own.wait_for_sync(SOON).await.unwrap();
        assert_eq!(
            by_seen.get("yes").unwrap().count(),
            2,
            "{mode}: indexes see transformed objects"
        );
        assert_eq!(
            runs.load(Ordering::Relaxed),
            2,
            "{mode}: once per received object"
        );
        let one = own.lister().namespace("a").get("one").unwrap();
        assert!(
            one.metadata.annotations.is_some(),
            "{mode}: the kind's own transform takes the default's place"
        );

        sim.create(with_annotations("refused")).unwrap();
        sim.delete_now("pods", "a", "two").unwrap();
        until("the delete", || own.store().len() == 1).await;
        assert_eq!(own.health().decode_failures, 1, "{mode}: c054");
        let failure = own.health().last_decode_failure.unwrap();
        assert_eq!(failure.key, Some(key("a/refused")));
        assert!(failure.error.contains("not this one"), "{}", failure.error);
        let mut deletes = 0;
        while let Some(event) = next(&mut events).await {
            let pod = match event {
                larder::Event::Add { object, .. } => object.object(),
                larder::Event::Update { new, .. } => new.object(),
                larder::Event::Delete(gone) => {
                    deletes += 1;
                    gone.last_known()
                }
                _ => continue,
            };
            assert!(
                pod.metadata.labels.as_ref().unwrap().contains_key("seen"),
                "{mode}: handlers see them too"
            );
        }
        assert_eq!(deletes, 1, "{mode}");
    }
}

/// The next event that is there already.
async fn next<R: larder::Kept>(events: &mut larder::Events<R>) -> Option<larder::Event<R>> {
    tokio::time::timeout(
        Duration::from_secs(1),
        futures_util::StreamExt::next(events),
    )
    .await
    .ok()
    .flatten()
}

#[tokio::test(start_paused = true)]
async fn c140_waiting_for_sync() {
    let sim = cluster([pod("a", "one")]);
    let cache = started(Cache::builder(client(&sim))).await;
    cache.wait_for_cache_sync(Duration::ZERO).await.unwrap();

    sim.faults().add(Fault::forbidden().resource("secrets"));
    let _pods = cache.informer::<PodInformer>().unwrap();
    let _secrets = cache.informer::<SecretInformer>().unwrap();
    let waits = (0..20).map(|_| {
        let cache = cache.clone();
        tokio::spawn(async move { cache.wait_for_cache_sync(SOON).await })
    });
    for wait in waits.collect::<Vec<_>>() {
        let error = wait.await.unwrap().unwrap_err();
        let SyncError::Deadline { unsynced, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(unsynced.len(), 1, "pods are synced: {error}");
        assert_eq!(unsynced[0].kind, SecretInformer::KIND);
        assert!(
            error.to_string().contains("secrets") && error.to_string().contains("403"),
            "{error}"
        );
    }

    let waiting = tokio::spawn({
        let cache = cache.clone();
        async move { cache.wait_for_cache_sync(SOON * 100).await }
    });
    settle().await;
    sim.faults().clear();
    waiting.await.unwrap().unwrap();

    sim.faults().add(Fault::forbidden().resource("nodes"));
    let nodes = cache.informer::<NodeInformer>().unwrap();
    let waiting = tokio::spawn(async move { nodes.wait_for_sync(SOON * 100).await });
    settle().await;
    cache.shutdown(SOON).await.unwrap();
    assert!(
        matches!(waiting.await.unwrap(), Err(SyncError::Stopped { .. })),
        "stopped, it does not wait on"
    );
    assert!(matches!(
        cache.informer::<NodeInformer>(),
        Err(CacheError::ShutDown)
    ));
    assert!(matches!(cache.start(), Err(CacheError::ShutDown)));
}

#[tokio::test(start_paused = true)]
async fn c116_c140_an_informer_stopped_before_the_start_ends_a_wait_at_once() {
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::forbidden().resource("secrets"));
    let cache = Cache::builder(client(&sim)).build();
    let _never_synced = cache.informer::<SecretInformer>().unwrap();
    let pods = cache.informer::<PodInformer>().unwrap();
    pods.stop(SOON).await.unwrap();
    cache.start().unwrap();
    assert!(!pods.health().started && pods.health().stopped);
    let start = tokio::time::Instant::now();
    let error = cache.wait_for_cache_sync(SOON).await.unwrap_err();
    assert!(matches!(error, SyncError::Stopped { .. }), "{error:?}");
    assert!(
        start.elapsed() < SOON,
        "whoever else is not synced is not waited for"
    );
    cache.shutdown(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c140_deadlines_may_be_as_far_away_as_anyone_likes() {
    let sim = cluster([pod("a", "one")]);
    let (cache, pods) = synced(Cache::builder(client(&sim)).read_deadline(Duration::MAX)).await;
    cache.wait_for_cache_sync(Duration::MAX).await.unwrap();
    pods.wait_for_sync(Duration::MAX).await.unwrap();
    assert_eq!(cache.list::<PodInformer>().await.unwrap().count(), 1);
    pods.stop(Duration::MAX).await.unwrap();
    cache.shutdown(Duration::MAX).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transform_that_hangs_does_not_hold_up_a_shutdown() {
    let sim = cluster([pod("a", "one")]);
    let (entered, mut is_in) = tokio::sync::mpsc::unbounded_channel();
    let (release, hang) = std::sync::mpsc::channel::<()>();
    let hang = std::sync::Mutex::new(hang);
    let options = InformerOptions::new().transform(move |_: &mut Pod| {
        let _ = entered.send(());
        let _ = hang.lock().unwrap().recv();
        Ok(())
    });
    let pods = PodInformer::new(client(&sim), options).unwrap();
    is_in.recv().await.unwrap();
    pods.stop(Duration::from_millis(20)).await.unwrap();
    drop(release);
}

#[tokio::test(start_paused = true)]
async fn an_informer_alone_runs_at_once_and_stops_with_its_last_handle() {
    let sim = cluster([pod("a", "one")]);
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let lister: PodLister = pods.lister();
    drop(pods);
    settle().await;
    assert_eq!(sim.watchers_of("pods"), 1, "what can be read stays current");
    assert_eq!(lister.list().unwrap().count(), 1);
    drop(lister);
    until("its watch ends", || sim.watchers_of("pods") == 0).await;
}

#[tokio::test(start_paused = true)]
async fn neither_stream_nor_handler_keeps_an_informer() {
    let sim = cluster([pod("a", "one")]);
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let registration = pods.add_handler(Keys::new(|_| {})).unwrap();
    let mut events = pods.events(HandlerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    drop(pods);
    let rest = async { while events.next().await.is_some() {} };
    tokio::time::timeout(SOON, rest)
        .await
        .expect("the stream ends");
    registration.removed(SOON).await.unwrap();
    until("its watch ends", || sim.watchers_of("pods") == 0).await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_every_task() {
    let sim = cluster([pod("a", "one"), node("n", &json!({}))]);
    let before = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    let connection = client(&sim);
    let (cache, pods) =
        synced(Cache::builder(connection.clone()).namespaces(["a", "b", "c"])).await;
    let nodes = cache.informer::<NodeInformer>().unwrap();
    nodes.wait_for_sync(SOON).await.unwrap();
    for _ in 0..5 {
        pods.add_handler(Keys::new(|_| {})).unwrap();
    }
    cache.shutdown(SOON).await.unwrap();
    drop((cache, pods, nodes, connection));
    until("every task ends", || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
            == before
    })
    .await;
    assert_eq!(sim.watchers(), 0);
}

/// As a program does it, with `?` throughout and the selector as a value.
fn set_up(cache: &Cache, selector: LabelSelector) -> Result<PodInformer, CacheError> {
    let pods = cache.informer_with::<PodInformer>(
        InformerOptions::new()
            .name("chosen")
            .label_selector(selector),
    )?;
    pods.add_index(computed(|pod: &Pod| pod.metadata.name.clone()))?;
    pods.add_handler(Keys::new(|_| {}))?;
    Ok(pods)
}

#[tokio::test(start_paused = true)]
async fn one_error_type_serves_for_setting_up() {
    let sim = cluster([pod("a", "one"), pod("a", "two")]);
    let cache = started(Cache::builder(client(&sim))).await;
    let pods = set_up(&cache, "app notin (one)".parse().unwrap()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(names(pods.lister().list().unwrap()), set(["a/two"]));

    // Adding to a stopped informer is the error that setting up reports.
    pods.stop(SOON).await.unwrap();
    let add = || -> Result<(), CacheError> {
        pods.add_handler(Keys::new(|_| {}))?;
        Ok(())
    };
    let error = add().unwrap_err();
    assert!(matches!(
        error,
        CacheError::Informer(larder::InformerError::Stopped(_))
    ));
    assert_eq!(
        error.to_string(),
        "the informer \"chosen\" of pods is stopped"
    );
}

#[tokio::test(start_paused = true)]
async fn debug_prints_no_data() {
    let mut secret =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "a", "name": "s"}});
    secret["stringData"] = json!({});
    secret["data"] = json!({"password": "aHVudGVyMg=="});
    let sim = cluster([secret]);
    let cache = started(Cache::builder(client(&sim))).await;
    let secrets = cache.informer::<SecretInformer>().unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    let lister = secrets.lister();
    let printed = format!(
        "{cache:?} {secrets:?} {lister:?} {:?} {:?} {:?} {:?}",
        lister.list(),
        secrets.store(),
        secrets.store().snapshot(),
        secrets.health()
    );
    assert!(
        !printed.contains("hunter2") && !printed.contains("aHVudGVyMg"),
        "{printed}"
    );
}

//! What is visible from outside: waiting, staleness, errors.

use larder::core::v1::PodInformer;
use larder::{InformerOptions, Phase, ReflectorOptions, SyncError};
use larder_sim::{Fault, Sim, Verb};

use crate::bench::{begun, equal, lists, seconds, synced};
use crate::support::{SOON, client, cluster, pod, settle, until};

#[tokio::test(start_paused = true)]
async fn c156_every_task_that_waits_wakes() {
    let sim = cluster([pod("a", "one")]);
    let fault = sim.faults().add(Fault::unavailable());
    let pods = begun(&sim, ReflectorOptions::default());
    let waits: Vec<_> = (0..50)
        .map(|_| {
            let pods = pods.clone();
            tokio::spawn(async move { pods.wait_for_sync(SOON * 100).await })
        })
        .collect();
    tokio::time::sleep(seconds(20)).await;
    sim.faults().remove(fault);
    for wait in waits {
        wait.await.unwrap().unwrap();
    }

    sim.faults().add(Fault::unavailable());
    let pods = begun(&sim, ReflectorOptions::default());
    let waits: Vec<_> = (0..50)
        .map(|_| {
            let pods = pods.clone();
            tokio::spawn(async move { pods.wait_for_sync(SOON * 100).await })
        })
        .collect();
    settle().await;
    pods.stop(SOON).await.unwrap();
    for wait in waits {
        assert!(matches!(
            wait.await.unwrap(),
            Err(SyncError::Stopped { .. })
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn c158_readiness_can_be_lost_and_is_visible() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, ReflectorOptions::default()).await;
    let health = pods.health();
    assert!(health.synced && health.stale_since.is_none() && health.last_error.is_none());
    let version = health.sources[0].version.clone();
    sim.faults().add(Fault::forbidden());
    tokio::time::sleep(seconds(30)).await;
    let alive = std::time::Instant::now();
    sim.disconnect();
    tokio::time::sleep(seconds(100)).await;
    let health = pods.health();
    assert!(health.synced, "that it once was complete stays true");
    assert!(
        health
            .stale_since
            .is_some_and(|since| since <= alive + seconds(31))
    );
    assert_eq!(health.sources[0].version, version);
    assert!(
        health
            .last_error
            .unwrap()
            .error
            .to_string()
            .contains("(403)")
    );
    assert_eq!(health.sources[0].phase, Phase::BackingOff);
    assert_eq!(
        pods.lister().list().unwrap().count(),
        1,
        "the last known state is served"
    );
    sim.faults().clear();
    until("it is back", || pods.health().stale_since.is_none()).await;
    assert!(pods.health().last_error.is_some() && pods.health().relists == 0);
    pods.stop(SOON).await.unwrap();
    let health = pods.health();
    assert!(health.started && health.stopped && health.stale_since.is_some());
}

#[tokio::test(start_paused = true)]
async fn c158_one_stale_source_of_several_shows() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let options = InformerOptions::new().namespaces(["a", "b"]);
    let pods = PodInformer::new(client(&sim), options).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    sim.faults().add(Fault::forbidden().namespace("b"));
    sim.disconnect();
    tokio::time::sleep(seconds(60)).await;
    let health = pods.health();
    let stale: Vec<_> = health
        .sources
        .iter()
        .map(|source| source.stale_since.is_some())
        .collect();
    assert_eq!(stale, [false, true]);
    assert!(health.stale_since.is_some());
    sim.create(pod("a", "two")).unwrap();
    sim.create(pod("b", "two")).unwrap();
    settle().await;
    assert_eq!(pods.store().len(), 3, "the other goes on");
    sim.faults().clear();
    equal(&sim, &pods).await;
}

#[tokio::test(start_paused = true)]
async fn c077_one_failing_watch_holds_up_no_other() {
    for fault in [Fault::refuse(), Fault::never_answer(), Fault::gone()] {
        let sim = cluster([pod("a", "one")]);
        let cache = larder::Cache::builder(client(&sim)).build();
        let pods = cache.informer::<PodInformer>().unwrap();
        let nodes = cache.informer::<larder::core::v1::NodeInformer>().unwrap();
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        sim.faults().add(fault.resource("nodes").on(Verb::Watch));
        sim.disconnect();
        tokio::time::sleep(seconds(5)).await;
        until("the pods' watch is back", || sim.watchers_of("pods") == 1).await;
        for number in 0..20 {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
            settle().await;
            assert_eq!(pods.store().len(), number + 2, "within milliseconds");
        }
        tokio::time::sleep(seconds(100)).await;
        assert!(nodes.health().last_error.is_some() || nodes.health().stale_since.is_some());
        assert!(pods.health().stale_since.is_none());
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c159_a_relist_in_which_nothing_changed_sends_no_event_and_reuses_every_object() {
    for options in [lists(), ReflectorOptions::default()] {
        let sim = cluster((0..50).map(|number| pod("a", &format!("p{number}"))));
        let pods = synced(&sim, options).await;
        let (_, registration) = crate::bench::folded(&pods, larder::HandlerOptions::default());
        registration.wait_for_sync(SOON).await.unwrap();
        let before = pods.store().snapshot();
        let delivered = registration.stats().delivered;
        sim.change_unseen(|_| {});
        sim.advance_version(5);
        sim.compact();
        sim.faults().add(
            Fault::gone()
                .on(Verb::Watch)
                .except_streaming_lists()
                .times(1),
        );
        sim.disconnect();
        until("a relist", || pods.health().relists >= 1).await;
        settle().await;
        assert_eq!(registration.stats().delivered, delivered);
        let after = pods.store().snapshot();
        for pod in before.list() {
            let key: larder::ObjectKey = crate::bench::named(&pod).0.parse().unwrap();
            assert!(std::sync::Arc::ptr_eq(&pod, &after.get(&key).unwrap()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c116_stopped_before_it_started_it_never_was_started() {
    let sim = Sim::new();
    let cache = larder::Cache::builder(client(&sim)).build();
    let pods = cache.informer::<PodInformer>().unwrap();
    assert!(!pods.health().started && !pods.health().stopped);
    pods.stop(SOON).await.unwrap();
    assert!(
        !pods.health().started && pods.health().stopped,
        "{:?}",
        pods.health()
    );
}

#[tokio::test(start_paused = true)]
async fn c140_a_stopped_informer_ends_the_wait_although_another_never_syncs() {
    let sim = Sim::new();
    sim.faults().add(Fault::forbidden());
    for _ in 0..8 {
        let cache = larder::Cache::builder(client(&sim)).build();
        cache.start().unwrap();
        let pods = cache.informer::<PodInformer>().unwrap();
        let _nodes = cache.informer::<larder::core::v1::NodeInformer>().unwrap();
        let _secrets = cache
            .informer::<larder::core::v1::SecretInformer>()
            .unwrap();
        let start = tokio::time::Instant::now();
        let waiting = tokio::spawn(async move { cache.wait_for_cache_sync(SOON).await });
        settle().await;
        pods.stop(SOON).await.unwrap();
        assert!(matches!(
            waiting.await.unwrap(),
            Err(SyncError::Stopped { .. })
        ));
        assert!(start.elapsed() < seconds(1), "{:?}", start.elapsed());
    }
}

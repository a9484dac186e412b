//! The hook that hears of failed lists and watches: c113.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder::core::v1::{NodeInformer, Pod, PodInformer};
use larder::{
    Cache, ExponentialBackoff, InformerOptions, ReflectorError, ReflectorFailure, ReflectorOptions,
    TransformError,
};
use larder_sim::{Fault, Verb};
use serde_json::json;
use support::{SOON, client, cluster, listings, node, pod, settle, until};

/// The texts of all errors that a hook was called with.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn hook(&self) -> impl Fn(&ReflectorError) + Send + Sync + 'static {
        let heard = Arc::clone(&self.0);
        move |error| heard.lock().unwrap().push(error.to_string())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn c113_list_and_watch_errors_reach_the_hook() {
    for (mode, options) in listings() {
        let sim = cluster([pod("a", "one"), node("n", &json!({}))]);
        let heard = Heard::default();
        let own = Heard::default();
        let cache = Cache::builder(client(&sim))
            .reflector(options)
            .namespaces(["a", "b"])
            .on_error(heard.hook())
            .build();
        let pods = cache.informer::<PodInformer>().unwrap();
        let nodes = InformerOptions::new().on_error(own.hook());
        let nodes = cache.informer_with::<NodeInformer>(nodes).unwrap();
        let fault = sim
            .faults()
            .add(Fault::forbidden().resource("pods").namespace("b"));
        cache.start().unwrap();
        nodes.wait_for_sync(SOON).await.unwrap();
        until("several failures", || heard.0.lock().unwrap().len() >= 3).await;
        for error in heard.take() {
            assert!(
                error.contains("list of pods in namespace b") && error.contains("403"),
                "{mode}: {error}"
            );
        }
        sim.faults().remove(fault);
        cache.wait_for_cache_sync(SOON * 4).await.unwrap();
        assert!(own.take().is_empty(), "{mode}");
        heard.take();

        // A watch, and only the hook of whose it is.
        sim.faults().add(
            Fault::unavailable()
                .resource("nodes")
                .on(Verb::Watch)
                .times(1),
        );
        sim.end_watches();
        until("its failure", || {
            let own = own.0.lock().unwrap();
            own.iter()
                .any(|error| error.contains("watch of nodes") && error.contains("503"))
        })
        .await;
        assert!(
            heard.take().iter().all(|error| error.contains("pods")),
            "{mode}: an informer's own hook takes the default's place"
        );
        let last = pods.health().last_error.map(|last| last.error.to_string());
        assert!(last.is_some(), "{mode}: health has it as well");
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c113_a_hook_can_tell_that_the_credentials_are_refused() {
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::unauthorized());
    let (lost, mut is_lost) = tokio::sync::watch::channel(None);
    let options = InformerOptions::new().on_error(move |error| {
        if matches!(error.failure(), ReflectorFailure::Unauthorized { .. }) {
            lost.send_replace(Some(error.kind().clone()));
        }
    });
    let _pods = PodInformer::new(client(&sim), options).unwrap();
    let told = tokio::time::timeout(SOON, is_lost.wait_for(Option::is_some)).await;
    assert_eq!(told.unwrap().unwrap().clone(), Some(PodInformer::KIND));
}

#[tokio::test(start_paused = true)]
async fn c113_a_panic_in_the_hook_harms_nobody() {
    let sim = cluster([pod("a", "one")]);
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let options = InformerOptions::new().on_error(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        panic!("as the test wants")
    });
    sim.faults().add(Fault::unavailable().times(5));
    let pods = PodInformer::new(client(&sim), options).unwrap();
    pods.wait_for_sync(SOON * 10).await.unwrap();
    settle().await;
    assert_eq!(calls.load(Ordering::Relaxed), 5, "it is called again");
    sim.create(pod("a", "two")).unwrap();
    until("what follows", || pods.store().len() == 2).await;
    pods.stop(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c113_objects_that_do_not_decode_fail_no_request() {
    let sim = cluster([pod("a", "one")]);
    let heard = Heard::default();
    let options = InformerOptions::new()
        .on_error(heard.hook())
        .transform(|_: &mut Pod| Err(TransformError::new("not this one")));
    let pods = PodInformer::new(client(&sim), options).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    settle().await;
    assert_eq!(pods.health().decode_failures, 1);
    assert_eq!(heard.take(), [""; 0]);
}

/// The hook blocks its thread, so that threads and time are real here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c113_a_hook_that_hangs_holds_up_nobody_and_hears_the_newest() {
    let sim = cluster([pod("a", "one")]);
    let (entered, mut is_in) = tokio::sync::mpsc::unbounded_channel();
    let (release, hang) = std::sync::mpsc::channel::<()>();
    let hang = Mutex::new(hang);
    let quick = Duration::from_millis(1);
    let options = InformerOptions::new()
        .reflector(
            ReflectorOptions::default().backoff(move || ExponentialBackoff::new(quick, quick)),
        )
        .on_error(move |error| {
            let _ = entered.send(error.to_string());
            let _ = hang.lock().unwrap().recv();
        });
    let fault = sim.faults().add(Fault::unavailable().times(200));
    let pods = PodInformer::new(client(&sim), options).unwrap();
    is_in.recv().await.unwrap();
    // The reflector goes on failing, and then syncs, while the first call hangs.
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(sim.faults().hits(fault), 200);
    assert!(is_in.try_recv().is_err());

    // A stop does not wait for it beyond its deadline.
    pods.stop(Duration::from_millis(20)).await.unwrap();
    drop((release, pods));
    let mut told = 0;
    while is_in.recv().await.is_some() {
        told += 1;
    }
    assert_eq!(told, 64, "of those that waited the newest are told");
}

#[tokio::test(start_paused = true)]
async fn c113_a_hook_leaves_no_task_behind() {
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let sim = cluster([pod("a", "one")]);
    let before = alive();
    let connection = client(&sim);
    let heard = Heard::default();
    let options = InformerOptions::new().on_error(heard.hook());
    sim.faults().add(Fault::unavailable().times(3));
    let pods = PodInformer::new(connection.clone(), options).unwrap();
    pods.wait_for_sync(SOON * 10).await.unwrap();
    pods.stop(SOON).await.unwrap();
    assert_eq!(heard.take().len(), 3);
    drop((pods, connection));
    until("every task ends", || alive() == before).await;
}

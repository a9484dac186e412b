//! Real threads: readers, handlers and indexes while the store is changed and relisted.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use larder::core::v1::{Pod, PodInformer, pod};
use larder::{
    HandlerOptions, Index, InformerOptions, ObjectKey, ReflectorOptions, Snapshot,
    TypedInformer as _, computed,
};
use larder_sim::Sim;
use serde_json::json;

use crate::bench::{folded, held, stored, told};
use crate::support::{client, labelled};

/// At least so long, and until there were some relists.
const RUN: Duration = Duration::from_millis(500);
const LIMIT: Duration = Duration::from_secs(60);
const PODS: usize = 300;

fn by_color(pods: &PodInformer) -> Index<pod::Full, String> {
    pods.add_index(computed(|pod: &Pod| {
        pod.metadata.labels.as_ref()?.get("color").cloned()
    }))
    .unwrap()
}

fn key(pod: &Pod) -> ObjectKey {
    ObjectKey::namespaced(
        pod.metadata.namespace.as_deref().unwrap(),
        pod.metadata.name.as_deref().unwrap(),
    )
}

/// All that must agree within one snapshot.
fn check(snapshot: &Snapshot<pod::Full>) {
    let all: BTreeSet<ObjectKey> = snapshot.list().map(|pod| key(&pod)).collect();
    assert_eq!(all.len(), snapshot.len());
    let mut in_namespaces = BTreeSet::new();
    for (namespace, count) in snapshot.namespaces() {
        let keys: BTreeSet<_> = snapshot
            .namespace(&namespace)
            .map(|pod| key(&pod))
            .collect();
        assert_eq!(keys.len(), count);
        assert!(keys.iter().all(|key| key.namespace() == Some(&namespace)));
        in_namespaces.extend(keys);
    }
    assert_eq!(in_namespaces, all);
    for key in &all {
        assert_eq!(
            snapshot.get(key).unwrap().metadata.name.as_deref(),
            Some(key.name())
        );
    }
}

/// What an index yields has the value that was asked for, each object once.
fn check_index(index: &Index<pod::Full, String>) {
    for (color, _) in index.values().unwrap() {
        let mut seen = BTreeSet::new();
        for pod in index.get(&color).unwrap() {
            assert_eq!(pod.metadata.labels.as_ref().unwrap()["color"], color);
            assert!(seen.insert(key(&pod)));
        }
    }
}

/// A generator from `LARDER_SEED`, or a new seed, which a failure shows. (Threads run as they like all the same.)
fn random() -> fastrand::Rng {
    fastrand::Rng::with_seed(crate::support::seed())
}

/// Changes the cluster without pause, and now and then behind the watch's back.
fn writes(sim: &Sim, mut random: fastrand::Rng, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let namespace = ["a", "b", "c"][random.usize(..3)];
        let name = format!("p{}", random.usize(..PODS));
        let color = ["red", "green", "blue"][random.usize(..3)];
        let labels = json!({"color": color});
        match random.u32(..400) {
            0 => drop(sim.change_unseen(|sim| sim.delete_now("pods", namespace, &name))),
            1 => sim.disconnect(),
            2..150 => drop(sim.create(labelled(namespace, &name, &labels))),
            150..300 => drop(sim.patch(
                "pods",
                namespace,
                &name,
                &json!({"metadata": {"labels": labels}}),
            )),
            _ => drop(sim.delete_now("pods", namespace, &name)),
        }
        if random.u8(..50) == 0 {
            std::thread::yield_now();
        }
    }
}

fn reads(pods: &PodInformer, index: &Index<pod::Full, String>, stop: &AtomicBool) -> usize {
    let mut kept = Vec::new();
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        let snapshot = pods.store().snapshot();
        check(&snapshot);
        check_index(index);
        kept.push((snapshot.len(), snapshot));
        if kept.len() > 20 {
            let (count, old) = kept.remove(0);
            assert_eq!(old.list().count(), count, "a snapshot never changes");
            check(&old);
        }
        rounds += 1;
    }
    rounds
}

fn joins(pods: &PodInformer, mut random: fastrand::Rng, stop: &AtomicBool) -> usize {
    let mut joined = Vec::new();
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        joined.push(folded(
            pods,
            HandlerOptions::default().capacity(random.usize(..20)),
        ));
        if joined.len() > 30 {
            let (fold, registration) = joined.swap_remove(random.usize(..joined.len()));
            assert!(registration.remove());
            assert_eq!(fold.wrong(), Vec::<String>::new());
        }
        if rounds < 20 {
            check_index(&by_color(pods));
        }
        rounds += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    for (fold, registration) in joined {
        registration.remove();
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
    rounds
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn c106_c115_each_snapshot_agrees_with_itself_while_everything_changes() {
    let sim = Sim::new();
    for number in 0..PODS {
        let labels = json!({"color": "red"});
        sim.create(labelled("a", &format!("p{number}"), &labels))
            .unwrap();
    }
    let mut random = random();
    let fast =
        || larder::ExponentialBackoff::new(Duration::from_millis(1), Duration::from_millis(20));
    for options in [
        ReflectorOptions::default(),
        ReflectorOptions::default()
            .streaming_list(false)
            .page_size(50),
    ] {
        let options = InformerOptions::new().reflector(options.backoff(fast));
        let pods = PodInformer::new(client(&sim), options).unwrap();
        pods.wait_for_sync(LIMIT).await.unwrap();
        let index = by_color(&pods);
        let (fold, registration) = folded(&pods, HandlerOptions::default());
        let (tiny, _) = folded(&pods, HandlerOptions::default().capacity(0));
        let stop = Arc::new(AtomicBool::new(false));
        let counts = Arc::new(AtomicUsize::new(0));
        let threads: Vec<std::thread::JoinHandle<()>> = {
            let runtime = tokio::runtime::Handle::current();
            let spawn = |work: Box<dyn FnOnce(&AtomicBool) -> usize + Send>| {
                let (stop, counts, runtime) =
                    (Arc::clone(&stop), Arc::clone(&counts), runtime.clone());
                std::thread::spawn(move || {
                    let _entered = runtime.enter();
                    counts.fetch_add(work(&stop), Ordering::Relaxed);
                })
            };
            let (one, two) = (sim.clone(), pods.clone());
            let (for_writes, for_joins) = (random.fork(), random.fork());
            let (three, four) = (pods.clone(), index.clone());
            vec![
                spawn(Box::new(move |stop| {
                    writes(&one, for_writes, stop);
                    0
                })),
                spawn(Box::new(move |stop| joins(&two, for_joins, stop))),
                spawn(Box::new(move |stop| reads(&three, &four, stop))),
            ]
        };
        let start = Instant::now();
        while start.elapsed() < RUN || pods.health().relists < 3 {
            assert!(start.elapsed() < LIMIT, "{:#?}", pods.health());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            tokio::task::spawn_blocking(move || thread.join())
                .await
                .unwrap()
                .unwrap();
        }
        assert!(counts.load(Ordering::Relaxed) > 10);
        let start = Instant::now();
        while stored(&pods) != held(&sim) || told(&fold) != held(&sim) || told(&tiny) != held(&sim)
        {
            assert!(
                start.elapsed() < LIMIT,
                "{:#?} {:?}",
                pods.health(),
                registration.stats()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        check(&pods.store().snapshot());
        check_index(&index);
        for fold in [fold, tiny] {
            assert_eq!(fold.wrong(), Vec::<String>::new());
        }
        let started = Instant::now();
        pods.stop(LIMIT).await.unwrap();
        assert!(started.elapsed() < LIMIT);
        assert_eq!(pods.inner().handler_count(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c115_c121_a_hundred_tasks_add_and_remove_handlers_under_ten_thousand_events() {
    const EVENTS: usize = 10_000;
    let mut random = random();
    let sim = Sim::new();
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    pods.wait_for_sync(LIMIT).await.unwrap();
    let (stays, registration) = folded(&pods, HandlerOptions::default());
    let stop = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let (pods, stop, mut random) = (pods.clone(), Arc::clone(&stop), random.fork());
            tokio::spawn(async move {
                let mut rounds = 0;
                while !stop.load(Ordering::Relaxed) || rounds == 0 {
                    let options = HandlerOptions::default().capacity(random.usize(..20));
                    let (fold, registration) = folded(&pods, options);
                    tokio::time::sleep(Duration::from_millis(random.u64(..10))).await;
                    assert!(registration.remove());
                    registration.removed(LIMIT).await.unwrap();
                    assert_eq!(fold.wrong(), Vec::<String>::new());
                    rounds += 1;
                }
                rounds
            })
        })
        .collect();
    let writing = {
        let sim = sim.clone();
        move || {
            let mut made = 0;
            while made < EVENTS {
                let name = format!("p{}", random.usize(..PODS));
                let color = ["red", "green", "blue"][random.usize(..3)];
                let labels = json!({"color": color});
                let patch = json!({"metadata": {"labels": labels}});
                let done = match random.u8(..3) {
                    0 => sim.create(labelled("a", &name, &labels)),
                    1 => sim.patch("pods", "a", &name, &patch),
                    _ => sim.delete_now("pods", "a", &name),
                };
                made += usize::from(done.is_ok());
            }
        }
    };
    tokio::task::spawn_blocking(writing).await.unwrap();
    stop.store(true, Ordering::Relaxed);
    let mut joined = 0;
    for task in tasks {
        joined += task.await.unwrap();
    }
    assert!(joined >= 100, "{joined} handlers joined");
    let start = Instant::now();
    while stored(&pods) != held(&sim) || told(&stays) != held(&sim) {
        assert!(start.elapsed() < LIMIT, "{:?}", registration.stats());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(stays.wrong(), Vec::<String>::new());
    assert!(registration.has_synced());
    assert_eq!(pods.inner().handler_count(), 1, "those removed are gone");
}

//! User code that calls back into its informer, ends it, or breaks.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Wake, Waker};

use futures_util::Stream as _;
use larder::core::v1::{Pod, PodInformer};
use larder::{
    Event, Funcs, HandlerOptions, InformerOptions, ReflectorOptions, TypedInformer as _, computed,
};
use larder_sim::Sim;
use serde_json::json;

use crate::bench::{equal, folded, held, stored, synced, told};
use crate::support::{SOON, client, cluster, pod, settle, until};

fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
}

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_read_add_and_remove() {
    let sim = pods(5);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let inner = informer.clone();
    let itself: Arc<OnceLock<larder::Registration>> = Arc::default();
    let own = Arc::clone(&itself);
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let handler = Funcs::new().on_add(move |pod, _| {
        count.fetch_add(1, Ordering::Relaxed);
        assert!(inner.lister().get(pod.key()).is_ok());
        let index = inner
            .add_index(computed(|pod: &Pod| pod.metadata.name.clone()))
            .unwrap();
        assert_eq!(index.get(pod.name()).unwrap().count(), 1);
        let (fold, registration) = folded(&inner, HandlerOptions::default());
        assert!(inner.remove_handler(&registration));
        drop(fold);
        let _ = inner.health();
        if pod.name() == "last" {
            assert!(own.get().unwrap().remove());
        }
    });
    let registration = informer.inner().add_handler(handler).unwrap();
    itself.set(registration.clone()).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    sim.create(pod("a", "last")).unwrap();
    registration.removed(SOON).await.unwrap();
    sim.create(pod("a", "unheard")).unwrap();
    equal(&sim, &informer).await;
    assert_eq!(
        (calls.load(Ordering::Relaxed), registration.stats().panics),
        (6, 0)
    );
}

/// A stream may be polled by any executor, whose waker then is code that knows nothing of the store's lock.
struct CallsBack(PodInformer, AtomicUsize);

impl Wake for CallsBack {
    fn wake(self: Arc<Self>) {
        // Both take the lock under which the store is changed.
        let index = self
            .0
            .add_index(computed(|pod: &Pod| pod.metadata.name.clone()));
        assert_eq!(index.unwrap().get("new").unwrap().count(), 1);
        let (_, registration) = folded(&self.0, HandlerOptions::default());
        assert!(registration.remove());
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_read_add_and_remove() {
    let sim = pods(0);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let mut events = informer.events(HandlerOptions::default()).unwrap();
    assert!(matches!(events.next().await, Some(Event::Synced)));
    let calls_back = Arc::new(CallsBack(informer.clone(), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&calls_back));
    let mut poll = || Pin::new(&mut events).poll_next(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    sim.create(pod("a", "new")).unwrap();
    until("the waker runs", || {
        calls_back.1.load(Ordering::Relaxed) == 1
    })
    .await;
    assert!(poll().is_ready());
    equal(&sim, &informer).await;
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_may_go_inside_a_handler() {
    let sim = pods(3);
    let before = alive_tasks();
    let connection = client(&sim);
    let informer = PodInformer::new(connection.clone(), InformerOptions::new()).unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let last = Arc::new(Mutex::new(None));
    let held = Arc::clone(&last);
    let handler = Funcs::new().on_add(move |_, initial| {
        if !initial {
            drop(held.lock().unwrap().take());
        }
    });
    let registration = informer.inner().add_handler(handler).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    *last.lock().unwrap() = Some(informer);
    sim.create(pod("a", "trigger")).unwrap();
    registration.removed(SOON).await.unwrap();
    drop((last, connection));
    until("every task ends", || alive_tasks() == before).await;
    assert_eq!((sim.watchers(), registration.stats().panics), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_have_its_informer_stopped() {
    let sim = pods(3);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let inner = informer.clone();
    let handler = Funcs::new().on_add(move |_, initial| {
        if !initial {
            let inner = inner.clone();
            tokio::spawn(async move { inner.stop(SOON).await.unwrap() });
        }
    });
    let registration = informer.inner().add_handler(handler).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    sim.create(pod("a", "trigger")).unwrap();
    registration.removed(SOON).await.unwrap();
    until("it stops", || {
        informer.health().stopped && sim.watchers() == 0
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn stops_at_once_all_wait_for_the_end() {
    let sim = pods(3);
    for _ in 0..20 {
        let informer = synced(&sim, ReflectorOptions::default()).await;
        let stops: Vec<_> = (0..4)
            .map(|_| {
                let informer = informer.clone();
                let sim = sim.clone();
                tokio::spawn(async move {
                    informer.stop(SOON).await.unwrap();
                    sim.watchers()
                })
            })
            .collect();
        for stop in stops {
            assert_eq!(
                stop.await.unwrap(),
                0,
                "its task runs no more when stop returns"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_transform_may_read_its_informer_and_may_panic() {
    let sim = pods(5);
    let informer: Arc<OnceLock<PodInformer>> = Arc::default();
    let inner = Arc::clone(&informer);
    let options = InformerOptions::new().transform(move |pod: &mut Pod| {
        if let Some(informer) = inner.get() {
            let _ = (
                informer.store().len(),
                informer.health(),
                informer.has_synced(),
            );
            let (_, registration) = folded(informer, HandlerOptions::default());
            registration.remove();
        }
        assert_ne!(
            pod.metadata.name.as_deref(),
            Some("panics"),
            "as the test wants"
        );
        Ok(())
    });
    let pods = PodInformer::new(client(&sim), options).unwrap();
    assert!(informer.set(pods.clone()).is_ok());
    pods.wait_for_sync(SOON).await.unwrap();
    sim.create(pod("a", "panics")).unwrap();
    sim.create(pod("a", "later")).unwrap();
    until("what follows", || pods.store().len() == 6).await;
    assert_eq!(pods.health().decode_failures, 1);
}

/// A key whose comparison panics.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Incomparable(String);

impl PartialOrd for Incomparable {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Incomparable {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        panic!("as the test wants")
    }
}

#[tokio::test(start_paused = true)]
async fn indexes_that_panic_harm_neither_store_nor_handlers() {
    let sim = pods(5);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let (fold, _) = folded(&informer, HandlerOptions::default());
    let odd = informer
        .add_index(computed(|pod: &Pod| {
            let name = pod.metadata.name.clone().unwrap();
            assert_ne!(name, "p1", "as the test wants");
            [name]
        }))
        .unwrap();
    let compares = informer
        .add_index(computed(|pod: &Pod| {
            let name = pod.metadata.name.clone().unwrap();
            [Incomparable(name.clone()), Incomparable(name + "2")]
        }))
        .unwrap();
    for number in 0..5 {
        let patch = json!({"metadata": {"labels": {"a": "b"}}});
        sim.patch("pods", "a", &format!("p{number}"), &patch)
            .unwrap();
    }
    sim.delete_now("pods", "a", "p1").unwrap();
    sim.create(pod("a", "p9")).unwrap();
    equal(&sim, &informer).await;
    settle().await;
    assert_eq!(told(&fold), held(&sim));
    assert_eq!(odd.values().unwrap().len(), 5);
    assert_eq!(odd.get("p9").unwrap().count(), 1);
    assert_eq!(compares.get(&Incomparable("p2".into())).unwrap().count(), 0);
    assert!(informer.health().stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn dropped_without_a_stop_nothing_stays_behind() {
    let sim = pods(20);
    let before = alive_tasks();
    let connection = client(&sim);
    let informer = PodInformer::new(connection.clone(), InformerOptions::new()).unwrap();
    informer.wait_for_sync(SOON).await.unwrap();
    let (_fold, _registration) = folded(&informer, HandlerOptions::default());
    let events = informer.events(HandlerOptions::default()).unwrap();
    let unread = informer.events(HandlerOptions::default()).unwrap();
    settle().await;
    let object = informer.lister().list().unwrap().next().unwrap();
    let weak = Arc::downgrade(&object);
    drop(object);
    drop(informer);
    drop(connection);
    until("every task ends", || alive_tasks() == before).await;
    assert_eq!(sim.watchers(), 0);
    drop((events, unread));
    assert!(weak.upgrade().is_none(), "no object is held by anything");
    let _ = stored;
}

#[test]
fn handles_outlive_their_runtime() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(1).enable_all().build().unwrap()
    };
    let sim = pods(5);
    let first = runtime();
    let (informer, mut events, registration) = first.block_on(async {
        let informer = synced(&sim, ReflectorOptions::default()).await;
        let events = informer.events(HandlerOptions::default()).unwrap();
        let (_, registration) = folded(&informer, HandlerOptions::default());
        registration.wait_for_sync(SOON).await.unwrap();
        (informer, events, registration)
    });
    drop(first);
    assert_eq!(informer.lister().list().unwrap().count(), 5);
    assert!(informer.health().stale_since.is_some());
    runtime().block_on(async {
        let (_, late) = folded(&informer, HandlerOptions::default());
        late.removed(SOON).await.unwrap();
        registration.removed(SOON).await.unwrap();
        for _ in 0..6 {
            assert!(events.next().await.is_some());
        }
        informer.stop(SOON).await.unwrap();
        assert!(events.next().await.is_none());
    });
}

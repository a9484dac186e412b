//! Nothing leaks: after an end, tasks and live allocations are what they were.
//!
//! One test alone, as the allocator counts for the whole process. The runtime has one thread and the clock is paused, so a
//! round does the same each time.

mod support;

use std::time::Duration;

use larder::core::v1::{NodeInformer, Pod, PodInformer, SecretInformer};
use larder::{
    Cache, ExponentialBackoff, Funcs, HandlerOptions, InformerOptions, ReflectorOptions,
    TypedInformer as _, computed,
};
use larder_sim::{Fault, Sim};
use serde_json::json;
use support::{SOON, client, cluster, node, pod, settle, until};

/// Short, so that little of the paused clock's time is spent in waiting.
const TICK: Duration = Duration::from_millis(10);

/// Live allocations and bytes of the process.
#[allow(
    unsafe_code,
    reason = "an allocator that counts can be made in no other way"
)]
mod heap {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

    pub(crate) struct Counted;

    static ALLOCATIONS: AtomicIsize = AtomicIsize::new(0);
    static BYTES: AtomicIsize = AtomicIsize::new(0);

    fn count(allocations: isize, bytes: isize) {
        ALLOCATIONS.fetch_add(allocations, Relaxed);
        BYTES.fetch_add(bytes, Relaxed);
    }

    // SAFETY: hands everything to the system's allocator as it comes, and counts beside it.
    unsafe impl GlobalAlloc for Counted {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(1, layout.size() as isize);
            // SAFETY: the caller's promise is the same.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            count(-1, -(layout.size() as isize));
            // SAFETY: as above.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(0, size as isize - layout.size() as isize);
            // SAFETY: as above.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    pub(crate) fn live() -> (isize, isize) {
        (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed))
    }
}

#[global_allocator]
static HEAP: heap::Counted = heap::Counted;

fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

/// A small cluster; the same in each round.
fn objects() -> Sim {
    let pods = (0..20).map(|number| pod(["a", "b"][number % 2], &format!("p{number}")));
    let sim = cluster(pods);
    sim.create(node("n", &json!({}))).unwrap();
    sim
}

fn relabel(sim: &Sim, round: usize) {
    let patch = json!({"metadata": {"labels": {"round": round.to_string()}}});
    sim.patch("pods", "a", "p0", &patch).unwrap();
}

/// A cache with everything on, removed piece by piece and shut down.
async fn whole_cache() {
    let sim = objects();
    let cache = Cache::builder(client(&sim)).namespaces(["a", "b"]).build();
    cache.start().unwrap();
    let pods = cache.informer::<PodInformer>().unwrap();
    let named = InformerOptions::new()
        .name("second")
        .label_selector("app=p1");
    let second = cache.informer_with::<PodInformer>(named).unwrap();
    cache.informer::<NodeInformer>().unwrap();
    let by_name = pods
        .add_index(computed(|pod: &Pod| pod.metadata.name.clone()))
        .unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let handlers: Vec<_> = (0..5)
        .map(|_| {
            let handler = Funcs::new().on_add(|_, _| {});
            pods.inner().add_handler(handler).unwrap()
        })
        .collect();
    let mut events = pods.events(HandlerOptions::default()).unwrap();
    let unread = pods.events(HandlerOptions::default().capacity(1)).unwrap();
    for registration in &handlers {
        registration.wait_for_sync(SOON).await.unwrap();
    }
    relabel(&sim, 1);
    sim.delete_now("pods", "b", "p1").unwrap();
    settle().await;
    for _ in 0..20 {
        events.next().await.unwrap();
    }
    assert_eq!(by_name.get("p0").unwrap().count(), 1);
    // c114: one by one, twice, and those of another.
    for registration in &handlers {
        assert!(pods.remove_handler(registration));
        assert!(!pods.remove_handler(registration) && !second.remove_handler(registration));
        registration.removed(SOON).await.unwrap();
    }
    assert!(
        cache
            .remove::<PodInformer>(Some("second"), SOON)
            .await
            .unwrap()
    );
    drop(unread);
    let waits: Vec<_> = (0..3)
        .map(|_| {
            let cache = cache.clone();
            tokio::spawn(async move { cache.list::<SecretInformer>().await.is_ok() })
        })
        .collect();
    for wait in waits {
        assert!(wait.await.unwrap());
    }
    cache.shutdown(SOON).await.unwrap();
    assert!(events.next().await.is_none());
}

/// An informer without a cache that is dropped as it stands: handlers, streams and waiting tasks with it.
async fn dropped() {
    let sim = objects();
    sim.faults().add(Fault::unavailable().resource("secrets"));
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let secrets = SecretInformer::new(client(&sim), InformerOptions::new()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let handler = Funcs::new().on_add(|_, _| {});
    let registration = pods.inner().add_handler(handler).unwrap();
    let events = pods.events(HandlerOptions::default()).unwrap();
    let waiting = {
        let secrets = secrets.clone();
        tokio::spawn(async move { secrets.wait_for_sync(SOON * 1000).await.is_ok() })
    };
    settle().await;
    waiting.abort();
    let _ = waiting.await;
    drop((pods, secrets));
    registration.removed(SOON).await.unwrap();
    drop((registration, events));
}

/// One that fails in each way, then is stopped.
async fn failing() {
    let sim = objects();
    sim.faults()
        .add(Fault::broken_field("p3", "/spec/priority", &json!("x")));
    sim.faults().add(Fault::cut_within(3).times(2));
    sim.faults().add(Fault::forbidden().times(1));
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    assert!(pods.health().decode_failures > 0);
    pods.stop(SOON).await.unwrap();
}

async fn round() {
    whole_cache().await;
    dropped().await;
    failing().await;
}

/// An informer that lists again and again while its objects change.
async fn relists() {
    let sim = objects();
    let options = ReflectorOptions::default()
        .streaming_list(false)
        .backoff(|| ExponentialBackoff::new(TICK, TICK));
    let pods = PodInformer::new(client(&sim), InformerOptions::new().reflector(options)).unwrap();
    pods.inner()
        .add_handler(Funcs::new().on_add(|_, _| {}))
        .unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let mut before = None;
    let mut requests = 0;
    for count in 1..=1_000 {
        sim.change_unseen(|sim| {
            relabel(sim, count % 10);
            sim.delete_now("pods", "b", "p1").unwrap();
            sim.create(pod("b", "p1")).unwrap();
        });
        sim.compact();
        until("a relist", || pods.health().relists >= count as u64).await;
        settle().await;
        // The simulator keeps what it was asked; that is not the cache's.
        requests += sim.requests().len();
        sim.clear_requests();
        if count == 100 {
            before = Some(heap::live());
        }
    }
    assert!(requests >= 1_000);
    let (before, after) = (before.unwrap(), heap::live());
    let grown = (after.0 - before.0, after.1 - before.1);
    assert!(
        grown.0 < 200 && grown.1 < 64 << 10,
        "900 relists left {grown:?} allocations and bytes"
    );
}

#[tokio::test(start_paused = true)]
async fn c114_nothing_is_left_behind() {
    let mut baseline = None;
    let before = tasks();
    for count in 1..=100 {
        round().await;
        until("every task ends", || tasks() == before).await;
        // Timers of the simulator that nobody waits for any more.
        tokio::time::sleep(Duration::from_secs(3600)).await;
        let live = heap::live();
        match baseline {
            // What is made once in a process is there by now.
            None if count == 2 => baseline = Some(live),
            None => {}
            Some(baseline) => assert!(
                live.0 <= baseline.0 + 4 && live.1 <= baseline.1 + 4096,
                "round {count}: {live:?} allocations and bytes, {baseline:?} after round 2"
            ),
        }
    }
    relists().await;
    until("every task ends", || tasks() == before).await;
}

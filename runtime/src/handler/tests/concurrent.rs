//! Many tasks and threads at once. Nothing here depends on how fast they are.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use super::{Store, Texts, key, options};
use crate::handler::{Funcs, Handler, Registration, Seen, Tombstone};
use crate::identity::ResourceVersion;
use crate::key::ObjectKey;

const LONG: Duration = Duration::from_secs(60);

/// Folds what it hears and panics at what cannot follow; such panics show in the statistics.
#[derive(Clone, Default)]
struct Fold(Arc<Mutex<BTreeMap<ObjectKey, ResourceVersion>>>);

impl Handler<Texts> for Fold {
    fn on_add(&self, object: &Seen<Texts>, _initial: bool) {
        let mut known = self.0.lock().unwrap();
        let before = known.insert(object.key().clone(), object.version().clone());
        drop(known);
        assert!(before.is_none());
    }

    fn on_update(&self, old: &Seen<Texts>, new: &Seen<Texts>) {
        let mut known = self.0.lock().unwrap();
        let before = known.insert(new.key().clone(), new.version().clone());
        drop(known);
        assert_eq!(before.as_ref(), Some(old.version()));
    }

    fn on_delete(&self, gone: &Tombstone<Texts>) {
        let before = self.0.lock().unwrap().remove(gone.key());
        assert!(before.is_some());
    }
}

/// Waits until the handler has consumed what waits for it: what comes after everything else has been heard of.
async fn caught_up(store: &Store, fold: &Fold, registration: &Registration) {
    let hears = async {
        loop {
            let expected: BTreeMap<_, _> = {
                let state = store.lock();
                let versions = state.objects.iter();
                versions
                    .map(|(k, e)| (k.clone(), e.version.clone()))
                    .collect()
            };
            if *fold.0.lock().unwrap() == expected {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(LONG, hears).await;
    let stats = registration.stats();
    assert!(
        in_time.is_ok(),
        "{} never caught up: {stats:?}",
        registration.name()
    );
    assert_eq!(stats.panics, 0, "{}", registration.name());
}

fn random_change(store: &Store, rng: &mut fastrand::Rng) {
    let name = format!("object-{}", rng.u8(..20));
    match rng.u8(..4) {
        0 => store.delete(&name, rng.bool()),
        _ => store.set(&name),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c115_a_hundred_tasks_add_and_remove_handlers_under_ten_thousand_events() {
    let store = Store::new();
    let steady = Fold::default();
    let registration = store.add(steady.clone(), options());
    let over = Arc::new(AtomicBool::new(false));
    let seed = crate::test_seed();
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let (store, over) = (Arc::clone(&store), Arc::clone(&over));
            tokio::spawn(async move {
                let mut rounds = 0;
                while !over.load(Ordering::Acquire) || rounds == 0 {
                    let (calls, fold) = (Arc::new(AtomicUsize::new(0)), Fold::default());
                    let counted = Arc::clone(&calls);
                    let handler = Counting(fold.clone(), counted);
                    let added = store.add(handler, options().capacity(8));
                    tokio::task::yield_now().await;
                    assert!(added.remove());
                    added.removed(LONG).await.unwrap();
                    let after = calls.load(Ordering::Acquire);
                    tokio::task::yield_now().await;
                    assert_eq!(
                        calls.load(Ordering::Acquire),
                        after,
                        "an event after removal"
                    );
                    assert_eq!(added.stats().panics, 0);
                    rounds += 1;
                }
            })
        })
        .collect();
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut rng = fastrand::Rng::with_seed(seed);
            for event in 0..10_000 {
                if event == 5_000 {
                    store.mark_synced();
                }
                random_change(&store, &mut rng);
                if event % 64 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        })
    };
    writer.await.unwrap();
    over.store(true, Ordering::Release);
    for task in tasks {
        task.await.unwrap();
    }
    caught_up(&store, &steady, &registration).await;
    assert!(registration.has_synced());
    assert_eq!(store.hub.len(), 1);
    store.hub.shutdown(LONG).await.unwrap();
}

struct Counting(Fold, Arc<AtomicUsize>);

impl Handler<Texts> for Counting {
    fn on_add(&self, object: &Seen<Texts>, initial: bool) {
        self.1.fetch_add(1, Ordering::AcqRel);
        self.0.on_add(object, initial);
    }

    fn on_update(&self, old: &Seen<Texts>, new: &Seen<Texts>) {
        self.1.fetch_add(1, Ordering::AcqRel);
        self.0.on_update(old, new);
    }

    fn on_delete(&self, gone: &Tombstone<Texts>) {
        self.1.fetch_add(1, Ordering::AcqRel);
        self.0.on_delete(gone);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c121_random_changes_from_many_tasks_end_with_every_handler_right_and_synced() {
    let store = Store::new();
    let seed = crate::test_seed();
    let mut handlers = Vec::new();
    let mut join = |capacity| {
        let fold = Fold::default();
        let registration = store.add(fold.clone(), options().capacity(capacity));
        handlers.push((fold, registration));
    };
    join(0);
    join(3);
    join(100_000);
    let writers: Vec<_> = (0..8)
        .map(|n| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut rng = fastrand::Rng::with_seed(seed ^ n);
                for event in 0..2_000 {
                    random_change(&store, &mut rng);
                    if event % 32 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            })
        })
        .collect();
    for capacity in [1, 10, 1_024] {
        tokio::task::yield_now().await;
        join(capacity); // while they write
    }
    for writer in writers {
        writer.await.unwrap();
    }
    store.mark_synced();
    for (fold, registration) in &handlers {
        registration.wait_for_sync(LONG).await.unwrap();
        caught_up(&store, fold, registration).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c112_a_handler_added_while_starting_hears_of_each_object_once() {
    for _ in 0..200 {
        let store = Store::new();
        let lists = {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.list(&["a", "b", "c", "d", "e"]) })
        };
        let adds = {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let fold = Fold::default();
                (fold.clone(), store.add(fold, options()))
            })
        };
        lists.await.unwrap();
        let (fold, registration) = adds.await.unwrap();
        registration.wait_for_sync(LONG).await.unwrap();
        let stats = registration.stats();
        assert_eq!((stats.delivered, stats.panics), (5, 0));
        assert_eq!(fold.0.lock().unwrap().len(), 5);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn c120_a_handler_that_hangs_slows_neither_the_store_nor_others() {
    let store = Store::new();
    let (release, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let slow_fold = Fold::default();
    let inner = (slow_fold.clone(), slow_fold.clone(), slow_fold.clone());
    let slow = Funcs::<Texts>::new()
        .on_add(move |object, initial| {
            let _ = gate.lock().unwrap().recv(); // until the sender is dropped
            inner.0.on_add(object, initial);
        })
        .on_update(move |old, new| inner.1.on_update(old, new))
        .on_delete(move |gone| inner.2.on_delete(gone));
    let slow_registration = store.add(slow, options().capacity(4));
    let quick = Fold::default();
    let quick_registration = store.add(quick.clone(), options());
    store.mark_synced();
    store.set("stuck");
    let mut rng = fastrand::Rng::with_seed(crate::test_seed());
    for _ in 0..5_000 {
        random_change(&store, &mut rng);
    }
    quick_registration.wait_for_sync(LONG).await.unwrap();
    caught_up(&store, &quick, &quick_registration).await;
    let stats = slow_registration.stats();
    assert!(stats.delivered <= 2, "it hangs: {stats:?}");
    assert!(
        stats.most_queued <= 4 + 2 * 21,
        "bounded by the keys: {stats:?}"
    );
    assert!(
        stats.merged > 1_000 && stats.dropped_pairs > 0,
        "counted: {stats:?}"
    );

    drop(release);
    caught_up(&store, &slow_fold, &slow_registration).await;
    assert!(slow_fold.0.lock().unwrap().contains_key(&key("stuck")));
}

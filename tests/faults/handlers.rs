//! Handlers over the whole path: late, panicking, slow, resynced.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::core::v1::Pod;
use larder::{Event, Funcs, HandlerOptions, ReflectorOptions, Resync, TypedInformer as _};
use larder_sim::Sim;
use serde_json::json;

use crate::bench::{equal, folded, held, seconds, stored, synced, told};
use crate::support::{SOON, cluster, pod, settle, until};

fn relabel(sim: &Sim, name: &str, value: usize) {
    let patch = json!({"metadata": {"labels": {"value": value.to_string()}}});
    sim.patch("pods", "a", name, &patch).unwrap();
}

fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
}

#[tokio::test(start_paused = true)]
async fn c118_a_late_handler_hears_of_everything_once() {
    let sim = pods(50);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let (early, _) = folded(&informer, HandlerOptions::default());
    let mut late = Vec::new();
    for round in 0..20 {
        relabel(&sim, &format!("p{round}"), round);
        sim.delete_now("pods", "a", &format!("p{}", 30 + round))
            .unwrap();
        late.push(folded(&informer, HandlerOptions::default().capacity(round)));
        if round % 3 == 0 {
            settle().await;
        }
        relabel(&sim, &format!("p{round}"), round + 1);
    }
    equal(&sim, &informer).await;
    for (fold, registration) in &late {
        registration.wait_for_sync(SOON).await.unwrap();
        settle().await;
        assert_eq!(told(fold), held(&sim));
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
    assert_eq!(told(&early), held(&sim));
    assert_eq!(early.wrong(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn c119_a_panicking_handler_syncs_and_the_others_go_on() {
    let sim = pods(10);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let panics = Funcs::new()
        .on_add(|_, _| panic!("add"))
        .on_update(|_, _| panic!("update"))
        .on_delete(|_| panic!("delete"));
    let options = HandlerOptions::default().name("panics");
    let panics = informer.inner().add_handler_with(panics, options).unwrap();
    let (fold, _) = folded(&informer, HandlerOptions::default());
    panics.wait_for_sync(SOON).await.unwrap();
    relabel(&sim, "p0", 1);
    sim.delete_now("pods", "a", "p1").unwrap();
    equal(&sim, &informer).await;
    settle().await;
    assert_eq!(
        panics.stats().panics,
        13,
        "a pod is marked before it is deleted"
    );
    assert_eq!(told(&fold), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn c120_c157_a_reader_that_never_reads_delays_nobody_and_holds_one_change_per_key() {
    let sim = pods(5);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let options = HandlerOptions::default().capacity(3);
    let mut unread = informer.events(options).unwrap();
    while !matches!(unread.next().await.unwrap(), Event::Synced) {}
    let (fold, _) = folded(&informer, HandlerOptions::default());
    for round in 0..2000 {
        relabel(&sim, &format!("p{}", round % 4), round);
        sim.create(pod("a", "brief")).unwrap();
        sim.delete_now("pods", "a", "brief").unwrap();
        if round % 100 == 0 {
            settle().await;
        }
    }
    sim.delete_now("pods", "a", "p4").unwrap();
    equal(&sim, &informer).await;
    settle().await;
    assert_eq!(told(&fold), held(&sim));
    let stats = unread.registration().stats();
    assert!(
        stats.queued <= 3 + 2 * 6 && stats.most_queued <= 3 + 2 * 6,
        "{stats:?}"
    );
    assert!(
        stats.merged > 1000 && stats.dropped_pairs > 1000,
        "{stats:?}"
    );
    let mut last = std::collections::BTreeMap::new();
    while let Ok(Some(event)) = tokio::time::timeout(seconds(1), unread.next()).await {
        match event {
            Event::Add { object, .. } | Event::Update { new: object, .. } => {
                last.insert(object.key().to_string(), Some(object.version().to_string()));
            }
            Event::Delete(gone) => drop(last.insert(gone.key().to_string(), None)),
            _ => {}
        }
    }
    assert_eq!(last.get("a/p4"), Some(&None));
    for (key, version) in held(&sim) {
        assert_eq!(last[&key], Some(version));
    }
}

#[tokio::test(start_paused = true)]
async fn c157_an_object_deleted_before_it_was_read_stalls_nobody() {
    let sim = pods(3);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let mut events = informer.events(HandlerOptions::default()).unwrap();
    for number in 0..3 {
        sim.delete_now("pods", "a", &format!("p{number}")).unwrap();
    }
    equal(&sim, &informer).await;
    let mut seen = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(seconds(1), events.next()).await {
        seen.push(match event {
            Event::Add { object, .. } => {
                let pod: Arc<Pod> = object.object();
                format!("add {}", pod.metadata.name.as_deref().unwrap())
            }
            Event::Delete(gone) => format!("delete {} {}", gone.name(), gone.final_state()),
            Event::Synced => "synced".to_owned(),
            // A pod is marked before it is deleted.
            Event::Update { .. } => continue,
            other => panic!("{other:?}"),
        });
    }
    seen[..3].sort_unstable();
    let expected = [
        "add p0",
        "add p1",
        "add p2",
        "synced",
        "delete p0 true",
        "delete p1 true",
        "delete p2 true",
    ];
    assert_eq!(seen, expected);
}

#[tokio::test(start_paused = true)]
async fn c122_a_resync_tells_of_the_same_state_twice_also_while_the_server_is_away() {
    let sim = pods(4);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let resyncs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&resyncs);
    let handler = Funcs::new().on_update(move |old, new| {
        assert!(old.version() == new.version() && Arc::ptr_eq(&old.object(), &new.object()));
        count.fetch_add(1, Ordering::Relaxed);
    });
    let options = HandlerOptions::default().resync(Resync::Every(seconds(100)));
    let registration = informer.inner().add_handler_with(handler, options).unwrap();
    sim.clear_requests();
    sim.faults().add(larder_sim::Fault::refuse());
    tokio::time::sleep(seconds(89)).await;
    assert_eq!(resyncs.load(Ordering::Relaxed), 0);
    tokio::time::sleep(seconds(22)).await;
    assert_eq!(resyncs.load(Ordering::Relaxed), 4);
    tokio::time::sleep(seconds(1000)).await;
    let stats = registration.stats();
    assert!(
        (9..=12).contains(&stats.resyncs) && stats.panics == 0,
        "{stats:?}"
    );
    assert_eq!(informer.health().relists, 0, "it never lists");
}

#[tokio::test(start_paused = true)]
async fn c114_c117_removed_and_stopped_handlers_hear_nothing_and_leave_nothing_behind() {
    let sim = pods(4);
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let before = alive();
    let marks: Vec<Arc<()>> = (0..20).map(|_| Arc::new(())).collect();
    let registrations: Vec<_> = marks
        .iter()
        .map(|mark| {
            let mark = Arc::clone(mark);
            let handler = Funcs::new().on_add(move |_, _| drop(Arc::clone(&mark)));
            informer.inner().add_handler(handler).unwrap()
        })
        .collect();
    let stream = informer.events(HandlerOptions::default()).unwrap();
    assert_eq!(informer.inner().handler_count(), 21);
    for registration in &registrations {
        assert!(informer.remove_handler(registration) && !registration.remove());
        registration.removed(SOON).await.unwrap();
    }
    drop(stream);
    assert_eq!(informer.inner().handler_count(), 0);
    until("their tasks end", || alive() == before).await;
    assert!(
        marks.iter().all(|mark| Arc::strong_count(mark) == 1),
        "the handlers are dropped"
    );
    let _ = stored(&informer);
}

//! Whoever reads late or never. Handlers in every mode: `tests/conformance/handlers.rs`.

use std::sync::Arc;

use larder::core::v1::Pod;
use larder::{Event, HandlerOptions, ReflectorOptions};
use larder_sim::Sim;
use serde_json::json;

use crate::bench::{equal, folded, held, seconds, synced, told};
use crate::support::{cluster, pod, settle};

fn relabel(sim: &Sim, name: &str, value: usize) {
    let patch = json!({"metadata": {"labels": {"value": value.to_string()}}});
    sim.patch("pods", "a", name, &patch).unwrap();
}

fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
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

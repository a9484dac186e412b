//! Events.

use std::time::Duration;

use larder::core::v1::{PodEventHandler, PodMetadataInformer};
use larder::{Event, Events, HandlerOptions, InformerOptions, Metadata, Seen, Tombstone};
use larder_sim::Sim;
use serde_json::{Value, json};

use crate::fold::Fold;
use crate::representation::{Mode, Pods, json, modes, on_each};
use crate::support::{SOON, client, cluster, pod, settle, until};

on_each! {
    c028_c060_c100_c136_events_keep_order_types_and_content,
    c061_c155_a_missed_delete_brings_the_last_known_object,
    c079_bookmarks_move_the_version,
}

/// What one event says, in a form that is the same for all representations.
fn said<R: Pods>(event: &Event<R>) -> String {
    let object = |seen: &Seen<R>| {
        let shown = json::<R>(&seen.object());
        let (types, labels) = (
            format!("{} {}", shown["apiVersion"], shown["kind"]),
            &shown["metadata"]["labels"],
        );
        assert_eq!(
            shown["metadata"]["resourceVersion"],
            seen.version().to_string()
        );
        assert_eq!(shown["metadata"]["uid"], seen.uid().to_string());
        format!("{}@{} {types} {labels}", seen.key(), seen.version())
    };
    match event {
        Event::Add {
            object: new,
            initial,
        } => format!("add {} initial {initial}", object(new)),
        Event::Update { old, new } => format!("update {} to {}", object(old), object(new)),
        Event::Delete(gone) => {
            let name = (gone.namespace().unwrap(), gone.name());
            assert_eq!(format!("{}/{}", name.0, name.1), gone.key().to_string());
            format!(
                "delete {} final {}",
                object(gone.seen()),
                gone.final_state()
            )
        }
        Event::Synced => "synced".to_owned(),
        _ => "unknown".to_owned(),
    }
}

async fn drained<R: Pods>(events: &mut Events<R>) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(20), events.next()).await
    {
        all.push(said(&event));
    }
    all
}

/// Changes of every kind, one after the other, those of what metadata does not show among them.
fn change(sim: &Sim) -> Vec<Value> {
    let relabel = json!({"metadata": {"labels": {"app": "other"}}});
    let respec =
        json!({"metadata": {"annotations": {"a": "b"}}, "spec": {"activeDeadlineSeconds": 7}});
    let restatus = json!({"spec": {"activeDeadlineSeconds": 6}});
    vec![
        sim.create(pod("a", "new")).unwrap(),
        sim.patch("pods", "a", "new", &relabel).unwrap(),
        sim.patch("pods", "a", "new", &respec).unwrap(),
        sim.patch("pods", "a", "new", &restatus).unwrap(),
        sim.delete_now("pods", "a", "new").unwrap(),
        sim.create(pod("a", "new")).unwrap(),
        sim.delete_now("pods", "a", "old").unwrap(),
    ]
}

async fn heard<R: Pods>(mode: &Mode, sim: &Sim) -> Vec<String> {
    let (_cache, pods) = mode.synced::<R>(sim).await;
    let mut events = pods.events(HandlerOptions::default()).unwrap();
    settle().await;
    change(sim);
    settle().await;
    let heard = drained(&mut events).await;
    assert_eq!(pods.health().relists, 0, "by the watch alone");
    heard
}

async fn c028_c060_c100_c136_events_keep_order_types_and_content<R: Pods>() {
    for mode in modes() {
        let text = &mode.name;
        let sim = cluster([pod("a", "old")]);
        let first = sim.current_version();
        let heard = heard::<R>(&mode, &sim).await;
        let state = |key: &str, step: u64, app: &str| {
            format!(r#"a/{key}@{} "v1" "Pod" {{"app":"{app}"}}"#, first + step)
        };
        let update = |key, step, old, new| {
            format!(
                "update {} to {}",
                state(key, step - 1, old),
                state(key, step, new)
            )
        };
        let mut expected = vec![
            format!("add {} initial true", state("old", 0, "old")),
            "synced".to_owned(),
            format!("add {} initial false", state("new", 1, "new")),
            update("new", 2, "new", "other"),
            update("new", 3, "other", "other"),
            // Of this one metadata shows the version alone.
            update("new", 4, "other", "other"),
            // A pod's deletion begins with a timestamp, even without a grace period.
            update("new", 5, "other", "other"),
            format!("delete {} final true", state("new", 6, "other")),
            format!("add {} initial false", state("new", 7, "new")),
        ];
        let (marked, gone) = (state("old", 8, "old"), state("old", 9, "old"));
        expected.push(format!("update {} to {marked}", state("old", 0, "old")));
        expected.push(format!("delete {gone} final true"));
        assert_eq!(heard, expected, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn c028_all_representations_hear_the_same() {
    use larder::core::v1::pod::Full;
    for mode in modes() {
        let on = async |number: usize| {
            let sim = cluster([pod("a", "old"), pod("b", "other")]);
            let heard = match number {
                0 => heard::<Full>(&mode, &sim).await,
                1 => heard::<Metadata>(&mode, &sim).await,
                _ => heard::<larder::Dynamic>(&mode, &sim).await,
            };
            // Order among initial objects is not promised.
            let (mut initial, rest): (Vec<_>, Vec<_>) = heard
                .into_iter()
                .partition(|line| line.ends_with("initial true"));
            initial.sort();
            (initial, rest)
        };
        let typed = on(0).await;
        assert_eq!(typed, on(1).await, "{}", mode.name);
        assert_eq!(typed, on(2).await, "{}", mode.name);
    }
}

async fn c061_c155_a_missed_delete_brings_the_last_known_object<R: Pods>() {
    for mode in modes() {
        let sim = cluster([pod("a", "gone"), pod("a", "stays")]);
        let (_cache, pods) = mode.synced::<R>(&sim).await;
        let fold = Fold::default();
        pods.add_handler(fold.clone()).unwrap();
        let mut events = pods.events(HandlerOptions::default()).unwrap();
        settle().await;
        drained(&mut events).await;
        sim.change_unseen(|sim| sim.delete_now("pods", "a", "gone").unwrap());
        until("the missed delete", || fold.missed_deletes() == 1).await;
        let heard = drained(&mut events).await;
        assert_eq!(heard.len(), 1, "{}: {heard:?}", mode.name);
        assert!(
            heard[0].starts_with("delete a/gone@"),
            "{}: {heard:?}",
            mode.name
        );
        assert!(
            heard[0].ends_with(r#""v1" "Pod" {"app":"gone"} final false"#),
            "{heard:?}"
        );
        assert_eq!(fold.wrong(), Vec::<String>::new(), "{}", mode.name);
    }
}

async fn c079_bookmarks_move_the_version<R: Pods>() {
    for mode in modes() {
        let sim = cluster([pod("a", "one")]);
        let (_cache, pods) = mode.synced::<R>(&sim).await;
        let passed = sim.advance_version(100).to_string();
        until("a bookmark", || {
            let versions = pods.store().versions();
            versions
                .iter()
                .all(|(_, version)| version.as_ref().unwrap().to_string() == passed)
        })
        .await;
        assert_eq!(pods.health().relists, 0, "{}", mode.name);
        assert_eq!(pods.health().sources[0].broken_events, 0, "{}", mode.name);
    }
}

/// A handler of the kind's own trait, and one of the runtime's that serves all kinds.
#[tokio::test(start_paused = true)]
async fn metadata_reaches_the_kinds_own_handlers() {
    struct Deletions(std::sync::Mutex<Vec<String>>);

    impl PodEventHandler<Metadata> for Deletions {
        fn on_delete(&self, pod: &Tombstone<Metadata>) {
            let last = pod.last_known();
            self.0
                .lock()
                .unwrap()
                .push(format!("{} {}", last.kind(), pod.key()));
        }
    }

    let sim = cluster([pod("a", "one")]);
    let pods = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let deletions = std::sync::Arc::new(Deletions(Default::default()));
    pods.add_handler(std::sync::Arc::clone(&deletions)).unwrap();
    let keys = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let push = std::sync::Arc::clone(&keys);
    pods.add_handler(larder::Keys::new(move |key| {
        push.lock().unwrap().push(key.to_string());
    }))
    .unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    sim.delete_now("pods", "a", "one").unwrap();
    until("the delete", || !deletions.0.lock().unwrap().is_empty()).await;
    assert_eq!(*deletions.0.lock().unwrap(), ["pods a/one"]);
    assert_eq!(
        *keys.lock().unwrap(),
        ["a/one"; 3],
        "add, update with a timestamp, delete"
    );
}

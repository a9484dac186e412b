//! Joining, syncing, leaving, stopping.

use std::sync::Arc;
use std::time::Duration;

use super::{Recorder, SECOND, Store, Texts, options, settle};
use crate::handler::{Event, Funcs, HandlerError, Keys};

#[tokio::test(start_paused = true)]
async fn c104_truth_table_of_synced() {
    // Nothing happened: no.
    let store = Store::new();
    let mut events = store.events(options());
    let registration = events.registration().clone();
    settle().await;
    assert!(!registration.has_synced());

    // Some initial objects delivered: no. All delivered, not known to be all: no.
    store.set("a");
    store.set("b");
    store.mark_synced();
    for name in ["a", "b"] {
        assert!(!registration.has_synced());
        let Some(Event::Add { object, initial }) = events.next().await else {
            panic!("an add of {name}");
        };
        assert_eq!((object.name(), initial), (name, true));
    }
    // All delivered and the next asked for: yes, and only once.
    assert!(!registration.has_synced());
    assert!(matches!(events.next().await, Some(Event::Synced)));
    assert!(registration.has_synced());
    store.mark_synced();
    store.set("c");
    assert!(matches!(
        events.next().await,
        Some(Event::Add { initial: false, .. })
    ));

    // An empty listing: yes.
    let empty = Store::new();
    let registration = empty.add(Recorder::default(), options());
    empty.list(&[]);
    registration.wait_for_sync(SECOND).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c022_has_synced_fires_after_the_initial_objects_were_handled() {
    let store = Store::new();
    let log = Recorder::default();
    let registration = store.add(log.clone(), options());
    store.list(&["a", "b", "c"]);
    assert!(!registration.has_synced(), "the handler has not run yet");
    registration.wait_for_sync(SECOND).await.unwrap();
    assert_eq!(
        log.take(),
        [
            "add a at 1 initial",
            "add b at 2 initial",
            "add c at 3 initial"
        ]
    );
    assert_eq!(
        registration.stats().most_queued,
        0,
        "a listing is walked, not queued"
    );
}

#[tokio::test(start_paused = true)]
async fn c103_a_listing_behind_waiting_events_keeps_their_order() {
    let store = Store::new();
    let mut events = store.events(options());
    store.set("a");
    store.delete("a", true);
    store.list(&["a", "b"]);
    let mut shown = Vec::new();
    while let Some(event) = events.next().await {
        shown.push(match event {
            Event::Add { object, .. } => format!("add {}", object.object()),
            Event::Delete(gone) => format!("delete {}", gone.last_known()),
            Event::Update { new, .. } => format!("update {}", new.object()),
            Event::Synced => break,
        });
    }
    assert_eq!(
        shown,
        ["add a at 1", "delete a at 1", "add a at 2", "add b at 3"]
    );
}

#[tokio::test(start_paused = true)]
async fn c118_a_late_handler_hears_of_all_that_is_there_and_disturbs_nobody() {
    let store = Store::new();
    let early = Recorder::default();
    store.add(early.clone(), options());
    store.list(&["a", "b"]);
    store.set("a");
    settle().await;
    early.take();

    let late = Recorder::default();
    let registration = store.add(late.clone(), options());
    // Before the late one ran: what is there and what follows, each once.
    store.set("b");
    store.delete("a", true);
    store.set("c");
    registration.wait_for_sync(SECOND).await.unwrap();
    settle().await;
    assert_eq!(
        late.take(),
        [
            "add a at 3 initial",
            "add b at 2 initial",
            "update b at 2 to 4",
            "delete a at 3",
            "add c at 5"
        ]
    );
    assert_eq!(
        early.take(),
        ["update b at 2 to 4", "delete a at 3", "add c at 5"]
    );
}

#[tokio::test(start_paused = true)]
async fn c118_a_handler_added_before_the_listing_is_over_syncs_with_it() {
    let store = Store::new();
    store.set("a");
    let late = Recorder::default();
    let registration = store.add(late.clone(), options());
    settle().await;
    assert_eq!(late.take(), ["add a at 1 initial"]);
    assert!(!registration.has_synced());
    store.set("b");
    store.mark_synced();
    registration.wait_for_sync(SECOND).await.unwrap();
    assert_eq!(late.take(), ["add b at 2 initial"]);
}

#[tokio::test(start_paused = true)]
async fn c114_handlers_are_removed_one_by_one_and_none_leaks() {
    let store = Store::new();
    let other = Store::new();
    let alive = Arc::new(());
    let mut registrations = Vec::new();
    for _ in 0..3 {
        let held = Arc::clone(&alive);
        let handler = Keys::new(move |_: &_| assert_eq!(*held, ()));
        registrations.push(store.add(handler, options()));
    }
    let foreign = other.add(Recorder::default(), options());
    assert!(!store.hub.remove(&foreign), "another informer's");
    for (left, registration) in (0..3).rev().zip(&registrations) {
        assert!(registration.remove());
        assert!(!registration.remove(), "repeated");
        assert!(!store.hub.remove(registration), "repeated");
        assert_eq!(store.hub.len(), left);
        registration.removed(SECOND).await.unwrap();
        assert_eq!(Arc::strong_count(&alive), left + 1);
    }
    assert_eq!(other.hub.len(), 1);
    drop(foreign);
    other.set("a");
    settle().await;
    assert_eq!(
        other.hub.len(),
        1,
        "dropping a registration removes nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn c117_after_removal_no_event_arrives() {
    let store = Store::new();
    let log = Recorder::default();
    let registration = store.add(log.clone(), options());
    store.set("a");
    settle().await;
    store.set("b"); // waits
    assert!(store.hub.remove(&registration));
    store.set("c");
    registration.removed(SECOND).await.unwrap();
    settle().await;
    assert_eq!(log.take(), ["add a at 1 initial"]);
    assert_eq!(registration.stats().queued, 0);
}

#[tokio::test(start_paused = true)]
async fn c156_several_tasks_waiting_for_sync_all_wake() {
    let store = Store::new();
    let registration = store.add(Recorder::default(), options());
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let registration = registration.clone();
            tokio::spawn(async move { registration.wait_for_sync(SECOND).await })
        })
        .collect();
    settle().await;
    store.list(&["a"]);
    for task in waiting {
        task.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c140_waits_end_at_their_deadline_and_name_handler_and_kind() {
    let store = Store::new();
    let registration = store.add(Recorder::default(), options().name("quota"));
    let late = registration.wait_for_sync(SECOND).await.unwrap_err();
    assert_eq!(
        late.to_string(),
        "handler \"quota\" of widgets.example.com has not consumed the initial objects within 1s"
    );
    let running = registration.removed(SECOND).await.unwrap_err();
    assert_eq!(
        running.to_string(),
        "handler \"quota\" of widgets.example.com still runs after 1s"
    );
    assert_eq!(
        format!("{registration:?}"),
        "Registration { name: \"quota\", kind: widgets.example.com, has_synced: false, .. }"
    );
}

#[tokio::test(start_paused = true)]
async fn c141_handlers_have_names_and_equal_ones_are_told_apart() {
    let store = Store::new();
    let named = |name: &str| options().name(name);
    let names: Vec<_> = [options(), named("x"), named("x"), named("x"), options()]
        .map(|options| store.add(Recorder::default(), options).name().to_owned())
        .into();
    assert_eq!(names, ["handler-1", "x", "x-2", "x-3", "handler-5"]);
}

#[tokio::test(start_paused = true)]
async fn c116_a_stopped_hub_ends_its_handlers_and_takes_no_more() {
    let store = Store::new();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let registration = store.add(Keys::new(move |_: &_| assert_eq!(*held, ())), options());
    let mut events = store.events(options());
    store.set("a");
    store.hub.shutdown(SECOND).await.unwrap();
    store.hub.shutdown(SECOND).await.unwrap();
    assert_eq!((store.hub.len(), Arc::strong_count(&alive)), (0, 1));
    assert!(events.next().await.is_none());
    assert!(!registration.remove());
    store.set("b"); // nobody hears it
    let refused = store
        .hub
        .add(Box::new(Recorder::default()), options(), None, true)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the informer of widgets.example.com has stopped: no handler can be added to it"
    );
    assert!(store.hub.events(options(), None, true).is_err());
}

#[tokio::test(start_paused = true)]
async fn c114_dropping_the_store_ends_its_handlers() {
    let store = Store::new();
    let registration = store.add(Recorder::default(), options());
    drop(store);
    registration.removed(SECOND).await.unwrap();
    assert!(!registration.remove());
    let unsynced = registration.wait_for_sync(SECOND).await.unwrap_err();
    assert!(matches!(unsynced, HandlerError::Removed { .. }));
}

#[test]
fn c116_the_end_of_the_runtime_counts_as_removal() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let first = runtime();
    let (store, registration) = first.block_on(async {
        let store = Store::new();
        let registration = store.add(Recorder::default(), options());
        (store, registration)
    });
    drop(first);
    runtime().block_on(async {
        store.set("a");
        registration.removed(SECOND).await.unwrap();
        assert_eq!(registration.stats().queued, 0);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c116_shutdown_names_the_handlers_whose_calls_do_not_return() {
    let store = Store::new();
    let (started, has_started) = std::sync::mpsc::channel();
    let (release, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let stuck = Funcs::<Texts>::new().on_add(move |_, _| {
        started.send(()).unwrap();
        let _ = gate.lock().unwrap().recv();
    });
    let registration = store.add(stuck, options().name("stuck"));
    store.add(Recorder::default(), options());
    store.list(&["a", "b"]);
    tokio::task::spawn_blocking(move || has_started.recv().unwrap())
        .await
        .unwrap();
    let deadline = Duration::from_millis(10);
    let late = store.hub.shutdown(deadline).await.unwrap_err();
    assert_eq!(
        late.to_string(),
        "handlers of widgets.example.com still run 10ms after they were stopped: stuck"
    );
    drop(release);
    registration.removed(10 * SECOND).await.unwrap();
    assert_eq!(
        registration.stats().delivered,
        1,
        "the second was never taken"
    );
}

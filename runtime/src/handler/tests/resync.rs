//! Hearing again of what is there.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Recorder, SECOND, Store, Texts, entry, key, options, settle};
use crate::entry::{Change, Entry};
use crate::handler::resync::draw_period;
use crate::handler::{Event, Events, Funcs, Resync};

fn every(seconds: u64) -> crate::handler::HandlerOptions {
    options().resync(Resync::Every(Duration::from_secs(seconds)))
}

#[tokio::test(start_paused = true)]
async fn c110_only_the_handlers_that_are_due_get_a_resync() {
    let store = Store::with_resync(Some(Duration::from_secs(1_000)));
    let logs: [Recorder; 3] = std::array::from_fn(|_| Recorder::default());
    let options = [every(100), options(), options().resync(Resync::Never)];
    let registrations: Vec<_> = logs
        .iter()
        .zip(options)
        .map(|(log, options)| store.add(log.clone(), options))
        .collect();
    store.list(&["a", "b"]);
    settle().await;
    for log in &logs {
        assert_eq!(log.take(), ["add a at 1 initial", "add b at 2 initial"]);
    }

    // Drawn from [90, 110) seconds: once at 111, eight to eleven times up to 999.
    tokio::time::sleep(Duration::from_secs(111)).await;
    assert_eq!(logs[0].take(), ["update a at 1 to 1", "update b at 2 to 2"]);
    tokio::time::sleep(Duration::from_secs(999 - 111)).await;
    assert!((7..=10).contains(&(logs[0].take().len() / 2)));
    assert!(logs[1].take().is_empty(), "the informer's is not due");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(
        logs[1].take().len(),
        2,
        "the informer's period is taken as it is"
    );
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    assert!(logs[2].take().is_empty(), "never stays never");
    let resyncs = registrations.iter().map(|r| r.stats().resyncs);
    let resyncs: Vec<_> = resyncs.collect();
    assert_eq!((resyncs[1], resyncs[2]), (1_001, 0));
    assert!(resyncs[0] > 9_000, "{resyncs:?}");
}

#[tokio::test(start_paused = true)]
async fn c111_a_handler_added_later_keeps_its_own_period() {
    let store = Store::with_resync(None);
    store.list(&["a"]);
    tokio::time::sleep(Duration::from_secs(95)).await;
    let (late, inherits) = (Recorder::default(), Recorder::default());
    store.add(late.clone(), every(100));
    store.add(inherits.clone(), options());
    tokio::time::sleep(Duration::from_secs(89)).await;
    assert_eq!(late.take(), ["add a at 1 initial"]);
    tokio::time::sleep(Duration::from_secs(22)).await;
    assert_eq!(late.take(), ["update a at 1 to 1"]);
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(
        inherits.take(),
        ["add a at 1 initial"],
        "the informer's never"
    );
}

#[tokio::test(start_paused = true)]
async fn c122_a_resync_is_an_update_from_the_object_to_the_same_object() {
    let store = Store::new();
    let same = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&same);
    let handler = Funcs::<Texts>::new().on_update(move |old, new| {
        let equal = old.version() == new.version();
        let shared = Arc::ptr_eq(&old.object(), &new.object());
        sink.lock().unwrap().push((equal, shared));
    });
    store.add(handler, every(10));
    store.list(&["a"]);
    tokio::time::sleep(12 * SECOND).await;
    assert_eq!(*same.lock().unwrap(), [(true, true)]);
}

#[test]
fn c122_periods_are_drawn_from_a_tenth_around_the_base() {
    let mut rng = fastrand::Rng::with_seed(crate::test_seed());
    let mut draw = |seconds: f64| draw_period(Duration::from_secs_f64(seconds), &mut rng);
    let drawn: Vec<_> = (0..1_000).map(|_| draw(36_000.0).unwrap()).collect();
    let low = drawn.iter().min().unwrap().as_secs_f64();
    let high = drawn.iter().max().unwrap().as_secs_f64();
    assert!(low >= 32_400.0 && high < 39_600.0, "{low} to {high}");
    assert!(high - low > 5_000.0, "they do not fire together");

    assert_eq!(draw(0.0), None, "zero is never");
    assert!(
        draw(0.001).unwrap() >= Duration::from_millis(900),
        "not all the time"
    );
    let longest = draw_period(Duration::MAX, &mut rng).unwrap();
    assert!(longest > Duration::from_secs(u64::MAX / 2), "no overflow");
}

#[tokio::test(start_paused = true)]
async fn c122_a_period_without_end_harms_nobody() {
    let store = Store::new();
    let log = Recorder::default();
    store.add(log.clone(), options().resync(Resync::Every(Duration::MAX)));
    store.list(&["a"]);
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(log.take(), ["add a at 1 initial"]);
}

/// A store with objects a to d and a stream that has read them, whose resync is due.
async fn due() -> (Arc<Store>, Events<Texts>) {
    let store = Store::new();
    let mut events = store.events(every(10));
    store.list(&["a", "b", "c", "d"]);
    while !matches!(events.next().await, Some(Event::Synced)) {}
    tokio::time::sleep(12 * SECOND).await;
    (store, events)
}

async fn next(events: &mut Events<Texts>) -> String {
    match events.next().await.unwrap() {
        Event::Add { object, .. } => format!("add {}", object.object()),
        Event::Update { old, new } => format!("update {} to {}", old.object(), new.version()),
        Event::Delete(gone) => format!("delete {}", gone.last_known()),
        Event::Synced => "synced".to_owned(),
    }
}

#[tokio::test(start_paused = true)]
async fn c100_what_waits_goes_before_a_resync_and_nothing_jumps_the_line() {
    let (store, mut events) = due().await;
    store.set("d");
    store.set("e");
    assert_eq!(next(&mut events).await, "update d at 4 to 5");
    assert_eq!(next(&mut events).await, "add e at 6");
    assert_eq!(next(&mut events).await, "update a at 1 to 1");

    // Amid the walk: a change of one that is still to come, and of one that was.
    store.set("b");
    store.set("a");
    assert_eq!(next(&mut events).await, "update b at 2 to 7");
    assert_eq!(next(&mut events).await, "update a at 1 to 8");
    assert_eq!(
        next(&mut events).await,
        "update c at 3 to 3",
        "b is skipped"
    );
    assert_eq!(next(&mut events).await, "update d at 5 to 5");
    assert_eq!(next(&mut events).await, "update e at 6 to 6");
    let early = tokio::time::timeout(8 * SECOND, events.next()).await;
    assert!(early.is_err(), "the walk is over");
    assert_eq!(events.registration().stats().resyncs, 1);
}

#[tokio::test(start_paused = true)]
async fn c102_a_resync_of_an_object_whose_delete_waits_adds_nothing() {
    let (store, mut events) = due().await;
    assert_eq!(next(&mut events).await, "update a at 1 to 1");
    store.delete("b", true);
    store.delete("c", true);
    store.set("c"); // another object
    for expected in ["delete b at 2", "delete c at 3", "add c at 5"] {
        assert_eq!(next(&mut events).await, expected);
    }
    assert_eq!(next(&mut events).await, "update d at 4 to 4");
}

#[tokio::test(start_paused = true)]
async fn c100_a_resync_never_shows_a_state_before_its_change_was_published() {
    let (store, mut events) = due().await;
    assert_eq!(next(&mut events).await, "update a at 1 to 1");
    // Readers see the new state of b, and the store has yet to tell its handlers.
    let (old, new) = {
        let mut state = store.lock();
        let old = state.objects.get(&key("b")).cloned().unwrap();
        let new = Entry {
            uid: old.uid.clone(),
            ..entry("b", 0, 9)
        };
        state.objects.insert(key("b"), new.clone());
        (old, new)
    };
    assert_eq!(next(&mut events).await, "update c at 3 to 3");
    store.hub.publish(&[Change::Update { old, new }]);
    assert_eq!(next(&mut events).await, "update b at 2 to 9");
    assert_eq!(next(&mut events).await, "update d at 4 to 4");
}

#[tokio::test(start_paused = true)]
async fn c122_no_resync_once_the_store_is_gone_or_the_handler_removed() {
    let (store, mut events) = due().await;
    assert_eq!(next(&mut events).await, "update a at 1 to 1");
    drop(store);
    assert!(events.next().await.is_none());

    let store = Store::new();
    let log = Recorder::default();
    let registration = store.add(log.clone(), every(10));
    store.list(&["a"]);
    settle().await;
    registration.remove();
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(log.take(), ["add a at 1 initial"]);
}

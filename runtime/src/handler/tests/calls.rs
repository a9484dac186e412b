//! What reaches a handler's methods: closures, keys, filters, panics.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use super::{Recorder, SECOND, Store, Texts, options, settle};
use crate::handler::{Filtered, Funcs, Handler, HandlerError, Keys, Registration, Seen, Tombstone};

#[tokio::test(start_paused = true)]
async fn c060_create_update_and_delete_reach_closures_with_the_right_objects() {
    let store = Store::new();
    let log = Recorder::default();
    let (a, u, d) = (log.clone(), log.clone(), log.clone());
    let funcs = Funcs::<Texts>::new()
        .on_add(move |object, initial| a.on_add(object, initial))
        .on_update(move |old, new| u.on_update(old, new))
        .on_delete(move |gone| d.on_delete(gone));
    store.add(funcs, options());
    store.add(Funcs::default(), options()); // does nothing, harms nobody
    store.mark_synced();
    store.set("a");
    store.set("a");
    store.delete("a", true);
    settle().await;
    assert_eq!(
        log.take(),
        ["add a at 1", "update a at 1 to 2", "delete a at 2"]
    );
}

#[tokio::test(start_paused = true)]
async fn c061_a_missed_delete_shows_that_the_last_state_is_unknown() {
    let store = Store::new();
    let log = Recorder::default();
    store.add(log.clone(), options());
    store.list(&["a"]);
    store.delete("a", false);
    settle().await;
    assert_eq!(log.take(), ["add a at 1 initial", "delete a at 1 missed"]);
}

#[tokio::test(start_paused = true)]
async fn c062_predicates_filter_each_sort_of_event_and_all_must_pass() {
    let store = Store::new();
    let log = Recorder::default();
    let filtered = Filtered::<Texts, _>::new(log.clone())
        .create(|object| object.name() != "a")
        .create(|object| object.name() != "b")
        .update(|old, new| old.uid() == new.uid())
        .update(|_, new| new.name() != "c")
        .delete(Tombstone::final_state);
    store.add(filtered, options());
    store.add(Filtered::<Texts, _>::new(Keys::new(|_: &_| ())), options());
    for name in ["a", "b", "c", "a", "b", "c"] {
        store.set(name);
    }
    store.delete("a", true);
    store.delete("b", false);
    settle().await;
    assert_eq!(
        log.take(),
        [
            "add c at 3 initial",
            "update a at 1 to 4",
            "update b at 2 to 5",
            "delete a at 4"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn c060_a_handler_of_keys_hears_the_key_of_every_change() {
    let store = Store::new();
    let keys = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&keys);
    let handler: Arc<dyn Handler<Texts>> = Arc::new(Keys::new(move |key: &crate::ObjectKey| {
        sink.lock().unwrap().push(key.to_string());
    }));
    store.add(handler, options());
    store.set("a");
    store.set("a");
    store.set("b");
    store.delete("a", true);
    settle().await;
    assert_eq!(*keys.lock().unwrap(), ["web/a", "web/a", "web/b", "web/a"]);
}

#[tokio::test(start_paused = true)]
async fn c119_a_panicking_handler_goes_on_is_logged_by_name_and_becomes_synced() {
    let logged = Logged::default();
    let _guard = tracing::subscriber::set_default(logged.clone());
    let store = Store::new();
    let (broken, healthy) = (Recorder::default(), Recorder::default());
    let inner = broken.clone();
    let panicking = Funcs::<Texts>::new()
        .on_add(move |object, initial| {
            inner.on_add(object, initial);
            panic!("quotes {}", object.object());
        })
        .on_delete(|_| panic!("again"));
    let broken_registration = store.add(panicking, options().name("quota"));
    let healthy_registration = store.add(healthy.clone(), options());
    store.list(&["a", "b"]);
    for registration in [&broken_registration, &healthy_registration] {
        registration.wait_for_sync(SECOND).await.unwrap();
    }
    store.delete("a", true);
    settle().await;
    assert_eq!(broken.take(), ["add a at 1 initial", "add b at 2 initial"]);
    assert_eq!(healthy.take().len(), 3);
    let stats = broken_registration.stats();
    assert_eq!((stats.panics, stats.delivered), (3, 3));

    let lines = logged.0.lock().unwrap().clone();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].contains("handler=quota") && lines[0].contains("kind=widgets.example.com"),
        "{lines:?}"
    );
    assert!(lines[2].contains("key=web/a"), "{lines:?}");
    assert!(
        !lines.concat().contains("quotes"),
        "no value in a log: {lines:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn c117_a_handler_may_remove_itself_and_hears_no_more() {
    let store = Store::new();
    let log = Recorder::default();
    let own = Arc::new(OnceLock::<Registration>::new());
    let (inner, me) = (log.clone(), Arc::clone(&own));
    let once = Funcs::<Texts>::new().on_add(move |object: &Seen<Texts>, initial| {
        inner.on_add(object, initial);
        assert!(me.get().unwrap().remove());
    });
    own.set(store.add(once, options())).unwrap();
    store.list(&["a", "b"]);
    let registration = own.get().unwrap();
    registration.removed(SECOND).await.unwrap();
    assert_eq!(log.take(), ["add a at 1 initial"]);
    assert_eq!((store.hub.len(), registration.stats().panics), (0, 0));
    let unsynced = registration.wait_for_sync(SECOND).await.unwrap_err();
    assert!(matches!(unsynced, HandlerError::Removed { .. }));
}

#[tokio::test(start_paused = true)]
async fn c120_a_handler_with_a_long_backlog_lets_other_tasks_run() {
    let store = Store::new();
    let names: Vec<_> = (0..10_000).map(|n| format!("n-{n}")).collect();
    let registration = store.add(Recorder::default(), options());
    store.list(&names.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::yield_now().await;
    let delivered = registration.stats().delivered;
    assert!((1..10_000).contains(&delivered), "{delivered} in one go");
    registration.wait_for_sync(SECOND).await.unwrap();
    assert_eq!(registration.stats().delivered, 10_000);
}

/// Collects log lines as `field=value` texts.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl tracing::field::Visit for Line {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn fmt::Debug) {
        self.0 += &format!("{}={value:?} ", field.name());
    }
}

impl tracing::Subscriber for Logged {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

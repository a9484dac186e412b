//! The stream of events.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;

use super::{Recorder, SECOND, Store, options, settle};
use crate::handler::Event;

#[tokio::test(start_paused = true)]
async fn c157_an_unread_stream_is_bounded_and_stalls_nobody() {
    let store = Store::new();
    let mut unread = store.events(options().capacity(2));
    let log = Recorder::default();
    store.add(log.clone(), options());
    store.mark_synced();
    for _ in 0..1_000 {
        store.set("stays");
        store.set("goes");
        store.delete("goes", true);
        settle().await;
    }
    assert_eq!(
        log.take().len(),
        3_000,
        "the other handler heard everything"
    );
    let stats = unread.registration().stats();
    assert!(stats.most_queued <= 4, "{stats:?}");
    assert!(stats.dropped_pairs > 900, "{stats:?}");

    store.delete("stays", true);
    store.set("last");
    let mut present = std::collections::BTreeSet::new();
    while unread.registration().stats().queued > 0 {
        match unread.next().await.unwrap() {
            Event::Add { object, .. } => assert!(present.insert(object.name().to_owned())),
            Event::Update { new, .. } => assert!(present.contains(new.name())),
            Event::Delete(gone) => assert!(present.remove(gone.name())),
            Event::Synced => {}
        }
    }
    assert_eq!(present.into_iter().collect::<Vec<_>>(), ["last"]);
}

#[tokio::test(start_paused = true)]
async fn c157_dropping_a_stream_removes_it() {
    let store = Store::new();
    store.list(&["a"]);
    let events = store.events(options());
    let registration = events.registration().clone();
    assert_eq!(store.hub.len(), 1);
    drop(events);
    assert_eq!(store.hub.len(), 0);
    registration.removed(SECOND).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c117_a_removed_stream_ends_also_amid_a_replay() {
    let store = Store::new();
    store.list(&["a", "b"]);
    let mut events = store.events(options());
    assert!(matches!(events.next().await, Some(Event::Add { .. })));
    let registration = events.registration().clone();
    assert!(registration.remove());
    assert!(events.next().await.is_none());
    registration.removed(SECOND).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c156_a_stream_wakes_whoever_reads_it() {
    let store = Store::new();
    let mut events = store.events(options());
    let reader = tokio::spawn(async move {
        let event = events.next().await.unwrap();
        (event.key().unwrap().to_string(), format!("{event:?}"))
    });
    settle().await;
    store.set("a");
    let (key, shown) = reader.await.unwrap();
    assert_eq!(key, "web/a");
    assert_eq!(
        shown,
        "Add { object: Seen { key: web/a, uid: uid-1, version: 1, .. }, initial: true }"
    );
}

#[test]
fn c157_a_stream_with_resync_may_be_polled_outside_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let store = runtime.block_on(async { Store::with_resync(Some(SECOND)) });
    let mut events = store.events(options());
    store.list(&["a"]);
    let mut poll = || {
        let mut cx = Context::from_waker(Waker::noop());
        Pin::new(&mut events).poll_next(&mut cx)
    };
    assert!(matches!(poll(), Poll::Ready(Some(Event::Add { .. }))));
    assert!(matches!(poll(), Poll::Ready(Some(Event::Synced))));
    assert!(poll().is_pending());
    runtime.block_on(async { tokio::time::sleep(2 * SECOND).await });
    assert!(matches!(poll(), Poll::Ready(Some(Event::Update { .. }))));
    assert!(poll().is_pending());
}

#[test]
fn c157_a_stream_ends_with_the_runtime_of_its_informer() {
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap()
    };
    for resync in [None, Some(SECOND)] {
        let first = runtime();
        let store = first.block_on(async { Store::with_resync(resync) });
        let mut events = store.events(options());
        let mut unread = store.events(options());
        store.list(&["a"]);
        let other = runtime();
        let reader = other.spawn(async move {
            let mut seen = 0;
            while events.next().await.is_some() {
                seen += 1;
            }
            // It stays ended.
            assert!(events.next().await.is_none());
            seen
        });
        drop(first);
        // Whoever waits wakes; what waits is read first.
        assert_eq!(other.block_on(reader).unwrap(), 2);
        other.block_on(async {
            for _ in 0..2 {
                assert!(unread.next().await.is_some());
            }
            assert!(unread.next().await.is_none());
        });
        // One that comes too late is told what is there and ends as well.
        let mut late = store.events(options());
        other.block_on(async {
            assert!(late.next().await.is_some());
            assert!(matches!(late.next().await, Some(Event::Synced)));
            assert!(late.next().await.is_none());
        });
    }
}

//! Handlers that join, leave, lag and end while the store changes.

use std::sync::Arc;

use shuttle::future::block_on;
use shuttle::thread;

use super::cluster::{Feeding, Number, content, store};
use super::ear::Ear;
use super::sync::let_timers_fire;
use super::{LONG, explore};
use crate::handler::{Event, HandlerError, HandlerOptions, Registration, Resync};
use crate::store::Shared;

fn listen(
    store: &Arc<Shared<Number>>,
    options: HandlerOptions,
) -> Result<(Registration, Arc<Ear>), HandlerError> {
    let (handler, ear) = Ear::new(store);
    Ok((store.add_handler(handler, options)?, ear))
}

fn capacity(events: usize) -> HandlerOptions {
    HandlerOptions::default().capacity(events)
}

/// Every kind of change: a listing, updates, a delete with a re-creation after it, and a listing that missed some.
fn changes(feeding: &mut Feeding) {
    feeding.list(&[("x/a", "1", 1), ("x/b", "2", 2)], 2);
    feeding.put(&[("x/a", "1", 3)]);
    feeding.delete(("x/a", "1", 4));
    feeding.put(&[("x/a", "3", 5), ("x/c", "4", 6)]);
    feeding.list(&[("x/a", "3", 5), ("x/b", "5", 8), ("x/d", "6", 7)], 8);
}

fn writing(store: &Arc<Shared<Number>>) -> thread::JoinHandle<()> {
    let mut feeding = Feeding::new(store, 0);
    thread::spawn(move || changes(&mut feeding))
}

/// At most two events of each of the four keys wait above the capacity.
fn check_bound(registration: &Registration, capacity: usize) {
    let most = registration.stats().most_queued;
    assert!(most <= capacity + 8, "{most} waited");
    assert_eq!(registration.stats().panics, 0);
}

#[test]
fn c100_c120_handlers_of_every_capacity_end_with_the_store_and_hear_a_story_without_gaps() {
    explore(|| {
        let store = store();
        let joined = [0, 1, 1024].map(|events| (events, listen(&store, capacity(events)).unwrap()));
        writing(&store).join().unwrap();
        let end = content(&store.state());
        for (events, (registration, ear)) in joined {
            ear.ends_with(&end);
            check_bound(&registration, events);
        }
    });
}

#[test]
fn c118_a_late_handler_loses_and_doubles_nothing_and_earlier_ones_are_undisturbed() {
    explore(|| {
        let store = store();
        let (_, early) = listen(&store, capacity(1024)).unwrap();
        let writer = writing(&store);
        let late = [0, 1024].map(|events| {
            let store = Arc::clone(&store);
            thread::spawn(move || listen(&store, capacity(events)).unwrap())
        });
        let late = late.map(|joining| joining.join().unwrap());
        writer.join().unwrap();
        let end = content(&store.state());
        early.ends_with(&end);
        for (registration, ear) in late {
            block_on(registration.wait_for_sync(LONG)).unwrap();
            ear.ends_with(&end);
            assert_eq!(registration.stats().panics, 0);
        }
    });
}

#[test]
fn c117_c114_after_removal_no_event_arrives_and_one_of_two_removals_counts() {
    explore(|| {
        let store = store();
        let (registration, ear) = listen(&store, capacity(1024)).unwrap();
        let (_, other) = listen(&store, capacity(1024)).unwrap();
        let writer = writing(&store);
        let removals = [(); 2].map(|()| {
            let (registration, ear) = (registration.clone(), Arc::clone(&ear));
            thread::spawn(move || {
                let removed = registration.remove();
                // The one of two that found it gone already may come first, and is as good.
                ear.look(|heard| heard.removed = true);
                removed
            })
        });
        block_on(registration.removed(LONG)).unwrap();
        let calls = ear.look(|heard| {
            assert!(heard.dropped, "the handler outlived its removal");
            assert!(!heard.running, "a call outlived its removal");
            heard.calls
        });
        writer.join().unwrap();
        let removals = removals.map(|removal| removal.join().unwrap());
        assert_eq!(removals.iter().filter(|removed| **removed).count(), 1);
        ear.look(|heard| {
            assert_eq!(heard.calls, calls, "a call after the removal was over");
            // One that was taken before may still be on its way.
            assert!(heard.after_removal <= 1, "{}", heard.after_removal);
        });
        ear.check();
        other.ends_with(&content(&store.state()));
        assert_eq!(store.hub().len(), 1);
    });
}

#[test]
fn c116_shutdown_while_events_are_delivered_joins_every_handler_of_every_moment() {
    explore(|| {
        let store = store();
        let (_, early) = listen(&store, capacity(1024)).unwrap();
        let writer = writing(&store);
        let adder = {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                let (handler, ear) = Ear::new(&store);
                (store.add_handler(handler, capacity(0)), ear)
            })
        };
        let shutdowns = [(); 2].map(|()| {
            let (store, early) = (Arc::clone(&store), Arc::clone(&early));
            thread::spawn(move || {
                block_on(store.hub().shutdown(LONG)).unwrap();
                early.look(|heard| {
                    assert!(heard.dropped && !heard.running, "shut down, yet it lives");
                    heard.calls
                })
            })
        });
        let calls = shutdowns.map(|shutdown| shutdown.join().unwrap());
        let (added, late) = adder.join().unwrap();
        match added {
            Ok(registration) => block_on(registration.removed(LONG)).unwrap(),
            Err(error) => assert!(matches!(error, HandlerError::Stopped { .. })),
        }
        assert!(late.look(|heard| heard.dropped));
        writer.join().unwrap();
        assert_eq!(calls, [early.look(|heard| heard.calls); 2]);
        assert_eq!(store.hub().len(), 0);
        early.check();
        late.check();
    });
}

#[test]
fn c116_a_stream_hears_a_story_without_gaps_and_ends_when_the_informer_stops() {
    explore(|| {
        let store = store();
        let mut events = store.add_stream(capacity(1)).unwrap();
        let registration = events.registration().clone();
        let reader = thread::spawn(move || {
            let (mut synced, mut told) = (0, std::collections::BTreeMap::new());
            while let Some(event) = block_on(events.next()) {
                match event {
                    Event::Add { object, .. } => {
                        let before = told.insert(object.key().clone(), object.object());
                        assert_eq!(before, None);
                    }
                    Event::Update { old, new } => {
                        let before = told.insert(new.key().clone(), new.object());
                        assert_eq!(before, Some(old.object()));
                    }
                    Event::Delete(gone) => assert!(told.remove(gone.key()).is_some()),
                    Event::Synced => synced += 1,
                }
            }
            synced
        });
        writing(&store).join().unwrap();
        let waited = block_on(registration.wait_for_sync(LONG));
        store.hub().stop();
        let synced = reader.join().unwrap();
        assert_eq!((waited, synced), (Ok(()), 1));
        block_on(registration.removed(LONG)).unwrap();
    });
}

#[test]
fn c102_c122_a_resync_amid_changes_tells_only_states_that_were_told_last() {
    explore(|| {
        let_timers_fire(3);
        let store = store();
        let often = capacity(1).resync(Resync::Every(LONG));
        let (registration, ear) = listen(&store, often).unwrap();
        writing(&store).join().unwrap();
        ear.ends_with(&content(&store.state()));
        registration.remove();
        block_on(registration.removed(LONG)).unwrap();
        ear.check();
        let stats = registration.stats();
        assert!(stats.resyncs <= 3 && stats.panics == 0, "{stats:?}");
    });
}

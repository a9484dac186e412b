//! Who waits for a handler's initial objects: nobody sleeps through it, and it is not said too early.

use std::sync::Arc;

use shuttle::future::block_on;
use shuttle::thread;

use super::cluster::{Feeding, content, store, store_of_two};
use super::ear::Ear;
use super::{LONG, explore};
use crate::handler::{HandlerError, HandlerOptions};

#[test]
fn c022_c103_a_handler_has_synced_once_all_sources_first_listings_were_consumed() {
    explore(|| {
        let store = store_of_two();
        let (handler, ear) = Ear::new(&store);
        let options = HandlerOptions::default().capacity(0);
        let registration = store.add_handler(handler, options).unwrap();
        let waiters = [(); 2].map(|()| {
            let (registration, ear) = (registration.clone(), Arc::clone(&ear));
            thread::spawn(move || {
                block_on(registration.wait_for_sync(LONG)).unwrap();
                ear.look(|heard| {
                    assert!(!heard.running, "an initial call had not returned");
                    heard.content()
                })
            })
        });
        let sources = [(0, ("x/a", "1", 1)), (1, ("y/b", "2", 2))].map(|(source, object)| {
            let mut feeding = Feeding::new(&store, source);
            thread::spawn(move || feeding.list(&[object], object.2))
        });
        for waiter in waiters {
            let told = waiter.join().unwrap();
            assert_eq!(told, content(&store.state()), "synced too early");
        }
        for source in sources {
            source.join().unwrap();
        }
        assert!(registration.has_synced());
        ear.check();
    });
}

#[test]
fn c022_whoever_waits_for_a_handler_wakes_when_it_is_removed_unsynced() {
    explore(|| {
        let store = store();
        let (handler, ear) = Ear::new(&store);
        let registration = store
            .add_handler(handler, HandlerOptions::default())
            .unwrap();
        let waiters = [(); 2].map(|()| {
            let registration = registration.clone();
            thread::spawn(move || block_on(registration.wait_for_sync(LONG)))
        });
        let mut feeding = Feeding::new(&store, 0);
        let source = thread::spawn(move || feeding.list(&[("x/a", "1", 1)], 1));
        assert!(registration.remove());
        for waiter in waiters {
            match waiter.join().unwrap() {
                Ok(()) => assert_eq!(ear.look(|heard| heard.calls), 1),
                Err(error) => assert!(matches!(error, HandlerError::Removed { .. })),
            }
        }
        source.join().unwrap();
    });
}

//! The store's publish and read.

use std::sync::Arc;

use shuttle::thread;

use super::cluster::{Content, Feeding, Number, content, store};
use super::explore;
use crate::entry::SourceId;
use crate::store::{Extract, Snapshot, Spec, State, computed};

/// What the store holds at each version of its one source.
fn held_at(version: Option<u64>) -> Content {
    let objects: &[(&str, u64)] = match version {
        None => &[],
        Some(2) => &[("x/a", 1), ("x/b", 2)],
        Some(4) => &[("x/a", 3), ("x/b", 4)],
        Some(6) => &[("x/a", 3), ("y/c", 6)],
        Some(8) => &[("x/a", 3), ("y/d", 8)],
        Some(other) => panic!("version {other} was never published"),
    };
    let objects = objects.iter();
    objects
        .map(|(key, version)| ((*key).to_owned(), *version))
        .collect()
}

fn write(feeding: &mut Feeding) {
    feeding.list(&[("x/a", "1", 1), ("x/b", "2", 2)], 2);
    feeding.put(&[("x/a", "1", 3), ("x/b", "2", 4)]);
    feeding.list(&[("x/a", "1", 3), ("y/c", "3", 6)], 6);
    feeding.list(&[("x/a", "1", 3), ("y/d", "4", 8)], 8);
}

fn version(state: &State<Number>) -> Option<u64> {
    let version = state.version_of(SourceId(0))?;
    Some(version.to_string().parse().unwrap())
}

/// Objects, version, namespaces and lookups by key belong to one moment.
fn check(state: &Arc<State<Number>>) -> Option<u64> {
    let version = version(state);
    let all = content(state);
    assert_eq!(all, held_at(version), "the objects of version {version:?}");
    assert_eq!(state.is_complete(), version.is_some());
    let snapshot = Snapshot::new(Arc::clone(state));
    assert_eq!(snapshot.len(), all.len());
    for namespace in ["x", "y"] {
        let listed = snapshot.namespace(namespace).count();
        let prefix = format!("{namespace}/");
        let there = all.keys().filter(|key| key.starts_with(&prefix)).count();
        assert_eq!(listed, there);
    }
    for (key, version) in all {
        assert_eq!(snapshot.get(&key.parse().unwrap()), Some(version));
    }
    version
}

/// An index answers what a look at each object does.
fn check_index(state: &Arc<State<Number>>, at: usize) {
    let snapshot = Snapshot::new(Arc::clone(state));
    for odd in [0, 1] {
        let mut indexed: Vec<u64> = snapshot.index::<u64>(at).get(&odd).collect();
        indexed.sort_unstable();
        let all = content(state).into_values();
        let mut wanted: Vec<u64> = all.filter(|number| number % 2 == odd).collect();
        wanted.sort_unstable();
        assert_eq!(indexed, wanted, "index {at}");
    }
}

#[test]
fn c106_a_reader_sees_each_state_whole_and_none_twice_changed() {
    explore(|| {
        let store = store();
        let writer = {
            let mut feeding = Feeding::new(&store, 0);
            thread::spawn(move || write(&mut feeding))
        };
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let store = Arc::clone(&store);
                thread::spawn(move || {
                    let mut held = Vec::new();
                    let mut before = None;
                    for _ in 0..3 {
                        let state = store.state();
                        let now = check(&state);
                        assert!(before <= now, "from {before:?} back to {now:?}");
                        before = now;
                        held.push((now, state));
                    }
                    for (version, state) in held {
                        assert_eq!(check(&state), version, "a published state changed");
                    }
                })
            })
            .collect();
        writer.join().unwrap();
        for reader in readers {
            reader.join().unwrap();
        }
        assert_eq!(check(&store.state()), Some(8));
    });
}

#[test]
fn c026_an_index_added_while_all_changes_agrees_with_every_state_since() {
    explore(|| {
        let store = store();
        let writer = {
            let mut feeding = Feeding::new(&store, 0);
            thread::spawn(move || write(&mut feeding))
        };
        let adders: Vec<_> = (0..2)
            .map(|_| {
                let store = Arc::clone(&store);
                thread::spawn(move || {
                    let at =
                        store.add_index(Spec::new(computed(|number: &u64| [number % 2]), false));
                    for _ in 0..2 {
                        let state = store.state();
                        check(&state);
                        check_index(&state, at);
                    }
                    at
                })
            })
            .collect();
        writer.join().unwrap();
        let places: Vec<usize> = adders
            .into_iter()
            .map(|adder| adder.join().unwrap())
            .collect();
        assert_ne!(places[0], places[1]);
        for at in places {
            check_index(&store.state(), at);
        }
    });
}

/// Whether a number is odd, by a path, as a built-in index has one.
struct ByOdd;

impl Extract<Number> for ByOdd {
    type Key = u64;

    fn path(&self) -> Option<&str> {
        Some("odd")
    }

    fn keys(&self, number: &Arc<u64>, emit: &mut dyn FnMut(u64)) {
        emit(**number % 2);
    }
}

#[test]
fn c026_an_index_that_many_use_first_is_made_once_and_agrees_with_every_state_since() {
    explore(|| {
        let store = store();
        let writer = {
            let mut feeding = Feeding::new(&store, 0);
            thread::spawn(move || write(&mut feeding))
        };
        let users: Vec<_> = (0..2)
            .map(|_| {
                let store = Arc::clone(&store);
                thread::spawn(move || {
                    let (at, _) = store.built_in(ByOdd);
                    let state = store.state();
                    check(&state);
                    check_index(&state, at);
                    at
                })
            })
            .collect();
        writer.join().unwrap();
        for user in users {
            assert_eq!(user.join().unwrap(), 0, "made twice");
        }
        let state = store.state();
        check_index(&state, 0);
        assert!(state.index::<u64>(1).is_none());
    });
}

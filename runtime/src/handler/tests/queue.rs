//! The queue alone: each merge rule, and random changes against a model.

use std::collections::{HashMap, HashSet};

use super::{Texts, entry};
use crate::entry::Change;
use crate::handler::queue::{Item, Queue};
use crate::key::ObjectKey;

fn add(name: &str, uid: u64, version: u64) -> Change<Texts> {
    Change::Add {
        new: entry(name, uid, version),
        initial: false,
    }
}

fn update(name: &str, uid: u64, old: u64, new: u64) -> Change<Texts> {
    Change::Update {
        old: entry(name, uid, old),
        new: entry(name, uid, new),
    }
}

fn delete(name: &str, uid: u64, version: u64) -> Change<Texts> {
    Change::Delete {
        last: entry(name, uid, version),
        final_state: true,
    }
}

fn queue(capacity: usize, changes: impl IntoIterator<Item = Change<Texts>>) -> Queue<Texts> {
    let mut queue = Queue::new(capacity);
    for change in changes {
        queue.push(change);
    }
    queue
}

fn show(item: Item<Texts>) -> String {
    match item {
        Item::Change(Change::Add { new, initial }) => {
            let initial = if initial { " initial" } else { "" };
            format!("add {}{initial}", new.stored)
        }
        Item::Change(Change::Update { old, new }) => {
            format!("update {} to {}", old.stored, new.version)
        }
        Item::Change(Change::Delete { last, final_state }) => {
            let missed = if final_state { "" } else { " missed" };
            format!("delete {}{missed}", last.stored)
        }
        Item::Synced => "synced".to_owned(),
    }
}

fn drain(mut queue: Queue<Texts>) -> Vec<String> {
    std::iter::from_fn(|| queue.pop()).map(show).collect()
}

#[test]
fn c100_below_capacity_everything_comes_as_it_was_pushed() {
    let queue = queue(
        4,
        [
            add("a", 1, 1),
            update("a", 1, 1, 2),
            delete("a", 1, 2),
            add("a", 2, 3),
        ],
    );
    let stats = queue.stats();
    assert_eq!((stats.waiting, stats.high_water, stats.merged), (4, 4, 0));
    assert_eq!(
        drain(queue),
        [
            "add a at 1",
            "update a at 1 to 2",
            "delete a at 2",
            "add a at 3"
        ]
    );
}

#[test]
fn c120_a_full_queue_merges_updates_and_keeps_their_place() {
    let initial = Change::Add {
        new: entry("a", 1, 1),
        initial: true,
    };
    let queue = queue(
        2,
        [
            initial,
            update("b", 2, 2, 3),
            update("a", 1, 1, 4),
            update("b", 2, 3, 5),
            update("a", 1, 4, 6),
        ],
    );
    assert_eq!((queue.stats().waiting, queue.stats().merged), (2, 3));
    assert_eq!(drain(queue), ["add a at 6 initial", "update b at 2 to 5"]);
}

#[test]
fn c120_an_add_and_its_delete_vanish_with_all_between_them() {
    let queue = queue(
        3,
        [
            add("a", 1, 1),
            update("a", 1, 1, 2),
            update("a", 1, 2, 3),
            delete("a", 1, 4),
        ],
    );
    let stats = queue.stats();
    assert_eq!(
        (stats.waiting, stats.dropped_pairs, stats.merged),
        (0, 1, 2)
    );
    assert_eq!(drain(queue), Vec::<String>::new());
}

#[test]
fn c120_a_delete_stays_once_the_add_was_given() {
    let mut queue = queue(1, [add("a", 1, 1), update("a", 1, 1, 2)]);
    assert_eq!(queue.pop().map(show).unwrap(), "add a at 2");
    queue.push(update("a", 1, 2, 3));
    queue.push(Change::Delete {
        last: entry("a", 1, 4),
        final_state: false,
    });
    assert_eq!(queue.stats().merged, 2);
    assert_eq!(drain(queue), ["delete a at 4 missed"]);
}

#[test]
fn c101_a_new_object_after_a_waiting_delete_stays_a_delete_and_an_add() {
    let mut queue = queue(0, [delete("a", 1, 1), add("a", 2, 2), update("a", 2, 2, 3)]);
    // The new object came and went unheard of; the old one's delete is still owed.
    queue.push(delete("a", 2, 4));
    assert_eq!(queue.stats().dropped_pairs, 1);
    queue.push(add("a", 3, 5));
    assert_eq!(drain(queue), ["delete a at 1", "add a at 5"]);
}

#[test]
fn c105_a_full_queue_keeps_order_and_holds_each_key_once() {
    let names = ["a", "b", "c"];
    let mut queue = queue(0, names.map(|name| update(name, 1, 0, 1)));
    for version in 1..20 {
        for name in names {
            queue.push(update(name, 1, version, version + 1));
        }
    }
    let expected = names.map(|name| format!("update {name} at 0 to 20"));
    assert_eq!(drain(queue), expected);
}

#[test]
fn c103_the_sync_marker_stays_behind_what_came_before_it() {
    let mut queue = queue(1, [add("a", 1, 1)]);
    queue.push_synced();
    queue.push(update("a", 1, 1, 2));
    queue.push(add("b", 2, 3));
    assert_eq!(drain(queue), ["add a at 2", "synced", "add b at 3"]);
}

#[test]
fn c120_objects_that_come_and_go_take_no_room_in_a_full_queue() {
    let mut queue = queue(1, [update("stuck", 1, 0, 1)]);
    for number in 0..100_000 {
        let name = format!("job-{number}");
        queue.push(add(&name, number, 2));
        queue.push(delete(&name, number, 2));
        assert_eq!(queue.stats().waiting, 1);
    }
    assert!(queue.slots() < 100, "{} slots", queue.slots());
    assert_eq!(queue.stats().dropped_pairs, 100_000);
    assert_eq!(drain(queue), ["update stuck at 0 to 1"]);
}

#[test]
fn c120_the_room_of_a_burst_is_given_back() {
    let mut queue = queue(4, (0..10_000).map(|n| add(&format!("n-{n}"), n, 1)));
    assert_eq!(queue.stats().waiting, 10_000);
    while queue.pop().is_some() {}
    assert!(queue.room() < 100, "{} slots of room", queue.room());
    queue.push(add("a", 1, 1));
    assert_eq!(
        (queue.stats().waiting, queue.stats().high_water),
        (1, 10_000)
    );
}

/// The state of an object as the model knows it: uid and version.
type Known = (u64, u64);

struct Model {
    rng: fastrand::Rng,
    queue: Queue<Texts>,
    capacity: usize,
    keys: Vec<String>,
    store: HashMap<ObjectKey, Known>,
    /// What the handler knows from what it was given.
    view: HashMap<ObjectKey, Known>,
    /// Every state that ever was.
    real: HashSet<(ObjectKey, Known)>,
    /// What the store held when the marker was pushed.
    marked: Option<HashMap<ObjectKey, Known>>,
    version: u64,
    pushed: u64,
    popped: u64,
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let capacity = rng.usize(0..6);
        let keys = (0..rng.usize(1..6)).map(|n| format!("k{n}")).collect();
        Self {
            rng,
            queue: Queue::new(capacity),
            capacity,
            keys,
            store: HashMap::new(),
            view: HashMap::new(),
            real: HashSet::new(),
            marked: None,
            version: 0,
            pushed: 0,
            popped: 0,
        }
    }

    fn change(&mut self) {
        let name = self.keys[self.rng.usize(..self.keys.len())].clone();
        let key = super::key(&name);
        self.version += 1;
        let version = self.version;
        let change = match self.store.get(&key).copied() {
            None => {
                self.store.insert(key.clone(), (version, version));
                self.real.insert((key, (version, version)));
                add(&name, version, version)
            }
            Some((uid, old)) if self.rng.u8(..) < 90 => {
                self.store.remove(&key);
                let last = if self.rng.bool() { version } else { old };
                self.real.insert((key, (uid, last)));
                delete(&name, uid, last)
            }
            Some((uid, old)) => {
                self.store.insert(key.clone(), (uid, version));
                self.real.insert((key, (uid, version)));
                update(&name, uid, old, version)
            }
        };
        self.queue.push(change);
        self.pushed += 1;
        let bound = self.capacity + 2 * self.keys.len();
        assert!(
            self.queue.stats().waiting <= bound,
            "more than {bound} wait"
        );
    }

    /// Takes one item and checks it against what the handler knows.
    fn deliver(&mut self) -> bool {
        let (listed, waiting) = (self.queue.listed(), self.queue.stats().waiting);
        assert!(
            listed <= Some(waiting),
            "{listed:?} keys of {waiting} events"
        );
        let Some(item) = self.queue.pop() else {
            return false;
        };
        match item {
            Item::Synced => return self.check_synced(),
            Item::Change(change) => self.apply(&change),
        }
        self.popped += 1;
        true
    }

    fn apply(&mut self, change: &Change<Texts>) {
        let key = change.key().clone();
        let known = |uid: &str, version: &str| -> Known {
            let uid = uid.strip_prefix("uid-").unwrap();
            (uid.parse().unwrap(), version.parse().unwrap())
        };
        let state = |e: &crate::entry::Entry<_>| known(&e.uid.to_string(), &e.version.to_string());
        let before = self.view.get(&key).copied();
        let (shown, after) = match change {
            Change::Add { new, .. } => {
                assert_eq!(before, None, "an add of what is there");
                (state(new), Some(state(new)))
            }
            Change::Update { old, new } => {
                assert_eq!(before, Some(state(old)), "old is what was given last");
                assert_eq!(state(old).0, state(new).0, "an update is of one object");
                assert!(state(old).1 < state(new).1, "states come in order");
                (state(new), Some(state(new)))
            }
            Change::Delete { last, .. } => {
                let (uid, version) = before.expect("a delete of what is not there");
                assert_eq!(uid, state(last).0, "the delete of another object");
                assert!(version <= state(last).1, "states come in order");
                (state(last), None)
            }
        };
        assert!(
            self.real.contains(&(key.clone(), shown)),
            "a state that never was"
        );
        match after {
            Some(after) => self.view.insert(key, after),
            None => self.view.remove(&key),
        };
    }

    fn check_synced(&mut self) -> bool {
        let marked = self.marked.as_ref().expect("a marker that nobody pushed");
        for (key, (uid, _)) in marked {
            if self.store.get(key).is_some_and(|now| now.0 == *uid) {
                assert_eq!(
                    self.view.get(key).map(|v| v.0),
                    Some(*uid),
                    "synced too early"
                );
            }
        }
        true
    }

    fn run(mut self) {
        let readiness = self.rng.u8(..);
        let marked_at = self.rng.usize(..200);
        for step in 0..200 {
            if step == marked_at {
                self.queue.push_synced();
                self.marked = Some(self.store.clone());
            }
            if self.rng.u8(..) < readiness {
                self.deliver();
            } else {
                self.change();
            }
        }
        while self.deliver() {}
        assert!(self.queue.is_empty());
        assert_eq!(self.queue.listed(), None);
        assert_eq!(self.view, self.store, "the last state always arrives");
        let stats = self.queue.stats();
        let gone = stats.merged + 2 * stats.dropped_pairs;
        assert_eq!((stats.waiting, self.popped + gone), (0, self.pushed));
    }
}

#[test]
fn c100_random_changes_folded_give_the_store_and_a_subsequence_of_the_real_states() {
    let mut seeds = fastrand::Rng::with_seed(crate::test_seed());
    for _ in 0..2_000 {
        Model::new(seeds.u64(..)).run();
    }
}

#[test]
fn c120_a_waiting_event_takes_the_room_that_the_options_say() {
    let room = Queue::<Texts>::SLOT;
    assert!((150..=220).contains(&room), "{room} bytes");
}

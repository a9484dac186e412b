//! The store through its sink: what readers see and what handlers hear, against a model.

mod indexes;
mod sparse;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::source::Source;
use super::{Coverage, Extract, Shared, Snapshot, Spec};
use crate::decode::{RawBuffer, RawObject};
use crate::entry::SourceId;
use crate::handler::{Handler, HandlerOptions, Seen, Tombstone};
use crate::identity::ResourceVersion;
use crate::kept::{Kept, StoreError, Transform, TransformError};
use crate::key::ObjectKey;
use crate::kind::{Kind, Scope};
use crate::observe::Observed;
use crate::sink::Sink;

/// Keeps the JSON text; refuses objects that say `"bad"`. Counts in its transform, which takes a counter as its object.
pub(super) enum Text {}

impl Kept for Text {
    type Object = usize;
    type Stored = Arc<str>;
    type Read = Arc<str>;

    fn store(raw: &RawObject<'_>, transform: &Transform<usize>) -> Result<Arc<str>, StoreError> {
        transform.apply(&mut 0)?;
        let text = String::from_utf8_lossy(raw.bytes()).into_owned();
        match text.contains("bad") {
            true => Err(TransformError::new("bad").into()),
            false => Ok(text.into()),
        }
    }

    fn read(stored: &Arc<str>) -> Arc<str> {
        Arc::clone(stored)
    }
}

pub(super) fn object(key: &str, uid: &str, version: u64, body: &str) -> RawBuffer {
    let key: ObjectKey = key.parse().unwrap();
    let namespace = key
        .namespace()
        .map_or_else(String::new, |ns| format!(r#""namespace":"{ns}","#));
    let name = key.name();
    let text = format!(
        r#"{{"metadata":{{{namespace}"name":"{name}","uid":"{uid}","resourceVersion":"{version}"}},"body":"{body}"}}"#
    );
    RawBuffer::new(text).unwrap()
}

pub(super) fn version(number: u64) -> ResourceVersion {
    ResourceVersion::new(&number.to_string())
}

/// What a handler was told, in words, and the fold of it.
#[derive(Default)]
pub(super) struct Told {
    words: Vec<String>,
    fold: BTreeMap<ObjectKey, String>,
}

#[derive(Clone, Default)]
pub(super) struct Teller(Arc<Mutex<Told>>);

impl Teller {
    pub(super) fn words(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().words)
    }

    fn note(&self, word: String) {
        self.0.lock().unwrap().words.push(word);
    }
}

impl Handler<Text> for Teller {
    fn on_add(&self, new: &Seen<Text>, initial: bool) {
        self.note(format!(
            "{} {}@{}",
            if initial { "initial" } else { "add" },
            new.key(),
            new.version()
        ));
        let before = self
            .0
            .lock()
            .unwrap()
            .fold
            .insert(new.key().clone(), new.object().to_string());
        assert_eq!(before, None, "an add of {} that was there", new.key());
    }

    fn on_update(&self, old: &Seen<Text>, new: &Seen<Text>) {
        self.note(format!(
            "update {}@{}->{}",
            new.key(),
            old.version(),
            new.version()
        ));
        let before = self
            .0
            .lock()
            .unwrap()
            .fold
            .insert(new.key().clone(), new.object().to_string());
        assert_eq!(
            before.as_deref(),
            Some(&*old.object()),
            "old is not what was told last"
        );
        assert_eq!(old.uid(), new.uid());
    }

    fn on_delete(&self, gone: &Tombstone<Text>) {
        let how = if gone.final_state() {
            "delete"
        } else {
            "missed"
        };
        self.note(format!("{how} {}@{}", gone.key(), gone.version()));
        let before = self.0.lock().unwrap().fold.remove(gone.key());
        assert!(
            before.is_some(),
            "a delete of {} that was not there",
            gone.key()
        );
    }
}

struct Setup {
    shared: Arc<Shared<Text>>,
    source: Source<Text>,
    decoded: Arc<AtomicUsize>,
}

fn setup() -> Setup {
    let kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
    let runtime = tokio::runtime::Handle::current();
    let shared = Shared::<Text>::new(
        "pods".into(),
        Observed::alone(&kind),
        Coverage::new([(SourceId(0), None)], BTreeSet::new()),
        None,
        runtime,
    );
    let decoded = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&decoded);
    let transform = Transform::new(move |_: &mut usize| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let source = Source::new(Arc::clone(&shared), SourceId(0), transform);
    Setup {
        shared,
        source,
        decoded,
    }
}

impl Setup {
    fn listing(&mut self, objects: &[RawBuffer], at: u64) {
        self.source.begin();
        for object in objects {
            self.source.stage(&object.raw());
        }
        self.source.commit(version(at));
    }

    fn upsert(&mut self, object: &RawBuffer) {
        self.source.upsert(&object.raw());
        self.source.flush();
    }

    fn delete(&mut self, object: &RawBuffer) {
        self.source.delete(&object.raw());
        self.source.flush();
    }

    fn snapshot(&self) -> Snapshot<Text> {
        Snapshot::new(self.shared.state())
    }

    fn text(&self, key: &str) -> Option<Arc<str>> {
        self.snapshot().get(&key.parse().unwrap())
    }

    fn handler(&self, options: HandlerOptions) -> Teller {
        let teller = Teller::default();
        self.shared
            .add_handler(Box::new(teller.clone()), options)
            .unwrap();
        teller
    }
}

/// Lets the handlers' tasks run until nothing is left to do.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn c106_a_replace_is_one_step_and_deletes_come_first() {
    let mut setup = setup();
    let teller = setup.handler(HandlerOptions::default());
    setup.listing(
        &[
            object("a/x", "1", 1, ""),
            object("a/y", "2", 2, ""),
            object("b/z", "3", 3, ""),
        ],
        3,
    );
    settle().await;
    let mut words = teller.words();
    words.sort();
    assert_eq!(words, ["initial a/x@1", "initial a/y@2", "initial b/z@3"]);

    let before = setup.snapshot();
    setup.listing(
        &[
            object("c/new", "4", 5, ""),
            object("a/y", "2", 6, ""),
            object("b/z", "9", 7, ""),
        ],
        7,
    );
    settle().await;
    let words = teller.words();
    let (deletes, others) = words.split_at(2);
    assert!(
        deletes.contains(&"missed a/x@1".to_owned()),
        "c155: {words:?}"
    );
    assert!(
        deletes.contains(&"missed b/z@3".to_owned()),
        "another uid is another object: {words:?}"
    );
    assert_eq!(others, ["add c/new@5", "update a/y@2->6", "add b/z@7"]);
    assert_eq!(
        (before.len(), setup.snapshot().len()),
        (3, 3),
        "a snapshot never changes"
    );
    assert!(before.get(&"a/x".parse().unwrap()).is_some());
    assert_eq!(
        setup.shared.state().version_of(SourceId(0)),
        Some(&version(7))
    );
}

/// Sizes without which an informer of a big cluster cannot be thought of; `LARDER_OBJECTS` asks for more.
#[tokio::test(start_paused = true)]
async fn c135_listing_everything_a_part_and_nothing_of_very_many() {
    let count = match std::env::var("LARDER_OBJECTS") {
        Ok(count) => count.parse().expect("LARDER_OBJECTS is a number"),
        Err(_) => 100_000,
    };
    let mut setup = setup();
    let index = Arc::clone(&setup.shared).add_index(Spec::new(Words, false));
    setup.source.begin();
    for at in 0..count {
        let key = format!("n{}/p{at}", at % 10);
        let object = object(&key, &at.to_string(), at, &(at % 1_000).to_string());
        setup.source.stage(&object.raw());
    }
    setup.source.commit(version(count));

    let snapshot = setup.snapshot();
    assert_eq!(snapshot.len() as u64, count);
    let distinct: BTreeSet<Arc<str>> = snapshot.list().collect();
    assert_eq!(distinct.len() as u64, count, "each once");
    assert_eq!(snapshot.namespace("n3").count() as u64, count / 10);
    assert_eq!(snapshot.namespace("elsewhere").count(), 0);
    let part = snapshot.index::<String>(index).get("42");
    assert_eq!(part.count() as u64, count / 1_000);
    assert_eq!(snapshot.index::<String>(index).get("none").count(), 0);

    // Everything goes in one step; who reads the old state still has all of it.
    setup.listing(&[], count + 1);
    assert_eq!(setup.snapshot().list().count(), 0);
    assert_eq!(snapshot.list().count() as u64, count);
}

#[tokio::test(start_paused = true)]
async fn c159_a_relist_without_changes_decodes_nothing_reuses_all_and_tells_nobody() {
    let mut setup = setup();
    let objects: Vec<_> = (0..200)
        .map(|at| object(&format!("n/p{at}"), &at.to_string(), at, ""))
        .collect();
    setup.listing(&objects, 200);
    let teller = setup.handler(HandlerOptions::default());
    settle().await;
    teller.words();
    let (before, decoded) = (setup.snapshot(), setup.decoded.load(Ordering::Relaxed));
    assert_eq!(
        decoded, 200,
        "c053: a transform runs once per received object"
    );

    setup.listing(&objects, 300);
    settle().await;
    assert_eq!(setup.decoded.load(Ordering::Relaxed), decoded);
    assert_eq!(teller.words(), [""; 0]);
    for (one, other) in before.list().zip(setup.snapshot().list()) {
        assert!(Arc::ptr_eq(&one, &other), "c008");
    }
    assert_eq!(
        setup.shared.state().version_of(SourceId(0)),
        Some(&version(300))
    );
}

#[tokio::test(start_paused = true)]
async fn c150_an_object_that_is_not_stored_harms_nobody() {
    let mut setup = setup();
    setup.listing(
        &[object("a/x", "1", 1, "good"), object("a/y", "2", 2, "bad")],
        2,
    );
    assert_eq!(setup.snapshot().len(), 1, "its page is stored without it");
    assert_eq!(setup.shared.undecodable(), 1);
    let failure = setup.shared.last_undecodable().unwrap();
    assert_eq!(failure.key, Some("a/y".parse().unwrap()));

    let teller = setup.handler(HandlerOptions::default());
    settle().await;
    teller.words();
    setup.upsert(&object("a/x", "1", 3, "bad"));
    assert!(
        setup.text("a/x").unwrap().contains("good"),
        "the last good state stays"
    );
    assert_eq!(
        setup.shared.state().version_of(SourceId(0)),
        Some(&version(3))
    );
    setup.listing(&[object("a/x", "1", 3, "bad")], 4);
    assert!(
        setup.text("a/x").unwrap().contains("good"),
        "also across a relist"
    );
    settle().await;
    assert_eq!(teller.words(), [""; 0]);

    setup.delete(&object("a/x", "1", 5, "bad"));
    settle().await;
    assert_eq!(
        teller.words(),
        ["missed a/x@1"],
        "its delete applies, with the last state known"
    );

    setup.upsert(&object("a/z", "5", 6, "good"));
    setup.upsert(&object("a/z", "6", 7, "bad"));
    settle().await;
    assert_eq!(
        teller.words(),
        ["add a/z@6", "missed a/z@6"],
        "another object's state does not stay"
    );
    setup.upsert(&object("a/w", "7", 8, "good"));
    setup.listing(&[object("a/w", "8", 9, "bad")], 9);
    assert!(setup.snapshot().is_empty(), "nor across a relist");
}

#[tokio::test(start_paused = true)]
async fn an_object_without_a_name_is_counted() {
    let mut setup = setup();
    let nameless = RawBuffer::new(r#"{"metadata":{"uid":"1"}}"#).unwrap();
    setup.listing(&[nameless, object("a/x", "1", 1, "")], 1);
    assert_eq!((setup.snapshot().len(), setup.shared.undecodable()), (1, 1));
    assert_eq!(setup.shared.last_undecodable().unwrap().key, None);
}

#[tokio::test(start_paused = true)]
async fn c054_a_transform_that_panics_rejects_one_object() {
    let setup = setup();
    let transform = Transform::new(|_: &mut usize| panic!("a user's mistake"));
    let mut source = Source::new(Arc::clone(&setup.shared), SourceId(0), transform);
    source.begin();
    source.stage(&object("a/x", "1", 1, "").raw());
    source.commit(version(1));
    assert_eq!((setup.snapshot().len(), setup.shared.undecodable()), (0, 1));
    assert!(setup.shared.has_synced());
}

#[tokio::test(start_paused = true)]
async fn c060_c082_watch_events_are_applied_in_order_and_a_repeated_one_is_not_told_again() {
    let mut setup = setup();
    setup.listing(&[], 1);
    assert!(
        setup.shared.has_synced(),
        "c104: an empty listing is a listing"
    );
    let teller = setup.handler(HandlerOptions::default());
    for object in [
        object("a/x", "1", 2, ""),
        object("a/x", "1", 2, ""),
        object("a/x", "1", 3, ""),
    ] {
        setup.upsert(&object);
    }
    setup.delete(&object("a/x", "1", 4, "last words"));
    setup.upsert(&object("a/x", "2", 5, ""));
    setup.upsert(&object("a/x", "3", 6, ""));
    settle().await;
    let expected = [
        "add a/x@2",
        "update a/x@2->3",
        "delete a/x@4",
        "add a/x@5",
        "missed a/x@5",
        "add a/x@6",
    ];
    assert_eq!(teller.words(), expected);
    setup.source.bookmark(version(9));
    setup.source.flush();
    assert_eq!(
        setup.shared.state().version_of(SourceId(0)),
        Some(&version(9)),
        "c079"
    );
}

#[tokio::test(start_paused = true)]
async fn c090_changes_before_a_streaming_lists_end_count_and_are_not_seen_before_it() {
    let mut setup = setup();
    setup.listing(
        &[object("a/kept", "1", 1, ""), object("a/gone", "2", 2, "")],
        2,
    );
    let source = &mut setup.source;
    source.begin();
    source.stage(&object("a/kept", "1", 1, "").raw());
    source.stage(&object("a/gone", "2", 2, "").raw());
    source.stage(&object("a/new", "3", 3, "old").raw());
    source.stage(&object("a/new", "3", 4, "newer").raw());
    source.unstage(&object("a/gone", "2", 5, "").raw());
    source.stage(&object("a/brief", "4", 6, "").raw());
    source.unstage(&object("a/brief", "4", 7, "").raw());
    assert_eq!(setup.snapshot().len(), 2, "nothing is seen before the end");
    setup.source.commit(version(8));
    let keys: Vec<_> = setup
        .snapshot()
        .list()
        .keys()
        .map(|key| key.to_string())
        .collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(setup.text("a/kept").is_some());
    assert!(setup.text("a/new").unwrap().contains("newer"));

    setup.source.begin();
    setup.source.stage(&object("a/other", "9", 9, "").raw());
    setup.source.abandon();
    setup.listing(&[object("a/kept", "1", 1, "")], 10);
    assert_eq!(
        setup.snapshot().len(),
        1,
        "a listing that failed leaves nothing behind"
    );
}

/// Several keys per object: the words of its body.
struct Words;

impl Extract<Text> for Words {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("body")
    }

    fn keys(&self, stored: &Arc<str>, emit: &mut dyn FnMut(String)) {
        let body = stored
            .split(r#""body":""#)
            .nth(1)
            .unwrap_or_default()
            .trim_end_matches("\"}");
        assert!(!body.contains("panic"), "an extractor's mistake");
        body.split_whitespace().map(str::to_owned).for_each(emit);
    }
}

#[tokio::test(start_paused = true)]
async fn c131_c132_an_index_follows_its_objects() {
    let mut setup = setup();
    setup.listing(
        &[
            object("a/x", "1", 1, "red blue red"),
            object("a/y", "2", 2, "blue"),
        ],
        2,
    );
    let at = setup.shared.add_index(Spec::new(Words, false));
    let names = |setup: &Setup, value: &str| {
        let mut keys: Vec<_> = setup
            .snapshot()
            .index::<String>(at)
            .get(value)
            .keys()
            .map(|key| key.name().to_owned())
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(
        names(&setup, "blue"),
        ["x", "y"],
        "c026: filled from what is there"
    );
    assert_eq!(names(&setup, "red"), ["x"]);
    assert_eq!(names(&setup, "green"), [""; 0]);
    let before = setup.snapshot();
    setup.upsert(&object("a/x", "1", 3, "green blue"));
    assert_eq!(
        (names(&setup, "red").len(), names(&setup, "green")),
        (0, vec!["x".to_owned()])
    );
    assert_eq!(
        before.index::<String>(at).get("red").count(),
        1,
        "an index is part of its snapshot"
    );
    assert_eq!(
        setup.snapshot().index::<String>(at).values(),
        [("blue".to_owned(), 2), ("green".to_owned(), 1)],
        "c027, c132"
    );
    setup.delete(&object("a/y", "2", 4, ""));
    assert_eq!(names(&setup, "blue"), ["x"]);
    setup.upsert(&object("a/x", "1", 5, "panic"));
    assert_eq!(
        setup.snapshot().index::<String>(at).values(),
        [],
        "an extractor's panic is no key"
    );
}

#[tokio::test(start_paused = true)]
async fn c121_random_histories_end_with_the_servers_state_in_store_indexes_and_handlers() {
    let seed = crate::test_seed();
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..20 {
        let mut setup = setup();
        let capacity = random.usize(0..8);
        let mut tellers = vec![setup.handler(HandlerOptions::default().capacity(capacity))];
        setup.listing(&[], 0);
        let index = setup.shared.add_index(Spec::new(Words, false));
        let mut model: BTreeMap<String, (u64, u64, String)> = BTreeMap::new();
        for now in 1..400u64 {
            let key = format!("n{}/p{}", random.u8(..3), random.u8(..8));
            let body = format!("w{} w{}", random.u8(..5), random.u8(..5));
            match (random.u8(..10), model.get(&key).cloned()) {
                (0..6, Some((uid, _, _))) => {
                    setup
                        .source
                        .upsert(&object(&key, &uid.to_string(), now, &body).raw());
                    model.insert(key, (uid, now, body));
                }
                (0..6, None) => {
                    setup
                        .source
                        .upsert(&object(&key, &now.to_string(), now, &body).raw());
                    model.insert(key, (now, now, body));
                }
                (6..8, Some((uid, _, _))) => {
                    setup
                        .source
                        .delete(&object(&key, &uid.to_string(), now, &body).raw());
                    model.remove(&key);
                }
                (8, _) => setup.source.flush(),
                (9, _) if random.u8(..8) == 0 => {
                    setup.source.flush();
                    // Changes that the watch missed.
                    model.retain(|_, _| random.u8(..4) > 0);
                    for (uid, at, _) in model.values_mut() {
                        if random.u8(..4) == 0 {
                            (*uid, *at) = (now, now);
                        }
                    }
                    let listed: Vec<_> = model
                        .iter()
                        .map(|(key, (uid, at, body))| object(key, &uid.to_string(), *at, body))
                        .collect();
                    setup.listing(&listed, now);
                    tellers.push(setup.handler(HandlerOptions::default().capacity(capacity)));
                }
                _ => settle().await,
            }
        }
        setup.source.flush();
        settle().await;
        let snapshot = setup.snapshot();
        assert_eq!(snapshot.len(), model.len(), "seed {seed}");
        for (key, (_, at, body)) in &model {
            let text = setup
                .text(key)
                .unwrap_or_else(|| panic!("{key} is missing, seed {seed}"));
            assert!(
                text.contains(&format!(r#""{at}""#)) && text.contains(body),
                "seed {seed}"
            );
            let word = body.split(' ').next().unwrap_or_default();
            let mut found = snapshot.index::<String>(index).get(word).keys();
            assert!(found.any(|found| found.to_string() == *key), "seed {seed}");
        }
        let words = snapshot.index::<String>(index).values();
        let expected: usize = model
            .values()
            .map(|(_, _, body)| {
                let mut words: Vec<_> = body.split(' ').collect();
                words.sort_unstable();
                words.dedup();
                words.len()
            })
            .sum();
        assert_eq!(
            words.iter().map(|(_, count)| count).sum::<usize>(),
            expected,
            "seed {seed}"
        );
        for (namespace, count) in snapshot.namespaces() {
            let prefix = format!("{namespace}/");
            assert_eq!(
                model.keys().filter(|key| key.starts_with(&prefix)).count(),
                count,
                "seed {seed}"
            );
            assert_eq!(snapshot.namespace(&namespace).count(), count, "seed {seed}");
        }
        for teller in tellers {
            let told = teller.0.lock().unwrap();
            assert_eq!(told.fold.len(), model.len(), "seed {seed}");
            for (key, text) in &told.fold {
                assert_eq!(Some(&**text), snapshot.get(key).as_deref(), "seed {seed}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c103_two_sources_fill_one_store_and_every_handler_hears_of_both() {
    for first_is_empty in [false, true] {
        let kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
        let runtime = tokio::runtime::Handle::current();
        let ids = [SourceId(0), SourceId(1)];
        let own = if first_is_empty { "nothing" } else { "a" };
        let places = ids.into_iter().zip([Some(own.into()), None]);
        let coverage = Coverage::new(places, BTreeSet::new());
        let observed = Observed::alone(&kind);
        let shared = Shared::<Text>::new("pods".into(), observed, coverage, None, runtime);
        let mut sources = ids.map(|id| Source::new(Arc::clone(&shared), id, Transform::none()));
        let early = Teller::default();
        let registration = shared
            .add_handler(Box::new(early.clone()), HandlerOptions::default())
            .unwrap();
        if first_is_empty {
            sources.reverse();
        }
        let [full, empty] = &mut sources;
        let (one, other) = if first_is_empty {
            (empty, full)
        } else {
            (full, empty)
        };
        one.begin();
        if !first_is_empty {
            one.stage(&object("a/x", "1", 1, "").raw());
        }
        one.commit(version(1));
        assert!(!shared.has_synced(), "c104: partly delivered");
        let late = Teller::default();
        shared
            .add_handler(Box::new(late.clone()), HandlerOptions::default())
            .unwrap();
        other.begin();
        if first_is_empty {
            other.stage(&object("a/x", "1", 1, "").raw());
        }
        other.stage(&object("b/y", "2", 2, "").raw());
        other.commit(version(2));
        assert!(shared.has_synced());
        settle().await;
        assert!(registration.has_synced());
        for teller in [early, late] {
            let mut words = teller.words();
            words.sort();
            assert_eq!(
                words,
                ["initial a/x@1", "initial b/y@2"],
                "empty one first: {first_is_empty}"
            );
        }

        // A relist of one source leaves the other's objects alone.
        one.begin();
        one.commit(version(3));
        assert_eq!(shared.state().len(), if first_is_empty { 2 } else { 1 });
    }
}

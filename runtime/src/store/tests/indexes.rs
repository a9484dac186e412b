//! Indexes of every sort against a look at each object, at moments before and after they were added.

use std::ops::Bound;

use super::*;
use crate::store::{Composite, IndexSnapshot, List, OrderedIndexSnapshot, Postings, State};

/// The first word of a body, and how long the body is.
struct First;

fn body(stored: &str) -> &str {
    let body = stored.split(r#""body":""#).nth(1).unwrap_or_default();
    body.trim_end_matches("\"}")
}

fn words(stored: &str) -> BTreeSet<String> {
    body(stored).split_whitespace().map(str::to_owned).collect()
}

impl Extract<Text> for First {
    type Key = usize;

    fn keys(&self, stored: &Arc<str>, emit: &mut dyn FnMut(usize)) {
        if let Some(first) = body(stored).split_whitespace().next() {
            emit(first.len());
        }
    }
}

/// A spec, and its place once it was added.
type Added<K> = (Arc<Spec<Text, K>>, Option<usize>);

/// The specs under test, and where the store has each of them, once it was added.
struct Indexes {
    words: Added<String>,
    ordered: Added<String>,
    pairs: Added<(String, usize)>,
}

impl Indexes {
    fn new() -> Self {
        let pairs = Composite::new(Words, First);
        Self {
            words: (Spec::new(Words, false), None),
            ordered: (Spec::new(Words, true), None),
            pairs: (Spec::new(pairs, true), None),
        }
    }

    fn add_one(&mut self, shared: &Shared<Text>, which: u8) {
        let add = |(spec, at): &mut Added<String>| {
            at.get_or_insert_with(|| shared.add_index(Arc::clone(spec)));
        };
        match which {
            0 => add(&mut self.words),
            1 => add(&mut self.ordered),
            _ => {
                let (spec, at) = &mut self.pairs;
                at.get_or_insert_with(|| shared.add_index(Arc::clone(spec)));
            }
        }
    }
}

/// As a handle has it: the state's own, or one that is made for this once.
fn at<K: crate::store::extract::IndexKey>(
    snapshot: &Snapshot<Text>,
    (spec, at): &Added<K>,
) -> IndexSnapshot<Text, K> {
    let state: &Arc<State<Text>> = snapshot.state();
    let own = at.and_then(|at| state.index::<K>(at));
    let postings: Arc<Postings<K>> = match own {
        Some(index) => Arc::clone(index.postings()),
        None => Arc::new(spec.fill(state.iter())),
    };
    IndexSnapshot::new(Arc::clone(state), postings)
}

fn keys(list: List<Text>) -> BTreeSet<ObjectKey> {
    let keys: Vec<_> = list.keys().collect();
    let set: BTreeSet<_> = keys.iter().cloned().collect();
    assert_eq!(keys.len(), set.len(), "an object came twice");
    set
}

/// Objects in the order of the least of their words that are wanted, once each.
fn check_run(list: List<Text>, objects: &Objects, wanted: impl Fn(&str) -> bool) {
    let least = |words: &BTreeSet<String>| words.iter().find(|word| wanted(word)).cloned();
    let found: Vec<ObjectKey> = list.keys().collect();
    let order: Vec<_> = found.iter().map(|key| least(&objects[key])).collect();
    assert!(order.is_sorted(), "{order:?}");
    let found: BTreeSet<_> = found.into_iter().collect();
    let expected = objects.iter().filter(|(_, words)| least(words).is_some());
    let expected: BTreeSet<ObjectKey> = expected.map(|(key, _)| key.clone()).collect();
    assert_eq!(found, expected);
    assert_eq!(order.len(), found.len(), "an object came twice");
}

type Objects = BTreeMap<ObjectKey, BTreeSet<String>>;

fn check(snapshot: &Snapshot<Text>, indexes: &Indexes, random: &mut fastrand::Rng) {
    let texts = snapshot.list().keys().zip(snapshot.list());
    let bodies: BTreeMap<ObjectKey, Arc<str>> = texts.collect();
    let objects: Objects = (bodies.iter())
        .map(|(key, text)| (key.clone(), words(text)))
        .collect();
    let with = |wanted: &dyn Fn(&str) -> bool| -> BTreeSet<ObjectKey> {
        let has = |words: &BTreeSet<String>| words.iter().any(|word| wanted(word));
        let found = objects.iter().filter(|(_, words)| has(words));
        found.map(|(key, _)| key.clone()).collect()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in objects.values().flatten() {
        *counts.entry(word.clone()).or_default() += 1;
    }
    let counts: Vec<_> = counts.into_iter().collect();

    let hashed = at(snapshot, &indexes.words);
    let ordered = OrderedIndexSnapshot::new(at(snapshot, &indexes.ordered));
    for index in [&hashed, &*ordered] {
        assert_eq!(index.values(), counts);
        assert_eq!(index.len(), counts.len());
        let word = some_word(random);
        assert_eq!(keys(index.get(&*word)), with(&|other| other == word));
    }
    let of_end = |(word, list): (String, List<Text>)| (word, list.count());
    assert_eq!(ordered.first().map(of_end).as_ref(), counts.first());
    assert_eq!(ordered.last().map(of_end).as_ref(), counts.last());

    let (low, high) = (some_word(random), some_word(random));
    let prefix = some_word(random);
    let prefix = prefix.get(..random.usize(..3)).unwrap_or(&prefix);
    check_run(ordered.prefix(prefix), &objects, |word| {
        word.starts_with(prefix)
    });
    check_run(ordered.range(&low..&high), &objects, |word| {
        *low <= *word && *word < *high
    });
    check_run(
        ordered.range(low.clone()..=high.clone()),
        &objects,
        |word| *low <= *word && *word <= *high,
    );
    check_run(ordered.range(..&high), &objects, |word| *word < *high);
    let beyond = (Bound::Excluded(&low), Bound::Unbounded);
    check_run(ordered.range(beyond), &objects, |word| *word > *low);
    check_run(ordered.range(..), &objects, |_| true);

    let pairs = OrderedIndexSnapshot::new(at(snapshot, &indexes.pairs));
    let length = |key: &ObjectKey| {
        let first = body(&bodies[key]).split_whitespace().next();
        first.map(str::len)
    };
    let word = some_word(random);
    assert_eq!(keys(pairs.by_first(&*word)), with(&|other| other == word));
    let lengths = pairs.by_first(&*word).keys().map(|key| length(&key));
    assert!(lengths.is_sorted(), "in the order of the second part");
    for long in 1..4 {
        let mut expected = with(&|other| other == word);
        expected.retain(|key| length(key) == Some(long));
        assert_eq!(keys(pairs.get_pair(&*word, &long)), expected);
        assert_eq!(keys(pairs.get(&(word.clone(), long))), expected);
    }
}

fn some_word(random: &mut fastrand::Rng) -> String {
    let letters = 1 + random.usize(..3);
    (0..letters).map(|_| random.char('a'..'d')).collect()
}

#[tokio::test(start_paused = true)]
async fn c026_c027_c131_c132_every_index_answers_as_a_look_at_each_object_does() {
    let seed = crate::test_seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut renumbered = 0;
    for _ in 0..12 {
        let mut setup = setup();
        let mut indexes = Indexes::new();
        let mut held = vec![setup.snapshot()];
        setup.listing(&[], 0);
        for now in 1..250u64 {
            let key = format!("n{}/p{}", random.u8(..3), random.u8(..20));
            let body: Vec<_> = (0..random.u8(..4))
                .map(|_| some_word(&mut random))
                .collect();
            let object = object(&key, &key, now, &body.join(" "));
            match random.u8(..20) {
                0..12 => setup.source.upsert(&object.raw()),
                12..15 => setup.source.delete(&object.raw()),
                15..18 => setup.source.flush(),
                18 if random.bool() => indexes.add_one(&setup.shared, random.u8(..3)),
                // Few are left, so that the others get new numbers.
                19 if random.u8(..4) == 0 => {
                    setup.source.flush();
                    let places = setup.shared.state().bound();
                    setup.listing(&[object], now);
                    renumbered += u32::from(setup.shared.state().bound() < places);
                    held.push(setup.snapshot());
                }
                _ => {
                    setup.source.flush();
                    held.push(setup.snapshot());
                }
            }
        }
        setup.source.flush();
        held.push(setup.snapshot());
        for snapshot in &held {
            check(snapshot, &indexes, &mut random);
        }
    }
    assert!(renumbered > 0, "seed {seed}");
}

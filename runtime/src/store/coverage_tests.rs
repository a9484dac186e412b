//! Sources that come and go, through the sinks that their tasks go on to use.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::source::Source;
use super::tests::{Teller, Text, object, version};
use super::{Coverage, Shared};
use crate::entry::SourceId;
use crate::handler::HandlerOptions;
use crate::kept::Transform;
use crate::kind::{Kind, Scope};
use crate::sink::Sink;

const OTHERS: SourceId = SourceId(0);

/// A store of all namespaces, over one source.
fn of_all() -> Arc<Shared<Text>> {
    let kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
    let runtime = tokio::runtime::Handle::current();
    let coverage = Coverage::new([(OTHERS, None)], BTreeSet::new());
    Shared::new(
        "pods".into(),
        crate::observe::Observed::alone(&kind),
        coverage,
        None,
        runtime,
    )
}

fn source(shared: &Arc<Shared<Text>>, id: SourceId) -> Source<Text> {
    Source::new(Arc::clone(shared), id, Transform::none())
}

fn list(source: &mut Source<Text>, keys: &[&str], at: u64) {
    source.begin();
    for key in keys {
        source.stage(&object(key, "1", at, "").raw());
    }
    source.commit(version(at));
}

fn keys(shared: &Shared<Text>) -> BTreeSet<String> {
    let state = shared.state();
    state
        .iter()
        .map(|(_, entry)| entry.key.to_string())
        .collect()
}

fn set<const N: usize>(keys: [&str; N]) -> BTreeSet<String> {
    keys.map(str::to_owned).into()
}

#[tokio::test(start_paused = true)]
async fn c041_a_source_is_not_heard_of_what_was_taken_from_it() {
    let shared = of_all();
    let mut others = source(&shared, OTHERS);
    let teller = Teller::default();
    let joined = shared.add_handler(Box::new(teller.clone()), HandlerOptions::default());
    joined.unwrap();
    list(&mut others, &["a/x", "b/x", "b/y"], 1);

    // What it had collected and what it still hears: additions, changes, deletes, undecodable objects, whole lists.
    others.upsert(&object("b/late", "9", 2, "").raw());
    others.upsert(&object("b/x", "1", 3, "changed").raw());
    shared.remove_namespace("b");
    others.flush();
    assert_eq!(keys(&shared), set(["a/x"]));
    assert_eq!(shared.state().version_of(OTHERS), Some(&version(3)), "c079");
    list(&mut others, &["a/x", "b/x"], 4);
    assert_eq!(keys(&shared), set(["a/x"]));

    // Another source has it now; the first can neither change nor delete there, nor does its relist.
    let own = SourceId(1);
    shared.add_source(own, "b".into());
    assert!(!shared.has_synced() && shared.state().is_ready());
    let mut own = source(&shared, own);
    list(&mut own, &["b/x"], 5);
    assert!(shared.has_synced());
    others.upsert(&object("b/x", "1", 6, "changed").raw());
    others.upsert(&object("b/x", "2", 7, "bad").raw());
    others.delete(&object("b/x", "1", 8, "").raw());
    others.flush();
    list(&mut others, &["a/x"], 9);
    let key = "b/x".parse().unwrap();
    assert_eq!(shared.state().get(&key).unwrap().version, version(5));
    assert_eq!(shared.undecodable(), 0, "it was not looked at");

    // The second goes in the middle of its listing.
    own.begin();
    own.stage(&object("b/x", "1", 5, "").raw());
    own.stage(&object("b/new", "3", 10, "").raw());
    shared.remove_namespace("b");
    own.commit(version(10));
    own.upsert(&object("b/new", "3", 11, "").raw());
    own.flush();
    assert_eq!(keys(&shared), set(["a/x"]));
    assert_eq!(shared.state().version_of(SourceId(1)), None);
    assert!(shared.has_synced());

    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let mut words = teller.words();
    words[..3].sort();
    words[3..5].sort();
    let expected = [
        "initial a/x@1",
        "initial b/x@1",
        "initial b/y@1",
        "missed b/x@1",
        "missed b/y@1",
        "update a/x@1->4",
        "initial b/x@5",
        "update a/x@4->9",
        "missed b/x@5",
    ];
    assert_eq!(words, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn c041_c115_threads_that_still_tell_of_a_namespace_bring_nothing_back() {
    let shared = of_all();
    list(&mut source(&shared, OTHERS), &["a/kept"], 1);
    let over = Arc::new(AtomicBool::new(false));
    let telling: Vec<_> = (0..2_u64)
        .map(|thread| {
            let (mut others, over) = (source(&shared, OTHERS), Arc::clone(&over));
            std::thread::spawn(move || {
                for number in (2..).take_while(|_| !over.load(Ordering::Relaxed)) {
                    let (key, uid) = (format!("b/x{}", number % 5), format!("{thread}"));
                    others.upsert(&object(&key, &uid, number, "").raw());
                    others.flush();
                    if number % 7 == 0 {
                        list(&mut others, &["a/kept", "b/x0", "b/x1"], number);
                    }
                }
            })
        })
        .collect();
    let gone = |when: &str| {
        let state = shared.state();
        let left = state
            .iter()
            .filter(|(_, entry)| entry.key.namespace() == Some("b"));
        assert_eq!(left.count(), 0, "{when}");
    };
    while shared.state().len() < 2 {
        std::thread::yield_now();
    }
    for id in (1..300).map(SourceId) {
        shared.remove_namespace("b");
        gone("taken from its source");
        shared.add_source(id, "b".into());
        gone("given to another that has not listed");
        list(&mut source(&shared, id), &["b/own"], 1);
        assert_eq!(keys(&shared), set(["a/kept", "b/own"]));
    }
    over.store(true, Ordering::Relaxed);
    for thread in telling {
        thread.join().unwrap();
    }
    assert_eq!(keys(&shared), set(["a/kept", "b/own"]));
}

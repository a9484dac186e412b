//! A store that once held far more than it does.

use super::*;

fn many(count: u64) -> Vec<RawBuffer> {
    let body = |number| if number % 2 == 0 { "even" } else { "odd" };
    let one = |number| {
        object(
            &format!("n{}/p{number}", number % 7),
            &format!("u{number}"),
            number,
            body(number),
        )
    };
    (1..=count).map(one).collect()
}

/// What every way of reading says, which must be the same objects.
fn check(setup: &Setup, index: usize, expected: &[u64]) {
    let snapshot = setup.snapshot();
    let mut keys: Vec<String> = snapshot.list().keys().map(|key| key.to_string()).collect();
    keys.sort();
    let key = |number: &u64| format!("n{}/p{number}", number % 7);
    let mut wanted: Vec<String> = expected.iter().map(key).collect();
    wanted.sort();
    assert_eq!(keys, wanted);
    for key in &wanted {
        assert!(snapshot.get(&key.parse().unwrap()).is_some());
    }
    let of_namespaces: usize = snapshot.namespaces().iter().map(|(_, count)| count).sum();
    let of_index: usize = (snapshot.index::<String>(index).values().iter())
        .map(|(_, count)| count)
        .sum();
    assert_eq!((of_namespaces, of_index), (wanted.len(), wanted.len()));
    let even = expected.iter().filter(|number| *number % 2 == 0).count();
    assert_eq!(snapshot.index::<String>(index).get("even").count(), even);
}

#[tokio::test(start_paused = true)]
async fn c135_after_a_peak_a_store_is_as_small_as_what_it_holds() {
    let mut setup = setup();
    let index = setup.shared.add_index(Spec::new(Words, false));
    let teller = setup.handler(HandlerOptions::default());
    setup.listing(&many(20_000), 20_000);
    let peak = setup.snapshot();
    assert_eq!(setup.shared.state().bound(), 20_000);

    // By a relist, by watch events, and again after it grew: each time reads agree, and handlers too.
    setup.listing(&many(10), 20_001);
    let expected: Vec<u64> = (1..=10).collect();
    assert_eq!(setup.shared.state().bound(), 10);
    check(&setup, index, &expected);
    assert_eq!(peak.list().count(), 20_000, "a snapshot stays as it was");
    settle().await;
    assert_eq!(teller.0.lock().unwrap().fold.len(), 10);

    for object in many(500) {
        setup.upsert(&object);
    }
    assert_eq!(setup.shared.state().bound(), 500);
    for object in &many(500)[20..] {
        setup.delete(object);
    }
    assert!(setup.shared.state().bound() < 200);
    check(&setup, index, &(1..=20).collect::<Vec<_>>());
    settle().await;
    assert_eq!(teller.0.lock().unwrap().fold.len(), 20);
    setup.upsert(&object("n0/p7", "u7", 30_000, "odd changed"));
    setup.delete(&object("n1/p8", "u8", 30_001, ""));
    assert_eq!(setup.snapshot().len(), 19);
}

#[tokio::test(start_paused = true)]
async fn c135_numbers_that_a_listing_has_noted_stay() {
    let mut setup = setup();
    let index = setup.shared.add_index(Spec::new(Words, false));
    setup.listing(&many(1000), 1000);
    let decoded = setup.decoded.load(Ordering::Relaxed);

    // A listing is under way: its objects are noted by number, and what is deleted meanwhile leaves its place empty.
    let mut other = Source::new(Arc::clone(&setup.shared), SourceId(0), Transform::none());
    other.begin();
    let kept = &many(1000)[990..];
    for object in kept {
        other.stage(&object.raw());
    }
    for object in &many(1000)[..980] {
        setup.delete(object);
    }
    assert_eq!(setup.shared.state().bound(), 1000);
    other.commit(version(3000));
    let expected: Vec<u64> = (991..=1000).collect();
    check(&setup, index, &expected);
    assert_eq!(setup.shared.state().bound(), 10);
    assert_eq!(
        setup.decoded.load(Ordering::Relaxed),
        decoded + 980,
        "c159: the deletes were decoded, the listing was not"
    );

    // One that is given up, and one that goes with its source, hold nothing back.
    for abandons in [true, false] {
        setup.listing(&many(1000), 4000);
        let mut other = Source::new(Arc::clone(&setup.shared), SourceId(0), Transform::none());
        other.begin();
        if abandons {
            other.abandon();
        } else {
            drop(other);
        }
        setup.listing(&many(10), 4001);
        assert_eq!(setup.shared.state().bound(), 10);
    }
}

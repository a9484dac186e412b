//! Lists: where they start, pages, and what their errors lead to.

use larder_sim::{Fault, Sim, Status, Verb};
use serde_json::json;

use crate::bench::{asked, begun, equal, held, lists, pauses, requests, seconds, stored, synced};
use crate::support::{SOON, cluster, pod, settle, until};

/// Pods `p0`, `p1`, … in namespace `a`.
fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
}

/// Makes the next watch event one that cannot be understood, which leads to a relist at the last version.
fn break_the_watch(sim: &Sim) {
    let fault = Fault::broken_field("odd", "/metadata/name", &json!(7));
    sim.faults().add(fault.on(Verb::Watch));
    sim.disconnect();
}

#[tokio::test(start_paused = true)]
async fn c070_c071_the_first_list_takes_any_version_and_a_relist_the_last_one() {
    let sim = pods(2);
    let informer = synced(&sim, lists()).await;
    let first = sim.current_version();
    assert_eq!(
        asked(&sim),
        ["list 0 limit 500".to_owned(), format!("watch {first}")]
    );
    sim.create(pod("a", "seen")).unwrap();
    settle().await;
    let seen = sim.current_version();
    sim.clear_requests();
    break_the_watch(&sim);
    requests(&sim, 1).await;
    sim.create(pod("a", "odd")).unwrap();
    requests(&sim, 3).await;
    let now = sim.current_version();
    let relist = format!("list {seen}");
    let expected = [format!("watch {seen}"), relist, format!("watch {now}")];
    assert_eq!(asked(&sim), expected, "c075: the relist has no pages");
    equal(&sim, &informer).await;
    assert_eq!(informer.health().sources[0].broken_events, 1);
}

#[tokio::test(start_paused = true)]
async fn c072_a_relist_at_an_expired_version_takes_the_latest_at_once() {
    let sim = pods(2);
    let informer = synced(&sim, lists()).await;
    break_the_watch(&sim);
    sim.create(pod("a", "odd")).unwrap();
    sim.faults().add(Fault::gone().on(Verb::List).times(1));
    sim.clear_requests();
    requests(&sim, 4).await;
    let asked = asked(&sim);
    assert!(
        asked[1].starts_with("list ") && !asked[1].contains("limit"),
        "{asked:?}"
    );
    assert_eq!(asked[2], "list limit 500");
    assert!(pauses(&sim)[1] < 0.1, "at once");
    equal(&sim, &informer).await;
}

#[tokio::test(start_paused = true)]
async fn c073_a_version_too_large_for_the_server_leads_to_the_latest_state() {
    let too_large = || Status::version_too_large(9, 7, 1);
    let sim = pods(2);
    sim.faults()
        .add(Fault::status(too_large()).on(Verb::List).times(1));
    let informer = synced(&sim, lists()).await;
    let asked_for = asked(&sim);
    assert_eq!(asked_for[..2], ["list 0 limit 500", "list limit 500"]);
    equal(&sim, &informer).await;

    let sim = pods(2);
    let informer = synced(&sim, larder::ReflectorOptions::default()).await;
    let version = sim.current_version();
    sim.faults()
        .add(Fault::error_event(0, too_large()).on(Verb::Watch).times(2));
    sim.clear_requests();
    sim.disconnect();
    requests(&sim, 3).await;
    assert_eq!(
        asked(&sim),
        [
            format!("watch {version}"),
            "stream".to_owned(),
            "stream".to_owned()
        ]
    );
    equal(&sim, &informer).await;
}

#[tokio::test(start_paused = true)]
async fn c074_pages_are_put_together_and_only_the_first_names_a_version() {
    for (count, pages) in [(0, 1), (1, 1), (2, 1), (4, 2), (5, 3), (6, 3)] {
        let sim = Sim::builder().without_watch_cache().build();
        for number in 0..count {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
        }
        let informer = synced(&sim, lists().page_size(2)).await;
        let mut expected = vec!["list 0 limit 2".to_owned()];
        expected.extend((1..pages).map(|_| "page limit 2".to_owned()));
        let asked = asked(&sim);
        assert_eq!(asked[..asked.len() - 1], expected, "{count} pods");
        assert_eq!(stored(&informer), held(&sim));
    }
    let sim = pods(5);
    let _informer = synced(&sim, lists().page_size(0)).await;
    assert_eq!(asked(&sim)[0], "list 0", "0 lists without pages");
}

#[tokio::test(start_paused = true)]
async fn c076_an_expired_token_leads_to_one_list_without_pages() {
    let sim = Sim::builder().without_watch_cache().build();
    for number in 0..7 {
        sim.create(pod("a", &format!("p{number}"))).unwrap();
    }
    sim.faults().add(
        Fault::gone()
            .on(Verb::List)
            .only_continued()
            .skip(1)
            .times(1),
    );
    let informer = synced(&sim, lists().page_size(2)).await;
    let asked = asked(&sim);
    assert_eq!(
        asked[..4],
        ["list 0 limit 2", "page limit 2", "page limit 2", "list 0"]
    );
    assert!(asked[4].starts_with("watch"), "{asked:?}");
    assert_eq!(stored(&informer), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn c076_whatever_ends_a_page_early_is_seen_in_no_store() {
    type Make = fn() -> Fault;
    let faults: [(&str, Make); 7] = [
        ("cut", || Fault::cut_after(1)),
        ("cut within", || Fault::cut_within(1)),
        ("end", || Fault::end_after(1)),
        ("end within", || Fault::end_within(1)),
        ("silence", || Fault::silence_after(1)),
        ("500", Fault::internal_error),
        ("refused", Fault::refuse),
    ];
    for (name, fault) in faults {
        let sim = Sim::builder().without_watch_cache().build();
        for number in 0..5 {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
        }
        sim.faults()
            .add(fault().on(Verb::List).only_continued().times(1));
        let informer = begun(&sim, lists().page_size(2));
        requests(&sim, 2).await;
        tokio::time::sleep(seconds(62)).await;
        let error = informer
            .health()
            .last_error
            .map(|last| last.error.to_string());
        assert!(
            error.is_some_and(|text| text.starts_with("list of pods: ")),
            "{name}"
        );
        equal(&sim, &informer).await;
        assert_eq!(
            asked(&sim)[2],
            "list 0 limit 2",
            "{name}: from the beginning"
        );
        assert_eq!(informer.health().relists, 0, "{name}: it never had listed");
    }
}

#[tokio::test(start_paused = true)]
async fn c076_a_throttled_page_is_asked_for_again() {
    let sim = Sim::builder().without_watch_cache().build();
    for number in 0..5 {
        sim.create(pod("a", &format!("p{number}"))).unwrap();
    }
    sim.faults().add(
        Fault::too_many_requests(7)
            .on(Verb::List)
            .only_continued()
            .times(1),
    );
    let informer = synced(&sim, lists().page_size(2)).await;
    let asked = asked(&sim);
    assert_eq!(
        asked[..4],
        [
            "list 0 limit 2",
            "page limit 2",
            "page limit 2",
            "page limit 2"
        ]
    );
    assert!((pauses(&sim)[1] - 7.0).abs() < 0.1);
    assert_eq!(stored(&informer), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn c076_c081_stopping_ends_a_list_in_flight() {
    for options in [lists(), larder::ReflectorOptions::default()] {
        let sim = Sim::builder().chunk_size(1).build();
        for number in 0..50 {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
        }
        sim.faults().add(Fault::slow(seconds(5)));
        let informer = begun(&sim, options);
        tokio::time::sleep(seconds(12)).await;
        assert!(
            informer.store().is_empty(),
            "a part of a list is in no store"
        );
        informer.stop(SOON).await.unwrap();
        sim.clear_requests();
        tokio::time::sleep(seconds(600)).await;
        assert!(asked(&sim).is_empty() && informer.store().is_empty() && !informer.has_synced());
        assert_eq!(sim.watchers(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn c153_a_list_that_fails_backs_off_although_each_attempt_starts_afresh() {
    for fault in [
        Fault::internal_error(),
        Fault::close_at_once(),
        Fault::refuse(),
        Fault::cut_after(1),
    ] {
        for options in [lists(), larder::ReflectorOptions::default()] {
            let text = format!("{fault:?} {options:?}");
            let sim = pods(3);
            sim.faults().add(fault.clone());
            let _informer = begun(&sim, options);
            tokio::time::sleep(seconds(600)).await;
            let lists = asked(&sim).len();
            assert!(
                (20..120).contains(&lists),
                "{lists} requests in ten minutes: {text}"
            );
            let last = pauses(&sim).into_iter().rev().take(4).fold(0.0, f64::max);
            assert!((15.0..30.1).contains(&last), "{last} s at last: {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_that_are_forbidden_or_absent_are_asked_for_again_and_say_why() {
    let rows: [(Fault, &str); 3] = [
        (
            Fault::forbidden(),
            "(403): pods is forbidden: User \"sim\" cannot",
        ),
        (
            Fault::not_served(),
            "not found (404); the server's discovery does not confirm",
        ),
        (Fault::unauthorized(), "(401)"),
    ];
    for (fault, expected) in rows {
        for options in [lists(), larder::ReflectorOptions::default()] {
            let sim = pods(2);
            sim.faults().add(fault.clone());
            let informer = begun(&sim, options);
            tokio::time::sleep(seconds(60)).await;
            let error = informer.wait_for_sync(SOON).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            sim.faults().clear();
            equal(&sim, &informer).await;
            assert!(informer.has_synced() && informer.health().stale_since.is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_goes_and_comes_back_is_followed_again() {
    let sim = pods(2);
    let kind = sim
        .kinds()
        .into_iter()
        .find(|kind| kind.plural == "pods")
        .unwrap();
    let informer = synced(&sim, larder::ReflectorOptions::default()).await;
    assert!(sim.remove_kind("", "v1", "pods"));
    until("its absence shows", || {
        informer.health().stale_since.is_some()
    })
    .await;
    assert_eq!(informer.store().len(), 2, "what was known stays");
    tokio::time::sleep(seconds(120)).await;
    sim.add_kind(kind);
    sim.create(pod("a", "new")).unwrap();
    sim.compact();
    equal(&sim, &informer).await;
}

//! Streaming lists (KEP-3157), and falling back from them.

use larder::ReflectorOptions;
use larder_sim::{Fault, Sim, Status, Verb};
use tokio::time::Instant;

use crate::bench::{asked, begun, equal, held, pauses, seconds, stored, synced};
use crate::support::{SOON, cluster, pod};

fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
}

#[tokio::test(start_paused = true)]
async fn c090_c091_synced_only_after_the_bookmark_and_then_with_everything() {
    let sim = pods(20);
    sim.faults().add(Fault::slow(seconds(1)));
    let informer = begun(&sim, ReflectorOptions::default());
    for _ in 0..20 {
        tokio::time::sleep(seconds(1)).await;
        if informer.has_synced() {
            break;
        }
        let health = informer.health();
        assert_eq!((health.objects, &health.sources[0].version), (0, &None));
        assert!(informer.lister().list().is_err());
    }
    informer.wait_for_sync(SOON).await.unwrap();
    assert_eq!(stored(&informer), held(&sim));
    let version = informer.health().sources[0].version.clone().unwrap();
    assert_eq!(version.to_string(), sim.current_version().to_string());
    assert_eq!(asked(&sim), ["stream"], "the stream goes on as the watch");
}

#[tokio::test(start_paused = true)]
async fn c090_a_bookmark_without_the_annotation_does_not_end_the_initial_state() {
    let sim = pods(3);
    sim.faults().add(
        Fault::no_initial_events_end()
            .on(Verb::Watch)
            .only_streaming_lists(),
    );
    let informer = begun(&sim, ReflectorOptions::default());
    tokio::time::sleep(seconds(59)).await;
    assert!(!informer.has_synced() && informer.store().is_empty());
    informer.wait_for_sync(SOON).await.unwrap();
    assert_eq!(asked(&sim)[..2], ["stream", "list 0 limit 500"]);
    assert_eq!(stored(&informer), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn c092_what_a_streaming_list_asks_for() {
    let sim = pods(1);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let first = sim.requests().remove(0);
    for (name, value) in [
        ("watch", "true"),
        ("sendInitialEvents", "true"),
        ("resourceVersionMatch", "NotOlderThan"),
        ("allowWatchBookmarks", "true"),
    ] {
        assert_eq!(first.param(name).as_deref(), Some(value), "{name}");
    }
    let timeout: u64 = first.param("timeoutSeconds").unwrap().parse().unwrap();
    // A list for as long as the cap allows, then a watch.
    assert!((600 + 290..=600 + 580).contains(&timeout));
    sim.clear_requests();
    sim.change_unseen(|sim| sim.create(pod("a", "new")).unwrap());
    equal(&sim, &informer).await;
    let asked = asked(&sim);
    assert_eq!(
        asked[asked.len() - 1],
        "stream",
        "after 410 at the latest: {asked:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn c093_a_server_that_refuses_is_asked_for_a_list_and_never_for_a_streaming_one_again() {
    let sim = Sim::builder().without_watch_list().build();
    sim.create(pod("a", "one")).unwrap();
    let informer = synced(&sim, ReflectorOptions::default()).await;
    assert_eq!(asked(&sim)[..2], ["stream", "list 0 limit 500"]);
    assert!(pauses(&sim)[0] < 0.1, "at once");
    sim.clear_requests();
    sim.change_unseen(|sim| sim.create(pod("a", "new")).unwrap());
    equal(&sim, &informer).await;
    assert!(
        !asked(&sim)
            .iter()
            .any(|request| request.starts_with("stream"))
    );
}

#[tokio::test(start_paused = true)]
async fn c093_any_other_refusal_leads_to_a_list_this_once() {
    for fault in [
        Fault::forbidden(),
        Fault::internal_error(),
        Fault::cut_after(1),
        Fault::close_at_once(),
        Fault::not_served(),
    ] {
        let text = format!("{fault:?}");
        let sim = pods(3);
        sim.faults().add(fault.only_streaming_lists().times(1));
        let informer = synced(&sim, ReflectorOptions::default()).await;
        assert_eq!(asked(&sim)[..2], ["stream", "list 0 limit 500"], "{text}");
        assert_eq!(stored(&informer), held(&sim));
        sim.clear_requests();
        sim.change_unseen(|sim| sim.create(pod("a", "new")).unwrap());
        equal(&sim, &informer).await;
        assert!(
            asked(&sim).iter().any(|request| request == "stream"),
            "{text}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c094_a_throttled_streaming_list_is_asked_for_again() {
    for (fault, pause) in [
        (Fault::too_many_requests(5), 5.0),
        (Fault::overloaded(6), 6.0),
        (Fault::error_event(0, Status::too_many_requests(7)), 7.0),
        (Fault::error_event(2, Status::too_many_requests(8)), 8.0),
    ] {
        let sim = pods(3);
        sim.faults().add(fault.only_streaming_lists().times(1));
        let informer = synced(&sim, ReflectorOptions::default()).await;
        assert_eq!(asked(&sim), ["stream", "stream"]);
        assert!((pauses(&sim)[0] - pause).abs() < 0.1);
        assert_eq!(stored(&informer), held(&sim));
    }
}

#[tokio::test(start_paused = true)]
async fn c095_without_the_bookmark_a_list_follows_a_minute_after_the_last_object() {
    let sim = pods(4);
    sim.faults()
        .add(Fault::no_bookmarks().only_streaming_lists());
    sim.faults()
        .add(Fault::slow(seconds(40)).only_streaming_lists());
    let start = Instant::now();
    let informer = begun(&sim, ReflectorOptions::default());
    informer.wait_for_sync(SOON * 100).await.unwrap();
    let waited = start.elapsed().as_secs();
    assert!((60 + 3 * 40..60 + 4 * 40 + 5).contains(&waited), "{waited}");
    assert_eq!(asked(&sim)[..2], ["stream", "list 0 limit 500"]);
    sim.clear_requests();
    sim.change_unseen(|sim| sim.create(pod("a", "new")).unwrap());
    equal(&sim, &informer).await;
    assert!(
        !asked(&sim)
            .iter()
            .any(|request| request.starts_with("stream")),
        "streaming lists are off, as only they were silent: {:?}",
        asked(&sim)
    );

    let sim = pods(100);
    sim.faults()
        .add(Fault::slow(seconds(40)).only_streaming_lists());
    let start = Instant::now();
    begun(&sim, ReflectorOptions::default())
        .wait_for_sync(SOON * 100)
        .await
        .unwrap();
    let waited = start.elapsed().as_secs();
    // However alive it is: the server was asked for longer.
    assert!((600..=602).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_relist_that_breaks_off_leaves_the_store_as_it_was() {
    let sim = pods(10);
    let informer = synced(&sim, ReflectorOptions::default()).await;
    let before = stored(&informer);
    sim.faults().add(Fault::cut_after(3));
    sim.change_unseen(|sim| {
        for number in 0..5 {
            sim.delete_now("pods", "a", &format!("p{number}")).unwrap();
        }
    });
    tokio::time::sleep(seconds(60)).await;
    assert!(asked(&sim).contains(&"list limit 500".to_owned()));
    assert_eq!(stored(&informer), before);
    sim.faults().clear();
    equal(&sim, &informer).await;
}

//! Watches: how they end, and what follows.

use larder::ReflectorOptions;
use larder_sim::{Fault, Status, Verb};
use serde_json::json;

use crate::bench::{asked, begun, equal, folded, lists, pauses, requests, seconds, stored, synced};
use crate::support::{SOON, cluster, pod, settle, until};

fn relabel(sim: &larder_sim::Sim, name: &str, value: &str) {
    let patch = json!({"metadata": {"labels": {"value": value}}});
    sim.patch("pods", "a", name, &patch).unwrap();
}

#[tokio::test(start_paused = true)]
async fn c061_c155_what_was_deleted_unseen_is_a_missed_delete_of_the_last_known_state() {
    for options in [lists(), ReflectorOptions::default()] {
        let sim = cluster([pod("a", "stays"), pod("a", "goes"), pod("a", "again")]);
        let pods = synced(&sim, options).await;
        let (fold, _) = folded(&pods, larder::HandlerOptions::default());
        let mut events = pods.events(larder::HandlerOptions::default()).unwrap();
        while !matches!(events.next().await.unwrap(), larder::Event::Synced) {}
        let before = stored(&pods);
        sim.change_unseen(|sim| {
            sim.delete_now("pods", "a", "goes").unwrap();
            sim.delete_now("pods", "a", "again").unwrap();
            sim.create(pod("a", "again")).unwrap();
            relabel(sim, "stays", "changed");
        });
        equal(&sim, &pods).await;
        settle().await;
        let mut deleted = Vec::new();
        for _ in 0..2 {
            let larder::Event::Delete(gone) = events.next().await.unwrap() else {
                panic!("deletes come first")
            };
            assert!(!gone.final_state());
            assert_eq!(before[&gone.key().to_string()], gone.version().to_string());
            deleted.push(gone.name().to_owned());
        }
        deleted.sort_unstable();
        assert_eq!(deleted, ["again", "goes"]);
        assert_eq!(fold.missed_deletes(), 2);
        assert_eq!(fold.wrong(), Vec::<String>::new());
        assert_eq!(crate::bench::told(&fold), stored(&pods));
    }
}

#[tokio::test(start_paused = true)]
async fn c079_the_store_knows_each_version_deletes_and_bookmarks_included() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, ReflectorOptions::default()).await;
    let version = || {
        pods.health().sources[0]
            .version
            .clone()
            .unwrap()
            .to_string()
    };
    assert_eq!(version(), sim.current_version().to_string());
    sim.delete_now("pods", "a", "one").unwrap();
    settle().await;
    assert_eq!(version(), sim.current_version().to_string(), "a delete");
    let ahead = sim.advance_version(100);
    tokio::time::sleep(seconds(61)).await;
    assert_eq!(version(), ahead.to_string(), "a bookmark");
    sim.clear_requests();
    sim.disconnect();
    requests(&sim, 1).await;
    assert_eq!(asked(&sim)[0], format!("watch {ahead}"));
}

#[tokio::test(start_paused = true)]
async fn c080_c084_what_follows_an_error_event_depends_on_its_code() {
    let rows: [(Status, &str, std::ops::Range<f64>); 5] = [
        (Status::too_old_version(1, 2), "list", 0.0..0.1),
        (Status::version_too_large(9, 7, 1), "list", 0.0..0.1),
        (Status::too_many_requests(9), "watch", 9.0..9.1),
        (Status::internal("odd"), "watch", 0.4..0.81),
        (Status::unavailable("odd"), "watch", 0.4..0.81),
    ];
    for (status, next, pause) in rows {
        let text = format!("{status:?}");
        let sim = cluster([pod("a", "one")]);
        let pods = synced(&sim, lists()).await;
        sim.faults()
            .add(Fault::error_event(1, status).on(Verb::Watch).times(1));
        sim.clear_requests();
        sim.disconnect();
        requests(&sim, 1).await;
        relabel(&sim, "one", "seen");
        requests(&sim, 2).await;
        assert!(
            asked(&sim)[1].starts_with(next),
            "{text}: {:?}",
            asked(&sim)
        );
        let waited = pauses(&sim)[0];
        assert!(pause.contains(&waited), "{text}: {waited}");
        equal(&sim, &pods).await;
        assert_eq!(pods.health().relists, u64::from(next == "list"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn c084_a_throttled_watch_start_waits_as_told_and_does_not_relist() {
    for fault in [Fault::too_many_requests(17), Fault::overloaded(17)] {
        let sim = cluster([pod("a", "one")]);
        let pods = synced(&sim, lists()).await;
        sim.faults().add(fault.on(Verb::Watch).times(1));
        sim.clear_requests();
        sim.disconnect();
        requests(&sim, 2).await;
        assert!(
            asked(&sim)
                .iter()
                .all(|request| request.starts_with("watch"))
        );
        assert!((pauses(&sim)[0] - 17.0).abs() < 0.1, "{:?}", pauses(&sim));
        assert_eq!(pods.health().relists, 0);
        relabel(&sim, "one", "later");
        equal(&sim, &pods).await;
    }
}

#[tokio::test(start_paused = true)]
async fn c081_stopped_before_it_ran_no_request_is_sent() {
    let sim = cluster([pod("a", "one")]);
    let pods = begun(&sim, lists());
    pods.stop(SOON).await.unwrap();
    tokio::time::sleep(seconds(60)).await;
    assert!(sim.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn c083_refused_connections_back_off_to_a_cap_and_progress_resets_it() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, lists()).await;
    let refuse = sim.faults().add(Fault::refuse());
    sim.clear_requests();
    sim.disconnect();
    tokio::time::sleep(seconds(300)).await;
    let waited = pauses(&sim);
    for (number, pause) in waited.iter().enumerate().take(8) {
        let step = (1.6 * f64::from(1 << number)).min(30.0);
        assert!((step / 2.0..step + 0.1).contains(pause), "{waited:?}");
    }
    sim.faults().remove(refuse);
    until("it is back", || pods.health().stale_since.is_none()).await;
    relabel(&sim, "one", "progress");
    equal(&sim, &pods).await;
    sim.faults().add(Fault::refuse());
    sim.clear_requests();
    sim.disconnect();
    requests(&sim, 2).await;
    assert!(
        pauses(&sim)[0] <= 1.7,
        "progress resets it: {:?}",
        pauses(&sim)
    );
}

#[tokio::test(start_paused = true)]
async fn c083_a_backoff_of_ones_own_is_honoured() {
    struct Fixed;
    impl larder::Backoff for Fixed {
        fn next(&mut self) -> std::time::Duration {
            seconds(13)
        }
        fn reset(&mut self) {}
    }
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::internal_error());
    let _pods = begun(&sim, lists().backoff(|| Fixed));
    requests(&sim, 5).await;
    assert!(
        pauses(&sim).iter().all(|pause| (pause - 13.0).abs() < 0.1),
        "{:?}",
        pauses(&sim)
    );
}

#[tokio::test(start_paused = true)]
async fn c085_watch_timeouts_differ() {
    let sim = cluster([pod("a", "one")]);
    let _pods = synced(&sim, lists()).await;
    tokio::time::sleep(seconds(20 * 600)).await;
    let watches: Vec<u64> = sim
        .requests()
        .iter()
        .filter_map(|request| request.param("timeoutSeconds")?.parse().ok())
        .collect();
    assert!(watches.len() >= 20 && watches.iter().all(|timeout| (290..=580).contains(timeout)));
    let distinct: std::collections::BTreeSet<_> = watches.iter().collect();
    assert!(distinct.len() > 5, "{watches:?}");
}

#[tokio::test(start_paused = true)]
async fn c086_a_watch_that_broke_resumes_from_its_last_event() {
    for within in [false, true] {
        let sim = cluster([pod("a", "one")]);
        let pods = synced(&sim, lists()).await;
        let (fold, _) = folded(&pods, larder::HandlerOptions::default());
        let fault = if within {
            Fault::cut_within(2)
        } else {
            Fault::cut_after(2)
        };
        sim.faults().add(fault.on(Verb::Watch).times(1));
        sim.disconnect();
        sim.clear_requests();
        requests(&sim, 1).await;
        let mut versions = Vec::new();
        for number in 0..4 {
            relabel(&sim, "one", &number.to_string());
            versions.push(sim.current_version());
        }
        requests(&sim, 2).await;
        assert_eq!(asked(&sim)[1], format!("watch {}", versions[1]));
        equal(&sim, &pods).await;
        settle().await;
        assert_eq!(pods.health().relists, 0);
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn c154_an_expired_watch_start_relists_at_a_bounded_rate() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, lists()).await;
    sim.faults().add(Fault::gone().on(Verb::Watch));
    sim.clear_requests();
    sim.disconnect();
    tokio::time::sleep(seconds(600)).await;
    let count = sim.requests().len();
    assert!((30..80).contains(&count), "{count} requests in ten minutes");
    assert_eq!(asked(&sim)[1], "list limit 500");
    assert!(pods.health().relists > 10);
    sim.faults().clear();
    relabel(&sim, "one", "later");
    equal(&sim, &pods).await;
}

#[tokio::test(start_paused = true)]
async fn events_that_come_twice_are_told_once() {
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::duplicate_events());
    for options in [lists(), ReflectorOptions::default()] {
        let pods = synced(&sim, options).await;
        let (fold, registration) = folded(&pods, larder::HandlerOptions::default());
        settle().await;
        let before = registration.stats().delivered;
        relabel(&sim, "one", "changed");
        sim.create(pod("a", "two")).unwrap();
        sim.delete_now("pods", "a", "two").unwrap();
        equal(&sim, &pods).await;
        settle().await;
        assert_eq!(
            registration.stats().delivered - before,
            4,
            "a pod is marked before it is deleted"
        );
        assert_eq!(fold.wrong(), Vec::<String>::new());
        sim.patch(
            "pods",
            "a",
            "one",
            &json!({"metadata": {"labels": {"value": null}}}),
        )
        .unwrap();
    }
}

//! Peers that accept and never answer, that fall silent, or that answer and close at once.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use larder::core::v1::PodInformer;
use larder::{
    BodyStream, HandlerOptions, InformerOptions, ReflectorOptions, Transport, TransportError,
};
use larder_sim::{Fault, Sim, Verb};
use tokio::time::Instant;

use crate::bench::{
    asked, begun, equal, folded, lists, pauses, requests, seconds, stored, synced, told,
};
use crate::support::{client, cluster, pod, settle};

#[tokio::test(start_paused = true)]
async fn c151_a_list_that_is_never_answered_fails_within_its_deadline() {
    let sim = cluster([pod("a", "one")]);
    sim.faults()
        .add(Fault::never_answer().on(Verb::List).times(1));
    let pods = begun(&sim, lists());
    tokio::time::sleep(seconds(61)).await;
    let error = pods.health().last_error.unwrap().error.to_string();
    assert_eq!(error, "list of pods: no response within 60s");
    equal(&sim, &pods).await;
}

#[tokio::test(start_paused = true)]
async fn c151_a_streaming_list_that_is_never_answered_becomes_a_list() {
    let sim = cluster([pod("a", "one")]);
    sim.faults()
        .add(Fault::never_answer().only_streaming_lists());
    let start = Instant::now();
    let pods = begun(&sim, ReflectorOptions::default());
    equal(&sim, &pods).await;
    assert_eq!(start.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn c151_silence_in_the_middle_of_a_list_or_streaming_list_is_noticed() {
    for fault in [Fault::silence_after(2), Fault::silence_within(2)] {
        for options in [lists(), ReflectorOptions::default()] {
            let sim = cluster((0..5).map(|number| pod("a", &format!("p{number}"))));
            sim.faults().add(fault.clone().times(1));
            let start = Instant::now();
            let pods = begun(&sim, options);
            equal(&sim, &pods).await;
            assert!(
                (60..62).contains(&start.elapsed().as_secs()),
                "{:?}",
                start.elapsed()
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c151_c158_a_watch_whose_start_is_never_answered_is_noticed_and_shows_as_stale() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, lists()).await;
    sim.faults()
        .add(Fault::never_answer().on(Verb::Watch).times(1));
    sim.disconnect();
    tokio::time::sleep(seconds(62)).await;
    let stale = pods.health().stale_since;
    assert!(stale.is_some(), "no watch is open: {:#?}", pods.health());
    sim.create(pod("a", "two")).unwrap();
    let start = Instant::now();
    equal(&sim, &pods).await;
    // Not cut as soon as it is stale: some proxies hold a watch's head until its first event.
    assert!(
        start.elapsed() < seconds(2 * 290 + 30),
        "{:?}",
        start.elapsed()
    );
    settle().await;
    assert!(pods.health().stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn c151_a_first_watch_that_is_never_answered_shows_as_stale() {
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::never_answer().on(Verb::Watch));
    let pods = synced(&sim, lists()).await;
    tokio::time::sleep(seconds(90)).await;
    assert!(pods.health().stale_since.is_some(), "{:#?}", pods.health());
}

#[tokio::test(start_paused = true)]
async fn c151_a_healthy_quiet_watch_is_not_cut_and_one_that_falls_silent_is() {
    let sim = cluster([pod("a", "one")]);
    let pods = synced(&sim, ReflectorOptions::default()).await;
    let (fold, _) = folded(&pods, HandlerOptions::default());
    sim.clear_requests();
    tokio::time::sleep(seconds(250)).await;
    assert!(sim.requests().is_empty(), "bookmarks keep it");
    tokio::time::sleep(seconds(3600)).await;
    let often = sim.requests().len();
    assert!(often <= 14, "{often} watches in an hour of quiet");
    assert!(pods.health().last_error.is_none() && pods.health().stale_since.is_none());

    sim.faults()
        .add(Fault::silence_after(1).on(Verb::Watch).times(1));
    sim.disconnect();
    tokio::time::sleep(seconds(10)).await;
    sim.create(pod("a", "seen")).unwrap();
    settle().await;
    assert_eq!(pods.store().len(), 2);
    sim.create(pod("a", "unheard")).unwrap();
    let start = Instant::now();
    equal(&sim, &pods).await;
    assert_eq!(start.elapsed().as_secs(), 150, "2.5 bookmarks");
    settle().await;
    assert_eq!(told(&fold), stored(&pods));
    assert_eq!(pods.health().relists, 0);
}

#[tokio::test(start_paused = true)]
async fn c151_without_bookmarks_silence_is_noticed_after_the_watch_should_have_ended() {
    let sim = Sim::builder().without_watch_cache().build();
    sim.create(pod("a", "one")).unwrap();
    let pods = synced(&sim, lists()).await;
    sim.faults()
        .add(Fault::silence_after(0).on(Verb::Watch).times(1));
    sim.disconnect();
    tokio::time::sleep(seconds(5)).await;
    sim.create(pod("a", "unheard")).unwrap();
    let start = Instant::now();
    equal(&sim, &pods).await;
    assert!(
        (290..=620).contains(&start.elapsed().as_secs()),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn c152_a_server_that_closes_at_once_gets_a_bounded_rate() {
    type Narrow = fn(Fault) -> Fault;
    let places: [Narrow; 4] = [
        |fault| fault,
        |fault| fault.on(Verb::Watch),
        |fault| fault.on(Verb::List),
        Fault::only_streaming_lists,
    ];
    let faults = [
        Fault::close_at_once(),
        Fault::end_after(1),
        Fault::cut_after(0),
        Fault::cut_within(0),
        Fault::error_event(0, larder_sim::Status::internal("odd")),
        Fault::error_event(0, larder_sim::Status::too_old_version(1, 2)),
        Fault::short_watch(seconds(0)),
    ];
    for narrow in places {
        for fault in &faults {
            for options in [lists(), ReflectorOptions::default()] {
                let fault = narrow(fault.clone());
                let text = format!("{fault:?} {options:?}");
                let sim = cluster([pod("a", "one")]);
                sim.faults().add(fault);
                let _pods = begun(&sim, options);
                tokio::time::sleep(seconds(1200)).await;
                let count = sim.requests().len();
                assert!(count < 150, "{count} requests in twenty minutes: {text}");
                let burst = pauses(&sim)
                    .windows(4)
                    .filter(|four| four.iter().sum::<f64>() < 0.4)
                    .count();
                assert!(burst < 3, "{burst} bursts: {text}: {:?}", asked(&sim));
            }
        }
    }
}

/// Reaches one server, until it is told to reach another.
#[derive(Clone)]
struct Switch(Arc<Mutex<kube::Client>>);

impl Transport for Switch {
    fn send(
        &self,
        request: http::Request<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
        let client = self.0.lock().unwrap().clone();
        Box::pin(async move { Transport::send(&client, request).await })
    }
}

#[tokio::test(start_paused = true)]
async fn c073_a_server_restored_from_a_backup_is_listed_anew() {
    for options in [lists(), ReflectorOptions::default()] {
        let before = Sim::builder().start_version(10_000).build();
        before.create(pod("a", "old")).unwrap();
        let restored = Sim::builder().start_version(50).seed(7).build();
        restored.create(pod("a", "restored")).unwrap();
        let switch = Switch(Arc::new(Mutex::new(client(&before))));
        let pods =
            PodInformer::new(switch.clone(), InformerOptions::new().reflector(options)).unwrap();
        equal(&before, &pods).await;
        let (fold, _) = folded(&pods, HandlerOptions::default());
        tokio::time::sleep(seconds(130)).await;
        *switch.0.lock().unwrap() = client(&restored);
        before.disconnect();
        let start = Instant::now();
        equal(&restored, &pods).await;
        assert!(start.elapsed() < seconds(620), "{:?}", start.elapsed());
        settle().await;
        assert_eq!(told(&fold), stored(&pods));
        assert_eq!(fold.missed_deletes(), 1);
        requests(&restored, 2).await;
        restored.create(pod("a", "later")).unwrap();
        equal(&restored, &pods).await;
    }
}

//! 404s that are no absence: what is cached stays.

use larder::{InformerOptions, Phase};
use larder_sim::{Fault, Sim, Status, Verb};

use crate::bench::{
    Balancer, MINUTE, followed, held, install, last_error, phases, stored, told, uninstall, widget,
    with_widgets,
};
use crate::support::{SOON, client, settle, until};

/// For an hour requests for the kind are answered so, and discovery as well if `all`.
async fn an_hour_of(fault: Fault, all: bool) {
    let text = format!("{fault:?}, discovery too: {all}");
    let sim = with_widgets(&["one", "two"]);
    let (widgets, fold, registration) = followed(client(&sim), InformerOptions::new()).await;
    let delivered = registration.stats().delivered;
    let fault = match all {
        true => fault.on(Verb::List).on(Verb::Watch).on(Verb::Other),
        false => fault,
    };
    sim.faults().add(fault);
    sim.disconnect();
    tokio::time::sleep(MINUTE * 60).await;
    assert_eq!(told(&fold).len(), 4, "{text}");
    assert_eq!(registration.stats().delivered, delivered, "{text}");
    assert_eq!(phases(&widgets), [Phase::BackingOff], "{text}");
    assert!(last_error(&widgets).contains("stays") || !last_error(&widgets).is_empty());
    assert!(widgets.health().stale_since.is_some(), "{text}");

    sim.create(widget("a", "new")).unwrap();
    sim.faults().clear();
    sim.clear_requests();
    until("the new one", || stored(&widgets) == held(&sim)).await;
    let lists = sim.requests();
    let lists = lists
        .iter()
        .filter(|request| request.verb == Verb::List || request.is_streaming_list());
    assert_eq!(lists.count(), 0, "{text}: the watch goes on where it was");
    assert_eq!(fold.missed_deletes(), 0, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_stray_404_of_a_balancer_or_proxy_takes_nothing_away() {
    for all in [false, true] {
        an_hour_of(Fault::not_served(), all).await;
        an_hour_of(Fault::status(Status::new(404, "NotFound", "gone")), all).await;
    }
    an_hour_of(Fault::unavailable(), true).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_starting_takes_nothing_away() {
    // It answers 503 with a pause until it knows its CRDs.
    let message = "the request has been made before all known HTTP paths have been installed, please try again";
    an_hour_of(Fault::status(Status::unavailable(message)), true).await;
}

#[tokio::test(start_paused = true)]
async fn a_404_for_the_kind_alone_does_not_outweigh_what_discovery_lists() {
    let sim = with_widgets(&["one"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    sim.faults().add(Fault::not_served().on(Verb::Watch));
    sim.disconnect();
    tokio::time::sleep(MINUTE * 60).await;
    let error = last_error(&widgets);
    assert!(
        error.contains("does not confirm that the kind is absent"),
        "{error}"
    );
    assert_eq!(told(&fold).len(), 2);
    sim.faults().clear();
    until("the watch", || widgets.health().stale_since.is_none()).await;
}

#[tokio::test(start_paused = true)]
async fn one_of_several_servers_that_is_behind_takes_nothing_away() {
    let ahead = with_widgets(&["one"]);
    let behind = Sim::new();
    let balancer = Balancer::to(&ahead);
    let (widgets, fold, _registration) = followed(balancer.clone(), InformerOptions::new()).await;
    for _ in 0..20 {
        balancer.turn_to(&behind);
        ahead.disconnect();
        tokio::time::sleep(SOON / 10).await;
        balancer.turn_to(&ahead);
        until("the watch", || widgets.health().stale_since.is_none()).await;
    }
    assert_eq!(fold.missed_deletes(), 0);
    assert_eq!(stored(&widgets), held(&ahead));
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_are_no_absence() {
    for (fault, text) in [
        (Fault::forbidden(), "(403)"),
        (Fault::unauthorized(), "(401)"),
    ] {
        let sim = with_widgets(&["one"]);
        let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
        sim.faults().add(fault);
        sim.disconnect();
        // Nobody without rights is told that it is gone.
        uninstall(&sim);
        tokio::time::sleep(MINUTE * 60).await;
        assert_eq!(told(&fold).len(), 2);
        assert!(last_error(&widgets).contains(text));
        assert_eq!(phases(&widgets), [Phase::BackingOff]);
        let asked = sim.requests();
        assert!(asked.iter().all(|request| request.verb != Verb::Other));
        sim.faults().clear();
        install(&sim, &["two"]);
        until("the new", || stored(&widgets) == held(&sim)).await;
        settle().await;
        assert_eq!(told(&fold), ["a/two", "b/two"]);
    }
}

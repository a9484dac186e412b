//! The absence of a kind that shows in each kind of request, with and without discovery's word.

use larder::{InformerOptions, Phase, ReflectorOptions};
use larder_sim::{Fault, Verb};

use crate::bench::{
    MINUTE, begun, followed, held, install, listing, phases, stored, told, uninstall, with_widgets,
};
use crate::support::{client, settle, until};

#[tokio::test(start_paused = true)]
async fn c076_a_kind_that_goes_between_two_pages() {
    let sim = with_widgets(&["one", "two", "three"]);
    let options = ReflectorOptions::default()
        .streaming_list(false)
        .page_size(2);
    // Whoever lists at "0" gets everything; this one begins at the latest version.
    sim.faults().add(Fault::gone().on(Verb::List).times(1));
    let pause = std::time::Duration::from_secs(5);
    sim.faults().add(Fault::delay(pause).only_continued());
    let widgets = begun(client(&sim), listing(options));
    let continued = |requests: &[larder_sim::Request]| {
        requests
            .iter()
            .any(|request| request.param("continue").is_some())
    };
    sim.wait_for(continued).await;
    uninstall(&sim);
    tokio::time::sleep(MINUTE).await;
    assert_eq!(phases(&widgets), [Phase::Absent]);
    assert!(widgets.store().is_empty() && !widgets.has_synced());
    install(&sim, &["four"]);
    widgets.wait_for_sync(MINUTE).await.unwrap();
    assert_eq!(stored(&widgets), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_goes_while_it_is_listed_anew() {
    let sim = with_widgets(&["one", "two"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    sim.faults().add(
        Fault::gone()
            .on(Verb::Watch)
            .except_streaming_lists()
            .times(1),
    );
    // The streaming list that follows is cut, and so is the list after it.
    sim.faults().add(Fault::cut_after(1).only_streaming_lists());
    sim.faults().add(Fault::cut_after(1).on(Verb::List));
    sim.disconnect();
    tokio::time::sleep(MINUTE).await;
    assert_eq!(told(&fold).len(), 4);
    uninstall(&sim);
    sim.faults().clear();
    until("the deletes", || told(&fold).is_empty()).await;
    assert_eq!(fold.missed_deletes(), 4);
    assert_eq!(phases(&widgets), [Phase::Absent]);
}

#[tokio::test(start_paused = true)]
async fn where_discovery_is_forbidden_only_minutes_of_404_end_in_deletes() {
    let sim = with_widgets(&["one"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    let forbidden = Fault::forbidden().on(Verb::Other);
    sim.faults().add(forbidden);
    uninstall(&sim);
    tokio::time::sleep(MINUTE * 4).await;
    assert_eq!(told(&fold).len(), 2, "not yet");
    tokio::time::sleep(MINUTE * 3).await;
    settle().await;
    assert_eq!((told(&fold).len(), fold.missed_deletes()), (0, 2));
    assert_eq!(phases(&widgets), [Phase::Absent]);
    install(&sim, &["two"]);
    until("the new", || stored(&widgets) == held(&sim)).await;
}

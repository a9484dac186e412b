//! An informer that stops where its kind is absent.

use larder::{Absent, Cache, CacheError, InformerOptions, Phase, SyncError, TypedInformer as _};
use larder_sim::{Fault, Sim};

use crate::bench::{
    ABSENT, MINUTE, WidgetInformer, begun, followed, install, phases, told, uninstall, with_widgets,
};
use crate::fold::Fold;
use crate::support::{SOON, client, settle, until};

#[tokio::test(start_paused = true)]
async fn c063_one_that_is_absent_at_the_start_ends_the_wait_with_its_reason() {
    let sim = Sim::new();
    let options = InformerOptions::new().when_absent(Absent::Stop);
    let widgets = begun(client(&sim), options);
    let error = widgets.wait_for_sync(MINUTE * 10).await.unwrap_err();
    assert!(matches!(error, SyncError::Stopped { .. }), "{error}");
    assert!(error.to_string().contains(ABSENT), "{error}");
    let health = widgets.health();
    assert!(health.stopped && health.started && !health.synced);
    assert_eq!(phases(&widgets), [Phase::Stopped]);
    sim.clear_requests();
    install(&sim, &["one"]);
    tokio::time::sleep(MINUTE * 10).await;
    assert_eq!(sim.requests().len(), 0, "stopped is stopped");
}

#[tokio::test(start_paused = true)]
async fn one_that_goes_delivers_every_namespaces_deletes_before_it_stops() {
    let sim = with_widgets(&["one", "two"]);
    let options = InformerOptions::new()
        .namespaces(["a", "b"])
        .when_absent(Absent::Stop);
    let (widgets, fold, _registration) = followed(client(&sim), options).await;
    // This namespace's own requests would never tell: it takes the other's word.
    sim.faults().add(Fault::forbidden().namespace("b"));
    uninstall(&sim);
    until("the end", || widgets.health().stopped).await;
    settle().await;
    assert_eq!((told(&fold).len(), fold.missed_deletes()), (0, 4));
    assert!(widgets.store().is_empty());
    assert_eq!(phases(&widgets), [Phase::Stopped; 2]);
    widgets.stop(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c038_the_option_is_a_default_of_the_cache_and_its_informers_may_differ() {
    let sim = Sim::new();
    let cache = Cache::builder(client(&sim))
        .when_absent(Absent::Stop)
        .build();
    let stops = cache.informer::<WidgetInformer>().unwrap();
    let options = InformerOptions::new()
        .name("patient")
        .when_absent(Absent::Wait);
    let waits = cache.informer_with::<WidgetInformer>(options).unwrap();
    cache.start().unwrap();
    let error = cache.wait_for_cache_sync(MINUTE * 10).await.unwrap_err();
    assert!(error.to_string().contains(ABSENT), "{error}");
    assert!(stops.inner().health().stopped && !waits.inner().health().stopped);
    let error = match cache.list::<WidgetInformer>().await {
        Err(CacheError::Sync(error)) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a list of what is absent"),
    };
    assert!(error.contains(ABSENT), "{error}");

    install(&sim, &["one"]);
    waits.inner().wait_for_sync(MINUTE).await.unwrap();
    assert!(cache.remove::<WidgetInformer>(None, SOON).await.unwrap());
    let again = cache.informer::<WidgetInformer>().unwrap();
    again.inner().wait_for_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn dynamic_informers_stop_unless_told_to_wait_and_are_made_anew_when_asked_for() {
    let sim = Sim::new();
    let cache = Cache::builder(client(&sim)).build();
    cache.start().unwrap();
    let widgets = cache.dynamic(WidgetInformer::KIND);
    let first = widgets.informer().unwrap();
    let patient = InformerOptions::new()
        .name("patient")
        .when_absent(Absent::Wait);
    let patient = widgets.informer_with(patient).unwrap();
    let metadata = cache.metadata(WidgetInformer::KIND).informer().unwrap();
    tokio::time::sleep(MINUTE).await;
    assert!(first.health().stopped);
    assert!(!patient.health().stopped && !metadata.health().stopped);
    let error = widgets.list().await.unwrap_err().to_string();
    assert!(error.contains(ABSENT), "{error}");

    install(&sim, &["one"]);
    assert_eq!(widgets.list().await.unwrap().count(), 2, "a new informer");
    assert!(first.health().stopped && !first.has_synced());
    patient.wait_for_sync(MINUTE).await.unwrap();
    metadata.wait_for_sync(MINUTE).await.unwrap();

    uninstall(&sim);
    let second = widgets.informer().unwrap();
    until("the end", || second.health().stopped).await;
    assert!(second.has_synced() && second.store().is_empty());
    install(&sim, &["two"]);
    let third = widgets
        .informer_with(InformerOptions::new())
        .expect("none runs under this name");
    third.wait_for_sync(SOON).await.unwrap();
    assert_eq!(third.store().len(), 2);

    let cache = Cache::builder(client(&sim))
        .when_absent(Absent::Wait)
        .build();
    cache.start().unwrap();
    uninstall(&sim);
    let waits = cache.dynamic(WidgetInformer::KIND).informer().unwrap();
    tokio::time::sleep(MINUTE).await;
    assert!(!waits.health().stopped, "the cache's default goes before");
}

#[tokio::test(start_paused = true)]
async fn c013_in_strict_mode_one_that_is_gone_is_not_cached_until_it_is_asked_for_again() {
    let sim = with_widgets(&["one"]);
    let cache = Cache::builder(client(&sim)).strict(true).build();
    cache.start().unwrap();
    let widgets = cache.dynamic(WidgetInformer::KIND);
    let first = widgets.informer().unwrap();
    assert_eq!(widgets.list().await.unwrap().count(), 2);
    uninstall(&sim);
    until("the end", || first.health().stopped).await;
    install(&sim, &["two"]);
    let error = widgets.list().await.map(drop).unwrap_err();
    assert!(matches!(error, CacheError::NotCached { .. }), "{error}");
    widgets.informer().unwrap();
    assert_eq!(widgets.list().await.unwrap().count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stray_404_stops_nothing() {
    let sim = with_widgets(&["one"]);
    let options = InformerOptions::new().when_absent(Absent::Stop);
    let (widgets, fold, _registration): (_, Fold, _) = followed(client(&sim), options).await;
    sim.faults().add(Fault::not_served());
    sim.disconnect();
    tokio::time::sleep(MINUTE * 60).await;
    assert!(!widgets.health().stopped);
    assert_eq!(told(&fold).len(), 2);
}

//! An informer whose kind is absent at the start, or goes.

use larder::{InformerOptions, Phase, ReadError, SyncError};
use larder_sim::Sim;
use tokio::time::Instant;

use crate::bench::{
    ABSENT, Balancer, MINUTE, begun, followed, held, install, last_error, listing, phases, stored,
    told, uninstall, widget, with_widgets,
};
use crate::support::{SOON, client, listings, settle, until};

#[tokio::test(start_paused = true)]
async fn c063_a_kind_that_is_absent_at_the_start_is_said_to_be_and_syncs_when_it_appears() {
    for (how, options) in listings() {
        let sim = Sim::new();
        let widgets = begun(client(&sim), listing(options));
        let error = widgets.wait_for_sync(MINUTE).await.unwrap_err();
        let SyncError::Deadline { unsynced, .. } = &error else {
            panic!("{error}");
        };
        let cause = unsynced[0].last_error.as_ref().unwrap().to_string();
        assert!(
            cause.contains(ABSENT) && error.to_string().contains(ABSENT),
            "{error}"
        );
        let Err(ReadError::NotSynced { cause, .. }) = widgets.lister().list() else {
            panic!("{how}: a list of what is not known");
        };
        assert!(
            cause
                .unwrap()
                .to_string()
                .contains("install its CustomResourceDefinition")
        );
        assert_eq!(phases(&widgets), [Phase::Absent], "{how}");
        assert!(!widgets.has_synced());

        let since = Instant::now();
        install(&sim, &["one"]);
        widgets.wait_for_sync(MINUTE).await.unwrap();
        assert!(since.elapsed() <= SOON, "{how}: {:?}", since.elapsed());
        settle().await;
        assert_eq!(stored(&widgets), held(&sim), "{how}");
        assert_eq!(phases(&widgets), [Phase::Watching], "{how}");
        assert!(widgets.health().stale_since.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn an_absent_kind_costs_few_requests() {
    let sim = Sim::new();
    let widgets = begun(client(&sim), InformerOptions::new());
    tokio::time::sleep(MINUTE).await;
    assert_eq!(phases(&widgets), [Phase::Absent]);
    sim.clear_requests();
    tokio::time::sleep(MINUTE * 60).await;
    let requests = sim.requests();
    assert!((120..=240).contains(&requests.len()), "{}", requests.len());
    let discovery = requests
        .iter()
        .filter(|request| request.resource.is_empty());
    assert_eq!(discovery.count(), 0, "what is known is not asked again");
}

#[tokio::test(start_paused = true)]
async fn c061_a_kind_that_goes_leaves_by_deletes_and_comes_back_with_other_objects() {
    for (how, options) in listings() {
        let sim = with_widgets(&["one", "two", "three"]);
        let (widgets, fold, _registration) = followed(client(&sim), listing(options)).await;
        let first = stored(&widgets);
        assert_eq!(told(&fold).len(), 6, "{how}");

        uninstall(&sim);
        until("the deletes", || told(&fold).is_empty()).await;
        assert_eq!(fold.missed_deletes(), 6, "{how}: each once");
        assert_eq!(phases(&widgets), [Phase::Absent], "{how}");
        assert!(
            last_error(&widgets).contains(ABSENT),
            "{}",
            last_error(&widgets)
        );
        assert!(widgets.has_synced(), "{how}: once true it stays true");
        assert_eq!(widgets.lister().list().unwrap().count(), 0, "{how}");
        assert!(widgets.health().stale_since.is_some());
        tokio::time::sleep(MINUTE * 10).await;

        sim.clear_requests();
        install(&sim, &["one", "four"]);
        until("the new objects", || stored(&widgets) == held(&sim)).await;
        settle().await;
        let requests = sim.requests();
        let served = requests
            .iter()
            .find(|request| request.param("limit").is_some() || request.is_streaming_list());
        assert_eq!(
            served.unwrap().param("resourceVersion"),
            None,
            "{how}: at the latest"
        );
        assert_ne!(
            stored(&widgets)["a/one"],
            first["a/one"],
            "{how}: another object"
        );
        assert_eq!(
            told(&fold),
            held(&sim).into_keys().collect::<Vec<_>>(),
            "{how}"
        );
        assert_eq!(fold.missed_deletes(), 6, "{how}");
        sim.create(widget("a", "five")).unwrap();
        settle().await;
        assert_eq!(stored(&widgets), held(&sim), "{how}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_whose_objects_were_deleted_before_it_is_told_of_them_by_the_watch() {
    let sim = with_widgets(&["one", "two"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    for name in ["one", "two"] {
        for namespace in ["a", "b"] {
            sim.delete("widgets", namespace, name).unwrap();
        }
    }
    settle().await;
    uninstall(&sim);
    settle().await;
    assert_eq!((told(&fold).len(), fold.missed_deletes()), (0, 0));
    until("the absence", || phases(&widgets) == [Phase::Absent]).await;
    assert_eq!(fold.missed_deletes(), 0);
}

#[tokio::test(start_paused = true)]
async fn c072_a_kind_that_is_back_before_its_absence_was_certain_is_listed_anew() {
    let sim = with_widgets(&["one", "two"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    let first = stored(&widgets);
    uninstall(&sim);
    until("a look", || last_error(&widgets).contains(ABSENT)).await;
    assert_eq!(told(&fold).len(), 4, "nothing is lost yet");
    install(&sim, &["one"]);
    until("the new objects", || stored(&widgets) == held(&sim)).await;
    settle().await;
    assert_eq!(told(&fold), ["a/one", "b/one"]);
    assert_ne!(stored(&widgets)["a/one"], first["a/one"]);
    assert_eq!(
        fold.missed_deletes(),
        4,
        "another uid is a delete and an add"
    );
    assert_eq!(phases(&widgets), [Phase::Watching]);
}

#[tokio::test(start_paused = true)]
async fn versions_may_start_anew_with_the_kind() {
    let old = Sim::builder().start_version(1_000_000).build();
    install(&old, &["one"]);
    let new = Sim::new();
    let balancer = Balancer::to(&old);
    let (widgets, fold, _registration) = followed(balancer.clone(), InformerOptions::new()).await;
    uninstall(&old);
    until("the absence", || phases(&widgets) == [Phase::Absent]).await;
    balancer.turn_to(&new);
    install(&new, &["one"]);
    until("the new object", || stored(&widgets) == held(&new)).await;
    settle().await;
    assert_eq!(told(&fold), ["a/one", "b/one"]);
    new.create(widget("a", "two")).unwrap();
    settle().await;
    assert_eq!(stored(&widgets), held(&new));
}

#[tokio::test(start_paused = true)]
async fn c140_each_namespace_sees_the_absence_and_sync_needs_all() {
    let sim = with_widgets(&["one", "two"]);
    let options = || InformerOptions::new().namespaces(["a", "b"]);
    let (widgets, fold, _registration) = followed(client(&sim), options()).await;
    uninstall(&sim);
    until("the absence", || phases(&widgets) == [Phase::Absent; 2]).await;
    settle().await;
    assert_eq!((told(&fold).len(), fold.missed_deletes()), (0, 4));
    install(&sim, &["one"]);
    until("both", || phases(&widgets) == [Phase::Watching; 2]).await;
    assert_eq!(stored(&widgets), held(&sim));

    let sim = Sim::new();
    let widgets = begun(client(&sim), options());
    tokio::time::sleep(MINUTE).await;
    let forbidden = sim
        .faults()
        .add(larder_sim::Fault::forbidden().namespace("b"));
    install(&sim, &["one"]);
    let error = widgets.wait_for_sync(MINUTE).await.unwrap_err().to_string();
    assert!(error.contains("(403)"), "{error}");
    sim.faults().remove(forbidden);
    widgets.wait_for_sync(MINUTE).await.unwrap();
    assert_eq!(stored(&widgets), held(&sim));
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_served_any_more_is_absent_and_the_error_says_which_are() {
    let sim = Sim::new();
    install(&sim, &["one"]);
    let (widgets, fold, _registration) = followed(client(&sim), InformerOptions::new()).await;
    sim.add_kind(larder_sim::Kind::new("example.com", "v2", "Widget", "widgets").custom());
    uninstall(&sim);
    until("the deletes", || told(&fold).is_empty()).await;
    let error = last_error(&widgets);
    assert!(
        error.contains(&format!("{ABSENT}, only v2 of this group")),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn c082_what_an_absent_kind_leaves_frees_its_names() {
    let sim = with_widgets(&["one"]);
    let (widgets, _, _registration) = followed(client(&sim), InformerOptions::new()).await;
    let one = std::sync::Arc::downgrade(&widgets.store().snapshot().list().next().unwrap());
    uninstall(&sim);
    until("the absence", || phases(&widgets) == [Phase::Absent]).await;
    settle().await;
    assert!(widgets.store().is_empty() && one.upgrade().is_none());
}

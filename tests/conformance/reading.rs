//! c001 to c014 and c130, in every mode.

use std::time::Duration;

use larder::{CacheError, LabelSelector, ListOptions, ObjectKey, ReadError, SyncError};
use larder_sim::Fault;
use serde_json::json;

use crate::matrix::{Mode, cases};
use crate::pods::{Own, keys};
use crate::support::{SOON, cluster, labelled, pod, settle, until};

cases! {
    c001_c002_the_first_read_starts_the_informer_and_is_complete in EVERY,
    c003_c004_c006_reads_by_namespace_and_label in EVERY,
    c007_what_was_read_stays_as_it_was in EVERY,
    c008_reads_of_an_unchanged_object_share_memory_also_across_a_relist in EVERY,
    c009_a_name_that_is_absent_is_not_found in EVERY,
    c010_a_namespace_that_is_not_watched_is_an_error_of_its_own in LIMITED,
    c011_c014_a_read_that_waits_in_vain_names_kind_and_cause in EVERY,
    c012_a_limit_caps_what_is_listed in EVERY,
    c013_strict_mode_reads_what_was_asked_for in EVERY,
    c014_no_read_answers_before_sync in EVERY,
    c130_add_update_delete_get_list_replace in EVERY,
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn set<const N: usize>(keys: [&str; N]) -> std::collections::BTreeSet<String> {
    keys.map(str::to_owned).into()
}

async fn c001_c002_the_first_read_starts_the_informer_and_is_complete(mode: &Mode) {
    let sim = cluster((0..7).map(|number| pod("a", &format!("p{number}"))));
    let listing = mode.started(mode.builder(&sim));
    let listed = mode.form.list(&listing).await.unwrap();
    assert_eq!(keys(&listed).len(), 7);
    let read = mode.form.get(&listing, &key("a/p3")).await.unwrap();
    assert_eq!(read.key, "a/p3");
    assert_eq!(listing.health().len(), 1, "one informer serves both");

    let getting = mode.started(mode.builder(&sim));
    let read = mode.form.get(&getting, &key("a/p6")).await.unwrap();
    assert_eq!(read.key, "a/p6");
    assert_eq!(getting.health()[0].objects, 7, "and it holds all of them");
}

async fn c003_c004_c006_reads_by_namespace_and_label(mode: &Mode) {
    let sim = cluster([
        labelled("a", "one", &json!({"app": "x", "tier": "front"})),
        labelled("a", "two", &json!({"app": "y"})),
        labelled("b", "one", &json!({"app": "x"})),
    ]);
    let subject = mode.synced(&sim).await;
    let seen = |keys: &[&str]| {
        let seen = keys.iter().filter(|key| mode.scope.watches(&key[..1]));
        seen.map(|key| (*key).to_owned()).collect()
    };
    let pods = &subject.pods;
    let app_x: LabelSelector = "app=x".parse().unwrap();
    let not_front: LabelSelector = "tier!=front".parse().unwrap();
    assert_eq!(
        keys(&pods.matching_in("a", &app_x).unwrap()),
        set(["a/one"])
    );
    assert_eq!(
        keys(&pods.matching(&app_x).unwrap()),
        seen(&["a/one", "b/one"])
    );
    assert_eq!(
        keys(&pods.matching(&not_front).unwrap()),
        seen(&["a/two", "b/one"])
    );
    assert_eq!(keys(&pods.list_in("a").unwrap()), set(["a/one", "a/two"]));
    assert_eq!(
        keys(&pods.list().unwrap()),
        seen(&["a/one", "a/two", "b/one"])
    );
    for read in pods.matching(&app_x).unwrap() {
        assert_eq!(read.labels["app"], "x", "{read:?}");
    }
}

async fn c007_what_was_read_stays_as_it_was(mode: &Mode) {
    let sim = cluster([labelled("a", "one", &json!({"value": "old"}))]);
    let subject = mode.synced(&sim).await;
    let before = subject.pods.get(&key("a/one")).unwrap();
    let was = (before.version.clone(), before.labels.clone());
    sim.patch(
        "pods",
        "a",
        "one",
        &json!({"metadata": {"labels": {"value": "new"}}}),
    )
    .unwrap();
    subject.equal().await;
    let after = subject.pods.get(&key("a/one")).unwrap();
    assert_eq!(after.labels["value"], "new");
    assert!(!after.is_same_memory(&before));
    assert_eq!((before.version, before.labels), was);
}

async fn c008_reads_of_an_unchanged_object_share_memory_also_across_a_relist(mode: &Mode) {
    let sim = cluster([pod("a", "one"), pod("a", "two")]);
    let subject = mode.synced(&sim).await;
    let read = || subject.pods.get_in("a", "one").unwrap();
    let before = read();
    assert!(before.is_same_memory(&read()));
    subject.relist().await;
    assert!(before.is_same_memory(&read()));
    sim.patch(
        "pods",
        "a",
        "one",
        &json!({"metadata": {"labels": {"new": "label"}}}),
    )
    .unwrap();
    until("the change", || !before.is_same_memory(&read())).await;
}

async fn c009_a_name_that_is_absent_is_not_found(mode: &Mode) {
    let sim = cluster([pod("a", "one")]);
    let subject = mode.synced(&sim).await;
    let by_key = subject.pods.get(&key("a/two")).unwrap_err();
    let by_name = subject.pods.get_in("a", "two").unwrap_err();
    let by_cache = match mode.form.get(&subject.cache, &key("a/two")).await {
        Err(CacheError::Read(error)) => error,
        other => panic!("{other:?}"),
    };
    for absent in [by_key, by_name, by_cache] {
        let ReadError::NotFound {
            kind,
            namespace,
            name,
        } = &absent
        else {
            panic!("{absent:?}")
        };
        let found = (kind.group(), kind.plural(), namespace.as_deref(), &**name);
        assert_eq!(found, ("", "pods", Some("a"), "two"));
        assert_eq!(
            absent.to_string(),
            r#"pods "two" in namespace "a" not found"#
        );
    }
}

async fn c010_a_namespace_that_is_not_watched_is_an_error_of_its_own(mode: &Mode) {
    let sim = cluster([pod("a", "one"), pod("c", "one")]);
    let subject = mode.synced(&sim).await;
    let selector: LabelSelector = "app=one".parse().unwrap();
    let pods = &subject.pods;
    for error in [
        pods.get(&key("c/one")).unwrap_err(),
        pods.get_in("c", "one").unwrap_err(),
        pods.list_in("c").unwrap_err(),
        pods.matching_in("c", &selector).unwrap_err(),
    ] {
        let ReadError::NamespaceNotWatched {
            namespace, watched, ..
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(namespace, "c");
        assert_eq!(watched, mode.scope.namespaces().unwrap());
    }
    if mode.scope.watches("b") {
        let empty = subject.pods.list_in("b").unwrap();
        assert_eq!(empty.len(), 0, "watched and empty is no error");
    }
}

async fn c011_c014_a_read_that_waits_in_vain_names_kind_and_cause(mode: &Mode) {
    let sim = cluster([pod("a", "one")]);
    sim.faults().add(Fault::forbidden().resource("pods"));
    let builder = mode.builder(&sim).read_deadline(Duration::from_secs(20));
    let cache = mode.started(builder);
    for error in [
        mode.form.list(&cache).await.unwrap_err(),
        mode.form.get(&cache, &key("a/one")).await.unwrap_err(),
    ] {
        let CacheError::Sync(SyncError::Deadline { unsynced, .. }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!(unsynced[0].kind.plural(), "pods");
        assert!(unsynced[0].last_error.is_some());
        let text = error.to_string();
        let says = |word| text.contains(word);
        assert!(says("20s") && says("pods") && says("403"), "{text}");
    }
    let pods = mode.form.informer(&cache, None).unwrap();
    for error in [
        pods.list().unwrap_err(),
        pods.get(&key("a/one")).unwrap_err(),
    ] {
        let caused = matches!(&error, ReadError::NotSynced { cause: Some(_), .. });
        assert!(caused, "{error:?}");
    }
}

async fn c012_a_limit_caps_what_is_listed(mode: &Mode) {
    let sim = cluster((0..6).map(|number| {
        let app = if number % 2 == 0 { "even" } else { "odd" };
        labelled("a", &format!("p{number}"), &json!({"app": app}))
    }));
    let subject = mode.synced(&sim).await;
    let even: LabelSelector = "app=even".parse().unwrap();
    for (limit, all, evens) in [(0, 6, 3), (1, 1, 1), (4, 4, 3), (100, 6, 3)] {
        let options = ListOptions::new().limit(limit);
        let listed = subject.pods.list_with(&options).unwrap();
        assert_eq!(keys(&listed).len(), all, "limit {limit}");
        let listed = subject.pods.list_with(&options.labels(even.clone()));
        assert_eq!(keys(&listed.unwrap()).len(), evens, "limit {limit}");
    }
    let params = kube::api::ListParams::default()
        .limit(1)
        .continue_token("token");
    let error = ListOptions::try_from(&params).unwrap_err();
    assert!(error.to_string().contains("continue token"), "{error}");
}

async fn c013_strict_mode_reads_what_was_asked_for(mode: &Mode) {
    let sim = cluster([pod("a", "one")]);
    let cache = mode.started(mode.builder(&sim).strict(true));
    for refused in [
        mode.form.list(&cache).await.unwrap_err(),
        mode.form.get(&cache, &key("a/one")).await.unwrap_err(),
    ] {
        assert!(
            matches!(refused, CacheError::NotCached { .. }),
            "{refused:?}"
        );
    }
    assert!(cache.health().is_empty() && sim.requests().is_empty());
    let _pods = mode.form.informer(&cache, None).unwrap();
    assert_eq!(mode.form.list(&cache).await.unwrap().len(), 1);
}

async fn c014_no_read_answers_before_sync(mode: &Mode) {
    let sim = cluster((0..5).map(|number| pod("a", &format!("p{number}"))));
    let last = key("a/p4");
    for strict in [false, true] {
        let slow = Fault::slow(Duration::from_secs(3)).resource("pods");
        let slow = sim.faults().add(slow);
        let cache = mode.started(mode.builder(&sim).strict(strict));
        let pods = mode.form.informer(&cache, None).unwrap();
        // What waits asks at once and is answered when everything is there; what does not wait says so all the while.
        let (listed, read, ()) = tokio::join!(
            mode.form.list(&cache),
            mode.form.get(&cache, &last),
            async {
                while !pods.has_synced() {
                    let refused = [pods.list().err(), pods.get(&key("a/none")).err()];
                    let not_synced = |error| matches!(error, Some(ReadError::NotSynced { .. }));
                    assert!(pods.has_synced() || refused.into_iter().all(not_synced));
                    settle().await;
                }
            }
        );
        assert_eq!(listed.unwrap().len(), 5);
        assert_eq!(read.unwrap().key, "a/p4");
        sim.faults().remove(slow);
        cache.shutdown(SOON).await.unwrap();
    }
}

async fn c130_add_update_delete_get_list_replace(mode: &Mode) {
    let sim = cluster([]);
    let subject = mode.synced(&sim).await;
    let pods = &subject.pods;
    assert_eq!(pods.list().unwrap().len(), 0);
    for name in ["one", "two", "three"] {
        sim.create(pod("a", name)).unwrap();
    }
    sim.patch(
        "pods",
        "a",
        "two",
        &json!({"metadata": {"labels": {"value": "new"}}}),
    )
    .unwrap();
    sim.delete_now("pods", "a", "three").unwrap();
    subject.equal().await;
    assert_eq!(keys(&pods.list().unwrap()), set(["a/one", "a/two"]));
    assert_eq!(pods.get(&key("a/two")).unwrap().labels["value"], "new");
    assert!(pods.get(&key("a/three")).is_err());

    // A list takes the place of all that.
    let gone = sim.faults().add(
        Fault::gone()
            .on(larder_sim::Verb::Watch)
            .except_streaming_lists(),
    );
    sim.change_unseen(|sim| {
        sim.delete_now("pods", "a", "one").unwrap();
        sim.create(pod("a", "four")).unwrap();
    });
    until("a relist", || pods.health().relists > 0).await;
    sim.faults().remove(gone);
    subject.equal().await;
    assert_eq!(keys(&pods.list().unwrap()), set(["a/four", "a/two"]));
    let own = mode.further(&subject, Own::named("other")).await;
    assert_eq!(keys(&own.pods.list().unwrap()), set(["a/four", "a/two"]));
    subject.end().await;
}

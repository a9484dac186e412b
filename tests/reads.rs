//! Reads through a cache, in every scope and every way in which a listing arrives. Named by conformance number.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kube::api::ListParams;
use larder::core::v1::{NodeInformer, Pod, PodInformer};
use larder::{
    Cache, CacheBuilder, CacheError, Event, HandlerOptions, LabelSelector, ListOptions,
    ListOptionsError, ObjectKey, ReadError, ResourceVersion, SyncError,
};
use larder_sim::{Fault, Sim};
use serde_json::json;
use support::{SOON, client, cluster, labelled, listings, node, pod, settle, until};

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn names(pods: impl IntoIterator<Item = Arc<Pod>>) -> BTreeSet<String> {
    let key = |pod: Arc<Pod>| ObjectKey::from_metadata(&pod.metadata).unwrap().to_string();
    pods.into_iter().map(key).collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// Every scope that a cache of the namespaces `a` and `b` may have, with every way of listing.
fn modes(sim: &Sim) -> Vec<(String, CacheBuilder)> {
    let mut modes = Vec::new();
    for (listing, options) in listings() {
        let builder = || Cache::builder(client(sim)).reflector(options.clone());
        modes.push((format!("all namespaces, {listing}"), builder()));
        modes.push((
            format!("two namespaces, {listing}"),
            builder().namespaces(["a", "b"]),
        ));
    }
    modes
}

fn started(builder: CacheBuilder) -> Cache {
    let cache = builder.build();
    cache.start().unwrap();
    cache
}

async fn synced(builder: CacheBuilder) -> (Cache, PodInformer) {
    let cache = started(builder);
    let pods = cache.synced_informer::<PodInformer>().await.unwrap();
    (cache, pods)
}

#[tokio::test(start_paused = true)]
async fn c007_c008_reads_share_what_nobody_can_change() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    for (mode, builder) in modes(&sim) {
        let (cache, pods) = synced(builder).await;
        let lister = pods.lister();
        let one = lister.get(&key("a/one")).unwrap();
        let listed = lister.namespace("a").list().unwrap().next().unwrap();
        let of_cache = cache.get::<PodInformer>(&key("a/one")).await.unwrap();
        assert!(
            Arc::ptr_eq(&one, &listed) && Arc::ptr_eq(&one, &of_cache),
            "{mode}"
        );

        let relists = pods.health().sources.len() as u64;
        sim.change_unseen(|sim| sim.advance_version(1));
        until("a relist", || pods.health().relists >= relists).await;
        assert!(
            Arc::ptr_eq(&one, &lister.get(&key("a/one")).unwrap()),
            "{mode}: also across a relist"
        );

        // To change what was read is to change a copy of one's own.
        let mut mine = lister.get(&key("a/one")).unwrap();
        Arc::make_mut(&mut mine).metadata.labels = None;
        assert!(
            lister.get(&key("a/one")).unwrap().metadata.labels.is_some(),
            "{mode}"
        );
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c009_c010_absent_is_not_unwatched() {
    let sim = cluster([pod("a", "one"), pod("c", "one"), node("n", &json!({}))]);
    for (mode, builder) in modes(&sim) {
        let (cache, pods) = synced(builder).await;
        for wanted in ["a/two", "b/one"] {
            let error = cache.get::<PodInformer>(&key(wanted)).await.unwrap_err();
            let CacheError::Read(ReadError::NotFound {
                kind,
                namespace,
                name,
            }) = &error
            else {
                panic!("{mode}: {error:?}")
            };
            assert_eq!(
                (kind.group(), kind.plural(), namespace.as_deref(), &**name),
                ("", "pods", key(wanted).namespace(), key(wanted).name()),
                "{mode}"
            );
        }
        let elsewhere = pods.lister().get(&key("c/one"));
        let options = ListOptions::new()
            .field_selector("metadata.namespace=c")
            .unwrap();
        let listed = pods.lister().list_with(&options);
        if mode.starts_with("all") {
            assert!(elsewhere.is_ok() && listed.unwrap().count() == 1, "{mode}");
        } else {
            for error in [elsewhere.map(drop), listed.map(drop)] {
                assert!(
                    matches!(error, Err(ReadError::NamespaceNotWatched { .. })),
                    "{mode}: {error:?}"
                );
            }
        }
        let error = cache.get::<NodeInformer>(&key("m")).await.unwrap_err();
        assert_eq!(error.to_string(), r#"nodes "m" not found"#, "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c011_c014_before_sync_a_read_waits_and_then_says_why() {
    let sim = cluster([pod("a", "one")]);
    for (mode, builder) in modes(&sim) {
        let refused = sim.faults().add(Fault::forbidden().resource("pods"));
        let cache = started(builder.read_deadline(Duration::from_secs(60)));
        let start = tokio::time::Instant::now();
        for error in [
            cache.list::<PodInformer>().await.map(drop),
            cache.get::<PodInformer>(&key("a/one")).await.map(drop),
            cache.get::<PodInformer>(&key("a/absent")).await.map(drop),
        ] {
            let Err(CacheError::Sync(SyncError::Deadline { unsynced, .. })) = &error else {
                panic!("{mode}: {error:?}")
            };
            assert_eq!(unsynced[0].kind, PodInformer::KIND, "{mode}");
            let text = error.unwrap_err().to_string();
            assert!(text.contains("pods") && text.contains("403"), "{text}");
        }
        assert_eq!(start.elapsed().as_secs(), 180, "{mode}");

        // Reads that do not wait are an error, whose text has the cause once.
        let pods = cache.informer::<PodInformer>().unwrap();
        let error = pods.lister().list().unwrap_err();
        assert!(
            matches!(error, ReadError::NotSynced { .. }) && error.to_string().contains("403"),
            "{mode}: {error:?}"
        );
        assert!(std::error::Error::source(&error).is_none(), "{mode}");

        // One that waits is answered as soon as it may be, with everything.
        let waiting = tokio::spawn({
            let cache = cache.clone();
            async move { cache.list::<PodInformer>().await }
        });
        settle().await;
        sim.faults().remove(refused);
        assert_eq!(waiting.await.unwrap().unwrap().count(), 1, "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c012_a_limit_caps_a_list_and_stops_it() {
    let sim = cluster((0..9).map(|number| {
        let namespace = if number % 3 == 0 { "a" } else { "b" };
        labelled(
            namespace,
            &format!("p{number}"),
            &json!({"parity": if number % 2 == 0 { "even" } else { "odd" }}),
        )
    }));
    let even: LabelSelector = "parity=even".parse().unwrap();
    for (mode, builder) in modes(&sim) {
        let (_cache, pods) = synced(builder).await;
        let lister = pods.lister();
        let count = |options: &ListOptions| lister.list_with(options).unwrap().count();
        for (limit, all, evens, evens_in_b) in
            [(0, 9, 5, 3), (1, 1, 1, 1), (4, 4, 4, 3), (100, 9, 5, 3)]
        {
            let options = ListOptions::new().limit(limit);
            assert_eq!(count(&options), all, "{mode}, limit {limit}");
            let listed = lister.list_with(&options).unwrap();
            assert_eq!(listed.size_hint(), (all, Some(all)), "{mode}");
            assert_eq!(listed.collect::<Vec<_>>().len(), all, "{mode}");
            let options = options.labels(even.clone());
            assert_eq!(count(&options), evens, "{mode}, limit {limit}");
            let in_b = lister.namespace("b").list_with(&options).unwrap();
            assert_eq!(in_b.count(), evens_in_b, "{mode}, limit {limit}");
            let options = options.field_selector("metadata.namespace=b").unwrap();
            assert_eq!(count(&options), evens_in_b, "{mode}, limit {limit}");
        }
        let one = ListOptions::new()
            .field_selector("metadata.name=p4,metadata.namespace!=a")
            .unwrap();
        assert_eq!(
            names(lister.list_with(&one).unwrap()),
            set(["b/p4"]),
            "{mode}"
        );
        let keys: Vec<_> = lister.list_with(&one).unwrap().keys().collect();
        assert_eq!(keys, [key("b/p4")], "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c012_list_params_of_kube_are_served_or_refused() {
    let sim = cluster([pod("a", "one"), pod("b", "one"), pod("b", "two")]);
    for (mode, builder) in modes(&sim) {
        let (_cache, pods) = synced(builder).await;
        let list = |params: ListParams| -> Result<_, Box<dyn std::error::Error>> {
            let options = ListOptions::try_from(&params)?;
            Ok(names(pods.lister().list_with(&options)?))
        };
        let params = ListParams::default().fields("metadata.name=one");
        assert_eq!(list(params).unwrap(), set(["a/one", "b/one"]), "{mode}");
        let params = ListParams::default().labels("app=two").limit(7);
        assert_eq!(list(params).unwrap(), set(["b/two"]), "{mode}");

        let error = list(ListParams::default().limit(1).continue_token("token")).unwrap_err();
        let error = error.downcast_ref::<ListOptionsError>().unwrap();
        assert_eq!(*error, ListOptionsError::Continue);
        assert!(error.to_string().contains("continue token"), "{error}");
        let error = list(ListParams::default().fields("spec.nodeName=n")).unwrap_err();
        assert!(
            error.to_string().contains("spec.nodeName") && error.to_string().contains("`fields`"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c013_c014_strict_mode_reads_what_was_asked_for() {
    let sim = cluster([pod("a", "one"), node("n", &json!({}))]);
    for (mode, builder) in modes(&sim) {
        let cache = started(builder.strict(true));
        for refused in [
            cache.list::<PodInformer>().await.map(drop),
            cache.get::<PodInformer>(&key("a/one")).await.map(drop),
            cache.synced_informer::<PodInformer>().await.map(drop),
        ] {
            let Err(CacheError::NotCached { kind }) = refused else {
                panic!("{mode}: {refused:?}")
            };
            assert_eq!(kind, PodInformer::KIND, "{mode}");
        }
        assert!(cache.health().is_empty(), "{mode}: nothing was begun");
        let _pods = cache.informer::<PodInformer>().unwrap();
        assert!(
            cache.get::<PodInformer>(&key("a/one")).await.is_ok(),
            "{mode}: it waits for sync"
        );
        assert!(
            matches!(
                cache.list::<NodeInformer>().await,
                Err(CacheError::NotCached { .. })
            ),
            "{mode}"
        );
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c079_the_store_knows_each_version() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    for (mode, builder) in modes(&sim) {
        let (cache, pods) = synced(builder).await;
        let newest = || {
            let versions = pods.store().versions();
            let number = |version: Option<ResourceVersion>| {
                version.unwrap().to_string().parse::<u64>().unwrap()
            };
            versions
                .into_iter()
                .map(|(_, version)| number(version))
                .max()
        };
        let is_current = |what: &str| {
            assert_eq!(newest(), Some(sim.current_version()), "{mode}: {what}");
        };
        is_current("listing");
        sim.create(pod("a", "two")).unwrap();
        settle().await;
        is_current("create");
        let patch = json!({"metadata": {"labels": {"new": "label"}}});
        sim.patch("pods", "b", "one", &patch).unwrap();
        settle().await;
        is_current("update");
        sim.patch(
            "pods",
            "b",
            "one",
            &json!({"metadata": {"labels": {"new": null}}}),
        )
        .unwrap();
        sim.delete_now("pods", "a", "two").unwrap();
        settle().await;
        is_current("delete");

        let before = newest();
        sim.advance_version(10);
        settle().await;
        assert_eq!(newest(), before, "{mode}: nobody has told it yet");
        tokio::time::sleep(Duration::from_secs(70)).await;
        is_current("bookmark");

        sim.change_unseen(|sim| sim.advance_version(10));
        until("a relist", || pods.health().relists > 0).await;
        settle().await;
        is_current("relist");
        for (namespace, version) in pods.store().versions() {
            assert!(version.is_some(), "{mode}: {namespace:?}");
        }
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c136_deletes_say_what_was_deleted() {
    for seen in [true, false] {
        let objects = || [pod("a", "one"), pod("b", "one"), node("n", &json!({}))];
        let sim = cluster(objects());
        for (mode, builder) in modes(&sim) {
            let (cache, pods) = synced(builder).await;
            let nodes = cache.synced_informer::<NodeInformer>().await.unwrap();
            let mut of_pods = pods.events(HandlerOptions::default()).unwrap();
            let mut of_nodes = nodes.events(HandlerOptions::default()).unwrap();
            let delete = |sim: &Sim| {
                sim.delete_now("pods", "a", "one").unwrap();
                sim.delete_now("pods", "b", "one").unwrap();
                sim.delete_now("nodes", "", "n").unwrap();
            };
            if seen {
                delete(&sim);
            } else {
                sim.change_unseen(delete);
            }
            let mut gone = BTreeSet::new();
            while gone.len() < 2 {
                let event = tokio::time::timeout(SOON * 4, of_pods.next()).await;
                let Some(Event::Delete(pod)) = event.expect("deletes come") else {
                    continue;
                };
                assert_eq!(pod.final_state(), seen, "{mode}");
                assert_eq!(pod.name(), "one", "{mode}");
                let last = ObjectKey::from_metadata(&pod.last_known().metadata);
                assert_eq!(last.as_ref(), Some(pod.key()), "{mode}");
                assert_eq!(pod.namespace(), pod.key().namespace(), "{mode}");
                gone.insert(pod.key().to_string());
            }
            assert_eq!(gone, set(["a/one", "b/one"]), "{mode}");
            let node = loop {
                let event = tokio::time::timeout(SOON * 4, of_nodes.next()).await;
                if let Some(Event::Delete(node)) = event.expect("a delete comes") {
                    break node;
                }
            };
            assert_eq!((node.namespace(), node.name()), (None, "n"), "{mode}");
            for object in objects() {
                sim.create(object).unwrap();
            }
            cache.shutdown(SOON).await.unwrap();
        }
    }
}

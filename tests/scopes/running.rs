//! c041: namespaces added and removed while informers run.

use std::collections::BTreeSet;
use std::time::Duration;

use larder::core::v1::{NodeInformer, PodInformer};
use larder::{
    Cache, CacheError, Event, HandlerOptions, InformerError, InformerOptions, NamespaceOptions,
    ObjectKey, ReadError, SyncError, TypedInformer as _,
};
use larder_sim::{Fault, Sim, random_faults};
use serde_json::json;
use tokio::runtime::Handle;

use crate::bench::{asked, listed, pods_of, set, started, stored};
use crate::fold::Fold;
use crate::support::{SOON, client, cluster, labelled, listings, node, pod, settle, until};

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn with_fold(pods: &PodInformer) -> Fold {
    let fold = Fold::default();
    let added = pods.inner().add_handler(fold.clone());
    added.unwrap();
    fold
}

fn folded(fold: &Fold) -> BTreeSet<String> {
    assert!(fold.wrong().is_empty(), "{:?}", fold.wrong());
    fold.versions().keys().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn c041_handlers_get_the_adds_and_deletes_that_follow() {
    for (listing, reflector) in listings() {
        let sim = cluster([pod("a", "one"), pod("b", "one"), pod("b", "two")]);
        let builder = Cache::builder(client(&sim)).reflector(reflector);
        let (cache, pods) = pods_of(builder.namespaces(["a"])).await;
        let mut events = pods.events(HandlerOptions::default()).unwrap();
        let fold = with_fold(&pods);
        while !matches!(events.next().await, Some(Event::Synced)) {}

        assert!(pods.add_namespace("b").unwrap(), "{listing}");
        assert!(
            !pods.add_namespace("b").unwrap(),
            "{listing}: once is enough"
        );
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(listed(&pods), set(["a/one", "b/one", "b/two"]), "{listing}");
        for _ in 0..2 {
            let Some(Event::Add { object, initial }) = events.next().await else {
                panic!("{listing}: an add")
            };
            assert_eq!(
                (object.namespace(), initial),
                (Some("b"), true),
                "{listing}"
            );
        }
        sim.create(pod("b", "three")).unwrap();
        let Some(Event::Add { object, initial }) = events.next().await else {
            panic!("{listing}: an add")
        };
        assert_eq!((object.name(), initial), ("three", false), "{listing}");

        assert!(pods.remove_namespace("b").unwrap(), "{listing}");
        // No read finds anything of it from here on.
        assert_eq!(listed(&pods), set(["a/one"]), "{listing}");
        assert!(!pods.remove_namespace("b").unwrap(), "{listing}");
        let mut gone = BTreeSet::new();
        for _ in 0..3 {
            let Some(Event::Delete(tombstone)) = events.next().await else {
                panic!("{listing}: a delete")
            };
            assert!(!tombstone.final_state(), "{listing}: nobody saw its end");
            gone.insert(tombstone.name().to_owned());
        }
        assert_eq!(gone, set(["one", "three", "two"]), "{listing}");
        until("its watch ends", || sim.watchers_of("pods") == 1).await;
        sim.create(pod("b", "four")).unwrap();
        settle().await;
        assert_eq!(folded(&fold), set(["a/one"]), "{listing}");
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c010_c041_readers_know_at_any_time_what_is_watched() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let (cache, pods) = pods_of(Cache::builder(client(&sim)).namespaces(["a"])).await;
    let lister = pods.lister();
    let in_b = lister.namespace("b");
    let not_watched = || {
        let error = in_b.get("one").unwrap_err();
        let ReadError::NamespaceNotWatched { watched, .. } = error else {
            panic!("{error:?}")
        };
        watched
    };
    assert_eq!(not_watched(), ["a"]);

    let late = sim
        .faults()
        .add(Fault::delay(Duration::from_secs(10)).namespace("b"));
    assert!(pods.add_namespace("b").unwrap());
    // While it loads: what was read before goes on, over everything without it; the new one is waited for.
    assert!(!pods.has_synced() && !pods.health().synced);
    assert_eq!(listed(&pods), set(["a/one"]));
    assert!(lister.namespace("a").get("one").is_ok());
    assert!(matches!(in_b.get("one"), Err(ReadError::NotSynced { .. })));
    assert!(matches!(in_b.list(), Err(ReadError::NotSynced { .. })));
    let start = tokio::time::Instant::now();
    assert_eq!(cache.list::<PodInformer>().await.unwrap().count(), 1);
    assert!(cache.get::<PodInformer>(&key("a/one")).await.is_ok());
    assert_eq!(start.elapsed(), Duration::ZERO, "neither waits for it");
    assert!(cache.get::<PodInformer>(&key("b/one")).await.is_ok());
    assert!(start.elapsed() >= Duration::from_secs(10), "this one does");
    assert!(pods.has_synced() && pods.health().synced);
    sim.faults().remove(late);

    let sources = || {
        let health = pods.health();
        let names = health
            .sources
            .iter()
            .map(|one| one.namespace.as_deref().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(sources(), ["a", "b"]);
    assert_eq!(pods.store().versions().len(), 2);
    // The last one may go, too: then nothing is watched, and nothing is unknown.
    assert!(pods.remove_namespace("b").unwrap());
    assert_eq!(
        (not_watched(), sources()),
        (vec!["a".into()], vec!["a".into()])
    );
    assert!(pods.remove_namespace("a").unwrap());
    assert_eq!(not_watched(), Vec::<String>::new());
    assert!(
        in_b.get("one")
            .unwrap_err()
            .to_string()
            .ends_with("watched: none")
    );
    assert!(pods.has_synced() && sources().is_empty() && listed(&pods).is_empty());
    pods.wait_for_sync(SOON).await.unwrap();
    assert!(pods.health().stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn c041_a_namespace_that_cannot_be_listed_harms_no_other_and_can_be_taken_out_again() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    sim.faults().add(Fault::forbidden().namespace("b"));
    let (cache, pods) = pods_of(Cache::builder(client(&sim)).namespaces(["a"])).await;
    assert!(pods.add_namespace("b").unwrap());
    let error = pods.wait_for_sync(SOON).await.unwrap_err();
    assert!(matches!(error, SyncError::Deadline { .. }));
    assert!(error.to_string().contains("403"), "{error}");
    assert!(cache.wait_for_cache_sync(SOON).await.is_err());
    let ReadError::NotSynced { cause: Some(_), .. } =
        pods.lister().namespace("b").list().unwrap_err()
    else {
        panic!("the cause is known")
    };
    sim.create(pod("a", "two")).unwrap();
    until("the other is followed", || listed(&pods).len() == 2).await;
    let waiting = tokio::spawn({
        let pods = pods.clone();
        async move { pods.wait_for_sync(SOON * 100).await }
    });
    settle().await;
    assert!(pods.remove_namespace("b").unwrap());
    waiting.await.unwrap().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c103_c041_taking_out_the_last_one_that_is_waited_for_completes_the_start() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    sim.faults().add(Fault::forbidden().namespace("b"));
    let cache = started(Cache::builder(client(&sim)).namespaces(["a", "b"]));
    let pods = cache.informer::<PodInformer>().unwrap();
    let registration = pods.add_handler(larder::Keys::new(|_| {})).unwrap();
    until("one is listed", || pods.store().len() == 1).await;
    assert!(pods.lister().list().is_err() && !registration.has_synced());
    assert!(pods.remove_namespace("b").unwrap());
    registration.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["a/one"]));
}

#[tokio::test(start_paused = true)]
async fn c041_before_the_start_and_after_the_end() {
    let sim = cluster([pod("a", "one"), pod("b", "one"), pod("c", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    let own = InformerOptions::new().namespaces(["a", "b"]);
    let pods = cache.informer_with::<PodInformer>(own).unwrap();
    assert!(pods.add_namespace("c").unwrap());
    assert!(pods.remove_namespace("a").unwrap());
    settle().await;
    assert_eq!(sim.requests().len(), 0);
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["b/one", "c/one"]));
    assert!(sim.requests().iter().all(|one| one.namespace != "a"));
    pods.stop(SOON).await.unwrap();
    for changed in [pods.add_namespace("a"), pods.remove_namespace("b")] {
        assert!(
            matches!(changed, Err(InformerError::Stopped(_))),
            "{changed:?}"
        );
    }
    assert_eq!(stored(&pods), set(["b/one", "c/one"]), "it stays as it was");
    cache.shutdown(SOON).await.unwrap();
    for changed in [cache.add_namespace("d"), cache.remove_namespace("d")] {
        assert!(matches!(changed, Err(CacheError::ShutDown)), "{changed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn c041_what_cannot_be_meant_is_a_clear_answer() {
    let sim = cluster([node("n", &json!({}))]);
    let (cache, pods) = pods_of(Cache::builder(client(&sim)).namespaces(["a"])).await;
    let nodes = cache.informer::<NodeInformer>().unwrap();
    let cluster_scoped =
        r#"informer of nodes: the kind is cluster-scoped: namespace "a" means nothing to it"#;
    assert_eq!(
        nodes.add_namespace("a").unwrap_err().to_string(),
        cluster_scoped
    );
    assert_eq!(
        nodes.remove_namespace("a").unwrap_err().to_string(),
        cluster_scoped
    );
    let no_name = r#""" is no namespace name"#;
    let text = pods.add_namespace("").unwrap_err().to_string();
    assert!(text.contains(no_name), "{text}");
    let text = cache.add_namespace("").unwrap_err().to_string();
    assert!(text.contains(no_name), "{text}");
    let entry = NamespaceOptions::new().label_selector("a in");
    let text = pods.add_namespace_with("b", entry).unwrap_err().to_string();
    assert!(
        text.starts_with(r#"informer of pods: namespace "b": label selector"#),
        "{text}"
    );
    let entry = NamespaceOptions::new().label_selector("a in");
    let error = cache.add_namespace_with("b", entry).unwrap_err();
    assert!(matches!(error, CacheError::Scope(_)), "{error:?}");
    assert_eq!(pods.health().sources.len(), 1, "nothing came of any");
    assert!(!cache.remove_namespace("b").unwrap());
}

#[tokio::test(start_paused = true)]
async fn c041_options_of_an_added_namespace_stand_before_the_others() {
    let sim = cluster([
        labelled("a", "red", &json!({"color": "red"})),
        labelled("b", "red", &json!({"color": "red"})),
        labelled("b", "blue", &json!({"color": "blue"})),
        labelled("c", "red", &json!({"color": "red"})),
        labelled("c", "blue", &json!({"color": "blue"})),
    ]);
    let builder = Cache::builder(client(&sim)).namespaces(["a"]);
    let (_cache, pods) = pods_of(builder.label_selector("color=red")).await;
    let blue = || NamespaceOptions::new().label_selector("color=blue");
    assert!(pods.add_namespace("b").unwrap());
    assert!(pods.add_namespace_with("c", blue()).unwrap());
    assert!(
        !pods.add_namespace_with("b", blue()).unwrap(),
        "not applied"
    );
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["a/red", "b/red", "c/blue"]));
    // To change what is asked for: out and in again.
    assert!(pods.remove_namespace("b").unwrap());
    assert!(pods.add_namespace_with("b", blue()).unwrap());
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["a/red", "b/blue", "c/blue"]));
}

#[tokio::test(start_paused = true)]
async fn c041_a_cache_changes_all_that_inherit_its_default() {
    let sim = cluster([
        pod("a", "one"),
        labelled("b", "one", &json!({"app": "x"})),
        pod("b", "two"),
        node("n", &json!({})),
    ]);
    let (cache, inherits) = pods_of(Cache::builder(client(&sim)).namespaces(["a"])).await;
    let named = |name: &str| InformerOptions::new().name(name);
    let own = cache
        .informer_with::<PodInformer>(named("own").namespaces(["a"]))
        .unwrap();
    let also = cache
        .informer_with::<PodInformer>(named("also").label_selector(""))
        .unwrap();
    let nodes = cache.informer::<NodeInformer>().unwrap();
    let stopped = cache
        .informer_with::<PodInformer>(named("stopped"))
        .unwrap();
    stopped.stop(SOON).await.unwrap();
    assert!(
        cache
            .remove::<PodInformer>(Some("stopped"), SOON)
            .await
            .unwrap()
    );
    cache.wait_for_cache_sync(SOON).await.unwrap();

    let x = NamespaceOptions::new().label_selector("app=x");
    assert!(cache.add_namespace_with("b", x).unwrap());
    assert!(!cache.add_namespace("b").unwrap());
    let late = cache.informer_with::<PodInformer>(named("late")).unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&inherits), set(["a/one", "b/one"]));
    assert_eq!(listed(&late), set(["a/one", "b/one"]));
    assert_eq!(
        listed(&also),
        set(["a/one", "b/one", "b/two"]),
        "its own selector"
    );
    assert_eq!(listed(&own), set(["a/one"]), "it names its own");
    assert_eq!(listed(&nodes), set(["n"]));

    assert!(cache.remove_namespace("b").unwrap());
    assert!(!cache.remove_namespace("b").unwrap());
    for informer in [&inherits, &late, &also, &own] {
        assert_eq!(listed(informer), set(["a/one"]));
    }
    let later = cache.informer_with::<PodInformer>(named("later")).unwrap();
    later.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&later), set(["a/one"]));
    assert_eq!(listed(&nodes), set(["n"]));
}

#[tokio::test(start_paused = true)]
async fn c041_a_cache_of_all_namespaces_leaves_one_out_and_takes_it_back() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let (cache, pods) = pods_of(Cache::builder(client(&sim))).await;
    assert!(!cache.add_namespace("b").unwrap(), "one of all");
    assert!(cache.remove_namespace("b").unwrap());
    let late = InformerOptions::new().name("late");
    let late = cache.informer_with::<PodInformer>(late).unwrap();
    late.wait_for_sync(SOON).await.unwrap();
    assert_eq!(
        (listed(&pods), listed(&late)),
        (set(["a/one"]), set(["a/one"]))
    );
    assert!(cache.add_namespace("b").unwrap());
    cache.wait_for_cache_sync(SOON).await.unwrap();
    for informer in [&pods, &late] {
        assert_eq!(listed(informer), set(["a/one", "b/one"]));
    }
    let fields = "metadata.namespace!=b";
    let left_out = (String::new(), String::new(), fields.to_owned());
    assert!(asked(&sim, "pods").contains(&left_out));
}

#[tokio::test(start_paused = true)]
async fn c041_coming_and_going_leaves_nothing_behind() {
    let sim = cluster((0..20).map(|n| pod("b", &format!("p{n}"))));
    sim.create(pod("a", "one")).unwrap();
    let connection = client(&sim);
    let (_cache, pods) = pods_of(Cache::builder(connection).namespaces(["a"])).await;
    let fold = with_fold(&pods);
    settle().await;
    let tasks = || Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    for round in 0..50 {
        assert!(pods.add_namespace("b").unwrap());
        match round % 3 {
            0 => pods.wait_for_sync(SOON).await.unwrap(),
            1 => settle().await,
            _ => {} // gone before it was ever asked for
        }
        assert!(pods.remove_namespace("b").unwrap());
        assert_eq!(listed(&pods), set(["a/one"]));
    }
    until("every task ends", || tasks() == before).await;
    assert_eq!(sim.watchers_of("pods"), 1);
    assert_eq!(pods.health().sources.len(), 1);
    assert_eq!(pods.store().versions().len(), 1);
    assert_eq!(pods.indexer().namespaces().unwrap(), [("a".into(), 1)]);
    assert_eq!(folded(&fold), set(["a/one"]));
}

/// Objects and namespaces come and go under faults; once those are over, store and handlers hold what the server has of what is
/// watched, and on the way a namespace that is not watched is never read.
async fn history(seed: u64) {
    const NAMESPACES: [&str; 4] = ["a", "b", "c", "d"];
    let mut random = fastrand::Rng::with_seed(seed);
    let sim = Sim::new();
    let all = random.bool();
    let listings = listings();
    let (listing, reflector) = random.choice(&listings).unwrap();
    let builder = Cache::builder(client(&sim)).reflector(reflector.clone());
    let cache = started(if all {
        builder
    } else {
        builder.namespaces(["a"])
    });
    let mut watched: BTreeSet<&str> = if all { NAMESPACES.into() } else { ["a"].into() };
    let pods = cache.informer::<PodInformer>().unwrap();
    let fold = with_fold(&pods);
    for fault in random_faults(random.u64(..), 6) {
        sim.faults().add(fault);
    }
    for step in 0..120 {
        let namespace = random.choice(NAMESPACES).unwrap();
        let name = format!("p{}", random.u8(..4));
        match random.u8(..12) {
            0..4 => drop(sim.create(pod(namespace, &name))),
            4..6 => drop(sim.delete_now("pods", namespace, &name)),
            6..8 => {
                let label = json!({"metadata": {"labels": {"step": step.to_string()}}});
                drop(sim.patch("pods", namespace, &name, &label));
            }
            8 => assert_eq!(
                pods.add_namespace(namespace).unwrap(),
                watched.insert(namespace)
            ),
            9 => assert_eq!(
                pods.remove_namespace(namespace).unwrap(),
                watched.remove(namespace)
            ),
            10 => tokio::time::sleep(Duration::from_millis(random.u64(..2000))).await,
            _ => {
                sim.compact();
                sim.disconnect();
            }
        }
        let held = pods.store().snapshot();
        let mut namespaces = held.namespaces().into_iter().map(|(name, _)| name);
        assert!(
            namespaces.all(|one| watched.contains(&*one)),
            "seed {seed}, {listing}, step {step}"
        );
    }
    sim.faults().clear();
    let expected = || -> BTreeSet<String> {
        let all = sim.list("pods").unwrap();
        let keys = all.iter().map(|object| {
            let text = |field| object["metadata"][field].as_str().unwrap().to_owned();
            (text("namespace"), text("name"))
        });
        keys.filter(|(namespace, _)| watched.contains(&**namespace))
            .map(|(namespace, name)| format!("{namespace}/{name}"))
            .collect()
    };
    until(&format!("seed {seed}, {listing}: the end"), || {
        stored(&pods) == expected() && fold.versions().len() == expected().len()
    })
    .await;
    assert_eq!(folded(&fold), expected(), "seed {seed}, {listing}");
    pods.wait_for_sync(SOON * 10).await.unwrap();
    let sources = usize::from(all)
        + pods
            .health()
            .sources
            .iter()
            .filter(|one| one.namespace.is_some())
            .count();
    assert_eq!(pods.health().sources.len(), sources, "seed {seed}");
    cache.shutdown(SOON).await.unwrap();
    until("every watch ends", || sim.watchers() == 0).await;
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// `LARDER_SEED` runs that history alone; `LARDER_HISTORIES` says how many to run.
#[tokio::test(start_paused = true)]
async fn c041_c077_random_histories_with_namespaces_that_come_and_go() {
    let seeds: Vec<u64> = match number("LARDER_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("LARDER_HISTORIES").unwrap_or(10))
            .map(|_| fastrand::u64(..))
            .collect(),
    };
    for seed in seeds {
        println!("LARDER_SEED={seed}");
        history(seed).await;
    }
}

//! Namespaces that are named, and informers of one kind beside each other.

use larder::core::v1::{NodeInformer, Pod, PodInformer};
use larder::{Cache, CacheError, InformerOptions, Keys, LabelSelector, ReadError, computed};
use larder_sim::Fault;
use serde_json::json;

use crate::bench::{listed, pods_of, set, started, stored};
use crate::support::{SOON, client, cluster, labelled, node, pod, settle, until};

#[tokio::test(start_paused = true)]
async fn c030_one_namespace_as_default_or_for_one_kind_and_lists_do_not_add_up() {
    for for_the_kind in [false, true] {
        let sim = cluster([pod("a", "one"), pod("b", "one"), node("n", &json!({}))]);
        let mut builder = Cache::builder(client(&sim));
        let mut own = InformerOptions::new();
        if for_the_kind {
            own = own.namespaces(["a"]);
        } else {
            builder = builder.namespaces(["a"]);
        }
        let cache = started(builder);
        let pods = cache.informer_with::<PodInformer>(own).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        for _ in 0..3 {
            assert_eq!(listed(&pods), set(["a/one"]));
            assert_eq!(pods.lister().namespace("a").list().unwrap().count(), 1);
        }
        // c031: cluster-scoped kinds are never limited.
        assert_eq!(cache.list::<NodeInformer>().await.unwrap().count(), 1);
        let requests = sim.requests();
        let mut of_pods = requests.iter().filter(|one| one.resource == "pods");
        assert!(of_pods.all(|one| one.namespace == "a"));
    }
}

#[tokio::test(start_paused = true)]
async fn c004_c030_several_namespaces_are_read_as_one() {
    let sim = cluster([
        labelled("a", "one", &json!({"app": "x"})),
        labelled("b", "one", &json!({"app": "x"})),
        labelled("b", "two", &json!({"app": "y"})),
        pod("c", "one"),
    ]);
    let (_cache, pods) = pods_of(Cache::builder(client(&sim)).namespaces(["a", "b"])).await;
    let by_app = pods
        .add_index(computed(|pod: &Pod| {
            pod.metadata.labels.as_ref()?.get("app").cloned()
        }))
        .unwrap();
    assert_eq!(listed(&pods), set(["a/one", "b/one", "b/two"]));
    let app_x: LabelSelector = "app=x".parse().unwrap();
    assert_eq!(pods.lister().matching(&app_x).unwrap().count(), 2);
    assert_eq!(by_app.get("x").unwrap().count(), 2);
    assert_eq!(
        pods.indexer().namespaces().unwrap(),
        [("a".into(), 1), ("b".into(), 2)]
    );
    // One snapshot over both, whatever happens afterwards.
    let before = pods.store().snapshot();
    sim.delete_now("pods", "a", "one").unwrap();
    sim.delete_now("pods", "b", "one").unwrap();
    until("both deletes", || pods.store().len() == 1).await;
    assert_eq!(before.len(), 3);
    assert_eq!(before.namespace("b").count(), 2);
    assert_eq!(before.list().count(), 3);
}

#[tokio::test(start_paused = true)]
async fn c010_c014_one_namespace_that_cannot_be_listed_keeps_nobody_from_the_others() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let denied = sim.faults().add(Fault::forbidden().namespace("b"));
    let cache = started(Cache::builder(client(&sim)).namespaces(["a", "b"]));
    let pods = cache.informer::<PodInformer>().unwrap();
    let lister = pods.lister();
    until("one is listed", || lister.namespace("a").get("one").is_ok()).await;
    assert!(!pods.has_synced());
    // Neither is a part ever taken for the whole.
    let not_synced = |error: ReadError| {
        let ReadError::NotSynced { cause, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(
            cause.as_ref().unwrap().to_string().contains("403"),
            "{error}"
        );
    };
    not_synced(lister.list().unwrap_err());
    not_synced(lister.namespace("b").list().unwrap_err());
    not_synced(lister.namespace("b").get("one").unwrap_err());
    assert!(
        cache
            .get::<PodInformer>(&"a/one".parse().unwrap())
            .await
            .is_ok()
    );
    let error = cache.get::<PodInformer>(&"b/one".parse().unwrap()).await;
    assert!(matches!(error, Err(CacheError::Sync(_))), "{error:?}");
    sim.faults().remove(denied);
    pods.wait_for_sync(SOON * 10).await.unwrap();
    assert_eq!(listed(&pods), set(["a/one", "b/one"]));
}

#[tokio::test(start_paused = true)]
async fn c042_informers_of_one_kind_share_nothing() {
    let sim = cluster([
        labelled("a", "one", &json!({"app": "x"})),
        labelled("a", "two", &json!({"app": "y"})),
        labelled("b", "one", &json!({"app": "x"})),
    ]);
    let (cache, all) = pods_of(Cache::builder(client(&sim))).await;
    let named = |name: &str| InformerOptions::new().name(name);
    let x = cache
        .informer_with::<PodInformer>(named("x").label_selector("app=x"))
        .unwrap();
    let b = cache
        .informer_with::<PodInformer>(named("b").namespaces(["b"]))
        .unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let held = || (stored(&all), stored(&x), stored(&b));
    assert_eq!(
        held(),
        (
            set(["a/one", "a/two", "b/one"]),
            set(["a/one", "b/one"]),
            set(["b/one"])
        )
    );
    assert_eq!((all.name(), x.name(), b.name()), ("pods", "x", "b"));
    let mut names: Vec<_> = cache
        .health()
        .iter()
        .map(|one| one.informer.to_string())
        .collect();
    names.sort();
    assert_eq!(names, ["b", "pods", "x"]);

    // Indexes and handlers belong to one of them.
    x.add_handler(Keys::new(|_| {})).unwrap();
    let by_name = computed(|pod: &Pod| pod.metadata.name.clone());
    let by_name = x.add_index(by_name).unwrap();
    assert_eq!(by_name.get("one").unwrap().count(), 2);
    assert_eq!(
        (all.handler_count(), x.handler_count(), b.handler_count()),
        (0, 1, 0)
    );

    // An object that leaves the selector of one is untouched in the others.
    let y = json!({"metadata": {"labels": {"app": "y"}}});
    sim.patch("pods", "b", "one", &y).unwrap();
    until("it leaves one", || stored(&x) == set(["a/one"])).await;
    assert_eq!(stored(&b), set(["b/one"]));
    // Nor does what is changed while running, or the end of one, concern another.
    assert!(b.add_namespace("a").unwrap());
    until("both are held", || b.store().len() == 3).await;
    assert!(cache.remove::<PodInformer>(Some("x"), SOON).await.unwrap());
    assert!(cache.informer_named::<PodInformer>("x").is_none());
    sim.create(pod("b", "late")).unwrap();
    until("the others go on", || {
        all.store().len() == 4 && b.store().len() == 4
    })
    .await;
    assert_eq!(stored(&x), set(["a/one"]), "the removed one is as it was");
    settle().await;
    assert_eq!(sim.watchers_of("pods"), 3);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_meant_is_refused_and_leaves_nothing_behind() {
    let sim = cluster([]);
    let cache = started(Cache::builder(client(&sim)));
    let both = InformerOptions::new()
        .namespaces(["web"])
        .except_namespaces(["web"]);
    let error = cache.informer_with::<PodInformer>(both).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"informer of pods: namespace "web" is both to be watched and excepted"#
    );
    let nodes = InformerOptions::new().namespaces(["web"]);
    let error = cache.informer_with::<NodeInformer>(nodes).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"informer of nodes: the kind is cluster-scoped: namespace "web" means nothing to it"#
    );
    let entry = larder::NamespaceOptions::new().label_selector("app in");
    let bad = InformerOptions::new().namespace("web", entry);
    let error = cache.informer_with::<PodInformer>(bad).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(r#"informer of pods: namespace "web": label selector "app in": "#),
        "{text}"
    );
    assert!(cache.health().is_empty());
}

//! What comes from a cache's defaults.

use larder::core::v1::{NodeInformer, PodInformer};
use larder::{Cache, InformerOptions, NamespaceOptions};
use serde_json::json;

use crate::bench::{asked, listed, pods_of, set, started};
use crate::support::{SOON, client, cluster, labelled, node};

fn red_and_blue() -> larder_sim::Sim {
    cluster([
        labelled("a", "red", &json!({"color": "red"})),
        labelled("a", "blue", &json!({"color": "blue"})),
        labelled("b", "red", &json!({"color": "red"})),
        labelled("b", "blue", &json!({"color": "blue"})),
        node("n", &json!({"color": "blue"})),
    ])
}

#[tokio::test(start_paused = true)]
async fn c036_everything_said_explicitly_beats_the_default() {
    let sim = red_and_blue();
    let cache = started(
        Cache::builder(client(&sim))
            .namespaces(["a"])
            .label_selector("color=red")
            .field_selector("metadata.name=red"),
    );
    let everything = || InformerOptions::new().label_selector("").field_selector("");
    let pods = |options| cache.informer_with::<PodInformer>(options).unwrap();
    let by_default = pods(InformerOptions::new());
    let all_of_a = pods(everything().name("of a"));
    let all = pods(everything().name("of all").all_namespaces());
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&by_default), set(["a/red"]));
    assert_eq!(listed(&all_of_a), set(["a/red", "a/blue"]));
    assert_eq!(listed(&all), set(["a/red", "a/blue", "b/red", "b/blue"]));
}

#[tokio::test(start_paused = true)]
async fn c037_the_entry_for_all_namespaces_alone_means_all() {
    let red = || NamespaceOptions::new().label_selector("color=red");
    let rows = [
        (
            "all",
            InformerOptions::new().all_namespaces(),
            set(["a/red", "a/blue", "b/red", "b/blue"]),
        ),
        (
            "others",
            InformerOptions::new().other_namespaces(red()),
            set(["a/red", "b/red"]),
        ),
        (
            "all but none",
            InformerOptions::new().except_namespaces([""; 0]),
            set(["a/red", "a/blue", "b/red", "b/blue"]),
        ),
    ];
    for (case, options, expected) in rows {
        let sim = red_and_blue();
        // The default names one: the informer's own word counts.
        let cache = started(Cache::builder(client(&sim)).namespaces(["a"]));
        let pods = cache.informer_with::<PodInformer>(options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(listed(&pods), expected, "{case}");
        assert_eq!(pods.health().sources.len(), 1, "{case}: one list and watch");
        assert!(
            asked(&sim, "pods")
                .iter()
                .all(|(namespace, _, fields)| namespace.is_empty() && fields.is_empty()),
            "{case}: nothing to leave out"
        );
    }
    let sim = red_and_blue();
    let (_cache, pods) =
        pods_of(Cache::builder(client(&sim)).other_namespaces(red_default())).await;
    assert_eq!(listed(&pods), set(["a/red", "b/red"]), "as default");
}

fn red_default() -> NamespaceOptions<larder::Metadata> {
    NamespaceOptions::new().label_selector("color=red")
}

#[tokio::test(start_paused = true)]
async fn c040_inherited_namespaces_keep_the_kinds_own_selector() {
    let sim = red_and_blue();
    let cache = started(
        Cache::builder(client(&sim))
            .namespace("a", red_default())
            .namespaces(["b"])
            .label_selector("color=green"),
    );
    let blue = InformerOptions::new()
        .name("blue")
        .label_selector("color=blue");
    let blue = cache.informer_with::<PodInformer>(blue).unwrap();
    let by_default = cache.informer::<PodInformer>().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&blue), set(["a/blue", "b/blue"]));
    assert_eq!(listed(&by_default), set(["a/red"]), "b has nothing green");
    // c031: what is said of a namespace is not said of objects without one.
    let nodes = cache.informer::<NodeInformer>().unwrap();
    nodes.wait_for_sync(SOON).await.unwrap();
    assert!(
        nodes.lister().list().unwrap().next().is_none(),
        "no green node"
    );
}

#[tokio::test(start_paused = true)]
async fn c040_one_options_value_makes_two_caches() {
    let sim = red_and_blue();
    let builder = Cache::builder(client(&sim))
        .namespace("a", red_default())
        .other_namespaces(NamespaceOptions::new().label_selector("color=blue"));
    let own = InformerOptions::new()
        .name("own")
        .namespaces(["b"])
        .all_namespaces()
        .label_selector("color=blue");
    let mut seen = Vec::new();
    for round in 0..2 {
        let (cache, pods) = pods_of(builder.clone()).await;
        let named = cache.informer_with::<PodInformer>(own.clone()).unwrap();
        named.wait_for_sync(SOON).await.unwrap();
        seen.push((listed(&pods), listed(&named), asked(&sim, "pods")));
        // What happens to the first cache stays in it.
        if round == 0 {
            assert!(cache.remove_namespace("a").unwrap());
            assert!(named.remove_namespace("b").unwrap());
        }
        cache.shutdown(SOON).await.unwrap();
        sim.clear_requests();
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].0, set(["a/red", "b/blue"]));
    assert_eq!(seen[0].1, set(["a/blue", "b/blue"]));
}

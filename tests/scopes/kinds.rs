//! What a cache says of single kinds.

use larder::core::v1::{NodeInformer, PodInformer, PodMetadataInformer, pod};
use larder::{
    Cache, CacheError, InformerOptions, Kind, LabelSelector, NamespaceOptions, Selectable,
    TypedInformer as _, labels,
};
use larder_sim::Sim;
use serde_json::json;

use crate::bench::{asked, listed, mark, pods_of, set, started};
use crate::support::{SOON, client, cluster, labelled, node};

const BLUE: LabelSelector = labels!("color=blue");

fn red_and_blue() -> Sim {
    cluster([
        labelled("a", "red", &json!({"color": "red"})),
        labelled("a", "blue", &json!({"color": "blue"})),
        labelled("b", "red", &json!({"color": "red"})),
        labelled("b", "blue", &json!({"color": "blue"})),
        node("red", &json!({"color": "red"})),
        node("blue", &json!({"color": "blue"})),
    ])
}

#[tokio::test(start_paused = true)]
async fn c033_what_is_said_of_a_kind_serves_whoever_asks_for_it() {
    let sim = red_and_blue();
    let builder = Cache::builder(client(&sim))
        .labels(labels!("color=red"))
        .kind::<PodInformer>(InformerOptions::new().labels(labels!("color=green")))
        // The last call for a kind counts.
        .kind::<PodInformer>(InformerOptions::new().labels(BLUE));
    let blue = set(["a/blue", "b/blue"]);

    let (cache, pods) = pods_of(builder.clone()).await;
    assert_eq!(listed(&pods), blue);
    let named = |name: &str, options: InformerOptions<pod::Full>| {
        cache
            .informer_with::<PodInformer>(options.name(name))
            .unwrap()
    };
    let inherits = named("inherits", InformerOptions::new());
    let own = named(
        "own",
        InformerOptions::new().labels(labels!("color in (red)")),
    );
    let all = named(
        "all",
        InformerOptions::new().labels(LabelSelector::everything()),
    );
    let nodes = cache.informer::<NodeInformer>().unwrap();
    let metadata = cache.informer::<PodMetadataInformer>().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&inherits), blue);
    assert_eq!(listed(&own), set(["a/red", "b/red"]));
    assert_eq!(listed(&all), set(["a/red", "a/blue", "b/red", "b/blue"]));
    assert_eq!(listed(&nodes), set(["red"]), "of another kind");
    assert_eq!(
        listed(metadata.inner()),
        set(["a/red", "b/red"]),
        "kept in another way"
    );

    // An informer that a read makes.
    let cache = started(builder);
    let read = cache.list::<PodInformer>().await.unwrap();
    let keys = read.keys().map(|key| key.to_string());
    assert_eq!(keys.collect::<std::collections::BTreeSet<_>>(), blue);
    let found = cache.get::<PodInformer>(&"a/red".parse().unwrap()).await;
    assert!(matches!(found, Err(CacheError::Read(_))));
}

#[tokio::test(start_paused = true)]
async fn c038_a_kinds_namespaces_and_transforms_come_before_the_caches() {
    let sim = red_and_blue();
    let red = || labels!("color=red");
    let builder = Cache::builder(client(&sim))
        .namespaces(["b"])
        .kind::<PodInformer>(
            InformerOptions::new()
                .namespace("a", NamespaceOptions::new().labels(BLUE))
                .transform(mark("kind")),
        );
    let (cache, pods) = pods_of(builder).await;
    assert_eq!(listed(&pods), set(["a/blue"]));
    let marked = pods.lister().namespace("a").get("blue").unwrap();
    assert_eq!(
        marked.metadata.labels.as_ref().unwrap()["marked-by"],
        "kind"
    );

    // What is said of the kind in a namespace comes behind the informer's own word.
    let own = InformerOptions::new().name("own").labels(red());
    let own = cache.informer_with::<PodInformer>(own).unwrap();
    let elsewhere = InformerOptions::new()
        .name("elsewhere")
        .namespaces(["a", "b"]);
    let elsewhere = cache.informer_with::<PodInformer>(elsewhere).unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(&own), set(["a/red"]));
    assert_eq!(
        listed(&elsewhere),
        set(["a/blue", "b/red", "b/blue"]),
        "the kind says nothing of b"
    );

    // c041: a namespace that the cache watches more, or no longer, is not this kind's.
    let metadata = cache.informer::<PodMetadataInformer>().unwrap();
    metadata.wait_for_sync(SOON).await.unwrap();
    assert!(cache.add_namespace("a").unwrap());
    assert!(cache.remove_namespace("b").unwrap());
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(listed(metadata.inner()), set(["a/red", "a/blue"]));
    assert_eq!(listed(&pods), set(["a/blue"]));
    assert!(
        pods.add_namespace("b").unwrap(),
        "its own still come and go"
    );
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["a/blue", "b/red", "b/blue"]));
}

#[tokio::test(start_paused = true)]
async fn a_kinds_name_is_that_of_the_informer_asked_for_without_one() {
    let sim = red_and_blue();
    let builder = Cache::builder(client(&sim));
    let builder = builder.kind::<PodInformer>(InformerOptions::new().name("every pod"));
    let (cache, pods) = pods_of(builder).await;
    assert_eq!(pods.name(), "every pod");
    assert_eq!(cache.list::<PodInformer>().await.unwrap().count(), 4);
    assert!(cache.informer_named::<PodInformer>("every pod").is_some());
    let again = cache.informer_with::<PodInformer>(InformerOptions::new());
    let error = again.unwrap_err();
    assert!(
        matches!(&error, CacheError::AlreadyExists { name: Some(name), .. } if name == "every pod"),
        "{error}"
    );
    let other = InformerOptions::new().name("other");
    let other = cache.informer_with::<PodInformer>(other).unwrap();
    assert_eq!(other.name(), "other");
    assert_eq!(cache.health().len(), 2, "no further one was made");
    assert!(cache.remove::<PodInformer>(None, SOON).await.unwrap());
    assert!(cache.informer_named::<PodInformer>("every pod").is_none());
}

#[tokio::test(start_paused = true)]
async fn wrong_options_of_a_kind_are_an_error_when_its_informer_is_made() {
    let sim = red_and_blue();
    let cache = started(
        Cache::builder(client(&sim))
            .kind::<PodInformer>(InformerOptions::new().label_selector("color in"))
            .kind::<NodeInformer>(InformerOptions::new().namespaces(["a"])),
    );
    let error = cache.list::<PodInformer>().await.unwrap_err().to_string();
    let expected = r#"informer of pods: label selector "color in": at character 9: "#;
    assert!(error.starts_with(expected), "{error}");
    let error = cache.informer::<NodeInformer>().unwrap_err().to_string();
    assert!(error.contains("cluster-scoped"), "{error}");
    assert!(cache.health().is_empty());
    let metadata = cache.informer::<PodMetadataInformer>().unwrap();
    metadata.wait_for_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c034_kinds_known_at_run_time_alone_have_options_too() {
    let sim = red_and_blue();
    let kind: Kind = PodInformer::KIND;
    let cache = started(
        Cache::builder(client(&sim))
            .dynamic(&kind, InformerOptions::new().labels(BLUE))
            .metadata(&kind, InformerOptions::new().labels(labels!("color!=blue"))),
    );
    let dynamic = cache.dynamic(kind.clone()).synced_informer().await.unwrap();
    assert_eq!(listed(&dynamic), set(["a/blue", "b/blue"]));
    let metadata = cache.metadata(kind).synced_informer().await.unwrap();
    assert_eq!(listed(&metadata), set(["a/red", "b/red"]));
    // A kind's name for metadata alone is the same place.
    let named = cache.informer::<PodMetadataInformer>().unwrap();
    assert_eq!(listed(named.inner()), set(["a/red", "b/red"]));
    let whole = cache.synced_informer::<PodInformer>().await.unwrap();
    assert_eq!(whole.store().len(), 4);
}

/// Typed selectors ask what their texts would.
#[tokio::test(start_paused = true)]
async fn c034_typed_selectors_at_every_place() {
    use pod::selectable::{METADATA_NAME, SPEC_NODE_NAME};

    type Place<'a> = &'a dyn Fn(&Sim) -> (Cache, InformerOptions<pod::Full>);
    let places: [Place<'_>; 5] = [
        &|sim| {
            let options = InformerOptions::new().labels(BLUE);
            let options = options.fields(METADATA_NAME.ne("x").and(SPEC_NODE_NAME.eq("")));
            (started(Cache::builder(client(sim))), options)
        },
        &|sim| {
            let options = NamespaceOptions::new().labels(BLUE);
            let options = options.fields(METADATA_NAME.ne("x").and(SPEC_NODE_NAME.eq("")));
            let options = InformerOptions::new().other_namespaces(options);
            (started(Cache::builder(client(sim))), options)
        },
        &|sim| {
            let options = InformerOptions::new().labels(BLUE);
            let options = options.fields(METADATA_NAME.ne("x").and(SPEC_NODE_NAME.eq("")));
            let builder = Cache::builder(client(sim)).kind::<PodInformer>(options);
            (started(builder), InformerOptions::new())
        },
        &|sim| {
            let options =
                InformerOptions::new().fields(METADATA_NAME.ne("x").and(SPEC_NODE_NAME.eq("")));
            (started(Cache::builder(client(sim)).labels(BLUE)), options)
        },
        &|sim| {
            let builder = Cache::builder(client(sim)).labels(BLUE);
            let builder = builder.fields(Selectable::METADATA_NAME.ne("x"));
            (started(builder), InformerOptions::new())
        },
    ];
    for place in places {
        let sim = red_and_blue();
        let (cache, options) = place(&sim);
        let pods = cache.informer_with::<PodInformer>(options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(listed(&pods), set(["a/blue", "b/blue"]));
        let asked = asked(&sim, "pods");
        let [(namespace, labels, fields)] = asked.iter().collect::<Vec<_>>()[..] else {
            panic!("{asked:?}")
        };
        assert_eq!((&**namespace, &**labels), ("", "color=blue"));
        let texts = ["metadata.name!=x,spec.nodeName=", "metadata.name!=x"];
        assert!(texts.contains(&&**fields), "{fields}");
    }
}

//! Indexes of every sort in an informer that follows a cluster: ordered, over pairs, built in, and as of one snapshot.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::core::v1::{Pod, PodInformer, PodMetadataInformer, pod};
use larder::{
    Extract, Index, InformerOptions, Kept, LabelSelector, ListOptions, Metadata, ObjectKey,
    OrderedIndex, ReadError, Transport, computed, field,
};
use larder_sim::Sim;
use serde_json::{Value, json};
use support::{SOON, client, cluster, labelled, settle};

/// The keys of a list, in its order.
fn keys<R: Kept>(list: larder::List<R>) -> Vec<String> {
    list.keys().map(|key| key.to_string()).collect()
}

fn sorted<R: Kept>(list: larder::List<R>) -> Vec<String> {
    let mut keys = keys(list);
    keys.sort_unstable();
    keys
}

fn placed(namespace: &str, name: &str, node: &str, priority: Option<i32>) -> Value {
    let mut pod = support::pod(namespace, name);
    pod["spec"]["nodeName"] = node.into();
    pod["spec"]["priority"] = json!(priority);
    pod
}

fn some_pods() -> Sim {
    cluster([
        placed("a", "web-2", "n1", Some(10)),
        placed("a", "web-1", "n2", Some(-5)),
        placed("b", "web-3", "n1", Some(10)),
        placed("b", "db-1", "n3", Some(1000)),
        placed("b", "web", "n2", None),
    ])
}

async fn synced(client: impl Transport) -> PodInformer {
    let pods = PodInformer::spawn(client, InformerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

#[tokio::test(start_paused = true)]
async fn c026_c027_c131_an_ordered_index_has_ranges_in_the_order_of_its_keys() {
    let sim = some_pods();
    let pods = PodInformer::spawn(client(&sim), InformerOptions::default()).unwrap();
    let by_name: OrderedIndex<pod::Full, String> =
        pods.add_ordered_index(field!(Pod, metadata.name)).unwrap();
    assert!(matches!(
        by_name.prefix("web"),
        Err(ReadError::NotSynced { .. })
    ));
    assert!(matches!(by_name.first(), Err(ReadError::NotSynced { .. })));
    pods.wait_for_sync(SOON).await.unwrap();
    let by_priority = pods.indexer().add_ordered(field!(Pod, spec.priority));
    let by_priority = by_priority.unwrap();

    let prefix = |prefix: &str| keys(by_name.prefix(prefix).unwrap());
    assert_eq!(prefix("web-"), ["a/web-1", "a/web-2", "b/web-3"]);
    assert_eq!(prefix("web"), ["b/web", "a/web-1", "a/web-2", "b/web-3"]);
    assert_eq!(prefix("x"), [""; 0]);
    assert_eq!(prefix("").len(), 5);
    assert_eq!(by_name.path(), Some("metadata.name"));
    assert_eq!(
        keys(by_name.get("db-1").unwrap()),
        ["b/db-1"],
        "as of any index"
    );
    let names = by_name.range("db-1".to_owned().."web-2".to_owned());
    assert_eq!(keys(names.unwrap()), ["b/db-1", "b/web", "a/web-1"]);

    let range = |list: Result<larder::List<_>, ReadError>| keys(list.unwrap());
    assert_eq!(range(by_priority.range(..10)), ["a/web-1"]);
    assert_eq!(range(by_priority.range(11..)), ["b/db-1"]);
    assert_eq!(range(by_priority.range(..)).len(), 4, "one has no priority");
    let (least, of_least) = by_priority.first().unwrap().unwrap();
    assert_eq!((least, keys(of_least)), (-5, vec!["a/web-1".to_owned()]));
    let (most, of_most) = by_priority.last().unwrap().unwrap();
    assert_eq!((most, keys(of_most)), (1000, vec!["b/db-1".to_owned()]));
    let counts = by_priority.values().unwrap();
    assert_eq!(counts, [(-5, 1), (10, 2), (1000, 1)]);

    // It follows, and a range can be limited by another index.
    sim.delete_now("pods", "a", "web-1").unwrap();
    sim.create(placed("a", "web-0", "n1", Some(7))).unwrap();
    settle().await;
    assert_eq!(prefix("web-"), ["a/web-0", "a/web-2", "b/web-3"]);
    assert_eq!(
        by_priority.first().unwrap().map(|(least, _)| least),
        Some(7)
    );
    let by_node = pods.add_index(field!(Pod, spec.nodeName)).unwrap();
    let both = by_name.prefix("web").unwrap().and(&by_node, "n1").unwrap();
    assert_eq!(keys(both), ["a/web-0", "a/web-2", "b/web-3"]);
    let both = by_node.get("n2").unwrap().and(&by_name, "web").unwrap();
    assert_eq!(keys(both), ["b/web"]);
}

#[tokio::test(start_paused = true)]
async fn c131_an_object_with_several_keys_in_a_range_comes_once() {
    let images = |name: &str, images: &[&str]| {
        let mut pod = support::pod("a", name);
        let containers = images.iter().enumerate();
        let containers =
            containers.map(|(at, image)| json!({"name": format!("c{at}"), "image": image}));
        pod["spec"]["containers"] = containers.collect();
        pod
    };
    let sim = cluster([
        images("z", &["nginx:1", "proxy:1"]),
        images("y", &["nginx:2", "nginx:9"]),
        images("x", &["db:1"]),
    ]);
    let pods = synced(client(&sim)).await;
    let by_image = pods.add_ordered_index(field!(Pod, spec.containers[].image));
    let by_image = by_image.unwrap();
    assert_eq!(keys(by_image.range(..).unwrap()), ["a/x", "a/z", "a/y"]);
    assert_eq!(keys(by_image.prefix("nginx:").unwrap()), ["a/z", "a/y"]);
    assert_eq!(by_image.prefix("nginx:").unwrap().count(), 2);
    assert_eq!(by_image.range(..).unwrap().size_hint().0, 0);
}

#[tokio::test(start_paused = true)]
async fn c024_c027_an_index_over_two_fields_is_asked_by_both_or_by_the_first() {
    let sim = some_pods();
    let pods = synced(client(&sim)).await;
    let place = || field!(Pod, metadata.namespace).with(field!(Pod, spec.nodeName));
    let by_place = pods.add_index(place()).unwrap();
    assert_eq!(by_place.path(), Some("metadata.namespace,spec.nodeName"));
    let pair = |first: &str, second: &str| sorted(by_place.get_pair(first, second).unwrap());
    assert_eq!(pair("b", "n2"), ["b/web"]);
    assert_eq!(pair("n2", "b"), [""; 0]);
    assert_eq!(pair("a", "n3"), [""; 0]);
    let owned = ("a".to_owned(), "n1".to_owned());
    assert_eq!(keys(by_place.get(&owned).unwrap()), ["a/web-2"]);
    assert_eq!(by_place.values().unwrap().len(), 5);

    let by_place = pods.add_ordered_index(place()).unwrap();
    let of_first = keys(by_place.by_first("b").unwrap());
    assert_eq!(of_first, ["b/web-3", "b/web", "b/db-1"], "by node");
    assert_eq!(keys(by_place.by_first("c").unwrap()), [""; 0]);

    // Any extractors, nested; without one of the parts an object has no key.
    let letters = computed(|pod: &Pod| pod.metadata.name.as_ref()?.chars().next());
    let three = letters
        .with(field!(Pod, spec.priority))
        .with(field!(Pod, spec.nodeName));
    let by_three = pods.add_ordered_index(three).unwrap();
    assert_eq!(by_three.path(), None);
    let found = by_three.get_pair(&('w', 10), "n1").unwrap();
    assert_eq!(sorted(found), ["a/web-2", "b/web-3"]);
    let found = by_three.by_first(&('w', -5)).unwrap();
    assert_eq!(keys(found), ["a/web-1"]);
    assert_eq!(
        by_three.range(..).unwrap().count(),
        4,
        "one has no priority"
    );
}

/// Lookups in one snapshot agree with each other, also where the index came later, or another informer changes.
#[tokio::test(start_paused = true)]
async fn c024_c026_an_index_is_read_as_of_a_snapshot() {
    let sim = some_pods();
    let pods = synced(client(&sim)).await;
    let by_node = pods.add_index(field!(Pod, spec.nodeName)).unwrap();
    let before = pods.store().snapshot();
    let held = by_node.snapshot().unwrap();
    sim.delete_now("pods", "a", "web-2").unwrap();
    sim.create(placed("c", "late", "n9", Some(1))).unwrap();
    settle().await;
    // Younger than the snapshot.
    let by_name = pods.add_ordered_index(field!(Pod, metadata.name)).unwrap();
    let by_place = field!(Pod, metadata.namespace).with(field!(Pod, spec.nodeName));
    let by_place = pods.add_ordered_index(by_place).unwrap();

    let nodes = before.by(&by_node).unwrap();
    for nodes in [&nodes, &held, &nodes.clone()] {
        assert_eq!(sorted(nodes.get("n1")), ["a/web-2", "b/web-3"]);
        assert_eq!(keys(nodes.get("n9")), [""; 0]);
        assert_eq!((nodes.len(), nodes.is_empty()), (3, false));
    }
    let counts = [("n1", 2), ("n2", 2), ("n3", 1)].map(|(node, count)| (node.to_owned(), count));
    assert_eq!(nodes.values(), counts);
    let names = before.by(&by_name).unwrap();
    assert_eq!(keys(names.get("late")), [""; 0]);
    assert_eq!(
        keys(names.prefix("web-")),
        ["a/web-1", "a/web-2", "b/web-3"]
    );
    assert_eq!(names.first().map(|(name, _)| name).as_deref(), Some("db-1"));
    assert_eq!(names.last().map(|(name, _)| name).as_deref(), Some("web-3"));
    let places = before.by(&by_place).unwrap();
    assert_eq!(keys(places.by_first("a")), ["a/web-2", "a/web-1"]);
    assert_eq!(keys(places.get_pair("a", "n1")), ["a/web-2"]);
    // A list that is older than the index.
    let both = before.namespace("a").and(&by_name, "web-2").unwrap();
    assert_eq!(keys(both), ["a/web-2"]);

    // Now it is otherwise.
    let now = pods.store().snapshot();
    assert_eq!(keys(now.by(&by_node).unwrap().get("n1")), ["b/web-3"]);
    assert_eq!(keys(now.by(&by_name).unwrap().get("late")), ["c/late"]);

    // Before sync, a snapshot has what there is.
    let unsynced: PodInformer =
        PodInformer::spawn(client(&sim), InformerOptions::default()).unwrap();
    let by_node = unsynced.add_index(field!(Pod, spec.nodeName)).unwrap();
    assert!(unsynced.store().snapshot().by(&by_node).unwrap().is_empty());
    assert!(matches!(
        by_node.snapshot(),
        Err(ReadError::NotSynced { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn c024_an_index_of_another_informer_is_refused() {
    let sim = some_pods();
    let pods = synced(client(&sim)).await;
    let others = InformerOptions::new().name("others");
    let others = PodInformer::spawn(client(&sim), others).unwrap();
    others.wait_for_sync(SOON).await.unwrap();
    let foreign = others.add_index(field!(Pod, spec.nodeName)).unwrap();
    let ordered = others
        .add_ordered_index(field!(Pod, metadata.name))
        .unwrap();
    let snapshot = pods.store().snapshot();
    let errors = [
        snapshot.by(&foreign).map(drop).unwrap_err(),
        snapshot.by(&ordered).map(drop).unwrap_err(),
        snapshot.list().and(&foreign, "n1").map(drop).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(&error, ReadError::UnknownIndex { informer, .. } if informer == "others"));
        let text = error.to_string();
        assert!(
            text.contains("pods") && text.contains("\"others\""),
            "{text}"
        );
    }
}

/// A metadata-only informer, with what each pod is owned by.
fn owned() -> Sim {
    let owned = |name: &str, owners: &[&str]| {
        let mut pod = labelled("a", name, &json!({"app": name, "tier": "front"}));
        let owner = |uid: &&str| json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": uid});
        pod["metadata"]["ownerReferences"] = owners.iter().map(owner).collect();
        pod
    };
    cluster([
        owned("one", &["u-1"]),
        owned("both", &["u-1", "u-2"]),
        owned("none", &[]),
    ])
}

#[tokio::test(start_paused = true)]
async fn c026_c027_built_in_indexes_are_made_when_they_are_first_used() {
    let sim = owned();
    let pods = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let indexer = pods.indexer();
    let front: LabelSelector = "tier=front,app!=one".parse().unwrap();
    assert!(matches!(
        indexer.by_owner("u-1"),
        Err(ReadError::NotSynced { .. })
    ));
    assert!(matches!(
        indexer.by_labels(&front),
        Err(ReadError::NotSynced { .. })
    ));
    pods.wait_for_sync(SOON).await.unwrap();

    for _ in 0..2 {
        assert_eq!(
            sorted(indexer.by_owner("u-1").unwrap()),
            ["a/both", "a/one"]
        );
        assert_eq!(sorted(indexer.by_owner("u-2").unwrap()), ["a/both"]);
        assert_eq!(indexer.by_owner("u-3").unwrap().count(), 0);
        assert_eq!(
            sorted(indexer.by_labels(&front).unwrap()),
            ["a/both", "a/none"]
        );
    }
    let patch = json!({"metadata": {"labels": {"tier": "back"}, "ownerReferences": null}});
    sim.patch("pods", "a", "both", &patch).unwrap();
    settle().await;
    assert_eq!(sorted(indexer.by_owner("u-1").unwrap()), ["a/one"]);
    assert_eq!(sorted(indexer.by_labels(&front).unwrap()), ["a/none"]);

    // One that was not used before the stop can be read after it, over what was held.
    let late = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    late.wait_for_sync(SOON).await.unwrap();
    late.stop(SOON).await.unwrap();
    let indexer = late.indexer();
    assert_eq!(sorted(indexer.by_owner("u-1").unwrap()), ["a/one"]);
    assert_eq!(sorted(indexer.by_labels(&front).unwrap()), ["a/none"]);
    late.index_labels();
    assert!(
        indexer
            .add(field!(larder::PartialObjectMetadata, metadata.name))
            .is_err()
    );
}

/// Owners by uid, and how often anybody asked.
struct Counted(Arc<AtomicUsize>);

impl Extract<Metadata> for Counted {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("metadata.ownerReferences[].uid")
    }

    fn keys(&self, pod: &Arc<larder::PartialObjectMetadata>, emit: &mut dyn FnMut(String)) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let owners = pod.metadata.owner_references.iter().flatten();
        owners.for_each(|owner| emit(owner.uid.clone()));
    }
}

/// As a built-in index names its path, one that is there already serves, and none is made twice.
#[tokio::test(start_paused = true)]
async fn c026_an_index_over_the_path_of_a_built_in_one_serves_for_it() {
    let sim = owned();
    let pods = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let _by_owner: Index<Metadata, String> = pods.add_index(Counted(Arc::clone(&asked))).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 3, "once for each object");
    let owners = pods.indexer();
    assert_eq!(sorted(owners.by_owner("u-2").unwrap()), ["a/both"]);

    // Each change of an object asks twice, however many indexes were asked for.
    sim.patch(
        "pods",
        "a",
        "one",
        &json!({"metadata": {"labels": {"x": "y"}}}),
    )
    .unwrap();
    settle().await;
    assert_eq!(asked.load(Ordering::Relaxed), 5);
    let key = ObjectKey::namespaced("a", "one");
    assert!(pods.store().get(&key).unwrap().metadata.labels.is_some());
}

/// Readers go on while an index is filled: its extractor stands still here until they have read.
#[tokio::test(start_paused = true)]
async fn c026_an_index_that_is_being_filled_keeps_no_reader_waiting() {
    let sim = some_pods();
    let pods = synced(client(&sim)).await;
    let (began, begins) = std::sync::mpsc::channel::<()>();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let goes_on = std::sync::Mutex::new(goes_on);
    let adding = pods.clone();
    let filling = std::thread::spawn(move || {
        let slow = computed(move |pod: &Pod| {
            // Once it goes on, for every object.
            let _ = began.send(());
            let _ = goes_on.lock().unwrap().recv();
            pod.metadata.name.clone()
        });
        adding.add_index(slow).unwrap()
    });
    begins.recv().unwrap();
    let lister = pods.lister();
    assert_eq!(lister.list().unwrap().count(), 5);
    assert!(lister.get(&ObjectKey::namespaced("a", "web-1")).is_ok());
    assert_eq!(pods.indexer().by_namespace("b").unwrap().count(), 3);
    drop(go_on);
    let by_name = filling.join().unwrap();
    assert_eq!(keys(by_name.get("db-1").unwrap()), ["b/db-1"]);
}

/// A key that panics while an index is filled is left out alone.
#[tokio::test(start_paused = true)]
async fn c026_a_key_that_does_not_hash_is_missing_alone() {
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Fussy(String);

    impl std::hash::Hash for Fussy {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            assert_ne!(self.0, "db-1", "a key that its test wants to fail");
            self.0.hash(state);
        }
    }

    let sim = some_pods();
    let pods = synced(client(&sim)).await;
    let by = pods
        .add_index(computed(|pod: &Pod| pod.metadata.name.clone().map(Fussy)))
        .unwrap();
    assert_eq!(by.values().unwrap().len(), 4);
    assert_eq!(by.get(&Fussy("web".into())).unwrap().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_limited_list_is_no_wider_for_being_narrowed() {
    let sim = cluster(
        (0..6).map(|at| labelled("a", &format!("p{at}"), &json!({"app": format!("app{at}")}))),
    );
    let pods = synced(client(&sim)).await;
    let by_app = pods.add_index(field!(Pod, metadata.labels["app"])).unwrap();
    let options = ListOptions::new().limit(2);
    let list = || pods.lister().list_with(&options).unwrap();
    let listed = sorted(list());
    assert_eq!(listed.len(), 2);
    for at in 0..6 {
        let name = format!("a/p{at}");
        let both = sorted(list().and(&by_app, format!("app{at}").as_str()).unwrap());
        let wanted = listed
            .iter()
            .filter(|one| **one == name)
            .cloned()
            .collect::<Vec<_>>();
        assert_eq!(both, wanted, "of {listed:?}");
    }
}

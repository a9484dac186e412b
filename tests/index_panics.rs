//! Mistakes of users in what an index is made of: each costs what it is about, and nothing else.

mod support;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use larder::core::v1::{Pod, PodInformer, pod};
use larder::{InformerOptions, List, Transport, computed, field};
use serde_json::{Value, json};
use support::{SOON, client, cluster, settle};

fn names(list: List<pod::Full>) -> Vec<String> {
    let mut names: Vec<_> = list.keys().map(|key| key.name().to_owned()).collect();
    names.sort_unstable();
    names
}

async fn synced(client: impl Transport) -> PodInformer {
    let pods = PodInformer::spawn(client, InformerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

/// A key of which one value cannot be hashed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fussy(String);

impl Hash for Fussy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        assert!(!self.0.starts_with("bad"), "a user's mistake");
        self.0.hash(state);
    }
}

fn imaged(name: &str, images: &[&str]) -> Value {
    let mut pod = support::pod("a", name);
    let containers = images.iter().enumerate();
    let containers =
        containers.map(|(at, image)| json!({"name": format!("c{at}"), "image": image}));
    pod["spec"]["containers"] = containers.collect();
    pod
}

fn by_image(pod: &Pod) -> Vec<Fussy> {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    containers
        .filter_map(|container| Some(Fussy(container.image.clone()?)))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_key_that_panics_costs_no_other_object_its_place() {
    let sim = cluster([
        imaged("one", &["a"]),
        imaged("two", &["b"]),
        imaged("odd", &["bad"]),
    ]);
    let pods = synced(client(&sim)).await;
    for ordered in [false, true] {
        let keys = computed(by_image);
        let index = match ordered {
            false => pods.add_index(keys).unwrap(),
            true => (*pods.add_ordered_index(keys).unwrap()).clone(),
        };
        assert_eq!(
            names(index.get(&Fussy("a".into())).unwrap()),
            ["one"],
            "ordered: {ordered}"
        );
        assert_eq!(index.values().unwrap().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_panics_leaves_no_other_key_of_its_object_behind() {
    let sim = cluster([imaged("x", &["c"])]);
    let pods = synced(client(&sim)).await;
    let index = pods.add_index(computed(by_image)).unwrap();
    let of = |image: &str| names(index.get(&Fussy(image.into())).unwrap());
    // The object goes, while the key that panics is among its keys; another one takes its place in the store.
    let images = |images: &[&str]| json!({"spec": {"containers": imaged("x", images)["spec"]["containers"]}});
    sim.patch("pods", "a", "x", &images(&["a", "bad", "c"]))
        .unwrap();
    settle().await;
    sim.delete_now("pods", "a", "x").unwrap();
    settle().await;
    sim.create(imaged("y", &["d"])).unwrap();
    settle().await;
    assert_eq!(of("c"), [""; 0]);
    assert_eq!(of("d"), ["y"]);
    sim.patch("pods", "a", "y", &images(&["bad", "z"])).unwrap();
    settle().await;
    sim.patch("pods", "a", "y", &images(&["z"])).unwrap();
    settle().await;
    assert_eq!(of("z"), ["y"]);
}

/// A key that cannot be compared with others of its like.
#[derive(Debug, Clone, Eq)]
struct Alone(String);

impl Hash for Alone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl PartialEq for Alone {
    fn eq(&self, other: &Self) -> bool {
        assert!(!self.0.starts_with("bad"), "a user's mistake");
        self.0 == other.0
    }
}

impl PartialOrd for Alone {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alone {
    fn cmp(&self, other: &Self) -> Ordering {
        assert!(!self.0.starts_with("bad"), "a user's mistake");
        self.0.cmp(&other.0)
    }
}

#[tokio::test(start_paused = true)]
async fn a_comparison_that_panics_does_not_stop_the_informer() {
    let sim = cluster([imaged("x", &["bad"])]);
    let pods = synced(client(&sim)).await;
    let images = |pod: &Pod| {
        by_image(pod)
            .into_iter()
            .map(|Fussy(image)| Alone(image))
            .collect::<Vec<_>>()
    };
    let first = pods.add_index(computed(images)).unwrap();
    let second = pods
        .add_ordered_index(field!(Pod, spec.containers[].image))
        .unwrap();
    let image = |image: &str| json!({"spec": {"containers": [{"name": "c0", "image": image}]}});
    for new in ["good", "bad", "good", "better"] {
        sim.patch("pods", "a", "x", &image(new)).unwrap();
        settle().await;
        assert_eq!(names(second.get(new).unwrap()), ["x"]);
    }
    assert_eq!(names(first.get(&Alone("better".into())).unwrap()), ["x"]);
    assert_eq!(names(first.get(&Alone("good".into())).unwrap()), [""; 0]);
}

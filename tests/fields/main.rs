//! Indexes over field paths, in an informer that follows a cluster.

mod custom;
mod hygiene;
#[path = "../support/mod.rs"]
mod support;

use larder::core::v1::{Pod, PodInformer, pod};
use larder::{Field, Index, Transport, field};
use serde_json::json;
use support::{SOON, client, cluster, labelled, settle};

const BY_NODE: Field<Pod, String> = field!(Pod, spec.nodeName);

/// What a program with an index of its own would write: the type of a handle is that of its key.
struct Indexes {
    by_node: Index<pod::Full, String>,
    by_image: Index<pod::Full, String>,
    by_port: Index<pod::Full, i32>,
    by_app: Index<pod::Full, String>,
    by_label: Index<pod::Full, String>,
}

impl Indexes {
    fn of(pods: &PodInformer) -> Result<Self, larder::Stopped> {
        Ok(Self {
            by_node: pods.add_index(BY_NODE)?,
            by_image: pods.add_index(field!(Pod, spec.containers[].image))?,
            by_port: pods
                .indexer()
                .add(field!(Pod, spec.containers[].ports[].containerPort))?,
            by_app: pods.add_index(field!(Pod, metadata.labels["app"]))?,
            by_label: pods.add_index(field!(Pod, metadata.labels{}))?,
        })
    }
}

fn names(list: larder::List<pod::Full>) -> Vec<String> {
    let mut names: Vec<_> = list.filter_map(|pod| pod.metadata.name.clone()).collect();
    names.sort_unstable();
    names
}

async fn synced(client: impl Transport) -> PodInformer {
    let pods = PodInformer::spawn(client, larder::InformerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

#[tokio::test(start_paused = true)]
async fn c024_c026_c131_c132_an_index_over_a_path_follows_the_cluster() {
    let mut api = labelled("web", "api", &json!({"app": "api", "tier": "front"}));
    api["spec"]["nodeName"] = "node-1".into();
    api["spec"]["containers"] = json!([
        {"name": "a", "image": "one", "ports": [{"containerPort": 80}]},
        {"name": "b", "image": "two", "ports": [{"containerPort": 80}, {"containerPort": 81}]},
    ]);
    let sim = cluster([api, labelled("web", "bare", &json!(null))]);
    let pods = synced(client(&sim)).await;
    let indexes = Indexes::of(&pods).unwrap();

    assert_eq!(indexes.by_node.path(), Some("spec.nodeName"));
    assert_eq!(names(indexes.by_node.get("node-1").unwrap()), ["api"]);
    assert_eq!(names(indexes.by_image.get("two").unwrap()), ["api"]);
    assert_eq!(names(indexes.by_port.get(&80).unwrap()), ["api"], "once");
    assert_eq!(names(indexes.by_app.get("api").unwrap()), ["api"]);
    let labels = indexes.by_label.values().unwrap();
    assert_eq!(labels, [("app".to_owned(), 1), ("tier".to_owned(), 1)]);
    assert_eq!(names(indexes.by_node.get("node-2").unwrap()), [""; 0]);

    let patch = json!({"spec": {"nodeName": "node-2"}, "metadata": {"labels": {"app": null}}});
    sim.patch("pods", "web", "bare", &patch).unwrap();
    sim.delete_now("pods", "web", "api").unwrap();
    settle().await;
    assert_eq!(names(indexes.by_node.get("node-2").unwrap()), ["bare"]);
    let nodes = indexes.by_node.values().unwrap();
    assert_eq!(
        nodes,
        [("node-2".to_owned(), 1)],
        "no value without members"
    );
    assert_eq!(indexes.by_port.values().unwrap(), []);
    assert_eq!(indexes.by_label.values().unwrap(), []);
}

/// Typed selectors narrow what the server sends, as their text would.
#[tokio::test(start_paused = true)]
async fn c034_fields_that_the_server_selects_by_are_constants() {
    use larder::core::v1::pod::selectable;
    use larder::{FieldSelector, InformerOptions};

    let on = |name: &str, node: &str| {
        let mut pod = support::pod("web", name);
        pod["spec"]["nodeName"] = node.into();
        pod
    };
    let sim = cluster([on("a", "node-1"), on("b", "node-2"), on("c", "node-1")]);
    let not_c = selectable::METADATA_NAME.ne("c");
    for (selector, selected) in [
        (FieldSelector::everything(), &["a", "b", "c"][..]),
        (selectable::SPEC_NODE_NAME.eq("node-1"), &["a", "c"]),
        (selectable::SPEC_NODE_NAME.eq("node-1").and(not_c), &["a"]),
        (selectable::SPEC_NODE_NAME.eq(""), &[]),
        (selectable::SPEC_HOST_NETWORK.eq(false), &["a", "b", "c"]),
    ] {
        let text = selector.to_string();
        let options = InformerOptions::new().fields(selector);
        let pods = PodInformer::spawn(client(&sim), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(names(pods.lister().list().unwrap()), selected, "{text}");
    }
}

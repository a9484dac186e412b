//! What the tests of this folder share: a simulated cluster and how it is reached.
#![allow(dead_code, reason = "each test target uses a part")]

use std::time::Duration;

use larder_sim::Sim;
use serde_json::{Value, json};

/// Long enough for anything that will happen at all, on the paused clock.
pub(crate) const SOON: Duration = Duration::from_secs(30);

pub(crate) fn client(sim: &Sim) -> kube::Client {
    kube::Client::new(sim.service(), "default")
}

/// The ways in which a first listing reaches the cache.
pub(crate) fn listings() -> [(&'static str, larder::ReflectorOptions); 3] {
    let options = larder::ReflectorOptions::default;
    [
        ("streaming list", options()),
        ("list", options().streaming_list(false)),
        (
            "list in pages of 2",
            options().streaming_list(false).page_size(2),
        ),
    ]
}

pub(crate) fn pod(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": namespace, "name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "image"}]},
    })
}

pub(crate) fn labelled(namespace: &str, name: &str, labels: &Value) -> Value {
    let mut pod = pod(namespace, name);
    pod["metadata"]["labels"] = labels.clone();
    pod
}

pub(crate) fn node(name: &str, labels: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
}

/// A simulated cluster with these objects.
pub(crate) fn cluster(objects: impl IntoIterator<Item = Value>) -> Sim {
    let sim = Sim::new();
    for object in objects {
        sim.create(object).expect("the simulator takes the object");
    }
    sim
}

/// The seed of a random test: `LARDER_SEED`, or a new one. Printed, so that a failure shows it.
pub(crate) fn seed() -> u64 {
    let given = std::env::var("LARDER_SEED").ok();
    let seed = given.map_or_else(
        || fastrand::u64(..),
        |text| text.parse().expect("LARDER_SEED is a number"),
    );
    println!("LARDER_SEED={seed}");
    seed
}

/// Lets every task run until nothing is left to do at this moment of the paused clock.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Waits until a condition holds; fails naming it when it does not within `SOON`.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            settle().await;
        }
    };
    if tokio::time::timeout(SOON * 20, waiting).await.is_err() {
        panic!("{what} did not happen");
    }
}

/// Holds a page of the repository against what it should be, or writes it where `LARDER_WRITE` is set. `tests` is what to run for that.
pub(crate) fn generated_page(path: &str, text: &str, tests: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("LARDER_WRITE").is_some() {
        std::fs::write(&file, text).expect("the page can be written");
        return;
    }
    let stands = std::fs::read_to_string(&file).unwrap_or_default();
    let stands = stands.replace("\r\n", "\n");
    let mut lines = stands.lines().zip(text.lines());
    if let Some((stands, new)) = lines.find(|(stands, new)| stands != new) {
        eprintln!("{path} says:\n{stands}\nand should say:\n{new}");
    }
    assert!(
        stands == text,
        "{path} is stale; rewrite it: LARDER_WRITE=1 cargo test --test {tests}"
    );
}

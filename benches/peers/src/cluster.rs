//! The cluster that all caches follow: a simulated API server on a loopback socket.

use std::time::Duration;

use anyhow::{Context as _, bail};
use larder_sim::fixtures::Fixtures;
use larder_sim::{Fault, Listening, Sim};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Pods of one namespace.
const NAMESPACE: usize = 50;
/// Of small pods, how many there are on a node on average.
const ON_NODE: usize = 80;
/// How long a cache may take to open its watch, once it has synced.
const WATCH_DEADLINE: Duration = Duration::from_secs(120);

/// A filled server.
pub(crate) struct Cluster {
    sim: Sim,
    listening: Listening,
    pods: usize,
}

impl Cluster {
    /// A server with so many pods: 20 a set, 50 a namespace.
    pub(crate) async fn of_pods(pods: usize) -> anyhow::Result<Self> {
        let namespaces = pods.div_ceil(NAMESPACE).max(1);
        let fixtures = Fixtures::new(1).namespaces(namespaces);
        let pod = |i: usize| {
            let mut pod = fixtures.pod(i);
            // Sets do not fill namespaces evenly, but reads of a namespace are to be about 50 pods.
            if let Some(namespace) = pod.pointer_mut("/metadata/namespace") {
                *namespace = Value::from(fixtures.namespace_name(i / NAMESPACE));
            }
            pod
        };
        Self::of((0..pods).map(pod)).await
    }

    /// A server with so many pods that have little but what indexes read: for many of them there is no room otherwise.
    pub(crate) async fn of_small_pods(pods: usize) -> anyhow::Result<Self> {
        let namespaces = pods.div_ceil(NAMESPACE).max(1);
        let nodes = pods.div_ceil(ON_NODE);
        let fixtures = Fixtures::new(1).namespaces(namespaces).nodes(nodes);
        Self::of((0..pods).map(|i| shrunk(&fixtures.pod(i)))).await
    }

    async fn of(pods: impl ExactSizeIterator<Item = Value>) -> anyhow::Result<Self> {
        let sim = Sim::new();
        let count = pods.len();
        sim.load(pods)?;
        let listening = sim.listen().await.context("no socket can be opened")?;
        Ok(Self {
            sim,
            listening,
            pods: count,
        })
    }

    pub(crate) fn url(&self) -> String {
        self.listening.url()
    }

    pub(crate) fn pods(&self) -> usize {
        self.pods
    }

    /// The mean size of a pod's JSON, in bytes.
    pub(crate) fn mean_pod_bytes(&self) -> anyhow::Result<usize> {
        let pods = self.sim.list("pods")?;
        let bytes: usize = pods.iter().map(|pod| pod.to_string().len()).sum();
        Ok(bytes / pods.len().max(1))
    }

    /// Waits until one watch of pods is open.
    pub(crate) async fn watched(&self) -> anyhow::Result<()> {
        let open = self.sim.wait_for_watchers("pods", 1);
        let open = timeout(WATCH_DEADLINE, open).await;
        open.context("no watch of pods was opened in time")
    }

    /// Makes every watch and every version known to clients expire, after a change of every `nth` pod that nobody
    /// sees (`None`: of no pod). Returns how many changed.
    pub(crate) fn expire(&self, nth: Option<usize>) -> anyhow::Result<usize> {
        // Over a socket a client may be back before the changes are complete.
        let closed = Fault::unavailable().resource("pods");
        let closed = self.sim.faults().add(closed);
        let changed = self.sim.change_unseen(|sim| {
            // Versions go on though nothing of pods changes: as in any cluster, other resources do.
            sim.advance_version(1);
            let Some(nth) = nth else {
                return Ok(0);
            };
            let pods = sim.list("pods")?;
            let patch =
                json!({"metadata": {"labels": {"changed-at": sim.current_version().to_string()}}});
            let changed = pods.iter().step_by(nth);
            let count = changed.len();
            for pod in changed {
                let (Some(namespace), Some(name)) = (
                    pod.pointer("/metadata/namespace").and_then(Value::as_str),
                    pod.pointer("/metadata/name").and_then(Value::as_str),
                ) else {
                    bail!("a pod of the server has no name");
                };
                sim.patch("pods", namespace, name, &patch)?;
            }
            Ok(count)
        });
        self.sim.faults().remove(closed);
        changed
    }
}

/// A pod without what no index reads.
fn shrunk(pod: &Value) -> Value {
    let metadata = |name: &str| &pod["metadata"][name];
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let containers: Vec<Value> = containers
        .map(|container| json!({"name": container["name"], "image": container["image"]}))
        .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": metadata("name"),
            "namespace": metadata("namespace"),
            "uid": metadata("uid"),
            "creationTimestamp": metadata("creationTimestamp"),
            "labels": metadata("labels"),
            "ownerReferences": metadata("ownerReferences"),
        },
        "spec": {"containers": containers, "nodeName": pod["spec"]["nodeName"]},
        "status": {"phase": pod["status"]["phase"], "podIP": pod["status"]["podIP"]},
    })
}

//! The cluster to follow: one of yours, or a small, lively one inside this process.

use std::time::Duration;

use anyhow::Context as _;
use larder_sim::Sim;
use serde_json::{Value, json};

const NAMESPACES: [&str; 3] = ["web", "jobs", "monitoring"];
const NODES: usize = 4;

/// A client of a context of the user's kubeconfig.
pub(crate) async fn connect(context: &str) -> anyhow::Result<kube::Client> {
    let options = kube::config::KubeConfigOptions {
        context: Some(context.to_owned()),
        ..Default::default()
    };
    let config = kube::Config::from_kubeconfig(&options)
        .await
        .with_context(|| format!("no usable context {context:?} in the kubeconfig"))?;
    Ok(larder::client_from_config(config)?)
}

/// A client of a cluster inside this process, in which pods come, change and go.
pub(crate) async fn start() -> anyhow::Result<kube::Client> {
    let sim = Sim::new();
    for node in 0..NODES {
        sim.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{node}")}}))?;
    }
    for number in 0..30 {
        sim.create(pod(number))?;
    }
    let client = kube::Client::new(sim.service(), "default");
    tokio::spawn(live(sim));
    println!("no --context given: following a cluster inside this process");
    Ok(client)
}

/// Every 300 ms: one pod comes, one begins to run, one goes.
async fn live(sim: Sim) {
    let mut interval = tokio::time::interval(Duration::from_millis(300));
    for number in 30.. {
        interval.tick().await;
        let started = number - 3;
        let gone = number - 30;
        let changes = [
            sim.create(pod(number)),
            sim.patch(
                "pods",
                namespace(started),
                &name(started),
                &json!({"status": {"phase": "Running"}}),
            ),
            sim.delete_now("pods", namespace(gone), &name(gone)),
        ];
        for refused in changes.into_iter().filter_map(Result::err) {
            eprintln!("the cluster refused a change: {refused}");
        }
    }
}

fn namespace(number: usize) -> &'static str {
    NAMESPACES[number % NAMESPACES.len()]
}

fn name(number: usize) -> String {
    format!("worker-{number}")
}

fn pod(number: usize) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name(number), "namespace": namespace(number), "labels": {"app": "worker"}},
        "spec": {"nodeName": format!("node-{}", number % NODES), "containers": [{"name": "main", "image": "worker"}]},
        "status": {"phase": if number < 27 { "Running" } else { "Pending" }},
    })
}

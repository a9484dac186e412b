//! An exporter: reads of one consistent snapshot, printed as Prometheus text every few seconds.
//!
//! ```text
//! cargo run --example exporter                # the current context of your kubeconfig, or the cluster it runs in
//! cargo run --example exporter -- web jobs    # these namespaces alone; rights in them suffice
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use larder::core::v1::{Pod, PodInformer, PodStore};
use larder::{Cache, client_from_config};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = client_from_config(kube::Config::infer().await?)?;
    let namespaces: Vec<String> = std::env::args().skip(1).collect();
    let mut builder = Cache::builder(client).transform(|metadata| {
        // Nobody reads annotations here, and they may be large.
        metadata.annotations = None;
        Ok(())
    });
    if !namespaces.is_empty() {
        builder = builder.namespaces(namespaces);
    }
    let cache = builder.build();
    let pods = cache.informer::<PodInformer>()?;
    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(60)).await?;

    let mut interval = tokio::time::interval(Duration::from_secs(5));
    loop {
        tokio::select! {
            _ = interval.tick() => print!("{}", metrics(&pods.store(), &pods.health())),
            stop = tokio::signal::ctrl_c() => break stop?,
        }
    }
    cache.shutdown(Duration::from_secs(5)).await?;
    Ok(())
}

/// Everything below is read from one snapshot, so that the sums agree.
fn metrics(store: &PodStore, health: &larder::Health) -> String {
    let snapshot = store.snapshot();
    let mut phases: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut restarts: BTreeMap<String, i64> = BTreeMap::new();
    for pod in snapshot.list() {
        let namespace = pod.metadata.namespace.clone().unwrap_or_default();
        *phases
            .entry((namespace.clone(), phase(&pod).to_owned()))
            .or_default() += 1;
        *restarts.entry(namespace).or_default() += restart_count(&pod);
    }
    let mut text = String::from("# TYPE pods gauge\n");
    for ((namespace, phase), count) in phases {
        text.push_str(&format!(
            "pods{{namespace=\"{namespace}\",phase=\"{phase}\"}} {count}\n"
        ));
    }
    text.push_str("# TYPE container_restarts counter\n");
    for (namespace, count) in restarts {
        text.push_str(&format!(
            "container_restarts{{namespace=\"{namespace}\"}} {count}\n"
        ));
    }
    let stale = health
        .stale_since
        .map_or(0.0, |since| since.elapsed().as_secs_f64());
    text.push_str(&format!(
        "# TYPE cache_stale_seconds gauge\ncache_stale_seconds {stale}\n"
    ));
    text
}

fn phase(pod: &Pod) -> &str {
    pod.status
        .as_ref()
        .and_then(|status| status.phase.as_deref())
        .unwrap_or("Unknown")
}

fn restart_count(pod: &Pod) -> i64 {
    let statuses = pod
        .status
        .iter()
        .flat_map(|status| status.container_statuses.iter().flatten());
    statuses.map(|status| i64::from(status.restart_count)).sum()
}

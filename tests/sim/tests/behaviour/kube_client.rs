//! The server as kube's client sees it: as a service under a paused clock, and over a socket.

use futures_util::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::{
    Api, Client, Config, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    runtime::{WatchStreamExt, watcher},
};
use larder_sim::{Sim, fixtures::Fixtures};
use serde_json::json;

use crate::common::Outcome;

fn pod(name: &str) -> serde_json::Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "web", "labels": {"app": name}},
        "spec": {"nodeName": "n1", "containers": [{"name": "main"}]}})
}

async fn follow(client: Client, sim: Sim) -> Outcome {
    let pods: Api<Pod> = Api::namespaced(client, "web");
    let created = pods
        .create(&PostParams::default(), &serde_json::from_value(pod("a"))?)
        .await?;
    assert_eq!(created.resource_version().as_deref(), Some("2"));

    let list = pods.list(&ListParams::default()).await?;
    assert_eq!(list.items.len(), 1);
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut watch = Box::pin(
        pods.watch(&WatchParams::default().timeout(10), &version)
            .await?,
    );

    sim.create(pod("b"))?;
    let patch = json!({"metadata": {"labels": {"tier": "front"}}});
    pods.patch("a", &PatchParams::default(), &Patch::Merge(&patch))
        .await?;
    pods.delete("b", &DeleteParams::default().grace_period(0))
        .await?;

    let mut seen = Vec::new();
    while let Some(event) = watch.try_next().await? {
        seen.push(match event {
            WatchEvent::Added(pod) => format!("+{}", pod.name_any()),
            WatchEvent::Modified(pod) => format!("~{}", pod.name_any()),
            WatchEvent::Deleted(pod) => format!("-{}", pod.name_any()),
            other => format!("{other:?}"),
        });
        if seen.len() == 4 {
            break;
        }
    }
    assert_eq!(seen, ["+b", "~a", "~b", "-b"]);
    let missing = pods.get("b").await.err().map(|error| error.to_string());
    assert!(
        missing
            .as_deref()
            .is_some_and(|text| text.contains("pods \"b\" not found")),
        "{missing:?}"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn as_a_service() -> Outcome {
    let sim = Sim::new();
    follow(Client::new(sim.service(), "default"), sim).await
}

#[tokio::test]
async fn over_a_socket() -> Outcome {
    let sim = Sim::new();
    let listening = sim.listen().await?;
    let config = Config::new(listening.url().parse()?);
    follow(Client::try_from(config)?, sim).await
}

/// Reads a kind by kube's own watcher until it has everything, and returns how many objects there are.
async fn initial_objects(
    client: Client,
    config: watcher::Config,
) -> Result<usize, crate::common::Failure> {
    let api: Api<Pod> = Api::all(client);
    let mut events = Box::pin(watcher(api, config).default_backoff());
    let mut count = 0;
    while let Some(event) = events.next().await {
        match event? {
            watcher::Event::InitApply(_) => count += 1,
            watcher::Event::InitDone => break,
            _ => {}
        }
    }
    Ok(count)
}

#[tokio::test(start_paused = true)]
async fn kubes_watcher_reads_everything_in_both_ways() -> Outcome {
    let sim = Sim::new();
    let fixtures = Fixtures::new(1);
    sim.load((0..700).map(|i| fixtures.pod(i)))?;
    let client = Client::new(sim.service(), "default");
    assert_eq!(
        initial_objects(client.clone(), watcher::Config::default().page_size(100)).await?,
        700
    );
    assert_eq!(
        initial_objects(client, watcher::Config::default().streaming_lists()).await?,
        700
    );
    assert_eq!(sim.watchers(), 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn metadata_only() -> Outcome {
    let sim = Sim::new();
    sim.create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}}))?;
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(sim.service(), "default"));
    let list = maps.list_metadata(&ListParams::default()).await?;
    let first = list
        .items
        .first()
        .map(|item| (item.name_any(), item.types.clone().map(|types| types.kind)));
    assert_eq!(
        first,
        Some(("a".to_owned(), Some("PartialObjectMetadata".to_owned())))
    );
    let one = maps.get_metadata("a").await?;
    assert_eq!(
        one.types.map(|types| types.api_version).as_deref(),
        Some("meta.k8s.io/v1")
    );
    Ok(())
}

#[tokio::test]
async fn over_http_2_until_dropped() -> Outcome {
    use http_body_util::{BodyExt, Full};
    use hyper_util::{client::legacy, rt::TokioExecutor};
    let sim = Sim::new();
    let listening = sim.listen().await?;
    let client = legacy::Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http::<Full<bytes::Bytes>>();
    let response = client
        .get(format!("{}/readyz", listening.url()).parse()?)
        .await?;
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert_eq!(response.into_body().collect().await?.to_bytes(), "ok");

    let watch = client
        .get(format!("{}/api/v1/pods?watch=1", listening.url()).parse()?)
        .await?;
    let address = listening.address();
    drop(listening);
    let rest = watch.into_body().collect().await;
    assert!(rest.is_err(), "open connections end with the server");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    Ok(())
}

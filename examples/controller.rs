//! Beside `kube::runtime::Controller`: kube runs the reconciliation, Larder answers what it reads.
//!
//! The controller reconciles deployments. Each reconciliation looks at all pods of the deployment's namespace; from the API server that
//! would be a list per reconciliation, here it is a read of memory. Changes of pods trigger the reconciliation of their
//! deployment through Larder's stream of events, so that pods are watched once. (`reconcile_on` needs kube's feature `unstable-runtime`.)
//!
//! ```text
//! cargo run --example controller    # the current context of your kubeconfig; read-only
//! ```

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use kube::runtime::Controller;
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::{Api, Client};
use larder::apps::v1::Deployment;
use larder::core::v1::{PodInformer, PodLister};
use larder::{Cache, Event, HandlerOptions, LabelSelector, client_from_config};

struct Context {
    pods: PodLister,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Read(#[from] larder::ReadError),
    #[error(transparent)]
    Selector(#[from] larder::InvalidSelector),
}

async fn reconcile(deployment: Arc<Deployment>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = deployment.metadata.namespace.clone().unwrap_or_default();
    let selector = match selector_of(&deployment) {
        Some(selector) => LabelSelector::try_from(&selector)?,
        None => return Ok(Action::await_change()),
    };
    let pods = context
        .pods
        .namespace(namespace.as_str())
        .matching(&selector)?;
    let running = pods.filter(|pod| {
        pod.status
            .as_ref()
            .and_then(|status| status.phase.as_deref())
            == Some("Running")
    });
    println!(
        "{namespace}/{}: {} pods run",
        deployment.metadata.name.as_deref().unwrap_or_default(),
        running.count()
    );
    Ok(Action::await_change())
}

/// Works whether `spec` is optional (up to Kubernetes 1.36) or required (from 1.37 on).
fn selector_of(
    deployment: &Deployment,
) -> Option<k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector> {
    let spec: Option<k8s_openapi::api::apps::v1::DeploymentSpec> = deployment.spec.clone().into();
    spec.map(|spec| spec.selector)
}

fn error_policy(_: Arc<Deployment>, error: &Error, _: Arc<Context>) -> Action {
    eprintln!("will be tried again: {error}");
    Action::requeue(Duration::from_secs(10))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let client: Client = client_from_config(kube::Config::infer().await?)?;
    let cache = Cache::builder(client.clone()).build();
    let pods = cache.informer::<PodInformer>()?;
    let changes = pods.events(HandlerOptions::default().name("controller"))?;
    cache.start()?;
    cache.wait_for_cache_sync(Duration::from_secs(60)).await?;

    let deployments = changes.filter_map(|event| async move {
        let pod = match event {
            Event::Add { object, .. } | Event::Update { new: object, .. } => object.object(),
            Event::Delete(gone) => gone.last_known(),
            _ => return None,
        };
        // A deployment's pods are named after it: NAME-HASH-HASH. A real controller would follow the owner references.
        let name = pod
            .metadata
            .name
            .as_deref()?
            .rsplitn(3, '-')
            .nth(2)?
            .to_owned();
        Some(ObjectRef::<Deployment>::new(&name).within(pod.metadata.namespace.as_deref()?))
    });
    Controller::new(
        Api::<Deployment>::all(client),
        kube::runtime::watcher::Config::default(),
    )
    .reconcile_on(deployments)
    .shutdown_on_signal()
    .run(
        reconcile,
        error_policy,
        Arc::new(Context {
            pods: pods.lister(),
        }),
    )
    .for_each(|outcome| async move {
        if let Err(error) = outcome {
            eprintln!("{error}");
        }
    })
    .await;
    cache.shutdown(Duration::from_secs(5)).await?;
    Ok(())
}

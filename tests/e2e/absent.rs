//! A kind whose CustomResourceDefinition comes and goes, and names that lead to kinds.

use kube::api::ListParams;
use larder::{Cache, Discovery, DiscoveryError, InformerOptions, Phase, Scope, TypedInformer};
use serde_json::json;

use crate::cluster::{Cluster, LIMIT};
use crate::fold::Fold;
use crate::scenarios::{followed, quick, settled, until};
use crate::widget::{ABSENT, Full, WidgetInformer};

const WIDGET: (&str, &str) = ("example.com/v1", "Widget");

async fn make(cluster: &Cluster, names: &[&str]) {
    for name in names {
        let widget = json!({"metadata": {"name": name}});
        cluster
            .create(WIDGET.0, WIDGET.1, Some("default"), widget)
            .await;
    }
}

fn uid_of(widgets: &WidgetInformer, name: &str) -> Option<String> {
    let key = format!("default/{name}").parse().expect("a key");
    widgets
        .inner()
        .store()
        .snapshot()
        .get(&key)?
        .metadata
        .uid
        .clone()
}

pub(crate) async fn a_kind_appears_goes_and_comes_back(cluster: &Cluster) {
    let cache = Cache::builder(cluster.relayed.clone())
        .reflector(quick())
        .build();
    cache.start().unwrap();
    let widgets = cache.informer::<WidgetInformer>().unwrap();
    let fold = Fold::default();
    let _registration = widgets.inner().add_handler(fold.clone()).unwrap();
    let is_absent = async || widgets.inner().health().sources[0].phase == Phase::Absent;
    until("the absence shows", widgets.inner(), is_absent).await;
    let error = widgets
        .inner()
        .wait_for_sync(std::time::Duration::ZERO)
        .await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains(ABSENT), "{error}");
    assert!(cache.discovery().kind("widgets").await.is_err());

    cluster.install_widgets().await;
    make(cluster, &["one", "two", "three"]).await;
    widgets.inner().wait_for_sync(LIMIT).await.unwrap();
    settled(cluster, &widgets, &fold, &ListParams::default()).await;
    let first = uid_of(&widgets, "one");
    until("discovery finds it", widgets.inner(), async || {
        cache.discovery().kind("widgets.example.com").await.is_ok()
    })
    .await;

    cluster.uninstall(&WidgetInformer::KIND).await;
    until("the deletes", widgets.inner(), async || {
        fold.versions().is_empty()
    })
    .await;
    if cluster.is_real() {
        let missed = fold.missed_deletes();
        assert_eq!(missed, 0, "the server deletes the objects first");
    }
    // It keeps watches open for up to two minutes more.
    cluster.relay.cut();
    cluster.relay.mend();
    until("the absence shows", widgets.inner(), is_absent).await;
    assert!(widgets.inner().has_synced() && widgets.inner().store().is_empty());
    assert!(matches!(
        cache.discovery().kind("widgets").await,
        Err(DiscoveryError::NotFound { .. })
    ));

    cluster.install_widgets().await;
    make(cluster, &["one", "four"]).await;
    settled(cluster, &widgets, &fold, &ListParams::default()).await;
    until("all of them", widgets.inner(), async || {
        fold.versions().len() == 2
    })
    .await;
    assert_ne!(uid_of(&widgets, "one"), first);
    assert_eq!(widgets.inner().health().sources[0].phase, Phase::Watching);
}

pub(crate) async fn a_kind_comes_back_with_other_objects_unseen(cluster: &Cluster) {
    cluster.install_widgets().await;
    make(cluster, &["one", "two"]).await;
    let options = InformerOptions::<Full>::new().reflector(quick());
    let (widgets, fold) = followed::<WidgetInformer>(cluster, options).await;
    until("both", widgets.inner(), async || fold.versions().len() == 2).await;
    let first = uid_of(&widgets, "one");

    cluster.relay.cut();
    cluster.uninstall(&WidgetInformer::KIND).await;
    cluster.install_widgets().await;
    make(cluster, &["one", "three"]).await;
    cluster.relay.mend();
    until("the other object", widgets.inner(), async || {
        uid_of(&widgets, "one").is_some_and(|uid| Some(uid) != first)
    })
    .await;
    settled(cluster, &widgets, &fold, &ListParams::default()).await;
}

pub(crate) async fn names_lead_to_kinds(cluster: &Cluster) {
    let discovery = Discovery::new(cluster.relayed.clone());
    for (name, api_version, kind, plural, scope) in [
        ("pods", "v1", "Pod", "pods", Scope::Namespaced),
        ("no", "v1", "Node", "nodes", Scope::Cluster),
        (
            "Deployment",
            "apps/v1",
            "Deployment",
            "deployments",
            Scope::Namespaced,
        ),
        (
            "deploy.apps",
            "apps/v1",
            "Deployment",
            "deployments",
            Scope::Namespaced,
        ),
        (
            "customresourcedefinitions",
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            Scope::Cluster,
        ),
    ] {
        let found = discovery.kind(name).await.unwrap();
        let facts = (
            found.api_version(),
            found.kind(),
            found.plural(),
            found.scope(),
        );
        assert_eq!(
            facts,
            (api_version.to_owned(), kind, plural, scope),
            "{name}"
        );
    }
    let error = discovery.kind("events").await.unwrap_err();
    assert!(matches!(error, DiscoveryError::Ambiguous { .. }), "{error}");
    let error = discovery.kind("deploymnets").await.unwrap_err().to_string();
    assert!(error.contains("deployments.apps"), "{error}");
    assert_eq!(discovery.refresh().await.unwrap().len(), 0);
}

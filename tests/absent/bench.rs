//! A kind that comes and goes, as with its CustomResourceDefinition, and what follows it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use larder::{
    BodyStream, Informer, InformerOptions, Phase, ReflectorOptions, Registration, Transport,
    TransportError, TypedInformer as _,
};
use larder_sim::Sim;
use serde_json::{Value, json};
use std::time::Duration;

use crate::fold::Fold;
use crate::support::{SOON, client, settle};
pub(crate) use crate::widget::{ABSENT, Full, Widget, WidgetInformer};

/// Longer than an absence takes to be certain, and to be noticed again.
pub(crate) const MINUTE: Duration = Duration::from_secs(60);

pub(crate) fn kind() -> larder_sim::Kind {
    larder_sim::Kind::new("example.com", "v1", "Widget", "widgets")
        .custom()
        .short_names(["wd"])
}

pub(crate) fn widget(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"namespace": namespace, "name": name},
    })
}

/// A server with the kind and these widgets in namespaces `a` and `b`.
pub(crate) fn with_widgets(names: &[&str]) -> Sim {
    let sim = Sim::new();
    install(&sim, names);
    sim
}

/// Installs the CRD and makes widgets in both namespaces.
pub(crate) fn install(sim: &Sim, names: &[&str]) {
    sim.add_kind(kind());
    for name in names {
        for namespace in ["a", "b"] {
            sim.create(widget(namespace, name)).unwrap();
        }
    }
}

/// Removes the CRD, and the widgets with it, so that nobody is told of their deletes.
pub(crate) fn uninstall(sim: &Sim) {
    assert!(sim.remove_kind("example.com", "v1", "widgets"));
}

pub(crate) fn begun(transport: impl Transport, options: InformerOptions<Full>) -> Informer<Full> {
    Informer::spawn(transport, WidgetInformer::KIND, options).unwrap()
}

/// An informer that is synced, and what its handler hears.
pub(crate) async fn followed(
    transport: impl Transport,
    options: InformerOptions<Full>,
) -> (Informer<Full>, Fold, Registration) {
    let widgets = begun(transport, options);
    let fold = Fold::default();
    let registration = widgets.add_handler(fold.clone()).unwrap();
    widgets.wait_for_sync(SOON).await.unwrap();
    settle().await;
    (widgets, fold, registration)
}

pub(crate) fn listing(options: ReflectorOptions) -> InformerOptions<Full> {
    InformerOptions::new().reflector(options)
}

pub(crate) fn phases(widgets: &Informer<Full>) -> Vec<Phase> {
    let health = widgets.health();
    health.sources.iter().map(|source| source.phase).collect()
}

pub(crate) fn last_error(widgets: &Informer<Full>) -> String {
    let error = widgets.health().last_error;
    error.map_or_else(String::new, |last| last.error.to_string())
}

/// Key and uid of what is stored.
pub(crate) fn stored(widgets: &Informer<Full>) -> BTreeMap<String, String> {
    let row = |widget: Arc<Widget>| {
        let meta = &widget.metadata;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        (
            format!("{}/{}", text(&meta.namespace), text(&meta.name)),
            text(&meta.uid),
        )
    };
    widgets.store().snapshot().list().map(row).collect()
}

/// The same of the server.
pub(crate) fn held(sim: &Sim) -> BTreeMap<String, String> {
    let row = |object: &Value| {
        let text = |field: &str| object["metadata"][field].as_str().unwrap().to_owned();
        (
            format!("{}/{}", text("namespace"), text("name")),
            text("uid"),
        )
    };
    sim.list("widgets").unwrap().iter().map(row).collect()
}

/// What a handler still has.
pub(crate) fn told(fold: &Fold) -> Vec<String> {
    assert_eq!(fold.wrong(), [""; 0]);
    fold.versions().keys().map(ToString::to_string).collect()
}

/// One of several servers behind a balancer: whichever is set answers.
#[derive(Clone)]
pub(crate) struct Balancer(Arc<Mutex<kube::Client>>);

impl Balancer {
    pub(crate) fn to(sim: &Sim) -> Self {
        Self(Arc::new(Mutex::new(client(sim))))
    }

    pub(crate) fn turn_to(&self, sim: &Sim) {
        *self.0.lock().unwrap() = client(sim);
    }
}

impl Transport for Balancer {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
        let client = self.0.lock().unwrap().clone();
        Box::pin(async move { Transport::send(&client, request).await })
    }
}

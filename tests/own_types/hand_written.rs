//! Types that no derive made: with kube's trait, with none, of another crate.

use std::borrow::Cow;

use kube::Resource;
use larder::{Cache, Scope, cached, field};
use larder_sim::{Kind, Sim};
use serde::Deserialize;
use serde_json::json;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::object;
use super::support::{SOON, client, settle};

/// All that a cache needs of a type.
#[derive(Deserialize)]
struct Widget {
    metadata: ObjectMeta,
    spec: WidgetSpec,
}

#[derive(Deserialize)]
struct WidgetSpec {
    size: u32,
}

cached!(
    Widget,
    group = "example.com",
    version = "v1",
    namespaced,
    selectable = ".metadata.uid"
);

/// One with a trait of kube's. What it says is said again: it may depend on values.
#[derive(Deserialize, Clone)]
struct Knob {
    metadata: ObjectMeta,
    #[serde(default)]
    turns: i64,
}

impl Resource for Knob {
    type DynamicType = ();
    type Scope = kube::core::ClusterResourceScope;

    fn kind(_: &()) -> Cow<'_, str> {
        "ControlKnob".into()
    }

    fn group(_: &()) -> Cow<'_, str> {
        "example.com".into()
    }

    fn version(_: &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural(_: &()) -> Cow<'_, str> {
        "control-knobs".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

cached! {
    Knob,
    group = "example.com",
    version = "v1",
    kind = "ControlKnob",
    plural = "control-knobs",
}

#[derive(Deserialize)]
struct Generic<T> {
    metadata: ObjectMeta,
    spec: T,
}

type WidgetView = Generic<serde_json::Value>;

cached!(
    WidgetView,
    group = "example.com",
    version = "v1",
    kind = "Widget",
    namespaced = true
);

/// Types of other crates, brought into scope by their paths.
mod foreign {
    larder::cached!(pub(super) k8s_openapi::api::core::v1::ConfigMap, group = "", version = "v1", namespaced);
    larder::cached!(pub(super) ::k8s_openapi::api::core::v1::Namespace, group = "", version = "v1", module = "ns");
}

#[tokio::test(start_paused = true)]
async fn types_of_any_origin_are_cached_side_by_side() {
    let sim = Sim::new();
    sim.add_kind(Kind::new("example.com", "v1", "Widget", "widgets").custom());
    let knob = Kind::new("example.com", "v1", "ControlKnob", "control-knobs").custom();
    sim.add_kind(knob.cluster_scoped());
    sim.load([
        object("Widget", "w", &json!({"size": 4})),
        json!({"apiVersion": "example.com/v1", "kind": "ControlKnob", "metadata": {"name": "k"}, "turns": 3}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "web", "name": "c"}, "data": {"a": "b"}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}}),
    ])
    .unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let widgets = cache.informer::<WidgetInformer>().unwrap();
    let options = larder::InformerOptions::new().name("views");
    let views = cache.informer_with::<WidgetViewInformer>(options).unwrap();
    let knobs = cache.informer::<KnobInformer>().unwrap();
    let maps = cache.informer::<foreign::ConfigMapInformer>().unwrap();
    let namespaces = cache.informer::<foreign::NamespaceInformer>().unwrap();
    let by_turns = knobs.add_index(field!(Knob, turns)).unwrap();
    let by_size = widgets.add_index(field!(Widget, spec.size)).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();

    let widget = widgets.lister().namespace("web").get("w").unwrap();
    assert_eq!(by_size.get(&widget.spec.size).unwrap().count(), 1);
    let uid = widget.metadata.uid.clone().unwrap();
    let by_uid = widgets.indexer().by_metadata_uid(&uid).unwrap();
    assert_eq!(by_uid.count(), 1);
    let view = views.lister().namespace("web").get("w").unwrap();
    assert_eq!(view.spec["size"], 4);
    assert_eq!(view.metadata, widget.metadata);
    assert_eq!(knobs.lister().get("k").unwrap().turns, 3);
    assert_eq!(
        knobs.store().get("k").unwrap().metadata.name.as_deref(),
        Some("k")
    );
    let map: std::sync::Arc<foreign::ConfigMap> = maps.lister().namespace("web").get("c").unwrap();
    assert_eq!(map.data.as_ref().unwrap()["a"], "b");
    let names = |namespaces: &foreign::NamespaceInformer| {
        namespaces
            .lister()
            .list()
            .unwrap()
            .map(|ns| ns.metadata.name.clone())
            .collect::<Vec<_>>()
    };
    assert!(names(&namespaces).contains(&Some("web".to_owned())));

    let turned = json!({"turns": 5});
    sim.patch("control-knobs.example.com", "", "k", &turned)
        .unwrap();
    settle().await;
    assert_eq!(by_turns.get(&5).unwrap().count(), 1);
}

#[test]
fn what_is_not_said_is_as_kube_has_it() {
    assert_eq!(WidgetInformer::KIND.kind(), "Widget");
    assert_eq!(WidgetInformer::KIND.plural(), "widgets");
    assert_eq!(KnobInformer::KIND.scope(), Scope::Cluster);
    assert_eq!(KnobInformer::KIND.plural(), Knob::plural(&()));
    assert_eq!(foreign::ns::KIND, larder::core::v1::NamespaceInformer::KIND);
    assert_eq!(
        foreign::ConfigMapInformer::KIND,
        larder::core::v1::ConfigMapInformer::KIND
    );
    assert_eq!(
        <WidgetViewInformer as larder::TypedInformer>::KIND,
        WidgetInformer::KIND
    );
}

//! Metadata and dynamic objects from the real API server. Skipped where there is none.

use std::collections::BTreeMap;
use std::time::Duration;

use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject};
use larder::core::v1::{ConfigMapInformer, ConfigMapMetadataInformer};
use larder::{
    Cache, Dynamic, Informer, Kept, Kind, Metadata, ReflectorOptions, Scope, TypedInformer as _,
};
use larder_real::RealServer;
use serde_json::{Value, json};

use crate::fold::Fold;
use crate::support::listings;

/// A machine under load may take its time.
const LIMIT: Duration = Duration::from_secs(90);
const NAMESPACE: &str = "default";

fn widgets() -> Kind {
    Kind::new(
        "larder.example",
        "v1",
        "Widget",
        "widgets",
        Scope::Namespaced,
    )
}

/// Polls, in real time, until a condition holds.
async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    if tokio::time::timeout(LIMIT, waiting).await.is_err() {
        panic!("{what} did not happen");
    }
}

fn api(client: &kube::Client, kind: &Kind) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), NAMESPACE, &ApiResource::from(kind))
}

async fn create_crd(client: &kube::Client) {
    let crd = json!({
        "metadata": {"name": "widgets.larder.example"},
        "spec": {
            "group": "larder.example",
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    });
    let kind = Kind::new(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        Scope::Cluster,
    );
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from(&kind));
    let mut object = crd;
    object["apiVersion"] = json!(kind.api_version());
    object["kind"] = json!(kind.kind());
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
    until("the new kind is served", async || {
        let widgets = self::api(client, &widgets());
        widgets.list(&ListParams::default()).await.is_ok()
    })
    .await;
}

fn object(kind: &Kind, name: &str) -> DynamicObject {
    let object = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.kind(),
        "metadata": {"name": name, "labels": {"app": name}},
        "data": {"key": "value", "text": "x".repeat(2000)},
    });
    serde_json::from_value(object).unwrap()
}

/// Name to JSON of every object, as the server itself lists them now; cut to what `as_metadata` shows.
async fn held(client: &kube::Client, kind: &Kind, as_metadata: bool) -> BTreeMap<String, Value> {
    let listed = api(client, kind)
        .list(&ListParams::default())
        .await
        .unwrap();
    let shown = |object: DynamicObject| {
        let mut value = serde_json::to_value(&object).unwrap();
        value["apiVersion"] = json!(kind.api_version());
        value["kind"] = json!(kind.kind());
        value["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("managedFields");
        if as_metadata {
            value.as_object_mut().unwrap().remove("data");
        }
        (object.metadata.name.unwrap(), value)
    };
    listed.items.into_iter().map(shown).collect()
}

fn stored<R: Kept>(informer: &Informer<R>) -> BTreeMap<String, Value>
where
    R::Read: std::ops::Deref<Target: serde::Serialize>,
{
    let objects = informer.store().snapshot().list();
    let shown = objects.map(|object| serde_json::to_value(&*object).unwrap());
    shown
        .filter(|object| object["metadata"]["namespace"] == NAMESPACE)
        .map(|object| {
            (
                object["metadata"]["name"].as_str().unwrap().to_owned(),
                object,
            )
        })
        .collect()
}

/// Creates, changes and deletes objects, and sees the informer follow them.
async fn followed<R: Kept>(client: &kube::Client, informer: &Informer<R>, text: &str)
where
    R::Read: std::ops::Deref<Target: serde::Serialize>,
{
    let kind = informer.kind().clone();
    let as_metadata = R::REPRESENTATION == Metadata::REPRESENTATION;
    let api = api(client, &kind);
    let fold = Fold::default();
    informer.add_handler(fold.clone()).unwrap();
    let equal = async |what: &str| {
        until(&format!("{text}, {kind}, {what}"), async || {
            stored(informer) == held(client, &kind, as_metadata).await
        })
        .await;
    };
    equal("the first list").await;
    api.create(&PostParams::default(), &object(&kind, "watched"))
        .await
        .unwrap();
    equal("a create").await;
    for patch in [
        json!({"metadata": {"labels": {"app": "other"}}}),
        json!({"data": {"key": "other"}}),
    ] {
        api.patch("watched", &PatchParams::default(), &Patch::Merge(patch))
            .await
            .unwrap();
        equal("a patch").await;
    }
    api.delete("watched", &DeleteParams::default())
        .await
        .unwrap();
    equal("a delete").await;
    assert!(!stored(informer).contains_key("watched"));
    until("the handler follows", async || {
        fold.versions().len() == informer.store().len()
    })
    .await;
    assert_eq!(fold.wrong(), Vec::<String>::new(), "{text}");
    let health = informer.health();
    let unread = (
        health.decode_failures,
        health.relists,
        health.sources[0].broken_events,
    );
    assert_eq!(unread, (0, 0, 0), "{text}: {health:#?}");
}

async fn in_mode(client: &kube::Client, options: ReflectorOptions, text: &str) {
    let cache = Cache::builder(client.clone()).reflector(options).build();
    let maps = cache.informer::<ConfigMapMetadataInformer>().unwrap();
    let dynamic_maps = cache.dynamic(ConfigMapInformer::KIND).informer().unwrap();
    let of_widgets: Informer<Dynamic> = cache.dynamic(widgets()).informer().unwrap();
    let widget_metadata = cache.metadata(widgets()).informer().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(LIMIT).await.unwrap();
    followed(client, maps.inner(), text).await;
    followed(client, &dynamic_maps, text).await;
    followed(client, &of_widgets, text).await;
    followed(client, &widget_metadata, text).await;
    for map in maps.lister().list().unwrap() {
        assert_eq!(map.kind(), &ConfigMapInformer::KIND, "{text}");
    }
    cache.shutdown(LIMIT).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn c005_c028_metadata_and_dynamic_objects_of_built_in_and_custom_kinds() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let client = server.client().await.unwrap();
    create_crd(&client).await;
    for kind in [ConfigMapInformer::KIND, widgets()] {
        for number in 0..5 {
            let object = object(&kind, &format!("o{number}"));
            let api = api(&client, &kind);
            api.create(&PostParams::default(), &object).await.unwrap();
        }
    }
    for (listing, options) in listings() {
        in_mode(&client, options, listing).await;
    }
    server.shutdown().await.unwrap();
}

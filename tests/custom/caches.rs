//! Caches of custom resources over the simulator: the same names as those of Kubernetes' own kinds.

use larder::{Cache, Funcs, field};
use larder_sim::{Kind, Sim};
use serde_json::{Value, json};

use super::golden::shop_example_com::v1::{
    Gadget, GadgetEventHandler, GadgetInformer, GadgetMetadataInformer, LockInformer, gadget,
};
use super::support::{SOON, client, settle};

fn cluster() -> Sim {
    let sim = Sim::new();
    let gadgets = Kind::new("shop.example.com", "v1", "Gadget", "gadgets").custom();
    sim.add_kind(gadgets.selectable("spec.color"));
    sim.add_kind(
        Kind::new("shop.example.com", "v1", "Lock", "locks")
            .custom()
            .cluster_scoped(),
    );
    sim
}

fn object(name: &str, color: &str) -> Value {
    let spec = gadget::Spec {
        color: color.into(),
        size: 1,
        ..Default::default()
    };
    let mut gadget = Gadget::new(name, spec);
    gadget.metadata.namespace = Some("web".to_owned());
    serde_json::to_value(gadget).unwrap()
}

struct Seen(std::sync::Mutex<Vec<String>>);

impl GadgetEventHandler for Seen {
    fn on_add(&self, gadget: &larder::Seen<gadget::Full>, initial: bool) {
        let color = gadget.object().spec.color.to_string();
        self.0
            .lock()
            .unwrap()
            .push(format!("{} {color} {initial}", gadget.key()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cache_of_custom_resources_lists_indexes_and_tells() {
    let sim = cluster();
    sim.create(object("a", "red")).unwrap();
    sim.create(json!({
        "apiVersion": "shop.example.com/v1", "kind": "Lock", "metadata": {"name": "l"}, "packages": ["p", "q"],
    }))
    .unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    let locks = cache.informer::<LockInformer>().unwrap();
    let metadata = cache.informer::<GadgetMetadataInformer>().unwrap();
    let by_color = gadgets.add_index(field!(Gadget, spec.color)).unwrap();
    let seen = std::sync::Arc::new(Seen(Default::default()));
    gadgets.add_handler(std::sync::Arc::clone(&seen)).unwrap();
    gadgets.add_handler(Funcs::<gadget::Full>::new()).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    sim.create(object("b", "ultraviolet")).unwrap();
    settle().await;

    let lister = gadgets.lister().namespace("web");
    assert_eq!(
        lister.get("a").unwrap().spec.color,
        gadget::spec::Color::Red
    );
    assert_eq!(by_color.get("ultraviolet").unwrap().count(), 1);
    // What the definition declares selectable has an index of its own.
    assert_eq!(gadgets.indexer().by_spec_color("red").unwrap().count(), 1);
    assert_eq!(
        gadgets
            .indexer()
            .by_spec_serial_number("s")
            .unwrap()
            .count(),
        0
    );
    assert_eq!(
        locks
            .lister()
            .get("l")
            .unwrap()
            .packages
            .as_deref()
            .unwrap_or_default(),
        ["p", "q"]
    );
    assert_eq!(metadata.lister().list().unwrap().count(), 2);
    assert_eq!(
        *seen.0.lock().unwrap(),
        ["web/a red true", "web/b ultraviolet false"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_server_selects_by_what_the_definition_allows() {
    let sim = cluster();
    sim.load([object("a", "red"), object("b", "green")])
        .unwrap();
    let options = larder::InformerOptions::default()
        .field_selector(gadget::selectable::SPEC_COLOR.eq("green"));
    let gadgets = GadgetInformer::new(client(&sim), options).unwrap();
    gadgets.wait_for_sync(SOON).await.unwrap();
    let names: Vec<_> = gadgets
        .lister()
        .list()
        .unwrap()
        .map(|g| g.metadata.name.clone())
        .collect();
    assert_eq!(names, [Some("b".to_owned())]);
}

/// Emitted types are kube's `Resource`, and so is what kube builds on it.
#[tokio::test(start_paused = true)]
async fn kubes_api_reads_and_writes_emitted_types() {
    let sim = cluster();
    let gadgets = kube::Api::<Gadget>::namespaced(client(&sim), "web");
    let spec = gadget::Spec {
        color: "red".into(),
        size: 1,
        ..Default::default()
    };
    let params = kube::api::PostParams::default();
    let created = gadgets
        .create(&params, &Gadget::new("g", spec))
        .await
        .unwrap();
    assert_eq!(created.metadata.namespace.as_deref(), Some("web"));
    assert!(created.metadata.uid.is_some());
    let mut changed = gadgets.get("g").await.unwrap();
    assert_eq!(changed, created);
    changed.spec.color = gadget::spec::Color::Green;
    gadgets.replace("g", &params, &changed).await.unwrap();
    let list = gadgets
        .list(&kube::api::ListParams::default())
        .await
        .unwrap();
    let colors: Vec<&str> = list.iter().map(|g| g.spec.color.as_str()).collect();
    assert_eq!(colors, ["green"]);
}

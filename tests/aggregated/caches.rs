//! Caches over the simulator: kinds of Kubernetes, of aggregated APIs and of custom resources side by side.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use larder::{Cache, field};
use larder_sim::{Kind, Sim};
use serde_json::{Value, json};

use super::golden::core::v1::PodInformer;
use super::golden::definitions::com_example_wardle_v1alpha1::ReferenceType;
use super::golden::shop_example_com::v1::{BoxInformer, Gadget, GadgetInformer, box_, gadget};
use super::golden::wardle_example_com::v1alpha1::{
    FischerInformer, Flunder, FlunderEventHandler, FlunderInformer, FlunderMetadataInformer,
    flunder,
};
use super::support::{SOON, client, settle};

fn cluster() -> Sim {
    let sim = Sim::new();
    let wardle = |kind, plural| Kind::new("wardle.example.com", "v1alpha1", kind, plural);
    sim.add_kind(wardle("Flunder", "flunders"));
    sim.add_kind(wardle("Fischer", "fischers").cluster_scoped());
    let shop = |kind, plural| Kind::new("shop.example.com", "v1", kind, plural).custom();
    sim.add_kind(shop("Box", "boxes").selectable("spec.color"));
    sim.add_kind(shop("Gadget", "gadgets"));
    sim
}

fn flunder(name: &str, reference: &str) -> Value {
    let spec = flunder::Spec {
        reference: reference.to_owned(),
        type_: ReferenceType::Flunder,
        ..Default::default()
    };
    let mut flunder = Flunder::new(name, spec);
    flunder.metadata.namespace = Some("sea".to_owned());
    serde_json::to_value(flunder).unwrap()
}

struct Seen(Mutex<Vec<String>>);

impl FlunderEventHandler for Seen {
    fn on_update(&self, old: &larder::Seen<flunder::Full>, new: &larder::Seen<flunder::Full>) {
        let phase = |seen: &larder::Seen<flunder::Full>| seen.object().status.phase.clone();
        let line = format!("{} {:?} {:?}", new.key(), phase(old), phase(new));
        self.0.lock().unwrap().push(line);
    }

    fn on_delete(&self, object: &larder::Tombstone<flunder::Full>) {
        self.0
            .lock()
            .unwrap()
            .push(format!("{} gone", object.key()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_aggregated_kind_is_listed_watched_indexed_and_told() {
    let sim = cluster();
    sim.load([flunder("a", "one"), flunder("b", "one")])
        .unwrap();
    sim.create(json!({
        "apiVersion": "wardle.example.com/v1alpha1", "kind": "Fischer", "metadata": {"name": "f"},
        "disallowedFlunders": ["a"], "limits": {"name": "x", "mode": "later"},
    }))
    .unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let flunders = cache.informer::<FlunderInformer>().unwrap();
    let fischers = cache.informer::<FischerInformer>().unwrap();
    let metadata = cache.informer::<FlunderMetadataInformer>().unwrap();
    let by_reference = flunders.add_index(field!(Flunder, spec.reference)).unwrap();
    let by_type = flunders.add_index(field!(Flunder, spec.type)).unwrap();
    let seen = Arc::new(Seen(Mutex::default()));
    flunders.add_handler(Arc::clone(&seen)).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let mut changed = flunder("b", "two");
    changed["status"] = json!({"phase": "Swimming"});
    sim.update(changed).unwrap();
    sim.delete("flunders.wardle.example.com", "sea", "a")
        .unwrap();
    sim.create(flunder("c", "two")).unwrap();
    settle().await;

    assert_eq!(by_reference.get("one").unwrap().count(), 0);
    assert_eq!(by_reference.get("two").unwrap().count(), 2);
    assert_eq!(by_type.get("Flunder").unwrap().count(), 2);
    assert_eq!(metadata.lister().list().unwrap().count(), 2);
    let fischer = fischers.lister().get("f").unwrap();
    assert_eq!(fischer.disallowed_flunders.as_deref().unwrap(), ["a"]);
    assert_eq!(fischer.limits.mode.as_ref().unwrap(), "later");
    assert_eq!(
        *seen.0.lock().unwrap(),
        ["sea/b None Some(\"Swimming\")", "sea/a gone"]
    );
}

#[tokio::test(start_paused = true)]
async fn kinds_of_all_sources_share_a_cache() {
    let sim = cluster();
    let meta = |name: &str| json!({"name": name, "namespace": "web"});
    let spec = gadget::Spec {
        color: "red".into(),
        ..Default::default()
    };
    let mut gadget = Gadget::new("g", spec);
    gadget.metadata.namespace = Some("web".to_owned());
    sim.load([
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta("p"), "spec": {"nodeName": "n", "containers": []}}),
        json!({"apiVersion": "shop.example.com/v1", "kind": "Box", "metadata": meta("x"), "spec": {"color": "red"}}),
        json!({"apiVersion": "shop.example.com/v1", "kind": "Box", "metadata": meta("y"), "spec": {"color": "blue"}}),
        serde_json::to_value(gadget).unwrap(),
    ])
    .unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let pods = cache.informer::<PodInformer>().unwrap();
    let boxes = cache.informer::<BoxInformer>().unwrap();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    let by_node = pods.add_index(field!(Pod, spec.nodeName)).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(by_node.get("n").unwrap().count(), 1);
    assert_eq!(gadgets.lister().list().unwrap().count(), 1);
    // What the document says that the server selects by, has its constant and its index.
    assert_eq!(boxes.indexer().by_spec_color("red").unwrap().count(), 1);
    let options =
        larder::InformerOptions::default().field_selector(box_::selectable::SPEC_COLOR.eq("blue"));
    let blue = BoxInformer::new(client(&sim), options).unwrap();
    blue.wait_for_sync(SOON).await.unwrap();
    let names = blue.lister().list().unwrap();
    let names: Vec<_> = names.map(|found| found.metadata.name.clone()).collect();
    assert_eq!(names, [Some("y".to_owned())]);
}

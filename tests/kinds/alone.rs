//! Informers without a cache, of kinds that have no type at all.

use std::time::Duration;

use larder::core::v1::PodMetadataInformer;
use larder::{DynamicInformer, Informer, InformerOptions, Kind, Metadata, Scope, computed};
use larder_sim::Sim;
use serde_json::{Value, json};

use crate::support::{SOON, client, listings, until};

fn widgets() -> Kind {
    Kind::new(
        "example.com",
        "v1alpha1",
        "Widget",
        "widgets",
        Scope::Namespaced,
    )
}

fn widget(name: &str, colour: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1alpha1",
        "kind": "Widget",
        "metadata": {"namespace": "a", "name": name},
        "spec": {"colour": colour, "sizes": [1, 2.5, null], "deep": {"er": [{"still": true}]}},
    })
}

fn with_widgets() -> Sim {
    let sim = Sim::new();
    let kind = larder_sim::Kind::new("example.com", "v1alpha1", "Widget", "widgets").custom();
    sim.add_kind(kind);
    sim
}

#[tokio::test(start_paused = true)]
async fn c024_a_custom_resource_without_a_type() {
    for (listing, options) in listings() {
        let sim = with_widgets();
        for (name, colour) in [("one", "red"), ("two", "blue"), ("three", "red")] {
            sim.create(widget(name, colour)).unwrap();
        }
        let own = InformerOptions::new().reflector(options.clone());
        let informer = DynamicInformer::spawn(client(&sim), widgets(), own).unwrap();
        let by_colour = informer
            .add_index(computed(|widget: &larder::DynamicObject| {
                Some(widget.data.pointer("/spec/colour")?.as_str()?.to_owned())
            }))
            .unwrap();
        let own = InformerOptions::new().reflector(options);
        let metadata = Informer::<Metadata>::spawn(client(&sim), widgets(), own).unwrap();
        informer.wait_for_sync(SOON).await.unwrap();
        metadata.wait_for_sync(SOON).await.unwrap();

        let one = informer.lister().namespace("a").get("one").unwrap();
        let mut held = sim.get("widgets.example.com", "a", "one").unwrap().unwrap();
        held["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("managedFields");
        assert_eq!(serde_json::to_value(&*one).unwrap(), held, "{listing}");
        let one = metadata.lister().namespace("a").get("one").unwrap();
        held.as_object_mut().unwrap().remove("spec");
        assert_eq!(serde_json::to_value(&*one).unwrap(), held, "{listing}");
        assert_eq!(one.kind(), &widgets());

        assert_eq!(by_colour.get("red").unwrap().count(), 2, "{listing}");
        sim.create(widget("four", "red")).unwrap();
        until("the create", || by_colour.get("red").unwrap().count() == 3).await;
        until("the create", || metadata.store().len() == 4).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_nobody_holds_stops() {
    let sim = with_widgets();
    sim.create(widget("one", "red")).unwrap();
    let pods = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let lister = pods.lister();
    let dynamic = DynamicInformer::spawn(client(&sim), widgets(), InformerOptions::new()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    dynamic.wait_for_sync(SOON).await.unwrap();
    until("both watch", || sim.watchers() == 2).await;
    drop((pods, dynamic));
    until("the lister's stays", || sim.watchers() == 1).await;
    drop(lister);
    until("none is left", || sim.watchers() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn options_are_checked_as_for_any_other() {
    let sim = with_widgets();
    let options = || InformerOptions::<Metadata>::new();
    for wrong in [
        options().label_selector("a in ("),
        options().namespaces(["Not a name"]),
        options().namespaces([""; 0]),
    ] {
        assert!(PodMetadataInformer::new(client(&sim), wrong).is_err());
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(sim.requests().len(), 0);
}

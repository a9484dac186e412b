//! Types of kube's derive.

use kube::{CustomResource, Resource as _};
use larder::{Cache, Cached, field};
use larder_sim::{Kind, Sim};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::support::{SOON, client, settle};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
#[serde(rename_all = "camelCase")]
struct GadgetSpec {
    size: i64,
    color_name: Option<String>,
}

fn gadget(name: &str, size: i64) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": {"namespace": "web", "name": name},
        "spec": {"size": size},
    })
}

#[tokio::test(start_paused = true)]
async fn a_type_of_kubes_derive_is_cached() {
    let sim = Sim::new();
    sim.add_kind(Kind::new("example.com", "v1", "Gadget", "gadgets").custom());
    sim.load([gadget("a", 1), gadget("b", 2)]).unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    let by_size = gadgets.add_index(field!(Gadget, spec.size)).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    sim.create(gadget("c", 2)).unwrap();
    settle().await;
    assert_eq!(by_size.get(&2).unwrap().count(), 2);
    let a = gadgets.lister().namespace("web").get("a").unwrap();
    assert_eq!(a.spec.size, 1);
    assert_eq!(GadgetInformer::KIND.plural(), Gadget::plural(&()));
}

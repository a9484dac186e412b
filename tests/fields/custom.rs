//! Paths into a custom resource that kube's derive made, with key types of the program's own.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use kube::CustomResource;
use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use larder::{
    Field, FieldKey, Index, Informer, InformerOptions, Kept, Kind, RawObject, Scope, StoreError,
    Transform, field, store_decoded,
};
use larder_sim::Sim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{SOON, client, until};

#[derive(CustomResource, Serialize, Deserialize, JsonSchema, Clone, Debug)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gateway",
    namespaced,
    status = "GatewayStatus"
)]
#[serde(rename_all = "camelCase")]
struct GatewaySpec {
    class_name: String,
    owner: Option<Team>,
    tier: Option<Tier>,
    #[serde(default)]
    listeners: Vec<Listener>,
    routes: Option<BTreeMap<String, Route>>,
    /// A field that no rule finds.
    #[serde(rename = "initContainers", default)]
    init_containers_camel: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
struct Listener {
    port: u16,
    #[serde(rename = "type")]
    r#type: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Route {
    target_weight: i64,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
struct GatewayStatus {
    #[schemars(with = "Vec<serde_json::Value>")]
    conditions: Option<Vec<Condition>>,
}

/// Open, as those of generated code: a value that is new to the program is kept.
#[derive(
    Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
)]
enum Tier {
    Gold,
    Silver,
    #[serde(untagged)]
    Other(String),
}

impl FieldKey for Tier {
    type Key = Self;

    fn to_key(&self) -> Self {
        self.clone()
    }
}

/// A newtype over a text, found by a text.
#[derive(
    Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
)]
#[serde(transparent)]
struct Team(String);

impl FieldKey for Team {
    type Key = Self;

    fn to_key(&self) -> Self {
        self.clone()
    }
}

impl Borrow<str> for Team {
    fn borrow(&self) -> &str {
        &self.0
    }
}

enum Full {}

impl Kept for Full {
    type Object = Gateway;
    type Stored = Arc<Gateway>;
    type Read = Arc<Gateway>;

    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<Gateway>,
    ) -> Result<Arc<Gateway>, StoreError> {
        store_decoded(raw, transform)
    }

    fn read(stored: &Arc<Gateway>) -> Arc<Gateway> {
        Arc::clone(stored)
    }
}

const KIND: Kind = Kind::from_static(
    "example.com",
    "v1",
    "Gateway",
    "gateways",
    Scope::Namespaced,
);

const BY_TIER: Field<Gateway, Tier> = field!(Gateway, spec.tier);
const BY_OWNER: Field<Gateway, Team> = field!(Gateway, spec.owner);

fn gateway(name: &str, spec: &serde_json::Value) -> serde_json::Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Gateway",
        "metadata": {"namespace": "web", "name": name},
        "spec": spec,
    })
}

#[test]
fn c131_every_kind_of_step_into_a_derived_type() {
    let gateway: Gateway = serde_json::from_value(json!({
        "metadata": {"name": "one", "labels": {"app": "edge"}},
        "spec": {
            "className": "fast",
            "owner": "net",
            "tier": "Bronze",
            "listeners": [{"port": 80}, {"port": 443, "type": "TLS"}],
            "routes": {"a": {"targetWeight": 1}, "b": {"targetWeight": 2}},
            "initContainers": ["i"],
        },
        "status": {"conditions": [
            {"type": "Ready", "status": "True", "reason": "r", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"},
        ]},
    }))
    .unwrap();
    let text = |field: Field<Gateway, String>| field.keys(&gateway);
    assert_eq!(text(field!(Gateway, metadata.labels["app"])), ["edge"]);
    assert_eq!(text(field!(Gateway, spec.className)), ["fast"]);
    assert_eq!(
        text(field!(Gateway, spec.listeners[].type as r#type)),
        ["TLS"]
    );
    assert_eq!(text(field!(Gateway, spec.routes{})), ["a", "b"]);
    assert_eq!(
        text(field!(Gateway, spec."initContainers" as init_containers_camel[])),
        ["i"]
    );
    assert_eq!(text(field!(Gateway, status.conditions[].type)), ["Ready"]);
    assert_eq!(
        field!(Gateway, spec.listeners[].port).keys(&gateway),
        [80, 443]
    );
    assert_eq!(
        field!(Gateway, spec.routes[].targetWeight).keys(&gateway),
        [1, 2]
    );
    assert_eq!(
        field!(Gateway, spec.routes["b"].targetWeight).keys(&gateway),
        [2]
    );
    assert_eq!(BY_OWNER.keys(&gateway), [Team("net".into())]);
    assert_eq!(BY_TIER.keys(&gateway), [Tier::Other("Bronze".into())]);
    assert_eq!(
        field!(Gateway, spec."initContainers" as init_containers_camel[]).path(),
        "spec.initContainers[]"
    );
    // Beside the derived type, what it is made of is a root, too.
    assert_eq!(field!(GatewaySpec, className).keys(&gateway.spec), ["fast"]);
}

#[tokio::test(start_paused = true)]
async fn c024_c131_an_informer_of_a_derived_type_is_indexed_by_its_own_key_types() {
    let sim = Sim::new();
    sim.add_kind(larder_sim::Kind::new("example.com", "v1", "Gateway", "gateways").custom());
    for (name, owner, tier) in [
        ("a", "net", "Gold"),
        ("b", "net", "Bronze"),
        ("c", "web", "Gold"),
    ] {
        let spec = json!({"className": "fast", "owner": owner, "tier": tier});
        sim.create(gateway(name, &spec)).unwrap();
    }
    let gateways = Informer::<Full>::spawn(client(&sim), KIND, InformerOptions::new()).unwrap();
    let by_tier: Index<Full, Tier> = gateways.add_index(BY_TIER).unwrap();
    let by_owner: Index<Full, Team> = gateways.add_index(BY_OWNER).unwrap();
    gateways.wait_for_sync(SOON).await.unwrap();
    assert_eq!(by_tier.get(&Tier::Gold).unwrap().count(), 2);
    assert_eq!(
        by_tier.get(&Tier::Other("Bronze".into())).unwrap().count(),
        1
    );
    assert_eq!(by_owner.get("net").unwrap().count(), 2, "found by a text");
    let bare = gateway("d", &json!({"className": "slow"}));
    sim.create(bare).unwrap();
    until("the create", || gateways.store().len() == 4).await;
    let owners = by_owner.values().unwrap();
    assert_eq!(owners, [(Team("net".into()), 2), (Team("web".into()), 1)]);
}

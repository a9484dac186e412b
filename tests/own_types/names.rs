//! What a kind is called, as kube's derive has it.

use kube::{CustomResource, Resource as _};
use larder::{Cache, Cached, Scope, TypedInformer, field};
use larder_sim::{Kind, Sim};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::support::{SOON, client};

/// One module each, as each has a spec.
macro_rules! kinds {
    ($($module:ident($kind:literal $($more:tt)*);)*) => {$(
        mod $module {
            use super::*;

            #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
            #[kube(group = "example.com", version = "v1beta2", kind = $kind $($more)*)]
            pub(super) struct Spec {}
        }
    )*};
}

kinds! {
    bus("Bus", namespaced);
    policy("NetworkPolicy");
    gateway("Gateway", namespaced = true);
    mesh("Mesh", namespaced = false);
    given("Sheep", plural = "sheep", shortname = "sh", namespaced);
    singular("Person", singular = "human", category = "all");
    named("Lens", root = "LensObject", namespaced,
        printcolumn(name = "Name", type_ = "string", json_path = ".spec.name"), annotation("a", "b"), served = true);
}

fn check<I: TypedInformer>(scope: Scope)
where
    I::Object: kube::Resource<DynamicType = ()>,
{
    let kind = I::KIND;
    assert_eq!(kind.group(), I::Object::group(&()));
    assert_eq!(kind.version(), I::Object::version(&()));
    assert_eq!(kind.kind(), I::Object::kind(&()));
    assert_eq!(kind.plural(), I::Object::plural(&()));
    assert_eq!(kind.scope(), scope, "{kind}");
}

#[test]
fn kinds_are_called_as_kube_calls_them() {
    check::<bus::BusInformer>(Scope::Namespaced);
    check::<policy::NetworkPolicyInformer>(Scope::Cluster);
    check::<gateway::GatewayInformer>(Scope::Namespaced);
    check::<mesh::MeshInformer>(Scope::Cluster);
    check::<given::SheepInformer>(Scope::Namespaced);
    check::<singular::PersonInformer>(Scope::Cluster);
    check::<named::LensObjectInformer>(Scope::Namespaced);
    assert_eq!(named::lens_object::KIND.kind(), "Lens");
    assert_eq!(singular::PersonInformer::KIND.plural(), "humans");
}

mod renamed {
    use super::{CustomResource, Deserialize, JsonSchema, Serialize};

    #[derive(CustomResource, cached::Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Lamp")]
    #[larder(crate = "::cached")]
    pub(super) struct Spec {}

    #[derive(Deserialize)]
    pub(super) struct Bulb {
        metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    }

    cached::cached!(pub(super) Bulb, group = "example.com", version = "v1");
}

#[test]
fn larder_may_be_called_otherwise() {
    check::<renamed::LampInformer>(Scope::Cluster);
    assert_eq!(renamed::BulbInformer::KIND.plural(), "bulbs");
}

/// The properties of the spec are at the object's root.
#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Bucket",
    no_spec,
    selectable = ".region"
)]
struct BucketFields {
    region: String,
}

/// A spec may be one of several things.
#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Source")]
#[larder(module = "source_kind")]
enum SourceSpec {
    #[serde(rename = "git")]
    Git(String),
    #[serde(rename = "image")]
    Image(String),
}

// The name that the kind's module would have.
mod source {}

#[tokio::test(start_paused = true)]
async fn objects_of_the_cluster_without_a_spec_and_with_an_enum_for_one() {
    let sim = Sim::new();
    let bucket = Kind::new("example.com", "v1", "Bucket", "buckets").custom();
    sim.add_kind(bucket.cluster_scoped().selectable("region"));
    let source = Kind::new("example.com", "v1", "Source", "sources").custom();
    sim.add_kind(source.cluster_scoped());
    sim.load([
        json!({"apiVersion": "example.com/v1", "kind": "Bucket", "metadata": {"name": "b"}, "region": "north"}),
        json!({"apiVersion": "example.com/v1", "kind": "Source", "metadata": {"name": "s"}, "spec": {"git": "url"}}),
    ])
    .unwrap();
    let cache = Cache::builder(client(&sim)).build();
    let buckets = cache.informer::<BucketInformer>().unwrap();
    let sources = cache.informer::<SourceInformer>().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();

    assert_eq!(buckets.lister().get("b").unwrap().spec.region, "north");
    assert_eq!(buckets.store().get("b").unwrap().spec.region, "north");
    let in_north = bucket::selectable::REGION.eq("north");
    assert_eq!(in_north.to_string(), "region=north");
    assert_eq!(buckets.lister().select(in_north).unwrap().count(), 1);
    assert_eq!(buckets.indexer().by_region("north").unwrap().count(), 1);
    let by_region = buckets.add_index(field!(Bucket, spec.region)).unwrap();
    assert_eq!(by_region.get("north").unwrap().count(), 1);
    let source = sources.lister().get("s").unwrap();
    assert!(matches!(&source.spec, SourceSpec::Git(url) if url == "url"));
    assert_eq!(source_kind::KIND.plural(), "sources");
}

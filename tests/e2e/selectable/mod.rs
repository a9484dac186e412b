//! The fields that generated code says the server can select by, against a server: that it takes each and no other, and that what it
//! selects is what is read here.

mod objects;

use std::collections::BTreeSet;
use std::pin::Pin;

use http::StatusCode;
use larder::{
    Dynamic, DynamicObject, FieldSelector, Informer, InformerOptions, Kept, Kind, ReflectorFailure,
    Scope, Selectable, TypedInformer,
};
use serde_json::json;

use crate::cluster::{Cluster, LIMIT};
use crate::scenarios::{in_parallel, quick, until};

/// What the real server serves only where it is asked to.
pub(crate) const FLAGS: &[&str] = &[
    "--runtime-config=certificates.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true,resource.k8s.io/v1beta1=true",
];

/// Paths that exist in objects of many kinds and that no kind can be selected by.
const OF_NO_KIND: [&str; 3] = ["metadata.uid", "metadata.labels.app", "spec.priority"];

/// What pods can be selected by though there is no constant for it.
const LEFT_OUT: [&str; 2] = ["spec.host", "status.podIPs"];

/// One kind of the table, or one that has only what all kinds have.
struct Row {
    kind: Kind,
    paths: Vec<&'static str>,
    compare: Compare,
}

type Compare = for<'a> fn(&'a Cluster) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

macro_rules! rows {
    ($($group:ident::$version:ident: $($module:ident $informer:ident),*;)*) => {
        [$($(Row {
            kind: larder::$group::$version::$module::KIND,
            paths: larder::$group::$version::$module::selectable::ALL.iter().map(|field| field.path()).collect(),
            compare: |cluster| Box::pin(compare::<larder::$group::$version::$informer, _>(
                cluster,
                larder::$group::$version::$module::selectable::ALL,
            )),
        }),*),*]
    };
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::from(rows! {
        core::v1: pod PodInformer, node NodeInformer, namespace NamespaceInformer, secret SecretInformer, service ServiceInformer,
            replication_controller ReplicationControllerInformer, event EventInformer, config_map ConfigMapInformer,
            persistent_volume PersistentVolumeInformer;
        apps::v1: replica_set ReplicaSetInformer, deployment DeploymentInformer;
        batch::v1: job JobInformer;
        events::v1: event EventInformer;
        certificates::v1: certificate_signing_request CertificateSigningRequestInformer;
        certificates::v1beta1: cluster_trust_bundle ClusterTrustBundleInformer;
        resource::v1beta1: resource_slice ResourceSliceInformer;
    });
    k8s_openapi::k8s_if_ge_1_34! {
        rows.extend(rows! { resource::v1: resource_slice ResourceSliceInformer; resource::v1beta2: resource_slice ResourceSliceInformer; });
    }
    k8s_openapi::k8s_if_ge_1_35! {
        rows.extend(rows! { certificates::v1beta1: pod_certificate_request PodCertificateRequestInformer; });
    }
    k8s_openapi::k8s_if_ge_1_37! {
        rows.extend(rows! {
            certificates::v1: cluster_trust_bundle ClusterTrustBundleInformer,
                pod_certificate_request PodCertificateRequestInformer;
        });
    }
    rows
}

/// What a list with this field selector answers; `None` where the server does not serve the kind.
async fn listed(cluster: &Cluster, kind: &Kind, path: &str) -> Option<StatusCode> {
    let uri = format!(
        "{}?limit=1&fieldSelector={path}%3Dx",
        kind.collection_path(None)
    );
    let request = http::Request::get(uri).body(Vec::new()).unwrap();
    match cluster.direct.request_text(request).await {
        Ok(_) => Some(StatusCode::OK),
        Err(kube::Error::Api(status)) if status.code == 404 => None,
        Err(kube::Error::Api(status)) => StatusCode::from_u16(status.code).ok(),
        Err(error) => panic!("{kind} by {path}: {error}"),
    }
}

/// The kinds that the server serves: all, where it is real.
async fn served(cluster: &Cluster) -> Vec<Row> {
    let mut served = Vec::new();
    for row in rows() {
        match listed(cluster, &row.kind, "metadata.name").await {
            Some(_) => served.push(row),
            None => assert!(!cluster.is_real(), "{:?} is not served", row.kind),
        }
    }
    assert!(served.len() >= 14, "{}", served.len());
    served
}

pub(crate) async fn every_selectable_field_is_taken_and_no_other(cluster: &Cluster) {
    let all: BTreeSet<&str> = rows().iter().flat_map(|row| row.paths.clone()).collect();
    for row in served(cluster).await {
        let kind = &row.kind;
        for path in &row.paths {
            let code = listed(cluster, kind, path).await;
            assert_eq!(code, Some(StatusCode::OK), "{kind} by {path}");
        }
        let others = all
            .iter()
            .filter(|path| !row.paths.contains(*path) && **path != "metadata.namespace");
        for path in others.chain(&OF_NO_KIND) {
            let code = listed(cluster, kind, path).await;
            assert_eq!(code, Some(StatusCode::BAD_REQUEST), "{kind} by {path}");
        }
    }
    for path in LEFT_OUT {
        let code = listed(cluster, &larder::core::v1::pod::KIND, path).await;
        assert_eq!(code, Some(StatusCode::OK), "pods by {path}");
    }
}

/// Namespaced kinds have the constant where the server takes it. Kinds of the cluster have none, whether they refuse it or not.
pub(crate) async fn the_namespace_is_selected_by_where_it_is_of_use(cluster: &Cluster) {
    const REFUSE: [&str; 6] = [
        "Node",
        "Namespace",
        "CertificateSigningRequest",
        "ClusterTrustBundle",
        "PodCertificateRequest",
        "ResourceSlice",
    ];
    for row in served(cluster).await {
        let kind = &row.kind;
        let refused = REFUSE.contains(&kind.kind());
        let code = listed(cluster, kind, "metadata.namespace").await;
        assert_eq!(
            code == Some(StatusCode::BAD_REQUEST),
            refused,
            "{kind}: {code:?}"
        );
        let has_constant = row.paths.contains(&"metadata.namespace");
        assert_eq!(has_constant, !refused && kind.is_namespaced(), "{kind}");
    }
}

async fn followed<R: Kept>(cluster: &Cluster, kind: Kind, selector: String) -> Informer<R> {
    let options = InformerOptions::new()
        .field_selector(selector)
        .reflector(quick());
    let informer = Informer::spawn(cluster.relayed.clone(), kind, options).unwrap();
    let synced = informer.wait_for_sync(LIMIT).await;
    synced.unwrap_or_else(|error| panic!("{error}"));
    informer
}

fn keys<R: Kept>(informer: &Informer<R>) -> BTreeSet<String> {
    let keys = informer.store().snapshot().list().keys();
    keys.map(|key| key.to_string()).collect()
}

/// That a cache narrowed by each field and each value is what the selector matches in the cache of everything.
async fn compare<I, T>(cluster: &Cluster, fields: &[Selectable<T>])
where
    I: TypedInformer<Kept: Kept<Object = T, Read = std::sync::Arc<T>>>,
    T: Send + Sync + 'static,
{
    let all: Informer<I::Kept> = followed(cluster, I::KIND, String::new()).await;
    for field in fields {
        // A field that no object has shows nothing.
        let is_there = values(&all, *field)
            .iter()
            .any(|value| !ABSENT.contains(&value.as_str()));
        let path = field.path();
        assert!(is_there || !cluster.is_real(), "{} by {path}", I::KIND);
    }
    each_equal(cluster, &all, fields).await;
    let [first, .., last] = fields else { return };
    equal(cluster, &all, &first.ne("none").and(last.ne("none"))).await;
}

/// Each field and each value, equal and not.
async fn each_equal<R, T>(cluster: &Cluster, all: &Informer<R>, fields: &[Selectable<T>])
where
    R: Kept<Read = std::sync::Arc<T>>,
    T: Send + Sync + 'static,
{
    let selectors = fields.iter().flat_map(|field| {
        let values = values(all, *field).into_iter();
        values.flat_map(|value| [field.eq(&value), field.ne(&value)])
    });
    let compared = selectors.map(async |selector| equal(cluster, all, &selector).await);
    in_parallel(compared).await;
}

/// What the absent reads as, and what no object has.
const ABSENT: [&str; 4] = ["", "false", "0", "none"];

/// What some object has, what none has, and what may stand for nothing.
fn values<R, T>(all: &Informer<R>, field: Selectable<T>) -> BTreeSet<String>
where
    R: Kept<Read = std::sync::Arc<T>>,
{
    let objects = all.store().snapshot().list();
    let mut values: BTreeSet<String> = objects
        .map(|object| field.value(&object).into_owned())
        .collect();
    values.extend(ABSENT.map(str::to_owned));
    values
}

async fn equal<R, T>(cluster: &Cluster, all: &Informer<R>, selector: &FieldSelector<T>)
where
    R: Kept<Read = std::sync::Arc<T>>,
    T: Send + Sync + 'static,
{
    let kind = all.kind().clone();
    let narrowed: Informer<R> = followed(cluster, kind, selector.to_string()).await;
    // The server itself may still be making what it begins with.
    let what = format!("the cache of {selector} is what that matches here");
    until(&what, &narrowed, async || {
        let matching = all
            .store()
            .snapshot()
            .list()
            .filter(|object| selector.matches(object));
        let matching = matching.count();
        let here = narrowed.store().snapshot().list();
        here.filter(|object| selector.matches(object)).count() == matching
            && narrowed.store().len() == matching
    })
    .await;
    assert!(keys(&narrowed).is_subset(&keys(all)), "{selector}");
}

pub(crate) async fn c034_what_the_server_selects_is_what_is_read_here(cluster: &Cluster) {
    objects::create(cluster).await;
    for row in served(cluster).await {
        (row.compare)(cluster).await;
    }
}

pub(crate) async fn c034_a_narrowed_cache_follows_what_comes_and_goes(cluster: &Cluster) {
    use larder::core::v1::pod::{self, selectable};

    objects::create(cluster).await;
    let idle = selectable::STATUS_PHASE
        .ne("Running")
        .and(selectable::METADATA_NAMESPACE.eq(objects::NAMESPACE));
    let pods: Informer<pod::Full> = followed(cluster, pod::KIND, idle.to_string()).await;
    let named = |names: &[&str]| -> BTreeSet<String> {
        names
            .iter()
            .map(|name| format!("{}/{name}", objects::NAMESPACE))
            .collect()
    };
    let are = async |names: &[&str]| {
        until(&format!("{names:?} are there"), &pods, async || {
            keys(&pods) == named(names)
        })
        .await;
    };
    are(&["bare", "waiting"]).await;
    cluster
        .patch_status(
            "v1",
            "Pod",
            Some(objects::NAMESPACE),
            "waiting",
            json!({"status": {"phase": "Running"}}),
        )
        .await;
    are(&["bare"]).await;
    cluster
        .create(
            "v1",
            "Pod",
            Some(objects::NAMESPACE),
            crate::scenarios::pod("late", &json!({})),
        )
        .await;
    are(&["bare", "late"]).await;

    // The server takes it and compares with nothing, whatever addresses there are.
    let by_address: Informer<pod::Full> =
        followed(cluster, pod::KIND, "status.podIPs=10.0.0.1".to_owned()).await;
    assert!(by_address.store().is_empty());
    let by_none: Informer<pod::Full> =
        followed(cluster, pod::KIND, "status.podIPs=".to_owned()).await;
    assert_eq!(
        keys(&by_none),
        named(&["bare", "late", "placed", "waiting"])
    );
}

pub(crate) async fn c034_fields_that_a_definition_declares_read_as_nothing_where_they_are_absent(
    cluster: &Cluster,
) {
    const FIELDS: [Selectable<DynamicObject>; 5] = [
        Selectable::METADATA_NAME,
        Selectable::METADATA_NAMESPACE,
        Selectable::of_dynamic("spec.color"),
        Selectable::of_dynamic("spec.pockets"),
        Selectable::of_dynamic("spec.iron"),
    ];
    cluster.namespace(objects::NAMESPACE).await;
    cluster.install_shirts("shirts", "Shirt", true).await;
    cluster.install_shirts("flags", "Flag", false).await;
    let shirts = [
        ("none", json!({})),
        ("some", json!({"color": "red", "pockets": 2, "iron": true})),
        ("zero", json!({"color": "", "pockets": 0, "iron": false})),
    ];
    for (name, spec) in shirts {
        let object = json!({"metadata": {"name": name}, "spec": spec});
        cluster
            .create(
                "example.com/v1",
                "Shirt",
                Some(objects::NAMESPACE),
                object.clone(),
            )
            .await;
        cluster.create("example.com/v1", "Flag", None, object).await;
    }
    let kind =
        |kind: &str, plural: &str, scope| Kind::new("example.com", "v1", kind, plural, scope);
    let (shirts, flags) = (
        kind("Shirt", "shirts", Scope::Namespaced),
        kind("Flag", "flags", Scope::Cluster),
    );
    for (kind, fields) in [
        (shirts, FIELDS.to_vec()),
        (flags.clone(), [&FIELDS[..1], &FIELDS[2..]].concat()),
    ] {
        let all: Informer<Dynamic> = followed(cluster, kind, String::new()).await;
        assert_eq!(all.store().len(), 3);
        each_equal(cluster, &all, &fields).await;
    }
    assert_eq!(
        listed(cluster, &flags, "metadata.namespace").await,
        Some(StatusCode::BAD_REQUEST)
    );
    assert_eq!(
        listed(cluster, &flags, "spec.size").await,
        Some(StatusCode::BAD_REQUEST)
    );
}

pub(crate) async fn c063_a_field_that_is_not_selectable_is_an_error_of_its_own(cluster: &Cluster) {
    use larder::apps::v1::replica_set;
    use larder::batch::v1::job;
    use larder::core::v1::{config_map, pod};

    async fn refused<R: Kept>(cluster: &Cluster, kind: Kind) {
        for streaming in [true, false] {
            let options = InformerOptions::new()
                .field_selector("spec.misspelt=x")
                .reflector(quick().streaming_list(streaming));
            let informer: Informer<R> =
                Informer::spawn(cluster.relayed.clone(), kind.clone(), options).unwrap();
            until("the refusal is told", &informer, async || {
                let sources = informer.health().sources;
                let last = sources.iter().find_map(|source| source.last_error.as_ref());
                last.is_some_and(|last| match last.error.failure() {
                    ReflectorFailure::UnselectableField {
                        message: Some(message),
                    } => message.contains("spec.misspelt"),
                    _ => false,
                })
            })
            .await;
            assert!(!informer.has_synced());
        }
    }
    refused::<pod::Full>(cluster, pod::KIND).await;
    refused::<job::Full>(cluster, job::KIND).await;
    refused::<config_map::Full>(cluster, config_map::KIND).await;
    refused::<replica_set::Full>(cluster, replica_set::KIND).await;
    cluster.install_shirts("shirts", "Shirt", true).await;
    let shirts = Kind::new("example.com", "v1", "Shirt", "shirts", Scope::Namespaced);
    refused::<Dynamic>(cluster, shirts).await;
}

//! The fields that generated code says the server can select by, against a server.

use http::StatusCode;
use larder::{Kind, Selectable, TypedInformer};

use crate::cluster::Cluster;

/// Paths that exist in objects of many kinds and that no kind can be selected by, and one that is a field of other kinds.
const OTHERS: [&str; 4] = [
    "metadata.uid",
    "metadata.labels.app",
    "spec.priority",
    "spec.pool.generation",
];

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

/// Whether the kind was served.
async fn check<I: TypedInformer, T>(cluster: &Cluster, fields: &[Selectable<T>]) -> bool {
    for field in fields {
        match listed(cluster, &I::KIND, field.path()).await {
            None => return false,
            Some(code) => assert_eq!(code, StatusCode::OK, "{} by {}", I::KIND, field.path()),
        }
    }
    for path in OTHERS {
        let code = listed(cluster, &I::KIND, path).await;
        assert_eq!(code, Some(StatusCode::BAD_REQUEST), "{} by {path}", I::KIND);
    }
    true
}

/// Checks `kind` of each module of a group and version; tells those that were served.
macro_rules! check {
    ($cluster:expr, $served:expr; $($group:ident::$version:ident: $($module:ident $informer:ident),*;)*) => {$($(
        if check::<larder::$group::$version::$informer, _>($cluster, larder::$group::$version::$module::selectable::ALL).await {
            $served.push(stringify!($group::$version::$module));
        }
    )*)*};
}

pub(crate) async fn every_selectable_field_is_taken_and_no_other(cluster: &Cluster) {
    let mut served = Vec::new();
    check! {
        cluster, served;
        core::v1: pod PodInformer, node NodeInformer, namespace NamespaceInformer, secret SecretInformer, service ServiceInformer,
            replication_controller ReplicationControllerInformer, event EventInformer, config_map ConfigMapInformer,
            persistent_volume PersistentVolumeInformer;
        apps::v1: replica_set ReplicaSetInformer, deployment DeploymentInformer;
        batch::v1: job JobInformer;
        events::v1: event EventInformer;
        certificates::v1: certificate_signing_request CertificateSigningRequestInformer;
    }
    assert_eq!(served.len(), 14, "{served:?}");
    k8s_openapi::k8s_if_ge_1_34! {
        check! { cluster, served; resource::v1: resource_slice ResourceSliceInformer; }
    }
    // Served where they are enabled.
    check! { cluster, served; certificates::v1beta1: cluster_trust_bundle ClusterTrustBundleInformer; }
    k8s_openapi::k8s_if_ge_1_35! {
        check! { cluster, served; certificates::v1beta1: pod_certificate_request PodCertificateRequestInformer; }
    }
    println!("served: {served:?}");
}

//! The kinds that a new server serves.

use super::Kind;

/// What deviates from a namespaced, watchable kind with status and generation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    ClusterScoped,
    Unwatchable,
    /// No status subresource.
    NoStatus,
    /// `metadata.generation` is not kept.
    NoGeneration,
}
use Is::{ClusterScoped, NoGeneration, NoStatus, Unwatchable};

/// Group, version, kind, plural, short names, deviations.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [Is],
);

const RBAC: &str = "rbac.authorization.k8s.io";
const CERTIFICATES: &str = "certificates.k8s.io";

const ROWS: &[Row] = &[
    (
        "",
        "v1",
        "ComponentStatus",
        "componentstatuses",
        &["cs"],
        &[ClusterScoped, Unwatchable, NoStatus, NoGeneration],
    ),
    (
        "",
        "v1",
        "ConfigMap",
        "configmaps",
        &["cm"],
        &[NoStatus, NoGeneration],
    ),
    (
        "",
        "v1",
        "Endpoints",
        "endpoints",
        &["ep"],
        &[NoStatus, NoGeneration],
    ),
    (
        "",
        "v1",
        "Event",
        "events",
        &["ev"],
        &[NoStatus, NoGeneration],
    ),
    (
        "",
        "v1",
        "Namespace",
        "namespaces",
        &["ns"],
        &[ClusterScoped, NoGeneration],
    ),
    (
        "",
        "v1",
        "Node",
        "nodes",
        &["no"],
        &[ClusterScoped, NoGeneration],
    ),
    (
        "",
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        &["pv"],
        &[ClusterScoped, NoGeneration],
    ),
    (
        "",
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        &["pvc"],
        &[NoGeneration],
    ),
    ("", "v1", "Pod", "pods", &["po"], &[]),
    (
        "",
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        &["rc"],
        &[],
    ),
    (
        "",
        "v1",
        "Secret",
        "secrets",
        &[],
        &[NoStatus, NoGeneration],
    ),
    ("", "v1", "Service", "services", &["svc"], &[NoGeneration]),
    (
        "",
        "v1",
        "ServiceAccount",
        "serviceaccounts",
        &["sa"],
        &[NoStatus, NoGeneration],
    ),
    (
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        &["crd", "crds"],
        &[ClusterScoped],
    ),
    ("apps", "v1", "DaemonSet", "daemonsets", &["ds"], &[]),
    ("apps", "v1", "Deployment", "deployments", &["deploy"], &[]),
    ("apps", "v1", "ReplicaSet", "replicasets", &["rs"], &[]),
    ("apps", "v1", "StatefulSet", "statefulsets", &["sts"], &[]),
    (
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        &["hpa"],
        &[NoGeneration],
    ),
    ("batch", "v1", "CronJob", "cronjobs", &["cj"], &[]),
    ("batch", "v1", "Job", "jobs", &[], &[]),
    (
        CERTIFICATES,
        "v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        &["csr"],
        &[ClusterScoped, NoGeneration],
    ),
    (
        CERTIFICATES,
        "v1",
        "PodCertificateRequest",
        "podcertificaterequests",
        &[],
        &[NoGeneration],
    ),
    (
        "coordination.k8s.io",
        "v1",
        "Lease",
        "leases",
        &[],
        &[NoStatus, NoGeneration],
    ),
    (
        "discovery.k8s.io",
        "v1",
        "EndpointSlice",
        "endpointslices",
        &[],
        &[NoStatus],
    ),
    (
        "events.k8s.io",
        "v1",
        "Event",
        "events",
        &["ev"],
        &[NoStatus, NoGeneration],
    ),
    (
        "networking.k8s.io",
        "v1",
        "Ingress",
        "ingresses",
        &["ing"],
        &[],
    ),
    (
        "networking.k8s.io",
        "v1",
        "NetworkPolicy",
        "networkpolicies",
        &["netpol"],
        &[NoStatus],
    ),
    (
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        &["pdb"],
        &[],
    ),
    (
        RBAC,
        "v1",
        "ClusterRole",
        "clusterroles",
        &[],
        &[ClusterScoped, NoStatus, NoGeneration],
    ),
    (
        RBAC,
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        &[],
        &[ClusterScoped, NoStatus, NoGeneration],
    ),
    (RBAC, "v1", "Role", "roles", &[], &[NoStatus, NoGeneration]),
    (
        RBAC,
        "v1",
        "RoleBinding",
        "rolebindings",
        &[],
        &[NoStatus, NoGeneration],
    ),
    (
        "scheduling.k8s.io",
        "v1",
        "PriorityClass",
        "priorityclasses",
        &["pc"],
        &[ClusterScoped, NoStatus],
    ),
    (
        "storage.k8s.io",
        "v1",
        "StorageClass",
        "storageclasses",
        &["sc"],
        &[ClusterScoped, NoStatus, NoGeneration],
    ),
];

/// Resources of the category `all`.
///
/// Source: `Categories` in `pkg/registry/*/*/storage/storage.go` of Kubernetes 1.37.
const IN_ALL: &[&str] = &[
    "pods",
    "services",
    "replicationcontrollers",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "horizontalpodautoscalers",
    "cronjobs",
    "jobs",
];

/// Resources of which a delete returns the object.
///
/// Source: `ReturnDeletedObject` in `pkg/registry/*/*/storage/storage.go` of Kubernetes 1.37.
pub(super) const RETURNING_DELETED: &[(&str, &str)] = &[
    ("", "namespaces"),
    ("", "persistentvolumeclaims"),
    ("", "persistentvolumes"),
    ("", "pods"),
    ("", "podtemplates"),
    ("", "resourcequotas"),
    ("", "serviceaccounts"),
    ("", "services"),
    ("resource.k8s.io", "deviceclasses"),
    ("resource.k8s.io", "resourceclaims"),
    ("resource.k8s.io", "resourceclaimtemplates"),
    ("resource.k8s.io", "resourceslices"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "storageclasses"),
    ("storage.k8s.io", "volumeattachments"),
    ("storage.k8s.io", "volumeattributesclasses"),
];

/// Resources of which an update without a resourceVersion is refused.
///
/// Source: `AllowUnconditionalUpdate` in `pkg/registry/*/*/strategy.go` of Kubernetes 1.37.
pub(super) const NEEDING_VERSION: &[(&str, &str)] = &[
    (
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations",
    ),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
    ),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicybindings",
    ),
    (
        "admissionregistration.k8s.io",
        "validatingwebhookconfigurations",
    ),
    ("certificates.k8s.io", "podcertificaterequests"),
    ("coordination.k8s.io", "leases"),
    ("node.k8s.io", "runtimeclasses"),
    ("policy", "poddisruptionbudgets"),
    ("storage.k8s.io", "csidrivers"),
    ("storage.k8s.io", "csinodes"),
    ("storage.k8s.io", "csistoragecapacities"),
    ("storage.k8s.io", "volumeattachments"),
];

/// Fresh descriptions of all built-in kinds.
pub(crate) fn builtin() -> Vec<Kind> {
    ROWS.iter().map(describe).collect()
}

fn describe(&(group, version, kind, plural, short_names, deviations): &Row) -> Kind {
    let mut described =
        Kind::new(group, version, kind, plural).short_names(short_names.iter().copied());
    if deviations.contains(&ClusterScoped) {
        described = described.cluster_scoped();
    }
    if IN_ALL.contains(&plural) {
        described = described.categories(["all"]);
    }
    described.watchable = !deviations.contains(&Unwatchable);
    described.has_status = !deviations.contains(&NoStatus);
    described.has_generation = !deviations.contains(&NoGeneration);
    described
}

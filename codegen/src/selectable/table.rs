//! The table.

use std::borrow::Cow;

use super::Reads;

/// What the fields of one kind are, beside those of the metadata. They are the same in each version of the kind.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) kind: &'static str,
    /// Source of which fields are accepted: `pkg/apis/FOLDER/VERSION/conversion.go` of Kubernetes.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it"))]
    pub(super) accepted: &'static str,
    /// Source of what they read: `pkg/registry/FILE` of Kubernetes.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it"))]
    pub(super) computed: &'static str,
    /// Whether `metadata.namespace` is accepted. Kinds without a rule of their own accept it, whatever their scope.
    pub(super) namespace: bool,
    pub(super) fields: &'static [Field],
}

pub(super) struct Field {
    pub(super) path: &'static str,
    pub(super) reads: Reads,
    /// The first minor version of Kubernetes 1 whose servers know it; 0 for all that are supported.
    pub(super) since: u8,
}

const fn field(path: &'static str, reads: Reads) -> Field {
    Field {
        path,
        reads,
        since: 0,
    }
}

const fn text(path: &'static str) -> Field {
    field(path, Reads::Text(Cow::Borrowed(path)))
}

const fn boolean(path: &'static str) -> Field {
    field(path, Reads::Bool(Cow::Borrowed(path)))
}

const fn number(path: &'static str, read_from: &'static str) -> Field {
    field(path, Reads::I32(Cow::Borrowed(read_from)))
}

/// What the server accepts and has no row here, with the reason.
#[cfg(test)]
pub(super) const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("Pod", "spec.host", "an old name of `spec.nodeName`"),
    (
        "Pod",
        "status.podIPs",
        "never computed: it is compared as if it were absent",
    ),
];

const SIGNER: &[Field] = &[text("spec.signerName")];

pub(super) const ROWS: &[Row] = &[
    Row {
        group: "",
        kind: "Pod",
        accepted: "core",
        computed: "core/pod/strategy.go",
        namespace: true,
        fields: &[
            text("spec.nodeName"),
            text("spec.restartPolicy"),
            text("spec.schedulerName"),
            text("spec.serviceAccountName"),
            boolean("spec.hostNetwork"),
            text("status.phase"),
            text("status.podIP"),
            text("status.nominatedNodeName"),
        ],
    },
    Row {
        group: "",
        kind: "Node",
        accepted: "core",
        computed: "core/node/strategy.go",
        namespace: false,
        fields: &[boolean("spec.unschedulable")],
    },
    Row {
        group: "",
        kind: "Namespace",
        accepted: "core",
        computed: "core/namespace/strategy.go",
        namespace: false,
        fields: &[text("status.phase")],
    },
    Row {
        group: "",
        kind: "Secret",
        accepted: "core",
        computed: "core/secret/strategy.go",
        namespace: true,
        fields: &[text("type")],
    },
    Row {
        group: "",
        kind: "Service",
        accepted: "core",
        computed: "core/service/strategy.go",
        namespace: true,
        fields: &[text("spec.clusterIP"), text("spec.type")],
    },
    Row {
        group: "",
        kind: "ReplicationController",
        accepted: "core",
        computed: "core/replicationcontroller/strategy.go",
        namespace: true,
        fields: &[number("status.replicas", "status.replicas")],
    },
    Row {
        group: "",
        kind: "Event",
        accepted: "core",
        computed: "core/event/strategy.go",
        namespace: true,
        fields: &[
            text("involvedObject.kind"),
            text("involvedObject.namespace"),
            text("involvedObject.name"),
            text("involvedObject.uid"),
            text("involvedObject.apiVersion"),
            text("involvedObject.resourceVersion"),
            text("involvedObject.fieldPath"),
            text("reason"),
            text("reportingComponent"),
            field(
                "source",
                Reads::FirstOf("source.component", "reportingComponent"),
            ),
            text("type"),
        ],
    },
    Row {
        group: "events.k8s.io",
        kind: "Event",
        accepted: "events",
        computed: "core/event/strategy.go",
        namespace: true,
        fields: &[
            text("reason"),
            text("regarding.kind"),
            text("regarding.namespace"),
            text("regarding.name"),
            text("regarding.uid"),
            text("regarding.apiVersion"),
            text("regarding.resourceVersion"),
            text("regarding.fieldPath"),
            text("reportingController"),
            text("type"),
        ],
    },
    Row {
        group: "batch",
        kind: "Job",
        accepted: "batch",
        computed: "batch/job/strategy.go",
        namespace: true,
        // Named as the field was before the first release of the kind.
        fields: &[number("status.successful", "status.succeeded")],
    },
    Row {
        group: "certificates.k8s.io",
        kind: "CertificateSigningRequest",
        accepted: "certificates",
        computed: "certificates/certificates/strategy.go",
        namespace: false,
        fields: SIGNER,
    },
    Row {
        group: "certificates.k8s.io",
        kind: "ClusterTrustBundle",
        accepted: "certificates",
        computed: "certificates/clustertrustbundle/storage/storage.go",
        namespace: false,
        fields: SIGNER,
    },
    Row {
        group: "certificates.k8s.io",
        kind: "PodCertificateRequest",
        accepted: "certificates",
        computed: "certificates/podcertificaterequest/storage/storage.go",
        namespace: false,
        fields: &[
            text("spec.signerName"),
            text("spec.podName"),
            text("spec.nodeName"),
        ],
    },
    Row {
        group: "resource.k8s.io",
        kind: "ResourceSlice",
        accepted: "resource",
        computed: "resource/resourceslice/strategy.go",
        namespace: false,
        fields: &[
            text("spec.nodeName"),
            text("spec.driver"),
            Field {
                path: "spec.pool.name",
                reads: Reads::Text(Cow::Borrowed("spec.pool.name")),
                since: 37,
            },
        ],
    },
];

//! The fields of Kubernetes' own kinds that the API server can select by.
//!
//! No document says them. Source: the field label conversions of `pkg/apis/*/*/conversion.go` and the field sets of
//! `pkg/registry/*/*/strategy.go` in Kubernetes 1.33 to 1.37. A test of `larder-real` asks a real server about every row and
//! about fields that are none.
//!
//! Left out on purpose: `spec.host` of pods, an old name of `spec.nodeName`; `status.podIPs` of pods, which the server
//! accepts and then compares with nothing.

use crate::model::{Kind, Origin, Scope};

/// What the fields of one kind are, beside those of the metadata.
struct Row {
    group: &'static str,
    kind: &'static str,
    /// Whether `metadata.namespace` is accepted. Kinds without a rule of their own accept it, whatever their scope.
    namespace: bool,
    fields: &'static [Field],
}

struct Field {
    path: &'static str,
    /// The first minor version of Kubernetes 1 whose servers know it; 0 for all that are supported.
    since: u8,
}

const fn field(path: &'static str) -> Field {
    Field { path, since: 0 }
}

const SIGNER: &[Field] = &[field("spec.signerName")];

const ROWS: &[Row] = &[
    Row {
        group: "",
        kind: "Pod",
        namespace: true,
        fields: &[
            field("spec.nodeName"),
            field("spec.restartPolicy"),
            field("spec.schedulerName"),
            field("spec.serviceAccountName"),
            field("spec.hostNetwork"),
            field("status.phase"),
            field("status.podIP"),
            field("status.nominatedNodeName"),
        ],
    },
    Row {
        group: "",
        kind: "Node",
        namespace: false,
        fields: &[field("spec.unschedulable")],
    },
    Row {
        group: "",
        kind: "Namespace",
        namespace: false,
        fields: &[field("status.phase")],
    },
    Row {
        group: "",
        kind: "Secret",
        namespace: true,
        fields: &[field("type")],
    },
    Row {
        group: "",
        kind: "Service",
        namespace: true,
        fields: &[field("spec.clusterIP"), field("spec.type")],
    },
    Row {
        group: "",
        kind: "ReplicationController",
        namespace: true,
        fields: &[field("status.replicas")],
    },
    Row {
        group: "",
        kind: "Event",
        namespace: true,
        fields: &[
            field("involvedObject.kind"),
            field("involvedObject.namespace"),
            field("involvedObject.name"),
            field("involvedObject.uid"),
            field("involvedObject.apiVersion"),
            field("involvedObject.resourceVersion"),
            field("involvedObject.fieldPath"),
            field("reason"),
            field("reportingComponent"),
            field("source"),
            field("type"),
        ],
    },
    Row {
        group: "events.k8s.io",
        kind: "Event",
        namespace: true,
        fields: &[
            field("reason"),
            field("regarding.kind"),
            field("regarding.namespace"),
            field("regarding.name"),
            field("regarding.uid"),
            field("regarding.apiVersion"),
            field("regarding.resourceVersion"),
            field("regarding.fieldPath"),
            field("reportingController"),
            field("type"),
        ],
    },
    Row {
        group: "batch",
        kind: "Job",
        namespace: true,
        // Named as the field was before the first release of the kind; it reads `status.succeeded`.
        fields: &[field("status.successful")],
    },
    Row {
        group: "certificates.k8s.io",
        kind: "CertificateSigningRequest",
        namespace: false,
        fields: SIGNER,
    },
    Row {
        group: "certificates.k8s.io",
        kind: "ClusterTrustBundle",
        namespace: false,
        fields: SIGNER,
    },
    Row {
        group: "certificates.k8s.io",
        kind: "PodCertificateRequest",
        namespace: false,
        fields: &[
            field("spec.signerName"),
            field("spec.podName"),
            field("spec.nodeName"),
        ],
    },
    Row {
        group: "resource.k8s.io",
        kind: "ResourceSlice",
        namespace: false,
        fields: &[
            field("spec.nodeName"),
            field("spec.driver"),
            Field {
                path: "spec.pool.name",
                since: 37,
            },
        ],
    },
];

/// The paths that a server of Kubernetes 1.`minor` selects objects of `kind` by. With no version, those of every supported one.
///
/// `metadata.namespace` is among them for namespaced kinds alone: elsewhere it is of no use where it is accepted.
pub(crate) fn fields(kind: &Kind, minor: Option<u8>) -> Vec<&'static str> {
    if kind.origin == Origin::Aggregated {
        // Aggregated servers have rules of their own.
        return vec!["metadata.name"];
    }
    // What else a custom resource can be selected by, its definition says.
    let row = ROWS
        .iter()
        .find(|row| row.group == kind.id.group && row.kind == kind.id.kind);
    let mut paths = vec!["metadata.name"];
    if kind.scope == Scope::Namespaced && row.is_none_or(|row| row.namespace) {
        paths.push("metadata.namespace");
    }
    let own = row.map_or(&[][..], |row| row.fields);
    let known = own
        .iter()
        .filter(|field| field.since <= minor.unwrap_or_default());
    paths.extend(known.map(|field| field.path));
    paths
}

/// The paths that servers of every supported version select objects of `kind` by, each with the name of its constant in generated
/// code: `spec.nodeName` and `SPEC_NODE_NAME`.
///
/// ```
/// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/v1_37.json");
/// let model = larder_codegen::read(document)?;
/// let fields = larder_codegen::selectable_fields(model.kind("", "v1", "Node").unwrap());
/// assert!(fields.contains(&("spec.unschedulable", "SPEC_UNSCHEDULABLE".to_owned())));
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn selectable_fields(kind: &Kind) -> Vec<(&'static str, String)> {
    let paths = fields(kind, None).into_iter();
    paths.map(|path| (path, constant(path))).collect()
}

/// The name of the constant for a path: `SPEC_NODE_NAME`.
pub(crate) fn constant(path: &str) -> String {
    let words: Vec<String> = path
        .split('.')
        .map(|segment| larder_naming::field_name(segment).to_uppercase())
        .collect();
    // A keyword is none behind other words, nor in capitals.
    words.join("_").trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Every row is of a kind that some carried document has; a row that no version needs any more fails here.
    #[test]
    fn rows_are_of_kinds_that_there_are() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
        let models: Vec<_> = (33..=37)
            .map(|minor| crate::read(root.join(format!("v1_{minor}.json"))).unwrap())
            .collect();
        for row in ROWS {
            let is_known = models
                .iter()
                .flat_map(|model| model.kinds.values())
                .any(|kind| {
                    (kind.id.group.as_str(), kind.id.kind.as_str()) == (row.group, row.kind)
                });
            assert!(is_known, "{}/{}", row.group, row.kind);
            let mut paths: Vec<_> = row.fields.iter().map(|field| field.path).collect();
            paths.sort_unstable();
            paths.dedup();
            assert_eq!(paths.len(), row.fields.len(), "{}", row.kind);
        }
    }

    #[test]
    fn constants_are_named_as_fields_are() {
        for (path, name) in [
            ("spec.nodeName", "SPEC_NODE_NAME"),
            ("status.podIP", "STATUS_POD_IP"),
            ("type", "TYPE"),
            ("spec.type", "SPEC_TYPE"),
            ("involvedObject.apiVersion", "INVOLVED_OBJECT_API_VERSION"),
        ] {
            assert_eq!(constant(path), name);
        }
    }
}

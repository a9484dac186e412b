//! The fields of Kubernetes' own kinds that the API server can select by.
//!
//! No document says them. Source: the field label conversions of `pkg/apis/*/*/conversion.go` and the field sets of
//! `pkg/registry/*/*/strategy.go` in Kubernetes 1.33 to 1.37. A test of `larder-real` asks a real server about every row and
//! about fields that are none.
//!
//! Left out on purpose: `spec.host` of pods, an old name of `spec.nodeName`; `status.podIPs` of pods, which the server
//! accepts and then compares with nothing.

use std::borrow::Cow;

use crate::model::{Kind, Origin, Scope};

/// A field that the server selects a kind's objects by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selectable {
    /// The path that the server knows it by.
    pub(crate) path: Cow<'static, str>,
    pub(crate) reads: Reads,
}

/// Where the value stands in an object. What is absent reads as `""`, `false` or `0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reads {
    /// `metadata.name`.
    Name,
    /// `metadata.namespace`.
    Namespace,
    /// A text at this path.
    Text(Cow<'static, str>),
    /// A boolean at this path.
    Bool(Cow<'static, str>),
    /// A number of 32 bits at this path.
    I32(Cow<'static, str>),
    /// The first of the texts at two paths that is not empty.
    FirstOf(&'static str, &'static str),
}

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
    reads: Reads,
    /// The first minor version of Kubernetes 1 whose servers know it; 0 for all that are supported.
    since: u8,
}

impl Field {
    const fn new(path: &'static str, reads: Reads) -> Self {
        Self {
            path,
            reads,
            since: 0,
        }
    }
}

const fn text(path: &'static str) -> Field {
    Field::new(path, Reads::Text(Cow::Borrowed(path)))
}

const fn boolean(path: &'static str) -> Field {
    Field::new(path, Reads::Bool(Cow::Borrowed(path)))
}

const fn number(path: &'static str, read_from: &'static str) -> Field {
    Field::new(path, Reads::I32(Cow::Borrowed(read_from)))
}

const SIGNER: &[Field] = &[text("spec.signerName")];

const ROWS: &[Row] = &[
    Row {
        group: "",
        kind: "Pod",
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
        namespace: false,
        fields: &[boolean("spec.unschedulable")],
    },
    Row {
        group: "",
        kind: "Namespace",
        namespace: false,
        fields: &[text("status.phase")],
    },
    Row {
        group: "",
        kind: "Secret",
        namespace: true,
        fields: &[text("type")],
    },
    Row {
        group: "",
        kind: "Service",
        namespace: true,
        fields: &[text("spec.clusterIP"), text("spec.type")],
    },
    Row {
        group: "",
        kind: "ReplicationController",
        namespace: true,
        fields: &[number("status.replicas", "status.replicas")],
    },
    Row {
        group: "",
        kind: "Event",
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
            Field::new(
                "source",
                Reads::FirstOf("source.component", "reportingComponent"),
            ),
            text("type"),
        ],
    },
    Row {
        group: "events.k8s.io",
        kind: "Event",
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
        namespace: true,
        // Named as the field was before the first release of the kind.
        fields: &[number("status.successful", "status.succeeded")],
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
            text("spec.signerName"),
            text("spec.podName"),
            text("spec.nodeName"),
        ],
    },
    Row {
        group: "resource.k8s.io",
        kind: "ResourceSlice",
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

/// The fields that a server of Kubernetes 1.`minor` selects objects of `kind` by. With no version, those of every supported one.
///
/// `metadata.namespace` is among them for namespaced kinds alone: elsewhere it is of no use where it is accepted.
pub(crate) fn fields(kind: &Kind, minor: Option<u8>) -> Vec<Selectable> {
    let of = |path: &'static str, reads: &Reads| Selectable {
        path: path.into(),
        reads: reads.clone(),
    };
    let mut all = vec![of("metadata.name", &Reads::Name)];
    let row = match kind.origin {
        Origin::Kubernetes => ROWS
            .iter()
            .find(|row| row.group == kind.id.group && row.kind == kind.id.kind),
        Origin::CustomResource => None,
        // Aggregated servers have rules of their own.
        Origin::Aggregated => return all,
    };
    if kind.scope == Scope::Namespaced && row.is_none_or(|row| row.namespace) {
        all.push(of("metadata.namespace", &Reads::Namespace));
    }
    let own = row.map_or(&[][..], |row| row.fields);
    let known = own
        .iter()
        .filter(|field| field.since <= minor.unwrap_or_default());
    all.extend(known.map(|field| of(field.path, &field.reads)));
    all
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

//! The fields that a field selector may name, per kind.
//!
//! Source: the field label conversions of `pkg/apis/*/*/conversion.go` and the field sets of
//! `pkg/registry/*/*/strategy.go` in Kubernetes 1.37. An absent value reads as the empty string, `false` or `0`,
//! because the server computes a field's value from a Go struct.

use serde_json::{Map, Value};

use super::Kind;

/// A field that a field selector may name, and where its value stands in the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    label: String,
    /// JSON pointers; the first that leads to something not empty wins.
    pointers: Vec<String>,
    absent: String,
}

impl SelectableField {
    /// The field at a dotted path such as `spec.color`, of which selectors read an absent value as `""`.
    pub fn at(path: impl Into<String>) -> Self {
        let label = path.into();
        let pointer = format!("/{}", label.trim_start_matches('.').replace('.', "/"));
        Self {
            label: label.trim_start_matches('.').to_owned(),
            pointers: vec![pointer],
            absent: String::new(),
        }
    }

    /// What selectors read where the object has no value; `""` unless set.
    #[must_use]
    pub fn absent_is(mut self, value: impl Into<String>) -> Self {
        self.absent = value.into();
        self
    }

    /// The name by which a selector calls the field.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    fn from(label: &str, pointers: &[&str], absent: &str) -> Self {
        Self {
            label: label.to_owned(),
            pointers: pointers.iter().map(|&pointer| pointer.to_owned()).collect(),
            absent: absent.to_owned(),
        }
    }

    /// The value that a selector compares with.
    pub(crate) fn value_in(&self, object: &Map<String, Value>) -> Box<str> {
        let found = self
            .pointers
            .iter()
            .find_map(|pointer| text(lookup(object, pointer)?));
        found.unwrap_or_else(|| self.absent.as_str().into())
    }
}

/// [`Value::pointer`] for an object that is not wrapped in a value.
fn lookup<'a>(object: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let path = pointer.strip_prefix('/')?;
    let (first, rest) = path
        .find('/')
        .map_or((path, ""), |slash| path.split_at(slash));
    object.get(first)?.pointer(rest)
}

fn text(value: &Value) -> Option<Box<str>> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(flag) => Some(flag.to_string().into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// How the server words the refusal of a field that it cannot select on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnsupportedField {
    /// Kinds with a conversion function of their own, and custom ones.
    Plain,
    /// Kinds that only know the two fields of the metadata.
    OnlyMetadata,
    /// Jobs.
    QuotedWithKind,
    /// Resource slices.
    WithKindOfGroup,
}

impl UnsupportedField {
    pub(crate) fn message(self, label: &str, kind: &Kind) -> String {
        let name = &kind.kind;
        match self {
            Self::Plain => format!("field label not supported: {label}"),
            Self::OnlyMetadata => format!(
                "\"{label}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            ),
            Self::QuotedWithKind => format!("field label \"{label}\" not supported for {name}"),
            Self::WithKindOfGroup => format!(
                "field label not supported for {}, Kind={name}: {label}",
                kind.api_version()
            ),
        }
    }
}

const NAME: &str = "metadata.name";
pub(super) const NAMESPACE: &str = "metadata.namespace";

/// One row: label, where the value is, what an absent value reads as.
type Row = (&'static str, &'static [&'static str], &'static str);

const POD: &[Row] = &[
    ("spec.nodeName", &["/spec/nodeName"], ""),
    ("spec.host", &["/spec/nodeName"], ""),
    ("spec.restartPolicy", &["/spec/restartPolicy"], ""),
    ("spec.schedulerName", &["/spec/schedulerName"], ""),
    ("spec.serviceAccountName", &["/spec/serviceAccountName"], ""),
    ("spec.hostNetwork", &["/spec/hostNetwork"], "false"),
    ("status.phase", &["/status/phase"], ""),
    (
        "status.podIP",
        &["/status/podIPs/0/ip", "/status/podIP"],
        "",
    ),
    // Accepted, yet never computed by the server: it compares with the empty string.
    ("status.podIPs", &[], ""),
    (
        "status.nominatedNodeName",
        &["/status/nominatedNodeName"],
        "",
    ),
];

const NODE: &[Row] = &[("spec.unschedulable", &["/spec/unschedulable"], "false")];
const NAMESPACES: &[Row] = &[("status.phase", &["/status/phase"], "")];
const SECRET: &[Row] = &[("type", &["/type"], "")];
const SERVICE: &[Row] = &[
    ("spec.clusterIP", &["/spec/clusterIP"], ""),
    ("spec.type", &["/spec/type"], ""),
];
const REPLICATION_CONTROLLER: &[Row] = &[("status.replicas", &["/status/replicas"], "0")];
const JOB: &[Row] = &[("status.successful", &["/status/succeeded"], "0")];
const SIGNER: &[Row] = &[("spec.signerName", &["/spec/signerName"], "")];
const POD_CERTIFICATE_REQUEST: &[Row] = &[
    ("spec.signerName", &["/spec/signerName"], ""),
    ("spec.podName", &["/spec/podName"], ""),
    ("spec.nodeName", &["/spec/nodeName"], ""),
];
const RESOURCE_SLICE: &[Row] = &[
    ("spec.nodeName", &["/spec/nodeName"], ""),
    ("spec.driver", &["/spec/driver"], ""),
    ("spec.pool.name", &["/spec/pool/name"], ""),
];
const CORE_EVENT: &[Row] = &[
    ("involvedObject.kind", &["/involvedObject/kind"], ""),
    (
        "involvedObject.namespace",
        &["/involvedObject/namespace"],
        "",
    ),
    ("involvedObject.name", &["/involvedObject/name"], ""),
    ("involvedObject.uid", &["/involvedObject/uid"], ""),
    (
        "involvedObject.apiVersion",
        &["/involvedObject/apiVersion"],
        "",
    ),
    (
        "involvedObject.resourceVersion",
        &["/involvedObject/resourceVersion"],
        "",
    ),
    (
        "involvedObject.fieldPath",
        &["/involvedObject/fieldPath"],
        "",
    ),
    ("reason", &["/reason"], ""),
    ("reportingComponent", &["/reportingComponent"], ""),
    ("source", &["/source/component", "/reportingComponent"], ""),
    ("type", &["/type"], ""),
];
const EVENTS_EVENT: &[Row] = &[
    ("reason", &["/reason"], ""),
    ("regarding.kind", &["/regarding/kind"], ""),
    ("regarding.namespace", &["/regarding/namespace"], ""),
    ("regarding.name", &["/regarding/name"], ""),
    ("regarding.uid", &["/regarding/uid"], ""),
    ("regarding.apiVersion", &["/regarding/apiVersion"], ""),
    (
        "regarding.resourceVersion",
        &["/regarding/resourceVersion"],
        "",
    ),
    ("regarding.fieldPath", &["/regarding/fieldPath"], ""),
    ("reportingController", &["/reportingController"], ""),
    ("type", &["/type"], ""),
];

/// Kinds whose own rule leaves `metadata.namespace` out although they are namespaced.
const WITHOUT_NAMESPACE: &[(&str, &str)] = &[("certificates.k8s.io", "PodCertificateRequest")];

fn own_rows(group: &str, kind: &str) -> Option<&'static [Row]> {
    let rows = match (group, kind) {
        ("", "Pod") => POD,
        ("", "Node") => NODE,
        ("", "Namespace") => NAMESPACES,
        ("", "Secret") => SECRET,
        ("", "Service") => SERVICE,
        ("", "ReplicationController") => REPLICATION_CONTROLLER,
        ("", "Event") => CORE_EVENT,
        ("events.k8s.io", "Event") => EVENTS_EVENT,
        ("batch", "Job") => JOB,
        ("certificates.k8s.io", "CertificateSigningRequest" | "ClusterTrustBundle") => SIGNER,
        ("certificates.k8s.io", "PodCertificateRequest") => POD_CERTIFICATE_REQUEST,
        ("resource.k8s.io", "ResourceSlice") => RESOURCE_SLICE,
        _ => return None,
    };
    Some(rows)
}

/// The selectable fields of a kind, and how the server refuses others.
pub(crate) fn known_fields(
    group: &str,
    kind: &str,
    namespaced: bool,
) -> (Vec<SelectableField>, UnsupportedField) {
    let name = SelectableField::from(NAME, &["/metadata/name"], "");
    let namespace = SelectableField::from(NAMESPACE, &["/metadata/namespace"], "");
    let Some(rows) = own_rows(group, kind) else {
        // Without a rule of its own a kind knows both labels, cluster-scoped or not.
        return (vec![name, namespace], UnsupportedField::OnlyMetadata);
    };
    let mut fields = vec![name];
    if namespaced && !WITHOUT_NAMESPACE.contains(&(group, kind)) {
        fields.push(namespace);
    }
    fields.extend(
        rows.iter()
            .map(|&(label, pointers, absent)| SelectableField::from(label, pointers, absent)),
    );
    let wording = match (group, kind) {
        ("batch", "Job") => UnsupportedField::QuotedWithKind,
        ("resource.k8s.io", "ResourceSlice") => UnsupportedField::WithKindOfGroup,
        _ => UnsupportedField::Plain,
    };
    (fields, wording)
}

#[cfg(test)]
mod tests {
    use super::{SelectableField, known_fields};
    use serde_json::{Map, Value, json};

    fn map(object: &Value) -> Map<String, Value> {
        object.as_object().cloned().unwrap_or_default()
    }

    fn value(group: &str, kind: &str, label: &str, object: &Value) -> Option<String> {
        let (fields, _) = known_fields(group, kind, true);
        fields
            .iter()
            .find(|field| field.label() == label)
            .map(|field| field.value_in(&map(object)).into())
    }

    #[test]
    fn absent_values_read_as_the_zero_value_of_their_go_type() {
        let empty = json!({});
        assert_eq!(
            value("", "Pod", "spec.nodeName", &empty).as_deref(),
            Some("")
        );
        assert_eq!(
            value("", "Pod", "spec.hostNetwork", &empty).as_deref(),
            Some("false")
        );
        assert_eq!(
            value("", "Node", "spec.unschedulable", &empty).as_deref(),
            Some("false")
        );
        assert_eq!(
            value("batch", "Job", "status.successful", &empty).as_deref(),
            Some("0")
        );
    }

    #[test]
    fn the_pod_ip_comes_from_the_list_first() {
        let both = json!({"status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]}});
        assert_eq!(
            value("", "Pod", "status.podIP", &both).as_deref(),
            Some("10.0.0.2")
        );
        assert_eq!(
            value("", "Pod", "status.podIPs", &both).as_deref(),
            Some("")
        );
    }

    #[test]
    fn pod_certificate_requests_refuse_the_namespace() {
        assert_eq!(
            value(
                "certificates.k8s.io",
                "PodCertificateRequest",
                "metadata.namespace",
                &json!({})
            ),
            None
        );
        assert!(
            value(
                "certificates.k8s.io",
                "PodCertificateRequest",
                "spec.nodeName",
                &json!({})
            )
            .is_some()
        );
    }

    #[test]
    fn custom_fields_are_dotted_paths() {
        let field = SelectableField::at(".spec.color");
        assert_eq!(field.label(), "spec.color");
        assert_eq!(
            &*field.value_in(&map(&json!({"spec": {"color": "red"}}))),
            "red"
        );
        assert_eq!(
            &*field.value_in(&map(&json!({"spec": {"color": {"not": "text"}}}))),
            ""
        );
    }
}

//! What the server adds to new objects of its own kinds: the defaults that controllers read or select by.
//!
//! Most defaults of specs are left out: here are the phases, the namespace's own label, the number of replicas, the
//! statuses that are never absent, and what decides how a pod is deleted and found.
//!
//! Source: `SetDefaults_*` of `pkg/apis/*/*/defaults.go`, `PrepareForCreate` of `pkg/registry/*/*/strategy.go`, and the
//! members that the Go structs write without `omitempty`, all of Kubernetes 1.37.

use super::check::{Object, meta_text, metadata};
use crate::{kind::Kind, status::Status};
use serde_json::{Value, json, map::Entry};

const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// Completes a new object, whose name is settled.
pub(super) fn fill(kind: &Kind, object: &mut Object) -> Result<(), Status> {
    if kind.custom {
        return Ok(());
    }
    let kind_name = (kind.group.as_str(), kind.kind.as_str());
    if kind_name == ("", "Namespace") {
        let name = meta_text(object, "name").to_owned();
        if let Some(labels) = object_at(metadata(object)?, "labels") {
            labels.insert(NAMESPACE_LABEL.to_owned(), Value::from(name));
        }
        object.entry("spec").or_insert_with(|| json!({}));
    }
    if let Some(Value::Object(spec)) = object.get_mut("spec") {
        add_absent(spec, spec_defaults(kind_name));
    }
    if let Some(status) = new_status(kind_name).filter(|_| kind.has_status)
        && let Some(given) = object_at(object, "status")
    {
        add_absent(given, status);
    }
    Ok(())
}

/// The object at a member, made if it is missing or null; none if something else is there.
fn object_at<'a>(object: &'a mut Object, name: &str) -> Option<&'a mut Object> {
    let slot = match object.entry(name) {
        Entry::Vacant(slot) => slot.insert(Value::Null),
        Entry::Occupied(slot) => slot.into_mut(),
    };
    if slot.is_null() {
        *slot = json!({});
    }
    slot.as_object_mut()
}

fn add_absent(object: &mut Object, defaults: Value) {
    let Value::Object(defaults) = defaults else {
        return;
    };
    for (name, value) in defaults {
        object.entry(name).or_insert(value);
    }
}

fn spec_defaults(kind: (&str, &str)) -> Value {
    match kind {
        ("", "Namespace") => json!({"finalizers": ["kubernetes"]}),
        ("", "Pod") => json!({
            "restartPolicy": "Always", "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30,
        }),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet") | ("", "ReplicationController") => {
            json!({"replicas": 1})
        }
        _ => Value::Null,
    }
}

/// The status of a new object; none for kinds whose own is not known here.
fn new_status(kind: (&str, &str)) -> Option<Value> {
    Some(match kind {
        ("", "Namespace") => json!({"phase": "Active"}),
        ("", "Pod" | "PersistentVolume" | "PersistentVolumeClaim") => json!({"phase": "Pending"}),
        ("", "Service") | ("networking.k8s.io", "Ingress") => json!({"loadBalancer": {}}),
        ("", "ReplicationController") | ("apps", "ReplicaSet") => json!({"replicas": 0}),
        ("apps", "StatefulSet") => json!({"replicas": 0, "availableReplicas": 0}),
        ("apps", "DaemonSet") => json!({
            "currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0,
        }),
        ("policy", "PodDisruptionBudget") => json!({
            "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0,
        }),
        ("autoscaling", "HorizontalPodAutoscaler") => {
            json!({"desiredReplicas": 0, "currentMetrics": null})
        }
        ("apps", "Deployment")
        | ("batch", "Job" | "CronJob")
        | ("certificates.k8s.io", "CertificateSigningRequest" | "PodCertificateRequest") => {
            json!({})
        }
        _ => return None,
    })
}

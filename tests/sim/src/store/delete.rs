//! Deleting objects: finalizers, grace periods, namespaces and collections.

use super::{
    KindId, Propagation, Store,
    check::{Object, finalizers, meta_text, meta_value, metadata},
    key_of,
    write::into_object,
};
use crate::{kind::Kind, object::Stored, status::Status};
use serde::Deserialize;
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// What a delete request may say.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_period_seconds: Option<i64>,
    pub(crate) preconditions: Option<Preconditions>,
    pub(crate) propagation: Option<Propagation>,
}

/// What must be true of the object for the delete to happen.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

/// What a delete did.
#[derive(Debug)]
pub(crate) struct Deleted {
    /// The object at its last version.
    pub(crate) object: Arc<Stored>,
    pub(crate) uid: String,
    /// Whether it is gone; otherwise it waits for its finalizers or its grace period.
    pub(crate) gone: bool,
    /// When something would have to finish the deletion, as the kubelet does.
    pub(crate) grace: Option<Duration>,
}

impl Store {
    /// Deletes an object, or marks it as being deleted.
    pub(crate) fn delete(
        &mut self,
        id: KindId,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        let kind = Arc::clone(self.table(id)?.kind());
        let key = key_of(if kind.namespaced { namespace } else { "" }, name);
        let not_found = || Status::not_found(&kind.group, &kind.plural, name);
        let existing = self.get(id, &key)?.ok_or_else(not_found)?;
        let mut object = into_object(existing.value());
        check_preconditions(&kind, &object, name, options)?;
        if let Some(propagation) = options.propagation {
            propagation.mark(&mut object)?;
        }
        let deleted = if is_pod(&kind) {
            self.delete_pod(id, &kind, &existing, object, options)
        } else {
            self.delete_at_once(id, &kind, &existing, object)
        }?;
        if deleted.gone && kind.group.is_empty() && kind.kind == "Namespace" {
            self.empty_namespace(name)?;
        }
        Ok(deleted)
    }

    /// Kinds without a grace period: gone, unless finalizers hold it.
    fn delete_at_once(
        &mut self,
        id: KindId,
        kind: &Kind,
        existing: &Arc<Stored>,
        mut object: Object,
    ) -> Result<Deleted, Status> {
        let uid = meta_text(&object, "uid").to_owned();
        if finalizers(&object).is_empty() {
            let last = self.remove(id, existing)?;
            return Ok(Deleted {
                object: last,
                uid,
                gone: true,
                grace: None,
            });
        }
        if meta_value(&object, "deletionTimestamp").is_none() {
            self.mark(&mut object, 0)?;
        }
        let marked = self.put(id, kind, existing, &object)?;
        Ok(Deleted {
            object: marked,
            uid,
            gone: false,
            grace: None,
        })
    }

    /// Pods: marked with a grace period first, which later deletes may only shorten.
    fn delete_pod(
        &mut self,
        id: KindId,
        kind: &Kind,
        existing: &Arc<Stored>,
        mut object: Object,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        let uid = meta_text(&object, "uid").to_owned();
        let wanted = options
            .grace_period_seconds
            .map(|seconds| if seconds < 0 { 1 } else { seconds });
        let running = meta_value(&object, "deletionGracePeriodSeconds").and_then(Value::as_i64);
        let is_deleting = meta_value(&object, "deletionTimestamp").is_some();
        let grace = match (is_deleting, running, wanted) {
            (false, _, _) => Some(pod_grace(&object, wanted)),
            (true, Some(running), Some(wanted)) if running > 0 && wanted < running => Some(wanted),
            (true, Some(running), _) if running > 0 => {
                // A longer grace period than the running one, or none: nothing happens.
                return Ok(Deleted {
                    object: Arc::clone(existing),
                    uid,
                    gone: false,
                    grace: None,
                });
            }
            (true, _, _) => None,
        };
        let mut current = Arc::clone(existing);
        if let Some(seconds) = grace {
            self.mark(&mut object, seconds)?;
            current = self.put(id, kind, existing, &object)?;
        }
        let seconds = grace.unwrap_or(0);
        if seconds > 0 || !finalizers(&object).is_empty() {
            let grace = u64::try_from(seconds)
                .ok()
                .filter(|&seconds| seconds > 0)
                .map(Duration::from_secs);
            return Ok(Deleted {
                object: current,
                uid,
                gone: false,
                grace,
            });
        }
        let last = self.remove(id, &current)?;
        Ok(Deleted {
            object: last,
            uid,
            gone: true,
            grace: None,
        })
    }

    /// Sets the two fields that say that an object is being deleted.
    fn mark(&mut self, object: &mut Object, grace_seconds: i64) -> Result<(), Status> {
        let grace = Duration::from_secs(u64::try_from(grace_seconds).unwrap_or(0));
        let at = self.clock.timestamp_after(grace);
        let is_first = meta_value(object, "deletionTimestamp").is_none();
        let fields = metadata(object)?;
        fields.insert("deletionTimestamp".to_owned(), Value::from(at));
        fields.insert(
            "deletionGracePeriodSeconds".to_owned(),
            Value::from(grace_seconds),
        );
        let generation = fields.get("generation").and_then(Value::as_i64);
        if let Some(generation) = generation.filter(|_| is_first) {
            fields.insert(
                "generation".to_owned(),
                Value::from(generation.saturating_add(1)),
            );
        }
        Ok(())
    }

    /// Ends a grace period as the kubelet does, if the object still is the one that was deleted then.
    pub(crate) fn finish_grace(&mut self, id: KindId, namespace: &str, name: &str, uid: &str) {
        let preconditions = Preconditions {
            uid: Some(uid.to_owned()),
            resource_version: None,
        };
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            preconditions: Some(preconditions),
            ..DeleteOptions::default()
        };
        // Gone or replaced in the meantime: nothing is left to do.
        drop(self.delete(id, namespace, name, &options));
    }

    /// Deletes everything in a namespace without grace. Objects with finalizers stay until these go.
    fn empty_namespace(&mut self, namespace: &str) -> Result<(), Status> {
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            ..DeleteOptions::default()
        };
        let mut doomed = Vec::new();
        for (&id, table) in &self.tables {
            let inside = table
                .objects()
                .filter(|object| table.kind().namespaced && object.namespace() == namespace);
            doomed.extend(inside.map(|object| (id, object.name().to_owned())));
        }
        for (id, name) in doomed {
            self.delete(id, namespace, &name, &options)?;
        }
        Ok(())
    }
}

fn is_pod(kind: &Kind) -> bool {
    kind.group.is_empty() && kind.kind == "Pod"
}

/// The seconds that a pod gets: those asked for, or those of its spec; none if it does not run anywhere.
fn pod_grace(pod: &Object, wanted: Option<i64>) -> i64 {
    let spec = |name: &str| pod.get("spec").and_then(|spec| spec.get(name));
    let phase = pod
        .get("status")
        .and_then(|status| status.get("phase"))
        .and_then(Value::as_str);
    let is_scheduled = spec("nodeName")
        .and_then(Value::as_str)
        .is_some_and(|node| !node.is_empty());
    if !is_scheduled || matches!(phase, Some("Failed" | "Succeeded")) {
        return 0;
    }
    let own = || spec("terminationGracePeriodSeconds").and_then(Value::as_i64);
    match wanted.or_else(own).unwrap_or(0) {
        seconds if seconds < 0 => 1,
        seconds => seconds,
    }
}

fn check_preconditions(
    kind: &Kind,
    object: &Object,
    name: &str,
    options: &DeleteOptions,
) -> Result<(), Status> {
    let Some(preconditions) = &options.preconditions else {
        return Ok(());
    };
    // Here the server says the kind where it says the resource elsewhere.
    let conflict = |why: &str| Err(Status::conflict(&kind.group, &kind.kind, name, why));
    let (uid, version) = (
        meta_text(object, "uid"),
        meta_text(object, "resourceVersion"),
    );
    if let Some(wanted) = preconditions.uid.as_deref().filter(|&wanted| wanted != uid) {
        return conflict(&format!(
            "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been \
             deleted and then recreated"
        ));
    }
    if let Some(wanted) = preconditions
        .resource_version
        .as_deref()
        .filter(|&wanted| wanted != version)
    {
        return conflict(&format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({version}). \
             The object might have been modified"
        ));
    }
    Ok(())
}

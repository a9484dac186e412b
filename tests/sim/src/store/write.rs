//! Changing objects.

use super::{
    Change, KindId, Store,
    check::{Object, check_type, finalizers, meta_text, meta_value, metadata, settle_namespace},
    key_of,
    patch::Patch,
};
use crate::{
    kind::Kind,
    object::Stored,
    status::{FieldError, Status},
};
use serde_json::Value;
use std::sync::Arc;

/// Which part of an object a write may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything: calls that do not come over HTTP.
    Whole,
    /// Everything but the status, if the kind has a status subresource.
    Main,
    /// The status subresource.
    Status,
}

impl Store {
    /// Replaces an object. A resourceVersion in it must be the current one. Returns the object as written; if nothing
    /// would change, the object as it is, without an event.
    pub(crate) fn update(
        &mut self,
        id: KindId,
        namespace: &str,
        name: &str,
        mut object: Object,
        part: Part,
    ) -> Result<Arc<Stored>, Status> {
        let kind = Arc::clone(self.table(id)?.kind());
        let key = key_of(if kind.namespaced { namespace } else { "" }, name);
        let not_found = || Status::not_found(&kind.group, &kind.plural, name);
        let existing = self.get(id, &key)?.ok_or_else(not_found)?;
        check_type(&kind, &object)?;
        check_update_names(name, &object)?;
        settle_namespace(&kind, namespace, &mut object)?;
        metadata(&mut object)?.insert("name".to_owned(), Value::from(name));
        let old = into_object(existing.value());
        check_preconditions(&kind, &existing, &old, &object, part)?;
        let mut object = keep_parts(&kind, &old, object, part);
        carry_system_fields(&kind, &old, &mut object)?;
        check_new_finalizers(&kind, name, &old, &object)?;

        let is_deleting = meta_value(&old, "deletionTimestamp").is_some();
        let grace = meta_value(&old, "deletionGracePeriodSeconds")
            .and_then(Value::as_i64)
            .unwrap_or(0);
        if is_deleting && finalizers(&object).is_empty() && grace == 0 {
            self.remove(id, &existing)?;
            return Ok(Arc::new(Stored::new(&kind, key, existing.version, &object)));
        }
        self.put(id, &kind, &existing, &object)
    }

    /// Applies a patch to the current object and writes the outcome.
    pub(crate) fn patch(
        &mut self,
        id: KindId,
        key: &str,
        patch: &Patch,
        part: Part,
    ) -> Result<Arc<Stored>, Status> {
        let (namespace, name) = key.rsplit_once('/').unwrap_or(("", key));
        let kind = Arc::clone(self.table(id)?.kind());
        let existing = self
            .get(id, key)?
            .ok_or_else(|| Status::not_found(&kind.group, &kind.plural, name))?;
        match patch.apply_to(existing.value())? {
            Value::Object(object) => self.update(id, namespace, name, object, part),
            _ => Err(Status::bad_request("a patch must leave a JSON object")),
        }
    }

    /// Writes a new state of `existing`, unless it is the old one.
    pub(super) fn put(
        &mut self,
        id: KindId,
        kind: &Kind,
        existing: &Arc<Stored>,
        object: &Object,
    ) -> Result<Arc<Stored>, Status> {
        let unchanged = Stored::new(kind, Arc::clone(&existing.key), existing.version, object);
        if unchanged.json() == existing.json() {
            return Ok(Arc::clone(existing));
        }
        if self.pretends {
            return Ok(Arc::new(unchanged));
        }
        let version = self.tick();
        let stored = Arc::new(unchanged.at_version(version));
        self.record(id, Change::Modified, Arc::clone(&stored))?;
        Ok(stored)
    }

    /// Removes an object for good; its last state goes out at the version of the removal.
    pub(super) fn remove(&mut self, id: KindId, existing: &Stored) -> Result<Arc<Stored>, Status> {
        if self.pretends {
            return Ok(Arc::new(existing.at_version(existing.version)));
        }
        let version = self.tick();
        let last = Arc::new(existing.at_version(version));
        self.record(id, Change::Deleted, Arc::clone(&last))?;
        Ok(last)
    }
}

/// The members of a JSON object; none if it is something else.
pub(super) fn into_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn check_update_names(name: &str, object: &Object) -> Result<(), Status> {
    let given = meta_text(object, "name");
    if given.is_empty() || given == name {
        return Ok(());
    }
    Err(Status::bad_request(format!(
        "the name of the object ({given}) does not match the name on the URL ({name})"
    )))
}

fn check_preconditions(
    kind: &Kind,
    existing: &Stored,
    old: &Object,
    object: &Object,
    part: Part,
) -> Result<(), Status> {
    let conflict = |why: &str| {
        Err(Status::conflict(
            &kind.group,
            &kind.plural,
            existing.name(),
            why,
        ))
    };
    let (uid, given_uid) = (meta_text(old, "uid"), meta_text(object, "uid"));
    if !given_uid.is_empty() && given_uid != uid {
        return conflict(&format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{}/{}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: UID in precondition: {given_uid}, UID in object meta: {uid}",
            kind.plural, existing.key
        ));
    }
    let given = meta_text(object, "resourceVersion");
    if given.is_empty() && kind.needs_version_to_update() && part != Part::Whole {
        let error = FieldError::invalid_value(
            "metadata.resourceVersion",
            "0",
            "must be specified for an update",
        );
        return Err(Status::invalid(
            &kind.group,
            &kind.plural,
            existing.name(),
            &[error],
        ));
    }
    if !given.is_empty() && given != meta_text(old, "resourceVersion") {
        return conflict(
            "the object has been modified; please apply your changes to the latest version and try again",
        );
    }
    Ok(())
}

/// The new object with the parts that this request must not change taken from the old one.
fn keep_parts(kind: &Kind, old: &Object, mut object: Object, part: Part) -> Object {
    match part {
        Part::Main if kind.has_status => {
            match old.get("status") {
                Some(status) => object.insert("status".to_owned(), status.clone()),
                None => object.remove("status"),
            };
            object
        }
        Part::Status => {
            let mut kept = old.clone();
            match object.remove("status") {
                Some(status) => kept.insert("status".to_owned(), status),
                None => kept.remove("status"),
            };
            kept
        }
        Part::Main | Part::Whole => object,
    }
}

/// System fields stay as they are; the generation counts changes of anything but metadata and status.
fn carry_system_fields(kind: &Kind, old: &Object, object: &mut Object) -> Result<(), Status> {
    let is_content = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata" | "status");
    let content = |object: &Object| -> Vec<(String, Value)> {
        let members = object.iter().filter(|(name, _)| is_content(name));
        members
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let changed = content(old) != content(object);
    let fields = metadata(object)?;
    for name in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
    ] {
        match meta_value(old, name) {
            Some(value) => fields.insert(name.to_owned(), value.clone()),
            None => fields.remove(name),
        };
    }
    let generation = meta_value(old, "generation").and_then(Value::as_i64);
    if let Some(generation) = generation.filter(|_| changed && kind.has_generation) {
        fields.insert(
            "generation".to_owned(),
            Value::from(generation.saturating_add(1)),
        );
    }
    fields.insert("resourceVersion".to_owned(), Value::from(""));
    Ok(())
}

fn check_new_finalizers(
    kind: &Kind,
    name: &str,
    old: &Object,
    object: &Object,
) -> Result<(), Status> {
    if meta_value(old, "deletionTimestamp").is_none() {
        return Ok(());
    }
    let known = finalizers(old);
    let new: Vec<String> = finalizers(object)
        .iter()
        .filter(|one| !known.contains(one))
        .map(|one| format!("{one:?}"))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        new.join(", ")
    );
    let error = FieldError::forbidden("metadata.finalizers", &why);
    Err(Status::invalid(&kind.group, &kind.kind, name, &[error]))
}

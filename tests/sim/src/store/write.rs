//! Creating and changing objects.

use super::{
    Change, KindId, Store,
    check::{
        Object, check_name, check_type, finalizers, meta_text, meta_value, metadata,
        settle_namespace,
    },
    key_of, merge_patch,
};
use crate::{
    kind::Kind,
    object::Stored,
    status::{FieldError, Status},
};
use serde_json::Value;
use std::sync::Arc;

/// How often a random name is tried before a conflict is reported, as the server does.
const NAME_ATTEMPTS: usize = 8;
const NAME_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const LONGEST_GENERATED_BASE: usize = 58;

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
    /// Creates an object as a request would: system fields that it carries are overwritten.
    pub(crate) fn create(
        &mut self,
        id: KindId,
        namespace: &str,
        mut object: Object,
        part: Part,
    ) -> Result<Arc<Stored>, Status> {
        if !matches!(meta_text(&object, "resourceVersion"), "" | "0") {
            return Err(Status::new(
                500,
                "",
                "resourceVersion should not be set on objects to be created",
            ));
        }
        let kind = Arc::clone(self.table(id)?.kind());
        let fields = metadata(&mut object)?;
        for name in [
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
            "generation",
        ] {
            fields.remove(name);
        }
        if part == Part::Main && kind.has_status {
            object.remove("status");
        }
        self.insert(id, &kind, namespace, object)
    }

    /// Takes an object over as it is, as if it had been created and changed before: uid, timestamps and generation
    /// stay if it has them.
    pub(crate) fn load(&mut self, id: KindId, mut object: Object) -> Result<Arc<Stored>, Status> {
        let kind = Arc::clone(self.table(id)?.kind());
        metadata(&mut object)?;
        let namespace = meta_text(&object, "namespace").to_owned();
        self.insert(id, &kind, &namespace, object)
    }

    fn insert(
        &mut self,
        id: KindId,
        kind: &Kind,
        namespace: &str,
        mut object: Object,
    ) -> Result<Arc<Stored>, Status> {
        check_type(kind, &object)?;
        settle_namespace(kind, namespace, &mut object)?;
        if kind.namespaced && namespace.is_empty() {
            let error = FieldError::required("metadata.namespace", "");
            return Err(Status::invalid(
                &kind.group,
                &kind.kind,
                meta_text(&object, "name"),
                &[error],
            ));
        }
        self.name_and_check(id, kind, namespace, &mut object)?;
        self.fill_system_fields(kind, &mut object)?;
        let key = key_of(meta_text(&object, "namespace"), meta_text(&object, "name"));
        let version = self.tick();
        let stored = Arc::new(Stored::new(kind, key, version, &object));
        self.record(id, Change::Added, Arc::clone(&stored))?;
        Ok(stored)
    }

    /// Makes up a name if one is asked for; refuses bad ones and those that are taken.
    fn name_and_check(
        &mut self,
        id: KindId,
        kind: &Kind,
        namespace: &str,
        object: &mut Object,
    ) -> Result<(), Status> {
        let given = meta_text(object, "name").to_owned();
        let base = meta_text(object, "generateName").to_owned();
        let namespace = if kind.namespaced { namespace } else { "" };
        if !given.is_empty() || base.is_empty() {
            check_name(kind, &given)?;
            return match self.get(id, &key_of(namespace, &given))? {
                Some(_) => Err(Status::already_exists(&kind.group, &kind.plural, &given)),
                None => Ok(()),
            };
        }
        let mut name = String::new();
        for _ in 0..NAME_ATTEMPTS {
            name = self.generate_name(&base);
            if self.get(id, &key_of(namespace, &name))?.is_none() {
                check_name(kind, &name)?;
                metadata(object)?.insert("name".to_owned(), Value::from(name));
                return Ok(());
            }
        }
        let mut status = Status::already_exists(&kind.group, &kind.plural, &name).retry_after(1);
        status
            .message
            .push_str(", the server was not able to generate a unique name for the object");
        Err(status)
    }

    fn generate_name(&mut self, base: &str) -> String {
        let mut name: String = base.chars().take(LONGEST_GENERATED_BASE).collect();
        for _ in 0..5 {
            let letter = self.random().choice(NAME_LETTERS).copied().unwrap_or(b'x');
            name.push(char::from(letter));
        }
        name
    }

    fn fill_system_fields(&mut self, kind: &Kind, object: &mut Object) -> Result<(), Status> {
        let (uid, created) = (uuid(self.random()), self.clock.timestamp());
        let counts = kind.has_generation && object.contains_key("spec");
        let fields = metadata(object)?;
        fields.entry("uid").or_insert_with(|| Value::from(uid));
        fields
            .entry("creationTimestamp")
            .or_insert_with(|| Value::from(created));
        if counts {
            fields.entry("generation").or_insert_with(|| Value::from(1));
        }
        // The digits are filled in where the object is serialised.
        fields.insert("resourceVersion".to_owned(), Value::from(""));
        Ok(())
    }

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

    /// Merges a patch into the current object and writes it.
    pub(crate) fn patch(
        &mut self,
        id: KindId,
        key: &str,
        patch: &Value,
        part: Part,
    ) -> Result<Arc<Stored>, Status> {
        let (namespace, name) = key.rsplit_once('/').unwrap_or(("", key));
        let kind = Arc::clone(self.table(id)?.kind());
        let existing = self
            .get(id, key)?
            .ok_or_else(|| Status::not_found(&kind.group, &kind.plural, name))?;
        let mut merged = existing.value();
        merge_patch(&mut merged, patch);
        match merged {
            Value::Object(object) => self.update(id, namespace, name, object, part),
            _ => Err(Status::bad_request("a patch must be a JSON object")),
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
        let version = self.tick();
        let stored = Arc::new(unchanged.at_version(version));
        self.record(id, Change::Modified, Arc::clone(&stored))?;
        Ok(stored)
    }

    /// Removes an object for good; its last state goes out at the version of the removal.
    pub(super) fn remove(&mut self, id: KindId, existing: &Stored) -> Result<Arc<Stored>, Status> {
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

/// A random uid of version 4.
fn uuid(random: &mut fastrand::Rng) -> String {
    let bits = random.u128(..);
    let bits = (bits & !(0xf << 76)) | (0x4 << 76);
    let bits = (bits & !(0x3 << 62)) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

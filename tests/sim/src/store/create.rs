//! Creating objects.

use super::{
    Change, KindId, Part, Store,
    check::{Object, check_name, check_type, meta_text, metadata, settle_namespace},
    defaults, key_of,
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

/// What a request cannot set. The generation is one of them for the kinds that have it; for others it stays as given.
const SET_BY_SERVER: &[&str] = &[
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
];

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
        for name in SET_BY_SERVER {
            fields.remove(*name);
        }
        if kind.has_generation {
            fields.remove("generation");
        }
        if part == Part::Main && kind.has_status {
            object.remove("status");
        }
        self.insert(id, &kind, namespace, object, defaults::fill)
    }

    /// Takes an object over as it is, as if it had been created and changed before: uid, timestamps and generation
    /// stay if it has them.
    pub(crate) fn load(&mut self, id: KindId, mut object: Object) -> Result<Arc<Stored>, Status> {
        let kind = Arc::clone(self.table(id)?.kind());
        metadata(&mut object)?;
        let namespace = meta_text(&object, "namespace").to_owned();
        self.insert(id, &kind, &namespace, object, |_, _| Ok(()))
    }

    fn insert(
        &mut self,
        id: KindId,
        kind: &Kind,
        namespace: &str,
        mut object: Object,
        complete: impl FnOnce(&Kind, &mut Object) -> Result<(), Status>,
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
        complete(kind, &mut object)?;
        self.fill_system_fields(kind, &mut object)?;
        let key = key_of(meta_text(&object, "namespace"), meta_text(&object, "name"));
        if self.pretends {
            return Ok(Arc::new(Stored::new(kind, key, self.version, &object)));
        }
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
        if self.pretends {
            fields.remove("resourceVersion");
        } else {
            // The digits are filled in where the object is serialised.
            fields.insert("resourceVersion".to_owned(), Value::from(""));
        }
        Ok(())
    }
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

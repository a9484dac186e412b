//! Reading and changing objects without HTTP.

use super::Sim;
use crate::{
    kind::Kind,
    status::Status,
    store::{DeleteOptions, KindId, Part, Patch, key_of},
};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Reading and changing objects.
impl Sim {
    /// Creates an object, as `POST` does, with its status. Its kind is what it says it is; a namespaced object without
    /// a namespace goes to `default`.
    ///
    /// # Errors
    ///
    /// Those of the server: the kind is not served (404), the name is taken (409) or bad (422).
    pub fn create(&self, object: Value) -> Result<Value, Status> {
        let (id, kind, object) = self.typed(object)?;
        let namespace = namespace_of(&kind, &object);
        let stored = self
            .shared
            .write(|store| store.create(id, &namespace, object, Part::Whole))?;
        Ok(stored.value())
    }

    /// Takes objects over as they are: uid, timestamps and generation stay if an object has them. This is the way to
    /// fill a server. Returns the version of the last one.
    ///
    /// # Errors
    ///
    /// Those of [`create`](Self::create), of the first object that fails; those before it stay.
    pub fn load(&self, objects: impl IntoIterator<Item = Value>) -> Result<u64, Status> {
        for object in objects {
            let (id, kind, mut object) = self.typed(object)?;
            let namespace = namespace_of(&kind, &object);
            if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
                metadata.insert("namespace".to_owned(), Value::from(namespace));
            }
            self.shared.write(|store| store.load(id, object))?;
        }
        Ok(self.current_version())
    }

    /// Replaces an object, as `PUT` does, with its status. A resourceVersion in it must be the current one.
    ///
    /// # Errors
    ///
    /// Those of the server: there is no such object (404), the version is an old one (409).
    pub fn update(&self, object: Value) -> Result<Value, Status> {
        let (id, kind, object) = self.typed(object)?;
        let namespace = namespace_of(&kind, &object);
        let name = object
            .get("metadata")
            .and_then(|metadata| metadata.get("name"))
            .and_then(Value::as_str);
        let name = name.unwrap_or_default().to_owned();
        let stored = self
            .shared
            .write(|store| store.update(id, &namespace, &name, object, Part::Whole))?;
        Ok(stored.value())
    }

    /// Merges a JSON merge patch (RFC 7396) into an object. `namespace` is not used for cluster-scoped kinds.
    ///
    /// # Errors
    ///
    /// Those of the server: there is no such object (404), the patch carries an old version (409).
    pub fn patch(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        patch: &Value,
    ) -> Result<Value, Status> {
        let (id, kind) = self.named(resource)?;
        let key = key_of(if kind.namespaced { namespace } else { "" }, name);
        let patch = Patch::Merge(patch.clone());
        let stored = self
            .shared
            .write(|store| store.patch(id, &key, &patch, Part::Whole))?;
        Ok(stored.value())
    }

    /// Deletes an object, as `DELETE` does: finalizers and the grace period of a pod hold it. Returns its last state.
    ///
    /// # Errors
    ///
    /// Those of the server: there is no such object (404).
    pub fn delete(&self, resource: &str, namespace: &str, name: &str) -> Result<Value, Status> {
        self.delete_with(resource, namespace, name, &DeleteOptions::default())
    }

    /// Deletes an object without a grace period.
    ///
    /// # Errors
    ///
    /// Those of the server: there is no such object (404).
    pub fn delete_now(&self, resource: &str, namespace: &str, name: &str) -> Result<Value, Status> {
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            ..DeleteOptions::default()
        };
        self.delete_with(resource, namespace, name, &options)
    }

    fn delete_with(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Value, Status> {
        let (id, _) = self.named(resource)?;
        let deleted = self.shared.delete(id, namespace, name, options, false)?;
        Ok(deleted.object.value())
    }

    /// An object as it is now, if it is there.
    ///
    /// # Errors
    ///
    /// If the resource is not served (404).
    pub fn get(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, Status> {
        let (id, kind) = self.named(resource)?;
        let key = key_of(if kind.namespaced { namespace } else { "" }, name);
        Ok(self
            .shared
            .store()
            .get(id, &key)?
            .map(|object| object.value()))
    }

    /// All objects of a resource in all namespaces, in the order of the server.
    ///
    /// # Errors
    ///
    /// If the resource is not served (404).
    pub fn list(&self, resource: &str) -> Result<Vec<Value>, Status> {
        let (id, _) = self.named(resource)?;
        let store = self.shared.store();
        let objects: Vec<_> = store.table(id)?.objects().cloned().collect();
        drop(store);
        Ok(objects.iter().map(|object| object.value()).collect())
    }

    /// How many objects of a resource there are.
    ///
    /// # Errors
    ///
    /// If the resource is not served (404).
    pub fn count(&self, resource: &str) -> Result<usize, Status> {
        let (id, _) = self.named(resource)?;
        Ok(self.shared.store().table(id)?.len())
    }

    pub(super) fn named(&self, resource: &str) -> Result<(KindId, Arc<Kind>), Status> {
        self.shared.store().called(resource).ok_or_else(|| {
            Status::new(
                404,
                "NotFound",
                format!("the server does not serve a resource \"{resource}\""),
            )
        })
    }

    /// The kind that an object says it is of.
    fn typed(&self, object: Value) -> Result<Typed, Status> {
        let Value::Object(object) = object else {
            return Err(Status::bad_request("an object must be a JSON object"));
        };
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let found = self.shared.store().of_type(api_version, kind);
        let (id, kind) = found.ok_or_else(|| {
            let message = format!(
                "the server does not serve kind \"{kind}\" of apiVersion \"{api_version}\": `add_kind` has it do so"
            );
            Status::new(404, "NotFound", message)
        })?;
        Ok((id, kind, object))
    }
}

/// An object and the kind that it says it is of.
type Typed = (KindId, Arc<Kind>, Map<String, Value>);

fn namespace_of(kind: &Kind, object: &Map<String, Value>) -> String {
    let given = object
        .get("metadata")
        .and_then(|metadata| metadata.get("namespace"))
        .and_then(Value::as_str);
    match given.filter(|given| !given.is_empty()) {
        _ if !kind.namespaced => String::new(),
        Some(namespace) => namespace.to_owned(),
        None => "default".to_owned(),
    }
}

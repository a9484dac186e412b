//! [`Sim`]: the handle that a test holds.

use crate::{
    fault::Faults,
    kind::Kind,
    openapi::{OpenApiError, documents_in, kinds_from_openapi},
    requests::Request,
    serve::{Listening, SimService, Verb},
    server::{Shared, SimBuilder},
    status::Status,
    store::{DeleteOptions, KindId, Part, key_of},
};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::{io, path::Path, sync::Arc};

/// A simulated API server. Clones are handles to the same one.
///
/// A client reaches it [as a service](Self::service) or [over a socket](Self::listen). The test itself reaches it by
/// the methods here, which act at once and without HTTP, and see no faults.
///
/// Resources are named as to `kubectl`: `pods`, `pod`, `po`, `deployments.apps`, `deployments.v1.apps`; where two
/// groups have one (`events`), the plain name means the core group.
#[derive(Clone)]
pub struct Sim {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sim")
            .field("version", &self.current_version())
            .finish_non_exhaustive()
    }
}

impl Default for Sim {
    fn default() -> Self {
        Self::new()
    }
}

/// Setting up and connecting.
impl Sim {
    /// A server with the built-in kinds and no objects.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Sets up a server that behaves differently.
    pub fn builder() -> SimBuilder {
        SimBuilder::default()
    }

    pub(crate) fn new_from(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The server as a tower service: `kube::Client::new(sim.service(), "default")`.
    #[must_use]
    pub fn service(&self) -> SimService {
        SimService::new(Arc::clone(&self.shared))
    }

    /// Opens a socket on a free port of the loopback interface, served until the returned value is dropped. HTTP/1.1
    /// and HTTP/2 without TLS.
    ///
    /// # Errors
    ///
    /// If no socket can be opened.
    pub async fn listen(&self) -> io::Result<Listening> {
        Listening::start(self.service()).await
    }

    /// Starts to serve a kind, in place of one of the same group, version and plural.
    pub fn add_kind(&self, kind: Kind) {
        self.shared.store().add_kind(kind);
    }

    /// Stops to serve a kind, as when its CustomResourceDefinition is deleted: its objects are gone, its watches end.
    /// Whether it was there.
    pub fn remove_kind(&self, group: &str, version: &str, plural: &str) -> bool {
        self.shared.store().remove_kind(group, version, plural)
    }

    /// The kinds that are served.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        self.shared
            .store()
            .kinds()
            .map(|(_, kind)| Kind::clone(kind))
            .collect()
    }

    /// Serves the kinds of an OpenAPI document (see [`kinds_from_openapi`]) and, under `/openapi/v3/<path>` or
    /// `/openapi/v2`, the document itself. `path` is that of the group-version, such as `apis/apps/v1`; for a v2
    /// document it is not used. Kinds that are served already stay as they are.
    ///
    /// # Errors
    ///
    /// If the document has no paths, or no kind; one without kinds is served all the same.
    pub fn serve_openapi(&self, path: &str, document: &Value) -> Result<(), OpenApiError> {
        let kinds = match kinds_from_openapi(document) {
            Err(error @ OpenApiError::NoKinds { .. }) => {
                self.keep_document(path, document);
                return Err(error);
            }
            kinds => kinds?,
        };
        let mut store = self.shared.store();
        for kind in kinds {
            if store
                .find(&kind.group, &kind.version, &kind.plural)
                .is_none()
            {
                store.add_kind(kind);
            }
        }
        drop(store);
        self.keep_document(path, document);
        Ok(())
    }

    fn keep_document(&self, path: &str, document: &Value) {
        let bytes = Bytes::from(document.to_string());
        let mut documents = self.shared.documents_mut();
        if document.get("swagger").is_some() {
            documents.v2 = Some(bytes);
        } else {
            documents
                .v3
                .insert(path.trim_matches('/').to_owned(), bytes);
        }
    }

    /// Serves the documents of a directory and their kinds, as [`serve_openapi`](Self::serve_openapi) does. The
    /// directory is laid out as `api/openapi-spec/v3` of a Kubernetes release, or as `/openapi/v3` names them:
    /// `apis/apps/v1.json`. Documents without kinds are served too.
    ///
    /// # Errors
    ///
    /// If the directory or a file cannot be read, is not JSON, or holds no document.
    pub fn serve_openapi_directory(&self, directory: impl AsRef<Path>) -> Result<(), OpenApiError> {
        for (path, document) in documents_in(directory.as_ref())? {
            match self.serve_openapi(&path, &document) {
                Ok(()) | Err(OpenApiError::NoKinds { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

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
        let stored = self
            .shared
            .write(|store| store.patch(id, &key, patch, Part::Whole))?;
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
        let deleted = self.shared.delete(id, namespace, name, options)?;
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

    fn named(&self, resource: &str) -> Result<(KindId, Arc<Kind>), Status> {
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
                "the server does not serve kind \"{kind}\" of apiVersion \"{api_version}\""
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

/// Versions, watches and the log of requests.
impl Sim {
    /// The version of the last change.
    #[must_use]
    pub fn current_version(&self) -> u64 {
        self.shared.store().version()
    }

    /// Lets versions run ahead by `versions` without any change, as writes to other resources do.
    pub fn advance_version(&self, versions: u64) -> u64 {
        let advanced = self.shared.write(|store| Ok(store.advance(versions)));
        advanced.unwrap_or_default()
    }

    /// Forgets every change up to now, as if etcd were compacted and the watch cache begun anew: lists and watches at
    /// earlier versions get 410. Open watches go on. Returns the version that is the oldest one from now on.
    pub fn compact(&self) -> u64 {
        self.shared.store().compact()
    }

    /// Breaks all open watches, and whatever a fault keeps silent.
    pub fn disconnect(&self) {
        self.shared.disconnect();
    }

    /// Changes things while no watch can see it: breaks all watches, lets `change` run, and forgets its changes, so
    /// that only a list can find out.
    pub fn change_unseen<T>(&self, change: impl FnOnce(&Self) -> T) -> T {
        self.disconnect();
        let result = change(self);
        self.compact();
        result
    }

    /// How many watches are open.
    #[must_use]
    pub fn watchers(&self) -> usize {
        self.shared
            .store()
            .tables()
            .map(|table| table.log().readers())
            .sum()
    }

    /// How many watches of a resource are open; none if it is not served.
    #[must_use]
    pub fn watchers_of(&self, resource: &str) -> usize {
        let Ok((id, _)) = self.named(resource) else {
            return 0;
        };
        self.shared
            .store()
            .table(id)
            .map_or(0, |table| table.log().readers())
    }

    /// Waits until so many watches of a resource are open. Put a deadline around it.
    pub async fn wait_for_watchers(&self, resource: &str, count: usize) {
        let mut bell = self.shared.watchers();
        loop {
            bell.borrow_and_update();
            if self.watchers_of(resource) == count || bell.changed().await.is_err() {
                return;
            }
        }
    }

    /// All requests so far, oldest first; of very many, the last 100,000.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests().all()
    }

    /// How many requests of this verb there were for a resource, written as `pods` or `deployments.apps`.
    #[must_use]
    pub fn request_count(&self, verb: Verb, resource: &str) -> usize {
        self.shared
            .requests()
            .count(|request| request.is(verb, resource))
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.shared.requests().clear();
    }

    /// Waits until the log of requests satisfies a condition, which is asked now and after each request. No time
    /// passes in between. Put a deadline around it.
    pub async fn wait_for(&self, condition: impl FnMut(&[Request]) -> bool) {
        self.shared.requests().wait_for(condition).await;
    }

    /// What goes wrong.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }
}

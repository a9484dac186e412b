//! [`Sim`]: the handle that a test holds.
//!
//! Here it is set up and connected; [`objects`] reads and changes what it holds, [`observe`] is about versions, watches and
//! requests. All of it acts at once and sees no faults.

mod objects;
mod observe;

use crate::{
    kind::Kind,
    openapi::{OpenApiError, documents_in, kinds_from_openapi},
    serve::{Listening, SimService},
    server::{Shared, SimBuilder},
};
use bytes::Bytes;
use serde_json::Value;
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

    /// Starts to serve a kind, in place of one of the same group, version and plural. As it does on a real server, whose
    /// CustomResourceDefinitions are objects too, this takes a version.
    pub fn add_kind(&self, kind: Kind) {
        let added = self.shared.write(|store| {
            store.advance(1);
            Ok(store.add_kind(kind))
        });
        debug_assert!(added.is_ok());
    }

    /// Stops to serve a kind, as when its CustomResourceDefinition is deleted: its objects are gone, its watches end.
    /// Whether it was there; then this takes a version.
    ///
    /// A real server deletes the objects first, by whose deletes watches hear of it, unless that is kept from happening.
    /// For that, delete them before.
    pub fn remove_kind(&self, group: &str, version: &str, plural: &str) -> bool {
        let removed = self.shared.write(|store| {
            let was_there = store.remove_kind(group, version, plural);
            if was_there {
                store.advance(1);
            }
            Ok(was_there)
        });
        removed.unwrap_or_default()
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
    /// If the document has no paths. One without kinds is served all the same.
    pub fn serve_openapi(&self, path: &str, document: &Value) -> Result<(), OpenApiError> {
        let kinds = match kinds_from_openapi(document) {
            Err(OpenApiError::NoKinds { .. }) => Vec::new(),
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
        let bytes = Bytes::from(document.to_string());
        let mut documents = self.shared.documents_mut();
        if document.get("swagger").is_some() {
            documents.v2 = Some(bytes);
        } else {
            documents
                .v3
                .insert(path.trim_matches('/').to_owned(), bytes);
        }
        Ok(())
    }

    /// Serves the documents of a directory and their kinds, as [`serve_openapi`](Self::serve_openapi) does. The
    /// directory is laid out as `api/openapi-spec/v3` of a Kubernetes release, or as `/openapi/v3` names them:
    /// `apis/apps/v1.json`.
    ///
    /// # Errors
    ///
    /// If the directory or a file cannot be read, is not JSON, or holds no document.
    pub fn serve_openapi_directory(&self, directory: impl AsRef<Path>) -> Result<(), OpenApiError> {
        for (path, document) in documents_in(directory.as_ref())? {
            self.serve_openapi(&path, &document)?;
        }
        Ok(())
    }
}

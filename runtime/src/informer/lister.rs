//! The read-only views of one informer: store and lister. Both keep the informer running.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Informer;
use super::error::ReadError;
use super::wait::WaitError;
use super::written::Written;
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::store::{List, Snapshot};

/// The objects of one informer by key, as they are now, synced or not.
///
/// For reads that must not be partial use the [`Lister`], which answers an error before sync.
pub struct Store<R: Kept>(pub(super) Informer<R>);

impl<R: Kept> Clone for Store<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Kept> Store<R> {
    /// All objects at this moment, for reads that must agree with each other. Costs a reference count.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<R> {
        self.0.snapshot()
    }

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<R::Read> {
        self.snapshot().get(key)
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.snapshot().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until reads show a write; see [`Informer::wait_for`].
    ///
    /// # Errors
    ///
    /// [`WaitError`].
    pub async fn wait_for(&self, written: &Written, deadline: Duration) -> Result<(), WaitError> {
        self.0.wait_for(written, deadline).await
    }

    /// The version that each source has seen (one source over all namespaces, or one per watched namespace), `None` before its
    /// first complete listing. Bookmarks and deletes count.
    #[must_use]
    pub fn versions(&self) -> Vec<(Option<Arc<str>>, Option<ResourceVersion>)> {
        self.0.versions()
    }
}

impl<R: Kept> fmt::Debug for Store<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("kind", self.0.kind())
            .field("objects", &self.len())
            .finish()
    }
}

/// Reads of one kind over all watched namespaces.
///
/// Every read answers from one consistent state, takes no lock, and is [`ReadError::NotSynced`] before the first complete
/// listing arrived: never an empty or partial answer. A read in one namespace needs that namespace's listing alone; one over
/// everything needs those of all namespaces that were watched at the start. One that was added later comes in, whole, when it was listed.
pub struct Lister<R: Kept>(pub(super) Informer<R>);

impl<R: Kept> Clone for Lister<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Kept> Lister<R> {
    /// All objects at this moment, for reads that must agree with each other. Costs a reference count.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn snapshot(&self) -> Result<Snapshot<R>, ReadError> {
        self.0.readable(None)
    }

    /// All objects.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn list(&self) -> Result<List<R>, ReadError> {
        Ok(self.0.readable(None)?.list())
    }

    /// The object with this key. A namespace in the key of a cluster-scoped kind is ignored.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotFound`], [`ReadError::NamespaceNotWatched`], [`ReadError::NotSynced`].
    pub fn get(&self, key: &ObjectKey) -> Result<R::Read, ReadError> {
        self.0.read(key.namespace(), key.name())
    }

    /// A cluster-scoped object by name.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn get_by_name(&self, name: &str) -> Result<R::Read, ReadError> {
        self.0.read(None, name)
    }

    /// Waits until reads show a write; see [`Informer::wait_for`].
    ///
    /// # Errors
    ///
    /// [`WaitError`].
    pub async fn wait_for(&self, written: &Written, deadline: Duration) -> Result<(), WaitError> {
        self.0.wait_for(written, deadline).await
    }

    /// Reads of one namespace. Of a cluster-scoped kind, which only a lister that does not name its kind lets in here, they are
    /// reads of everything.
    #[must_use]
    pub fn namespace(&self, namespace: impl Into<Arc<str>>) -> NamespaceLister<R> {
        NamespaceLister {
            informer: self.0.clone(),
            namespace: namespace.into(),
        }
    }
}

impl<R: Kept> fmt::Debug for Lister<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister")
            .field("kind", self.0.kind())
            .finish_non_exhaustive()
    }
}

/// Reads of one kind in one namespace, through the namespace index.
pub struct NamespaceLister<R: Kept> {
    pub(super) informer: Informer<R>,
    namespace: Arc<str>,
}

impl<R: Kept> Clone for NamespaceLister<R> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            namespace: Arc::clone(&self.namespace),
        }
    }
}

impl<R: Kept> NamespaceLister<R> {
    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// All objects of the namespace. A namespace that is watched and has none, or does not exist, is empty.
    ///
    /// # Errors
    ///
    /// [`ReadError::NamespaceNotWatched`], [`ReadError::NotSynced`].
    pub fn list(&self) -> Result<List<R>, ReadError> {
        self.informer.list_namespace(&self.namespace)
    }

    /// The object of this name.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotFound`], [`ReadError::NamespaceNotWatched`], [`ReadError::NotSynced`].
    pub fn get(&self, name: &str) -> Result<R::Read, ReadError> {
        self.informer.read(Some(&self.namespace), name)
    }
}

impl<R: Kept> fmt::Debug for NamespaceLister<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("kind", self.informer.kind())
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

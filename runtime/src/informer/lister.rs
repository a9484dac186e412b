//! The read-only views of one informer: store, lister, indexer and index. All keep the informer running.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::Informer;
use super::error::{ReadError, Stopped};
use super::wait::WaitError;
use super::written::Written;
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::store::{Extract, List, Snapshot};

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

/// The indexes of one informer: by namespace built in, others as they are added.
pub struct Indexer<R: Kept>(pub(super) Informer<R>);

impl<R: Kept> Clone for Indexer<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Kept> Indexer<R> {
    /// The objects of one namespace.
    ///
    /// # Errors
    ///
    /// [`ReadError::NamespaceNotWatched`], [`ReadError::NotSynced`].
    pub fn by_namespace(&self, namespace: &str) -> Result<List<R>, ReadError> {
        self.0.list_namespace(namespace)
    }

    /// The namespaces that have objects, with how many, in order of their names.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn namespaces(&self) -> Result<Vec<(Arc<str>, usize)>, ReadError> {
        Ok(self.0.readable(None)?.namespaces())
    }

    /// Adds an index; see [`Informer::add_index`].
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add<X: Extract<R>>(&self, extract: X) -> Result<Index<R, X::Key>, Stopped> {
        self.0.add_index(extract)
    }
}

impl<R: Kept> fmt::Debug for Indexer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer")
            .field("kind", self.0.kind())
            .finish_non_exhaustive()
    }
}

/// A typed handle of one index of one informer.
///
/// Dropping it does not remove the index.
pub struct Index<R: Kept, K> {
    informer: Informer<R>,
    at: usize,
    path: Option<Arc<str>>,
    key: PhantomData<fn() -> K>,
}

impl<R: Kept, K> Clone for Index<R, K> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            at: self.at,
            path: self.path.clone(),
            key: PhantomData,
        }
    }
}

impl<R: Kept, K: Ord + Hash + Clone + Send + Sync + 'static> Index<R, K> {
    pub(super) fn new(informer: Informer<R>, at: usize, path: Option<Arc<str>>) -> Self {
        Self {
            informer,
            at,
            path,
            key: PhantomData,
        }
    }

    /// The JSON path that the index reads, where it reads one.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The objects that have this key; none where no object has it.
    ///
    /// Cost: one hash, then a pointer per object.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Result<List<R>, ReadError>
    where
        K: Borrow<Q>,
    {
        Ok(self.informer.readable(None)?.by_index::<K, Q>(self.at, key))
    }

    /// The distinct keys with the number of objects of each, in order.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn values(&self) -> Result<Vec<(K, usize)>, ReadError> {
        Ok(self.informer.readable(None)?.index_values::<K>(self.at))
    }
}

impl<R: Kept> List<R> {
    /// Only those of these objects that another index has under this key, at the moment that this list shows.
    ///
    /// Begin with the index that has the fewest: the cost is a binary search for each object of this list.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use larder::{Index, Kept, List, ReadError};
    /// fn both<R: Kept>(app: &Index<R, String>, tier: &Index<R, String>) -> Result<List<R>, ReadError> {
    ///     app.get("web")?.and(tier, "front")
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReadError::UnknownIndex`] where the index belongs to another informer, or is younger than the list.
    pub fn and<K, Q>(self, index: &Index<R, K>, key: &Q) -> Result<Self, ReadError>
    where
        K: Borrow<Q> + Hash + Eq + Clone + 'static,
        Q: Hash + Eq + ?Sized,
    {
        let informer = &index.informer;
        self.in_index::<K, Q>(&informer.0.shared.peek(), index.at, key)
            .ok_or_else(|| ReadError::UnknownIndex {
                kind: informer.kind().clone(),
                informer: informer.name().to_owned(),
            })
    }
}

impl<R: Kept, K> fmt::Debug for Index<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("kind", self.informer.kind())
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

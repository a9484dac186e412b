//! The indexes of one informer: those that are built in, and the way to add others.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use super::Informer;
use super::error::{ReadError, Stopped};
use super::index::{Index, OrderedIndex};
use crate::kept::{Kept, KeptLabels, KeptMetadata};
use crate::query;
use crate::selector::LabelSelector;
use crate::store::{Extract, List, Names, Owners, serves_labels};

/// The indexes of one informer: those by namespace, labels and owner, and others as they are added.
///
/// The namespace index is always there. That of labels, and that of owners, is made when it is first asked for, as
/// [`add_index`](Informer::add_index) does it, and then kept current for as long as the informer lives.
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

    /// The objects that a label selector selects, through the labels index.
    ///
    /// The requirement that the fewest objects fulfil leads (`=`, `in`, what is just named, `>` and `<` can), and the others are tested
    /// on each of these. A selector of `!=`, `notin` and `!` alone is tested on every object.
    ///
    /// Memory of the labels index, made at first use: for each object 8 bytes per label; for each distinct label with a value about 100
    /// bytes and its text, and as much for each distinct key.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn by_labels(&self, selector: &LabelSelector) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
    {
        self.0.readable(None)?;
        if serves_labels(selector) {
            self.0.index_labels();
        }
        let snapshot = self.0.readable(None)?;
        Ok(snapshot.selected(selector.into(), query::no_object))
    }

    /// The objects that have an owner of this uid, such as the pods of a replica set.
    ///
    /// Memory of the owners' index, made at first use: 4 bytes for each owner of an object, and about 130 bytes for each distinct
    /// owner.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn by_owner(&self, uid: &str) -> Result<List<R>, ReadError>
    where
        R: KeptMetadata,
    {
        self.__by(Owners, uid)
    }

    /// The objects of this name, in whichever namespace. One of a known namespace a lister gets without an index.
    ///
    /// Memory of the index, made at first use: 4 bytes for each object, and about 100 bytes and its text for each distinct name.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn by_metadata_name(&self, name: &str) -> Result<List<R>, ReadError>
    where
        R: KeptMetadata,
    {
        self.__by(Names, name)
    }

    /// The objects that have this key in an index that is made at first use: what the generated methods such as `by_spec_node_name`
    /// call.
    #[doc(hidden)]
    pub fn __by<X, Q>(&self, extract: X, key: &Q) -> Result<List<R>, ReadError>
    where
        X: Extract<R>,
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.readable(None)?;
        self.0.built_in(extract).get(key)
    }

    /// Adds an index; see [`Informer::add_index`].
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add<X: Extract<R>>(&self, extract: X) -> Result<Index<R, X::Key>, Stopped> {
        self.0.add_index(extract)
    }

    /// Adds an ordered index; see [`Informer::add_ordered_index`].
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_ordered<X: Extract<R>>(
        &self,
        extract: X,
    ) -> Result<OrderedIndex<R, X::Key>, Stopped> {
        self.0.add_ordered_index(extract)
    }
}

impl<R: Kept> fmt::Debug for Indexer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer")
            .field("kind", self.0.kind())
            .finish_non_exhaustive()
    }
}

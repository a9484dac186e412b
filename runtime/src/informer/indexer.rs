//! The indexes of one informer: those that it makes itself, and the way to add others.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use super::Informer;
use super::error::{ReadError, Stopped};
use super::index::{Index, OrderedIndex};
use crate::kept::{Kept, KeptLabels, KeptMetadata};
use crate::query;
use crate::selector::{LabelSelector, Reads, Selectable, Texts, parsed};
use crate::store::{Extract, Labels, List, Names, Owners, Spec, serves_labels};

/// Indexes: the handle that an informer gives for each that is added, and those that it makes itself.
impl<R: Kept> Informer<R> {
    /// Adds an index and gives its typed handle.
    ///
    /// Before start, before sync or after: it is filled from what is stored and serves at once. Readers go on meanwhile;
    /// changes wait for it. Cost: one call of the extractor per object, then two per changed object.
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_index<X: Extract<R>>(&self, extract: X) -> Result<Index<R, X::Key>, Stopped> {
        self.check_running()?;
        Ok(self.index(extract, false))
    }

    /// Adds an index that knows the order of its keys, for ranges and prefixes, and gives its typed handle.
    ///
    /// All else is as for [`add_index`](Self::add_index).
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use larder::{Informer, Kept, field};
    ///
    /// fn largest_first<R: Kept<Stored = Arc<Pod>>>(pods: &Informer<R>) -> Result<(), Box<dyn std::error::Error>> {
    ///     let by_name = pods.add_ordered_index(field!(Pod, metadata.name))?;
    ///     let by_priority = pods.add_ordered_index(field!(Pod, spec.priority))?;
    ///
    ///     println!("{} pods begin with web-", by_name.prefix("web-")?.count());
    ///     println!("{} pods of a priority from 1 to 1000", by_priority.range(1..=1000)?.count());
    ///     if let Some((priority, pods)) = by_priority.last()? {
    ///         println!("{} pods of the highest priority, {priority}", pods.count());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Stopped`].
    pub fn add_ordered_index<X: Extract<R>>(
        &self,
        extract: X,
    ) -> Result<OrderedIndex<R, X::Key>, Stopped> {
        self.check_running()?;
        Ok(OrderedIndex::new(self.index(extract, true)))
    }

    /// Makes the labels index now, where it is not there yet; see [`Indexer::by_labels`], which makes it, too.
    ///
    /// Reads by label selector, such as [`Lister::matching`](crate::Lister::matching), use it where it is and do not make it.
    pub fn index_labels(&self)
    where
        R: KeptLabels,
    {
        self.built_in(Labels);
    }

    fn index<X: Extract<R>>(&self, extract: X, ordered: bool) -> Index<R, X::Key> {
        let spec = Spec::new(extract, ordered);
        let at = self.0.shared.add_index(Arc::clone(&spec));
        Index::new(self.clone(), at, spec)
    }

    /// The index over the extractor's path: whichever there is, or else a new one that is kept from now on. A stopped informer has
    /// them too, over what it held.
    fn built_in<X: Extract<R>>(&self, extract: X) -> Index<R, X::Key> {
        let (at, spec) = self.0.shared.built_in(extract);
        Index::new(self.clone(), at, spec)
    }
}

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
        Ok(snapshot.selected(&selector.into(), query::no_object))
    }

    /// The objects that have an owner of this uid, such as the pods of a replica set.
    ///
    /// Memory of the owners' index, made at first use: 4 bytes for each owner of an object, and about 150 bytes for each distinct
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

    /// As [`__by`](Self::__by), for a field that the generator does not know the type of; `value` is as the server writes it.
    #[doc(hidden)]
    pub fn __by_selectable<T: 'static>(
        &self,
        field: Selectable<T>,
        value: &str,
    ) -> Result<List<R>, ReadError>
    where
        R::Stored: Deref<Target = T>,
    {
        match field.reads() {
            Reads::Text(field) => self.__by(field, value),
            Reads::Bool(field) => self.by_parsed(field, value),
            Reads::I32(field) => self.by_parsed(field, value),
            Reads::I64(field) => self.by_parsed(field, value),
            _ => self.__by(Texts(field), value),
        }
    }

    fn by_parsed<X>(&self, extract: X, value: &str) -> Result<List<R>, ReadError>
    where
        X: Extract<R, Key: FromStr + ToString>,
    {
        match parsed::<X::Key>(value) {
            Some(key) => self.__by(extract, &key),
            None => Ok(self.0.lister().list()?.within(None)),
        }
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

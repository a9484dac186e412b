//! Reads of listers by selectors, options and queries.

use std::ops::Deref;

use super::Informer;
use super::error::ReadError;
use super::list_options::ListOptions;
use super::lister::{Lister, NamespaceLister};
use crate::kept::{Kept, KeptFields, KeptLabels};
use crate::query::{self, InvalidQuery, Plan, Query};
use crate::selector::LabelSelector;
use crate::store::{List, Snapshot};

impl<R: Kept> Lister<R> {
    /// The objects that a label selector selects.
    ///
    /// Cost: as [`select`](Self::select).
    ///
    /// # Errors
    ///
    /// [`ReadError::NotSynced`].
    pub fn matching(&self, selector: &LabelSelector) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
    {
        self.scope(None).select(selector.into(), query::no_object)
    }

    /// The objects that the options ask for.
    ///
    /// # Errors
    ///
    /// [`ReadError::NamespaceNotWatched`] where the options name such a namespace, [`ReadError::NotSynced`].
    pub fn list_with(&self, options: &ListOptions) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
    {
        self.scope(None).list_with(options)
    }

    /// The objects that a query selects: by fields, labels, names and namespaces, and what joins them.
    ///
    /// It takes whatever is a query: a [`Query`], a reference to one, a label selector, a field selector.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use larder::{KeptLabels, LabelSelector, Lister, field};
    ///
    /// # fn example<Full: KeptLabels<Stored = Arc<Pod>, Read = Arc<Pod>>>(pods: &Lister<Full>) -> Result<(), Box<dyn std::error::Error>> {
    /// let web: LabelSelector = "app=web".parse()?;
    /// let query = field!(Pod, spec.nodeName).eq("node-7").and(field!(Pod, status.phase).ne("Running")).and(web);
    /// for pod in pods.select(&query)? {
    ///     println!("{:?}", pod.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Cost: a look at each of the objects to which the best index leads, of those that there are: of namespaces (always), over a path that is
    /// tested ([`add_index`](super::Informer::add_index), or the kind's own, made at first use), of labels
    /// ([`index_labels`](super::Informer::index_labels)). It makes none itself. Without one, a look at each object. The list is lazy: what is not taken is not looked
    /// at. [`explain`](Self::explain) says which index it is.
    ///
    /// # Errors
    ///
    /// [`ReadError::NamespaceNotWatched`] where objects must be in such a namespace, [`ReadError::NotSynced`].
    pub fn select<T: 'static>(&self, query: impl Into<Query<T>>) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
        R::Stored: Deref<Target = T>,
    {
        self.scope(None).select(query.into(), Deref::deref)
    }

    /// How [`select`](Self::select) answers a query at this moment: through which indexes, with how many objects looked at.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn explain<T: 'static>(&self, query: impl Into<Query<T>>) -> Result<Plan, ReadError>
    where
        R: KeptLabels,
        R::Stored: Deref<Target = T>,
    {
        self.scope(None).explain(query.into())
    }

    /// Reads a field selector as kubectl takes it: `spec.nodeName=n1,status.phase!=Running`.
    ///
    /// It may name `metadata.name` and `metadata.namespace`, the fields by which the server selects this kind ([`KeptFields`]), read as the server
    /// does, and the paths of this informer's indexes, such as `spec.containers[].image`. For anything else there is [`field!`](crate::field!).
    /// Operators are `=`, `==` and `!=`; in a value, a backslash stands before a comma, an equals sign or a backslash.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use larder::{KeptFields, KeptLabels, Lister};
    /// # fn example<Full: KeptFields + KeptLabels<Stored = Arc<Pod>>>(pods: &Lister<Full>) -> Result<(), Box<dyn std::error::Error>> {
    /// let waiting = pods.fields("spec.nodeName=,status.phase!=Failed")?;
    /// println!("{} pods wait for a node", pods.select(&waiting)?.count());
    ///
    /// let error = pods.fields("spec.nodeNam=n1").unwrap_err();
    /// assert!(error.to_string().contains(r#"did you mean "spec.nodeName"?"#));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidQuery`], which says where: the text is no field selector, a field cannot be named, a value is none of its field.
    pub fn fields(&self, text: &str) -> Result<Query<<R::Stored as Deref>::Target>, InvalidQuery>
    where
        R: KeptFields,
    {
        self.0.snapshot().fields(text)
    }

    /// Reads a label selector and a field selector, as of `kubectl --selector --field-selector`, into the query for what both select.
    /// Either may be empty. See [`fields`](Self::fields).
    ///
    /// # Errors
    ///
    /// [`InvalidQuery`].
    pub fn query(
        &self,
        labels: &str,
        fields: &str,
    ) -> Result<Query<<R::Stored as Deref>::Target>, InvalidQuery>
    where
        R: KeptFields,
    {
        self.0.snapshot().query(labels, fields)
    }

    fn scope<'a>(&'a self, namespace: Option<&'a str>) -> Scope<'a, R> {
        Scope {
            informer: &self.0,
            namespace,
        }
    }
}

impl<R: Kept> NamespaceLister<R> {
    /// The objects of the namespace that a label selector selects.
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
    pub fn matching(&self, selector: &LabelSelector) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
    {
        self.scope().select(selector.into(), query::no_object)
    }

    /// The objects of the namespace that the options ask for.
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
    pub fn list_with(&self, options: &ListOptions) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
    {
        self.scope().list_with(options)
    }

    /// The objects of the namespace that a query selects; see [`Lister::select`].
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
    pub fn select<T: 'static>(&self, query: impl Into<Query<T>>) -> Result<List<R>, ReadError>
    where
        R: KeptLabels,
        R::Stored: Deref<Target = T>,
    {
        self.scope().select(query.into(), Deref::deref)
    }

    /// How [`select`](Self::select) answers a query at this moment; see [`Lister::explain`].
    ///
    /// # Errors
    ///
    /// As [`list`](Self::list).
    pub fn explain<T: 'static>(&self, query: impl Into<Query<T>>) -> Result<Plan, ReadError>
    where
        R: KeptLabels,
        R::Stored: Deref<Target = T>,
    {
        self.scope().explain(query.into())
    }

    /// Reads a field selector as kubectl takes it; see [`Lister::fields`].
    ///
    /// # Errors
    ///
    /// [`InvalidQuery`].
    pub fn fields(&self, text: &str) -> Result<Query<<R::Stored as Deref>::Target>, InvalidQuery>
    where
        R: KeptFields,
    {
        self.informer.snapshot().fields(text)
    }

    /// Reads a label selector and a field selector; see [`Lister::query`].
    ///
    /// # Errors
    ///
    /// [`InvalidQuery`].
    pub fn query(
        &self,
        labels: &str,
        fields: &str,
    ) -> Result<Query<<R::Stored as Deref>::Target>, InvalidQuery>
    where
        R: KeptFields,
    {
        self.informer.snapshot().query(labels, fields)
    }

    fn scope(&self) -> Scope<'_, R> {
        Scope {
            informer: &self.informer,
            namespace: Some(self.namespace()),
        }
    }
}

/// What a lister reads of: everything, or one namespace.
struct Scope<'a, R: Kept> {
    informer: &'a Informer<R>,
    namespace: Option<&'a str>,
}

impl<R: KeptLabels> Scope<'_, R> {
    fn list_with(&self, options: &ListOptions) -> Result<List<R>, ReadError> {
        let list = self.select(options.query(), query::no_object)?;
        Ok(match options.limit {
            0 => list,
            limit => list.at_most(limit),
        })
    }

    fn select<T: 'static>(
        &self,
        query: Query<T>,
        object: fn(&R::Stored) -> &T,
    ) -> Result<List<R>, ReadError> {
        let (snapshot, query) = self.limit(query)?;
        Ok(snapshot.selected(&query, object))
    }

    fn explain<T: 'static>(&self, query: Query<T>) -> Result<Plan, ReadError>
    where
        R::Stored: Deref<Target = T>,
    {
        let (snapshot, query) = self.limit(query)?;
        Ok(snapshot.explain(query))
    }

    /// What a query is answered from, and the query within this scope.
    fn limit<T>(&self, query: Query<T>) -> Result<(Snapshot<R>, Query<T>), ReadError> {
        let namespace = self.namespace.or_else(|| query.namespace());
        let snapshot = self.informer.readable(namespace)?;
        let query = match self.namespace {
            Some(namespace) if self.informer.kind().is_namespaced() => {
                query.in_namespace(namespace)
            }
            _ => query,
        };
        Ok((snapshot, query))
    }
}

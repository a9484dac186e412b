//! Metadata-only informers of kinds known at compile time.

use std::fmt;
use std::ops::Deref;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Informer, InformerError, InformerOptions, TypedInformer};
use crate::kind::Kind;
use crate::object::Metadata;
use crate::transport::Transport;

/// A kind's informer that keeps metadata alone and asks the server for nothing else, under the kind's own names: `PodMetadataInformer` is
/// `MetadataInformer<PodInformer<Metadata>>`.
///
/// It is a `PodInformer<Metadata>`, whose lister is a `PodLister<Metadata>`, whose handlers are `PodEventHandler<Metadata>`s; reads yield
/// [`PartialObjectMetadata`](crate::PartialObjectMetadata). See [`Metadata`].
pub struct MetadataInformer<I>(I);

impl<I: TypedInformer<Kept = Metadata>> MetadataInformer<I> {
    /// Group, version, kind, plural and scope.
    pub const KIND: Kind = I::KIND;

    /// An informer of its own, not a cache's: it runs at once, on the current tokio runtime, and stops when the last of its handles,
    /// listers, stores and indexes goes. Handlers and event streams do not keep it.
    ///
    /// # Errors
    ///
    /// [`InformerError`] where an option is wrong, or outside of a tokio runtime.
    pub fn new(
        transport: impl Transport,
        options: InformerOptions<Metadata>,
    ) -> Result<Self, InformerError> {
        Informer::spawn(transport, I::KIND, options).map(Self::wrap)
    }
}

impl<I: TypedInformer<Kept = Metadata>> TypedInformer for MetadataInformer<I> {
    type Kept = Metadata;
    type Object = ObjectMeta;
    const KIND: Kind = I::KIND;

    fn wrap(informer: Informer<Metadata>) -> Self {
        Self(I::wrap(informer))
    }

    fn inner(&self) -> &Informer<Metadata> {
        self.0.inner()
    }
}

impl<I> Deref for MetadataInformer<I> {
    type Target = I;

    fn deref(&self) -> &I {
        &self.0
    }
}

impl<I: Clone> Clone for MetadataInformer<I> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<I: fmt::Debug> fmt::Debug for MetadataInformer<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

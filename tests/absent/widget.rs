//! A custom kind whose type was written by hand.

use std::sync::Arc;

use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::{
    Informer, Kept, Kind, RawObject, Scope, StoreError, Transform, TypedInformer, store_decoded,
};

/// Its metadata alone.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Widget {
    pub(crate) metadata: ObjectMeta,
}

pub(crate) enum Full {}

impl Kept for Full {
    type Object = Widget;
    type Stored = Arc<Widget>;
    type Read = Arc<Widget>;

    fn store(
        raw: &RawObject<'_>,
        transform: &Transform<Widget>,
    ) -> Result<Arc<Widget>, StoreError> {
        store_decoded(raw, transform)
    }

    fn read(stored: &Arc<Widget>) -> Arc<Widget> {
        Arc::clone(stored)
    }
}

#[derive(Clone)]
pub(crate) struct WidgetInformer(Informer<Full>);

impl TypedInformer for WidgetInformer {
    type Kept = Full;
    type Object = Widget;
    const KIND: Kind =
        Kind::from_static("example.com", "v1", "Widget", "widgets", Scope::Namespaced);

    fn wrap(informer: Informer<Full>) -> Self {
        Self(informer)
    }

    fn inner(&self) -> &Informer<Full> {
        &self.0
    }
}

/// What a user reads about the absence of this kind.
pub(crate) const ABSENT: &str = "the server does not serve widgets in example.com/v1";

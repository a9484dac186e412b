//! What can be kept of a pod. A further representation is one more `impl Looks` (and a row in [`FORMS`]).

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use larder::core::v1::{Pod, PodInformer, PodMetadataInformer, pod};
use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::{
    Cache, CacheError, CacheInformer, Dynamic, DynamicObject, Informer, InformerOptions, Kept,
    KeptLabels, ObjectKey, PartialObjectMetadata, RawObject, StoreError, Transform, TypedInformer,
};
use serde::Deserialize;

use crate::pods::{Own, Pods, PodsOf, Read};

/// The forms that every case runs with.
pub(crate) const FORMS: &[&dyn Form] = &[
    &Of::<Full>(PhantomData),
    &Of::<View>(PhantomData),
    &Of::<MetadataOnly>(PhantomData),
    &Of::<AnyKind>(PhantomData),
];

/// How pods are asked for and read in one form.
pub(crate) trait Looks: 'static {
    const NAME: &'static str;
    type Kept: KeptLabels;

    fn look(read: <Self::Kept as Kept>::Read) -> Read;

    /// A new informer with options of its own, or the cache's one without.
    fn informer(
        cache: &Cache,
        options: Option<InformerOptions<Self::Kept>>,
    ) -> Result<Informer<Self::Kept>, CacheError>;

    /// `Cache::list`.
    fn list(cache: &Cache) -> LocalBoxFuture<'_, Result<Vec<Read>, CacheError>>;

    /// `Cache::get`.
    fn get<'a>(
        cache: &'a Cache,
        key: &'a ObjectKey,
    ) -> LocalBoxFuture<'a, Result<Read, CacheError>>;
}

/// A form whose informer has a type of its own.
pub(crate) trait Typed: 'static {
    const NAME: &'static str;
    type Informer: CacheInformer<Kept: KeptLabels>;

    fn look(read: <<Self::Informer as TypedInformer>::Kept as Kept>::Read) -> Read;
}

impl<T: Typed> Looks for T {
    const NAME: &'static str = T::NAME;
    type Kept = <T::Informer as TypedInformer>::Kept;

    fn look(read: <Self::Kept as Kept>::Read) -> Read {
        T::look(read)
    }

    fn informer(
        cache: &Cache,
        options: Option<InformerOptions<Self::Kept>>,
    ) -> Result<Informer<Self::Kept>, CacheError> {
        let informer = match options {
            Some(options) => cache.informer_with::<T::Informer>(options)?,
            None => cache.informer::<T::Informer>()?,
        };
        Ok(informer.inner().clone())
    }

    fn list(cache: &Cache) -> LocalBoxFuture<'_, Result<Vec<Read>, CacheError>> {
        let listed = cache.list::<T::Informer>();
        Box::pin(listed.map(|list| Ok(list?.map(T::look).collect())))
    }

    fn get<'a>(
        cache: &'a Cache,
        key: &'a ObjectKey,
    ) -> LocalBoxFuture<'a, Result<Read, CacheError>> {
        let read = cache.get::<T::Informer>(key);
        Box::pin(read.map(|read| read.map(T::look)))
    }
}

/// A form, erased: cases are compiled once.
pub(crate) trait Form {
    fn name(&self) -> &'static str;
    fn informer(&self, cache: &Cache, own: Option<Own>) -> Result<Box<dyn Pods>, CacheError>;
    fn list<'a>(&self, cache: &'a Cache) -> LocalBoxFuture<'a, Result<Vec<Read>, CacheError>>;
    fn get<'a>(
        &self,
        cache: &'a Cache,
        key: &'a ObjectKey,
    ) -> LocalBoxFuture<'a, Result<Read, CacheError>>;
}

struct Of<L>(PhantomData<fn() -> L>);

impl<L: Looks> Form for Of<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn informer(&self, cache: &Cache, own: Option<Own>) -> Result<Box<dyn Pods>, CacheError> {
        let informer = L::informer(cache, own.map(Own::options))?;
        Ok(Box::new(PodsOf::<L>(informer)))
    }

    fn list<'a>(&self, cache: &'a Cache) -> LocalBoxFuture<'a, Result<Vec<Read>, CacheError>> {
        L::list(cache)
    }

    fn get<'a>(
        &self,
        cache: &'a Cache,
        key: &'a ObjectKey,
    ) -> LocalBoxFuture<'a, Result<Read, CacheError>> {
        L::get(cache, key)
    }
}

/// The whole object.
pub(crate) enum Full {}

impl Typed for Full {
    const NAME: &'static str = "full object";
    type Informer = PodInformer<pod::Full>;

    fn look(pod: Arc<Pod>) -> Read {
        read(pod.metadata.clone(), pod)
    }
}

fn read(meta: ObjectMeta, held: Arc<dyn Any + Send + Sync>) -> Read {
    let namespace = meta.namespace.unwrap_or_default();
    Read {
        key: format!("{namespace}/{}", meta.name.unwrap_or_default()),
        version: meta.resource_version.unwrap_or_default(),
        labels: meta.labels.unwrap_or_default(),
        held,
    }
}

/// `PartialObjectMetadata`.
pub(crate) enum MetadataOnly {}

impl Typed for MetadataOnly {
    const NAME: &'static str = "metadata-only";
    type Informer = PodMetadataInformer;

    fn look(pod: Arc<PartialObjectMetadata>) -> Read {
        read(pod.metadata.clone(), pod)
    }
}

/// Whole objects of a kind that is a value.
enum AnyKind {}

impl Looks for AnyKind {
    const NAME: &'static str = "dynamic";
    type Kept = Dynamic;

    fn look(pod: Arc<DynamicObject>) -> Read {
        read(pod.metadata.clone(), pod)
    }

    fn informer(
        cache: &Cache,
        options: Option<InformerOptions<Dynamic>>,
    ) -> Result<Informer<Dynamic>, CacheError> {
        let pods = cache.dynamic(PodInformer::KIND);
        match options {
            Some(options) => pods.informer_with(options),
            None => pods.informer(),
        }
    }

    fn list(cache: &Cache) -> LocalBoxFuture<'_, Result<Vec<Read>, CacheError>> {
        Box::pin(async {
            let listed = cache.dynamic(PodInformer::KIND).list().await?;
            Ok(listed.map(Self::look).collect())
        })
    }

    fn get<'a>(
        cache: &'a Cache,
        key: &'a ObjectKey,
    ) -> LocalBoxFuture<'a, Result<Read, CacheError>> {
        Box::pin(async {
            let read = cache.dynamic(PodInformer::KIND).get(key).await?;
            Ok(Self::look(read))
        })
    }
}

/// Some fields, decoded from the bytes of the object.
pub(crate) enum View {}

#[derive(Deserialize)]
pub(crate) struct Slim {
    metadata: SlimMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SlimMetadata {
    namespace: String,
    name: String,
    resource_version: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

impl Kept for View {
    type Object = Pod;
    type Stored = Arc<Slim>;
    type Read = Arc<Slim>;

    fn store(raw: &RawObject<'_>, _: &Transform<Pod>) -> Result<Arc<Slim>, StoreError> {
        Ok(Arc::new(raw.decode()?))
    }

    fn read(stored: &Arc<Slim>) -> Arc<Slim> {
        Arc::clone(stored)
    }
}

impl KeptLabels for View {
    fn labels(stored: &Arc<Slim>) -> Cow<'_, BTreeMap<String, String>> {
        Cow::Borrowed(&stored.metadata.labels)
    }
}

impl Typed for View {
    const NAME: &'static str = "view";
    type Informer = PodInformer<View>;

    fn look(pod: Arc<Slim>) -> Read {
        let meta = &pod.metadata;
        Read {
            key: format!("{}/{}", meta.namespace, meta.name),
            version: meta.resource_version.clone(),
            labels: meta.labels.clone(),
            held: pod,
        }
    }
}

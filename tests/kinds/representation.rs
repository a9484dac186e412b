//! Pods in each representation, and the ways in which they may be cached.

use std::collections::BTreeMap;
use std::ops::Deref;

use larder::core::v1::{Pod, PodInformer, PodMetadataInformer, pod};
use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::{
    Cache, CacheBuilder, Dynamic, DynamicObject, Informer, InformerOptions, Kept, KeptLabels,
    Metadata, PartialObjectMetadata, ReflectorOptions, Transformable, TypedInformer as _,
};
use larder_sim::Sim;
use serde::Serialize;
use serde_json::Value;

use crate::support::{SOON, client, listings};

/// One representation of pods.
pub(crate) trait Pods:
    Kept<Read: Deref<Target = Self::Shown>, Stored: Deref<Target = Self::Shown>>
    + KeptLabels
    + Transformable
{
    /// What a read points to.
    type Shown: Serialize + 'static;
    const NAME: &'static str;

    /// The cache's informer of pods, by the way that this representation has to it.
    fn of(cache: &Cache) -> Informer<Self>;
    fn with(cache: &Cache, options: InformerOptions<Self>) -> Informer<Self>;
    fn metadata(shown: &Self::Shown) -> &ObjectMeta;
}

impl Pods for pod::Full {
    type Shown = Pod;
    const NAME: &'static str = "typed";

    fn of(cache: &Cache) -> Informer<Self> {
        cache.informer::<PodInformer>().unwrap().inner().clone()
    }

    fn with(cache: &Cache, options: InformerOptions<Self>) -> Informer<Self> {
        let pods = cache.informer_with::<PodInformer>(options).unwrap();
        pods.inner().clone()
    }

    fn metadata(shown: &Pod) -> &ObjectMeta {
        &shown.metadata
    }
}

impl Pods for Metadata {
    type Shown = PartialObjectMetadata;
    const NAME: &'static str = "metadata";

    fn of(cache: &Cache) -> Informer<Self> {
        let pods = cache.informer::<PodMetadataInformer>().unwrap();
        pods.inner().clone()
    }

    fn with(cache: &Cache, options: InformerOptions<Self>) -> Informer<Self> {
        let pods = cache.informer_with::<PodMetadataInformer>(options).unwrap();
        pods.inner().clone()
    }

    fn metadata(shown: &PartialObjectMetadata) -> &ObjectMeta {
        &shown.metadata
    }
}

impl Pods for Dynamic {
    type Shown = DynamicObject;
    const NAME: &'static str = "dynamic";

    fn of(cache: &Cache) -> Informer<Self> {
        cache.dynamic(PodInformer::KIND).informer().unwrap()
    }

    fn with(cache: &Cache, options: InformerOptions<Self>) -> Informer<Self> {
        let pods = cache.dynamic(PodInformer::KIND);
        pods.informer_with(options).unwrap()
    }

    fn metadata(shown: &DynamicObject) -> &ObjectMeta {
        &shown.metadata
    }
}

/// The same test on each representation.
macro_rules! on_each {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {
        mod typed {
            $($(#[$meta])* #[tokio::test(start_paused = true)]
            async fn $name() { super::$name::<larder::core::v1::pod::Full>().await; })*
        }
        mod metadata {
            $($(#[$meta])* #[tokio::test(start_paused = true)]
            async fn $name() { super::$name::<larder::Metadata>().await; })*
        }
        mod dynamic {
            $($(#[$meta])* #[tokio::test(start_paused = true)]
            async fn $name() { super::$name::<larder::Dynamic>().await; })*
        }
    };
}
pub(crate) use on_each;

/// One way to cache pods.
pub(crate) struct Mode {
    pub(crate) name: String,
    namespaces: Option<&'static [&'static str]>,
    reflector: ReflectorOptions,
}

/// One namespace, several and all, each over a streaming list, a list and pages.
pub(crate) fn modes() -> Vec<Mode> {
    let scopes: [(&str, Option<&[&str]>); 3] = [
        ("one namespace", Some(&["a"])),
        ("several namespaces", Some(&["a", "b"])),
        ("all namespaces", None),
    ];
    let mut modes = Vec::new();
    for (scope, namespaces) in scopes {
        for (listing, reflector) in listings() {
            modes.push(Mode {
                name: format!("{scope}, {listing}"),
                namespaces,
                reflector,
            });
        }
    }
    modes
}

impl Mode {
    pub(crate) fn builder(&self, sim: &Sim) -> CacheBuilder {
        let builder = Cache::builder(client(sim)).reflector(self.reflector.clone());
        match self.namespaces {
            Some(namespaces) => builder.namespaces(namespaces.iter().copied()),
            None => builder,
        }
    }

    pub(crate) fn watches(&self, namespace: &str) -> bool {
        self.namespaces
            .is_none_or(|namespaces| namespaces.contains(&namespace))
    }

    /// Those of these keys that this mode watches.
    pub(crate) fn within<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let namespace = |key: &str| key.split_once('/').unwrap().0.to_owned();
        let mut keys: Vec<_> = keys.into_iter().map(str::to_owned).collect();
        keys.retain(|key| self.watches(&namespace(key)));
        keys
    }

    /// A started cache with a synced informer of pods.
    pub(crate) async fn synced<R: Pods>(&self, sim: &Sim) -> (Cache, Informer<R>) {
        let cache = self.builder(sim).build();
        let pods = R::of(&cache);
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        (cache, pods)
    }
}

/// The keys of what a read yields, in order.
pub(crate) fn keys<R: Pods>(list: impl IntoIterator<Item = R::Read>) -> Vec<String> {
    let mut keys: Vec<_> = list
        .into_iter()
        .map(|read| {
            larder::ObjectKey::from_metadata(R::metadata(&read))
                .unwrap()
                .to_string()
        })
        .collect();
    keys.sort();
    keys
}

/// What a read yields as JSON.
pub(crate) fn json<R: Pods>(read: &R::Read) -> Value {
    serde_json::to_value(&**read).unwrap()
}

/// Key to JSON of everything in the store.
pub(crate) fn stored<R: Pods>(pods: &Informer<R>) -> BTreeMap<String, Value> {
    let all = pods.store().snapshot().list();
    all.map(|read| (keys::<R>([read.clone()]).remove(0), json::<R>(&read)))
        .collect()
}

/// What the server holds, as this representation shows it.
pub(crate) fn held<R: Pods>(sim: &Sim) -> BTreeMap<String, Value> {
    let shown = |mut object: Value| {
        let text = |field: &str| object["metadata"][field].as_str().unwrap().to_owned();
        let key = format!("{}/{}", text("namespace"), text("name"));
        let object_map = object.as_object_mut().unwrap();
        object_map["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("managedFields");
        if R::NAME == "metadata" {
            object_map.retain(|name, _| ["apiVersion", "kind", "metadata"].contains(&&**name));
        }
        (key, object)
    };
    sim.list("pods").unwrap().into_iter().map(shown).collect()
}

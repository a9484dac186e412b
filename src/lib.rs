//! Typed, always current local copies of Kubernetes objects.
//!
//! A program that reads many objects of a cluster, or has to react to their changes, should not ask the API server
//! each time. Larder lists and watches the kinds you name and keeps them in memory: reads are local, synchronous and
//! typed, and handlers hear of every change.
//!
//! ```
//! use std::time::Duration;
//! use larder::core::v1::{Pod, PodEventHandler, PodInformer, pod};
//! use larder::{Cache, Seen, Transport, field};
//!
//! struct Printer;
//!
//! impl PodEventHandler for Printer {
//!     fn on_add(&self, pod: &Seen<pod::Full>, initial: bool) {
//!         println!("{} is there, initially: {initial}", pod.key());
//!     }
//! }
//!
//! async fn run(client: impl Transport) -> Result<(), Box<dyn std::error::Error>> {
//!     let cache = Cache::builder(client).namespaces(["web", "jobs"]).build();
//!     let pods = cache.informer::<PodInformer>()?; // registered; runs from `start` on
//!     let by_node = pods.add_index(field!(Pod, spec.nodeName))?;
//!     pods.add_handler(Printer)?;
//!     cache.start()?;
//!     cache.wait_for_cache_sync(Duration::from_secs(30)).await?;
//!
//!     for pod in pods.lister().namespace("web").list()? {
//!         println!("{:?}", pod.metadata.name);
//!     }
//!     println!("{} pods on node-7", by_node.get("node-7")?.count());
//!     Ok(())
//! }
//! ```
//!
//! In the repository, `docs/getting-started.md` walks through the rest with an example of each part, `docs/selecting.md` through
//! indexes, queries and selectors, `docs/scopes.md` says how to watch less than everything, and `docs/contract.md` says what readers and handlers may rely on.
//!
//! # Names
//!
//! For each kind there are, in the module of its group and version, such as [`core::v1`]:
//!
//! | name | what |
//! |---|---|
//! | [`Pod`](core::v1::Pod) | k8s-openapi's type |
//! | [`PodInformer`](core::v1::PodInformer) | keeps the objects current and tells handlers; from a [`Cache`] or alone |
//! | [`PodMetadataInformer`](core::v1::PodMetadataInformer) | the same for metadata alone, which is all that the server is asked for |
//! | [`PodStore`](core::v1::PodStore) | the objects by key; consistent snapshots |
//! | [`PodLister`](core::v1::PodLister), [`PodNamespaceLister`](core::v1::PodNamespaceLister) | reads, which are an error before sync |
//! | [`PodIndexer`](core::v1::PodIndexer) | indexes: those made when they are first used, such as `by_spec_node_name`, and your own |
//! | [`pod::selectable`](core::v1::pod::selectable) | the fields that the server can select by, for [`FieldSelector`]s |
//! | [`PodEventHandler`](core::v1::PodEventHandler) | the trait for those who want to hear of changes |
//! | [`pod::Full`](core::v1::pod::Full) | how an object is kept: the default parameter of all of these |
//!
//! Modules are named as k8s-openapi names them. A kind that cannot be watched (`ComponentStatus`), and one that can
//! only be created (`TokenReview`), has none of these. Cluster-scoped kinds have no reads by namespace:
//!
//! ```
//! fn namespaced(pods: larder::core::v1::PodLister) {
//!     let _ = pods.namespace("web");
//! }
//! ```
//!
//! ```compile_fail,E0599
//! fn cluster_scoped(nodes: larder::core::v1::NodeLister) {
//!     let _ = nodes.namespace("web");
//! }
//! ```
//!
//! Nor has their lister of metadata alone:
//!
//! ```compile_fail,E0599
//! fn cluster_scoped(nodes: larder::core::v1::NodeMetadataInformer) {
//!     let _ = nodes.lister().namespace("web");
//! }
//! ```
//!
//! What is kept must be made of the kind's own objects, or of their metadata under the name for that:
//!
//! ```compile_fail,E0271
//! use larder::core::v1::{NodeInformer, pod};
//! fn misfit(cache: larder::Cache) {
//!     let _ = cache.informer::<NodeInformer<pod::Full>>();
//! }
//! ```
//!
//! What a read returned is shared with the cache, and cannot be changed:
//!
//! ```compile_fail,E0594
//! fn change(pods: larder::core::v1::PodMetadataInformer) -> Result<(), larder::ReadError> {
//!     let pod = pods.lister().namespace("web").get("api-0")?;
//!     pod.metadata.labels = None;
//!     Ok(())
//! }
//! ```
//!
//! Kinds that have no type here are [`Dynamic`]: [`Cache::dynamic`] and [`Cache::metadata`] take the kind as a value.
//!
//! Whatever is in the cluster but not in this build has no name here; a misspelt one has neither:
//!
//! ```compile_fail,E0432
//! use larder::core::v1::PodsLister;
//! ```
//!
//! # Which kinds
//!
//! The Kubernetes version is the one that your crate enables in k8s-openapi; by default its kinds are those of a
//! Kubernetes release of that version. With `LARDER_OPENAPI` in the environment of the build they are those of your
//! own cluster: its absolute path names a document of the cluster, such as the answer to
//! `kubectl get --raw /openapi/v2`. In `.cargo/config.toml` cargo makes a path absolute:
//!
//! ```toml
//! [env]
//! LARDER_OPENAPI = { value = "openapi.json", relative = true }
//! ```
//!
//! Kinds of the document that the enabled version has no type for, custom resources and kinds of aggregated API servers
//! are left out. They are named in a warning of the build, in [`LEFT_OUT`], and in the last section of this page.
//!
//! # Features
//!
//! `kube`, on by default: caches over `kube::Client`. It chooses no TLS stack: that is a feature of kube, which your
//! crate enables.
//!
//! `metrics`: health and counters of each informer and handler, through the `metrics` crate; names, labels and alerts are in
//! `docs/metrics.md`, as are the events and spans of `tracing`, which need no feature.
#![doc = include_str!(concat!(env!("OUT_DIR"), "/larder.left_out.md"))]

pub use k8s_openapi;
#[doc(inline)]
pub use larder_runtime::*;

include!(concat!(env!("OUT_DIR"), "/larder.rs"));

/// Caches of a type that kube's `CustomResource` derives: the same names as for the kinds of Kubernetes, beside the type.
///
/// It is written beside kube's derive and reads the same `#[kube(…)]` attribute, so that nothing is said twice: group, version, kind,
/// `plural`, `singular`, `namespaced`, `root`, `no_spec`, `selectable`, with kube's defaults.
///
/// ```
/// use std::time::Duration;
///
/// use kube::CustomResource;
/// use larder::{Cache, Cached, Seen, Transport, field};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced, selectable = ".spec.color")]
/// pub struct GadgetSpec {
///     pub color: String,
///     pub size: Option<i64>,
/// }
///
/// struct Printer;
///
/// impl GadgetEventHandler for Printer {
///     fn on_add(&self, gadget: &Seen<gadget::Full>, _initial: bool) {
///         println!("{} is {}", gadget.key(), gadget.object().spec.color);
///     }
/// }
///
/// async fn run(client: impl Transport) -> Result<(), Box<dyn std::error::Error>> {
///     let cache = Cache::builder(client).build();
///     let gadgets = cache.informer::<GadgetInformer>()?;
///     let by_size = gadgets.add_index(field!(Gadget, spec.size))?;
///     gadgets.add_handler(Printer)?;
///     cache.start()?;
///     cache.wait_for_cache_sync(Duration::from_secs(30)).await?;
///
///     for gadget in gadgets.lister().namespace("web").list()? {
///         println!("{:?}", gadget.metadata.name);
///     }
///     println!("{} of size 3", by_size.get(&3)?.count());
///     println!("{} are red", gadgets.indexer().by_spec_color("red")?.count());
///     Ok(())
/// }
/// # fn main() {}
/// ```
///
/// There are, for `Gadget`: `GadgetInformer`, `GadgetMetadataInformer`, `GadgetStore`, `GadgetLister`, `GadgetNamespaceLister` where it
/// is namespaced, `GadgetIndexer`, `GadgetEventHandler`, and the module `gadget` with `Full`, `KIND` and `selectable`. Whoever sees the
/// type sees them. The type stands in a module, not inside of a function.
///
/// # Options
///
/// `#[larder(…)]` says what kube has no word for:
///
/// - `module = "gadgets"`: the kind's own module, where another one is called so.
/// - `selectable = ".spec.maker.code as id"`: what `field!` has to be told, where serde renames a field below the spec. Of the spec's own
///   fields the attribute is read.
/// - `crate = "::cached"`: where Larder is, if `Cargo.toml` gives it another name.
///
/// A selectable field may be of any type that serde writes as a text, a number or a boolean. The server compares texts; of
/// `String`, `bool`, `i32` and `i64` a query goes through an index.
#[doc(inline)]
pub use larder_derive::Cached;

/// What `cached!` expands to. No part of the public interface.
#[doc(hidden)]
pub mod __derive {
    pub use larder_derive::cached;
}

/// Caches of a type that is there already, hand-written or of another crate: the same names as for the kinds of Kubernetes, where the
/// line stands.
///
/// The type needs `Deserialize` and a field `metadata` of type `ObjectMeta`; whether it implements a trait of kube or of k8s-openapi makes
/// no difference.
///
/// ```
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
/// use larder::{Transport, cached, field};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// pub struct Gadget {
///     pub metadata: ObjectMeta,
///     pub spec: GadgetSpec,
/// }
///
/// #[derive(Deserialize)]
/// pub struct GadgetSpec {
///     pub color: String,
/// }
///
/// cached!(pub Gadget, group = "example.com", version = "v1", namespaced);
///
/// fn by_color(client: impl Transport) -> Result<(), Box<dyn std::error::Error>> {
///     let gadgets = GadgetInformer::new(client, Default::default())?;
///     let by_color = gadgets.add_index(field!(Gadget, spec.color))?;
///     println!("{} are red", by_color.get("red")?.count());
///     Ok(())
/// }
/// # fn main() {}
/// ```
///
/// | key | default |
/// |---|---|
/// | `group`, `version` | needed; the core group is `""` |
/// | `kind` | the name of the type |
/// | `plural` | as kube has it: `gadgets`, `boxes`, `policies` |
/// | `namespaced` | cluster-scoped |
/// | `selectable`, any number of times | name, and namespace; see [`Cached`](macro@Cached) |
/// | `module` | the name of the type in snake case |
///
/// What is in front of the type is how far the names are seen, as in front of a `struct`. A type of another crate or module is named by its
/// path, which brings it into scope, too:
///
/// ```
/// mod config {
///     larder::cached!(pub(crate) k8s_openapi::api::core::v1::ConfigMap, group = "", version = "v1", namespaced);
/// }
/// use config::{ConfigMap, ConfigMapLister};
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! cached {
    ($($said:tt)*) => {
        $crate::__derive::cached!($crate; $($said)*);
    };
}

/// Puts in what `larder-codegen` wrote in this crate's own `build.rs`: a module for each group of kinds.
///
/// ```ignore
/// // build.rs: larder_codegen::configure().crds("crds/*.yaml").generate()
/// larder::include_generated!();
///
/// use crate::cert_manager_io::v1::{Certificate, CertificateInformer};
/// ```
///
/// A file of another name is given: `include_generated!("kinds.rs")`.
#[macro_export]
macro_rules! include_generated {
    () => {
        $crate::include_generated!("larder.rs");
    };
    ($file:literal) => {
        include!(concat!(
            env!(
                "OUT_DIR",
                "there is no build script: write a build.rs beside Cargo.toml that calls larder_codegen::configure()"
            ),
            "/",
            $file
        ));
    };
}

/// What the pages show compiles.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/getting-started.md")]
    struct GettingStarted;
    #[doc = include_str!("../docs/scopes.md")]
    struct Scopes;
    #[doc = include_str!("../docs/selecting.md")]
    struct Selecting;
}

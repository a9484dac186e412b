//! What applies to all informers of a cache.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::kinds::KindOptions;
use super::registry::Registry;
use super::{Cache, Inner};
use crate::discovery::Discovery;
use crate::handler::Resync;
use crate::informer::{Absent, CacheInformer, InformerOptions, NamespaceOptions};
use crate::kept::{Kept, TransformError};
use crate::kind::Kind;
use crate::object::{Dynamic, Metadata};
use crate::reflector::{ReflectorError, ReflectorOptions};
use crate::selector::{FieldSelector, LabelSelector};
use crate::transport::Transport;

/// How long a read waits for its informer's sync where nothing else is said.
const READ_DEADLINE: Duration = Duration::from_secs(60);

/// Options of a cache: defaults for its informers, each beaten by what is said of the informer's kind, and that by the informer's own
/// option.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use larder::{CacheInformer, Cache, InformerOptions, Transport, labels};
/// # fn example<PodInformer: CacheInformer>(client: impl Transport) -> Cache {
/// Cache::builder(client)
///     .except_namespaces(["kube-system"])
///     .labels(labels!("!larder.example/ignored"))
///     // Pods alone, whoever asks for their informer.
///     .kind::<PodInformer>(InformerOptions::new().labels(labels!("app in (web, api)")))
///     .build()
/// # }
/// ```
///
/// A clone builds another cache with the same options.
#[derive(Clone)]
#[must_use = "call `build`"]
pub struct CacheBuilder {
    transport: Arc<dyn Transport>,
    settings: Settings,
    defaults: InformerOptions<Metadata>,
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) discovery: Discovery,
    pub(super) strict: bool,
    pub(super) read_deadline: Duration,
    pub(super) kinds: KindOptions,
}

impl CacheBuilder {
    pub(super) fn new(transport: Arc<dyn Transport>) -> Self {
        let settings = Settings {
            discovery: Discovery::over(Arc::clone(&transport)),
            strict: false,
            read_deadline: READ_DEADLINE,
            kinds: KindOptions::default(),
        };
        Self {
            transport,
            settings,
            defaults: InformerOptions::default(),
        }
    }

    fn with(
        mut self,
        change: impl FnOnce(InformerOptions<Metadata>) -> InformerOptions<Metadata>,
    ) -> Self {
        self.defaults = change(self.defaults);
        self
    }

    /// Watches these namespaces, of which there must be one at least; kinds without namespaces are watched whole.
    /// Default: all namespaces. How these calls combine is said at [`InformerOptions`].
    pub fn namespaces<N: Into<String>>(self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.with(|defaults| defaults.namespaces(namespaces))
    }

    /// Watches a namespace, with defaults of its own: they come before those for all namespaces, and after what an informer's own
    /// options say.
    pub fn namespace(
        self,
        namespace: impl Into<String>,
        options: NamespaceOptions<Metadata>,
    ) -> Self {
        self.with(|defaults| defaults.namespace(namespace, options))
    }

    /// Watches all namespaces, also where some are named.
    pub fn all_namespaces(self) -> Self {
        self.with(InformerOptions::all_namespaces)
    }

    /// Watches all namespaces but these.
    pub fn except_namespaces<N: Into<String>>(
        self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Self {
        self.with(|defaults| defaults.except_namespaces(namespaces))
    }

    /// Watches all namespaces that are not named, with defaults of their own.
    pub fn other_namespaces(self, options: NamespaceOptions<Metadata>) -> Self {
        self.with(|defaults| defaults.other_namespaces(options))
    }

    /// Defaults for the informers of one kind: for [`Cache::informer`], for reads that make an informer, and for further ones under
    /// names of their own. Each option that an informer does not set comes from here, and from the cache's other defaults where it is not
    /// set here either. It makes no informer. The last call for a kind counts.
    ///
    /// A kind that is kept in two ways is two kinds here: what is said of `PodInformer` is not said of `PodMetadataInformer`.
    /// A [name](InformerOptions::name) is that of the informer which is asked for without one. Wrong options are an error
    /// when an informer is made, as its own would be.
    pub fn kind<I: CacheInformer>(self, options: InformerOptions<I::Kept>) -> Self {
        self.kept(&I::KIND, options)
    }

    /// As [`kind`](Self::kind), for whole objects of a kind known at run time alone: those of [`Cache::dynamic`].
    pub fn dynamic(self, kind: &Kind, options: InformerOptions<Dynamic>) -> Self {
        self.kept(kind, options)
    }

    /// As [`kind`](Self::kind), for metadata alone of a kind known at run time: that of [`Cache::metadata`].
    pub fn metadata(self, kind: &Kind, options: InformerOptions<Metadata>) -> Self {
        self.kept(kind, options)
    }

    fn kept<R: Kept>(mut self, kind: &Kind, options: InformerOptions<R>) -> Self {
        self.settings.kinds.set(kind, options);
        self
    }

    /// Only objects that these labels select, on the server; [`labels!`](crate::labels!) makes them of a text that the compiler checks.
    pub fn labels(self, selector: LabelSelector) -> Self {
        self.with(|defaults| defaults.labels(selector))
    }

    /// Only objects that these fields select, on the server: those of [`Selectable`](crate::Selectable) that every kind has, such as
    /// `Selectable::METADATA_NAME.ne("kube-root-ca.crt")`. `METADATA_NAMESPACE` is for caches whose kinds are namespaced: nodes,
    /// namespaces and some other kinds of the cluster are refused with 400 by it, and [`namespaces`](Self::namespaces) says it better.
    pub fn fields(self, selector: FieldSelector<ObjectMeta>) -> Self {
        self.with(|defaults| defaults.fields(selector))
    }

    /// Only objects that this label selector selects, on the server. Its syntax is checked when an informer is made.
    pub fn label_selector(self, selector: impl Into<String>) -> Self {
        self.with(|defaults| defaults.label_selector(selector))
    }

    /// Only objects that this field selector selects, on the server. Most fields exist for one kind alone: as a default,
    /// `metadata.name` and, for namespaced kinds, `metadata.namespace` make sense.
    pub fn field_selector(self, selector: impl Into<String>) -> Self {
        self.with(|defaults| defaults.field_selector(selector))
    }

    /// Changes the metadata of each received object before it is stored, such as dropping annotations that nobody reads.
    /// An informer's own transform takes its place. Metadata kept alone and dynamic objects are changed, too; a kept type of one's own
    /// is left out unless [`Kept::metadata_mut`](crate::Kept::metadata_mut) gives its metadata.
    pub fn transform(
        self,
        change: impl Fn(&mut ObjectMeta) -> Result<(), TransformError> + Send + Sync + 'static,
    ) -> Self {
        self.with(|defaults| defaults.transform(change))
    }

    /// The period after which handlers are told of every object again. Default: 10 hours, as in controller-runtime.
    pub fn resync(self, resync: Resync) -> Self {
        self.with(|defaults| defaults.resync(resync))
    }

    /// How lists and watches are made: page size, deadlines, backoff.
    pub fn reflector(self, options: ReflectorOptions) -> Self {
        self.with(|defaults| defaults.reflector(options))
    }

    /// Is called with each failed list or watch of any informer; see [`InformerOptions::on_error`].
    pub fn on_error(self, hook: impl Fn(&ReflectorError) + Send + Sync + 'static) -> Self {
        self.with(|defaults| defaults.on_error(hook))
    }

    /// What informers do when the server does not serve their kind. Default: what the kept type says, for
    /// dynamic objects [`Absent::Stop`], for all others [`Absent::Wait`].
    pub fn when_absent(self, absent: Absent) -> Self {
        self.with(|defaults| defaults.when_absent(absent))
    }

    /// Refuses reads of kinds whose informer nobody asked for, instead of starting one. Default: off.
    pub fn strict(mut self, strict: bool) -> Self {
        self.settings.strict = strict;
        self
    }

    /// How long [`Cache::get`] and [`Cache::list`] wait for an informer's sync. Default: 60 seconds.
    pub fn read_deadline(mut self, deadline: Duration) -> Self {
        self.settings.read_deadline = deadline;
        self
    }

    /// The cache; nothing runs before [`Cache::start`].
    #[must_use]
    pub fn build(self) -> Cache {
        let Self {
            transport,
            settings,
            defaults,
        } = self;
        Cache(Arc::new(Inner {
            transport,
            settings,
            defaults: Mutex::new(Arc::new(defaults)),
            registry: Registry::default(),
        }))
    }
}

impl fmt::Debug for CacheBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheBuilder")
            .field("strict", &self.settings.strict)
            .field("defaults", &self.defaults)
            .field("kinds", &self.settings.kinds)
            .finish_non_exhaustive()
    }
}

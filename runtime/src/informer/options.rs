//! What one informer may be told.

use std::fmt;

use super::namespaces::{NamespaceOptions, Namespaces};
use crate::discovery::Discovery;
use crate::handler::Resync;
use crate::kept::{Kept, TransformError, Transformable};
use crate::reflector::{ErrorHook, ReflectorError, ReflectorOptions};
use crate::selector::{FieldSelector, LabelSelector};

/// What an informer does when its kind is absent: not served at the start, or not any more.
///
/// Whatever it does, its objects leave and handlers hear of the deletes. When a kind counts as absent the contract says
/// (`docs/contract.md`): a 404 alone proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Absent {
    /// It waits for the kind, looking every 30 seconds at the longest, and syncs by itself when it appears.
    #[default]
    Wait,
    /// It stops, and does not start again. A cache that is asked for it after that makes a new one in its place.
    Stop,
}

/// Options of one informer. What is not set comes from what the cache says of its kind ([`CacheBuilder::kind`]), else from the cache's
/// defaults, or from those of this crate.
///
/// [`CacheBuilder::kind`]: crate::CacheBuilder::kind
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use larder::{InformerOptions, Kept, labels};
/// # fn of<R: Kept>() -> InformerOptions<R> {
/// InformerOptions::new().name("web-pods").namespaces(["web", "jobs"]).labels(labels!("app=web"))
/// # }
/// ```
///
/// # Namespaces
///
/// [`namespaces`](Self::namespaces) and [`namespace`](Self::namespace) name namespaces, each with a list and watch of its own, so that
/// rights in these suffice. [`all_namespaces`](Self::all_namespaces), [`except_namespaces`](Self::except_namespaces) and
/// [`other_namespaces`](Self::other_namespaces) watch all that have no name here, over one list and watch more. They may be
/// combined; if none is called, the cache's defaults say which, else it is all.
///
/// With a transform, the parameter of the closure needs its type: `.transform(|pod: &mut Pod| …)`.
#[non_exhaustive]
pub struct InformerOptions<R: Kept> {
    pub(crate) name: Option<String>,
    pub(crate) resync: Option<Resync>,
    pub(crate) when_absent: Option<Absent>,
    pub(crate) on_error: Option<ErrorHook>,
    pub(crate) namespaces: Option<Namespaces<R>>,
    /// What holds wherever a namespace has nothing of its own.
    pub(crate) general: NamespaceOptions<R>,
    /// Who is to forget the kind when it is absent: the cache's.
    pub(crate) discovery: Option<Discovery>,
}

impl<R: Kept> Default for InformerOptions<R> {
    fn default() -> Self {
        Self {
            name: None,
            resync: None,
            when_absent: None,
            on_error: None,
            namespaces: None,
            general: NamespaceOptions::default(),
            discovery: None,
        }
    }
}

impl<R: Kept> Clone for InformerOptions<R> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            resync: self.resync,
            when_absent: self.when_absent,
            on_error: self.on_error.clone(),
            namespaces: self.namespaces.clone(),
            general: self.general.clone(),
            discovery: self.discovery.clone(),
        }
    }
}

impl<R: Kept> fmt::Debug for InformerOptions<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("name", &self.name)
            .field("resync", &self.resync)
            .field("when_absent", &self.when_absent)
            .field("namespaces", &self.namespaces)
            .field("general", &self.general)
            .finish_non_exhaustive()
    }
}

impl<R: Kept> InformerOptions<R> {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The informer's name in logs, health and metrics. In a cache it also tells informers of one kind apart.
    /// Default: the resource, as `deployments.apps`, or `deployments.apps (metadata)` where metadata alone is kept.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Watches these namespaces, each with this informer's general options. An empty list alone is an error when the informer
    /// is made, as it would look like an empty cluster.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let set = self.namespaces.get_or_insert_with(Namespaces::none);
        for namespace in namespaces {
            set.named.entry(namespace.into()).or_default();
        }
        self
    }

    /// Watches a namespace with options of its own.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>, options: NamespaceOptions<R>) -> Self {
        let set = self.namespaces.get_or_insert_with(Namespaces::none);
        set.named.insert(namespace.into(), options);
        self
    }

    /// Watches all namespaces, whatever the default is. Those named beside it keep what is said of them, and their own list and
    /// watch.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        let set = self.namespaces.get_or_insert_with(Namespaces::none);
        set.others.get_or_insert_default();
        self
    }

    /// Watches all namespaces but these.
    ///
    /// They are left out on the server, by `metadata.namespace!=…`, where it selects by that field, and here, before anything is
    /// decoded, where it does not (`PodCertificateRequest`).
    #[must_use]
    pub fn except_namespaces<N: Into<String>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Self {
        let set = self.namespaces.get_or_insert_with(Namespaces::none);
        set.others.get_or_insert_default();
        set.except.extend(namespaces.into_iter().map(Into::into));
        self
    }

    /// Watches all namespaces that are not named, with options of their own.
    #[must_use]
    pub fn other_namespaces(mut self, options: NamespaceOptions<R>) -> Self {
        let set = self.namespaces.get_or_insert_with(Namespaces::none);
        set.others = Some(options);
        self
    }

    /// Only objects that these labels select, on the server; beats the default, also where it selects everything. Made by
    /// [`labels!`](crate::labels!), or parsed.
    #[must_use]
    pub fn labels(mut self, selector: LabelSelector) -> Self {
        self.general = self.general.labels(selector);
        self
    }

    /// Only objects that this label selector selects, on the server; `""` selects everything, whatever the default is.
    /// Its syntax is checked when the informer is made.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.general = self.general.label_selector(selector);
        self
    }

    /// Only objects that this field selector selects, on the server; `""` selects everything, whatever the default is.
    /// A field that the server cannot select on is its answer 400, seen as the informer's last error.
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.general = self.general.field_selector(selector);
        self
    }

    /// Only objects that these fields select, on the server; beats the default. A field that the server cannot select this kind by
    /// has no constant, and that of another kind does not compile: see [`FieldSelector`].
    #[must_use]
    pub fn fields(self, selector: FieldSelector<R::Object>) -> Self {
        self.field_selector(selector)
    }

    /// Changes each received object before it is stored, instead of the cache's default transform.
    #[must_use]
    pub fn transform(
        mut self,
        change: impl Fn(&mut R::Object) -> Result<(), TransformError> + Send + Sync + 'static,
    ) -> Self
    where
        R: Transformable,
    {
        self.general = self.general.transform(change);
        self
    }

    /// The period after which handlers that do not set their own are told of every object again.
    #[must_use]
    pub fn resync(mut self, resync: Resync) -> Self {
        self.resync = Some(resync);
        self
    }

    /// Is called with each failed list or watch, whichever namespace it was of, instead of the cache's default hook: to count
    /// failures, or to end the program when the credentials are no longer accepted. It takes no part in what the reflector does
    /// about them, and need not exist: health has the newest error, and the log has all.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// # use larder::{InformerOptions, Kept};
    /// # fn of<R: Kept>(lost: tokio::sync::watch::Sender<bool>) -> InformerOptions<R> {
    /// use larder::ReflectorFailure;
    ///
    /// InformerOptions::new().on_error(move |error| {
    ///     if let ReflectorFailure::Unauthorized { .. } = error.failure() {
    ///         lost.send_replace(true); // whoever waits for it shuts down
    ///     }
    /// })
    /// # }
    /// ```
    ///
    /// What a healthy server does now and then is among them: a version that is too old (410), a connection that breaks off.
    /// Objects that do not decode are not: they fail no request. [`Health::decode_failures`](crate::Health::decode_failures)
    /// counts them.
    ///
    /// Calls come one at a time, in a task beside the reflectors, so that a slow hook delays neither them nor handlers; 64 errors
    /// wait for it at most, and then the oldest goes. It must not block its thread for long. A panic in it is
    /// logged and ends that call alone. When the informer stops, what waits is told first, within the deadline.
    #[must_use]
    pub fn on_error(mut self, hook: impl Fn(&ReflectorError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(ErrorHook::new(hook));
        self
    }

    /// What is done when the server does not serve the kind. Default: the cache's, else what the kept type says
    /// ([`Kept::WHEN_ABSENT`]): [`Absent::Wait`], for dynamic objects [`Absent::Stop`].
    #[must_use]
    pub fn when_absent(mut self, absent: Absent) -> Self {
        self.when_absent = Some(absent);
        self
    }

    /// How lists and watches are made: page size, deadlines, backoff.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.general = self.general.reflector(options);
        self
    }
}

//! What applies to all informers of a cache.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::registry::Registry;
use super::{Cache, Inner};
use crate::discovery::Discovery;
use crate::handler::Resync;
use crate::informer::{Absent, Common, InformerOptions, Namespaces};
use crate::kept::{Kept, Transform, TransformError};
use crate::reflector::ReflectorOptions;
use crate::transport::Transport;

/// How long a read waits for its informer's sync where nothing else is said.
const READ_DEADLINE: Duration = Duration::from_secs(60);

/// Options of a cache: defaults for its informers, each beaten by the informer's own option.
#[must_use = "call `build`"]
pub struct CacheBuilder {
    transport: Arc<dyn Transport>,
    settings: Settings,
}

pub(super) struct Settings {
    pub(super) discovery: Discovery,
    pub(super) strict: bool,
    pub(super) read_deadline: Duration,
    defaults: Common,
}

impl Settings {
    /// An informer's own options, and the defaults where it has none.
    pub(super) fn complete<R: Kept>(&self, options: InformerOptions<R>) -> InformerOptions<R> {
        InformerOptions {
            common: options.common.or(&self.defaults),
            discovery: Some(self.discovery.clone()),
            ..options
        }
    }
}

impl CacheBuilder {
    pub(super) fn new(transport: Arc<dyn Transport>) -> Self {
        let settings = Settings {
            discovery: Discovery::over(Arc::clone(&transport)),
            strict: false,
            read_deadline: READ_DEADLINE,
            defaults: Common::default(),
        };
        Self {
            transport,
            settings,
        }
    }

    /// Watches these namespaces alone, of which there must be one at least; kinds without namespaces are watched whole.
    /// Default: all namespaces.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.settings.defaults.namespaces = Some(Namespaces::only(namespaces));
        self
    }

    /// Only objects that this label selector selects, on the server.
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.settings.defaults.label_selector = Some(selector.into());
        self
    }

    /// Only objects that this field selector selects, on the server. Most fields exist for one kind alone: as a default,
    /// `metadata.name` and, for namespaced kinds, `metadata.namespace` make sense.
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.settings.defaults.field_selector = Some(selector.into());
        self
    }

    /// Changes the metadata of each received object before it is stored, such as dropping annotations that nobody reads.
    /// An informer's own transform takes its place. Types that never hold the whole object are left out.
    pub fn transform(
        mut self,
        change: impl Fn(&mut ObjectMeta) -> Result<(), TransformError> + Send + Sync + 'static,
    ) -> Self {
        self.settings.defaults.metadata_transform = Some(Transform::new(change));
        self
    }

    /// The period after which handlers are told of every object again. Default: 10 hours, as in controller-runtime.
    pub fn resync(mut self, resync: Resync) -> Self {
        self.settings.defaults.resync = Some(resync);
        self
    }

    /// How lists and watches are made: page size, deadlines, backoff.
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.settings.defaults.reflector = Some(options);
        self
    }

    /// What informers do when the server does not serve their kind. Default: [`Absent::Wait`].
    pub fn when_absent(mut self, absent: Absent) -> Self {
        self.settings.defaults.when_absent = Some(absent);
        self
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
        } = self;
        Cache(Arc::new(Inner {
            transport,
            settings,
            registry: Registry::default(),
        }))
    }
}

impl fmt::Debug for CacheBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheBuilder")
            .field("strict", &self.settings.strict)
            .finish_non_exhaustive()
    }
}

//! What one informer may be told, and how defaults come in.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::error::InformerError;
use crate::discovery::Discovery;
use crate::handler::Resync;
use crate::kept::{Kept, Transform, TransformError, Transformable};
use crate::kind::Kind;
use crate::reflector::ReflectorOptions;
use crate::selector::{FieldSelector, LabelSelector};

/// Which namespaces an informer watches.
///
/// A namespace limit means nothing to a cluster-scoped kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Namespaces {
    /// All of them, over one list and watch.
    #[default]
    All,
    /// These alone, each over a list and watch of its own; rights in them suffice.
    Only(BTreeSet<String>),
}

impl Namespaces {
    /// These namespaces alone.
    pub(crate) fn only<N: Into<String>>(namespaces: impl IntoIterator<Item = N>) -> Self {
        Self::Only(namespaces.into_iter().map(Into::into).collect())
    }
}

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
    /// It stops; a stopped informer does not start again.
    Stop,
}

/// What applies to an informer whatever its kind is; `None` means "not set", and a default comes in.
#[derive(Clone, Default)]
pub(crate) struct Common {
    pub(crate) namespaces: Option<Namespaces>,
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) metadata_transform: Option<Transform<ObjectMeta>>,
    pub(crate) resync: Option<Resync>,
    pub(crate) reflector: Option<ReflectorOptions>,
    pub(crate) when_absent: Option<Absent>,
}

impl Common {
    /// What is set here, and the defaults for the rest.
    ///
    /// The pattern names every field, so that a new option cannot be left out of defaulting.
    pub(crate) fn or(self, defaults: &Self) -> Self {
        let Self {
            namespaces,
            label_selector,
            field_selector,
            metadata_transform,
            resync,
            reflector,
            when_absent,
        } = self;
        Self {
            namespaces: namespaces.or_else(|| defaults.namespaces.clone()),
            label_selector: label_selector.or_else(|| defaults.label_selector.clone()),
            field_selector: field_selector.or_else(|| defaults.field_selector.clone()),
            metadata_transform: metadata_transform.or_else(|| defaults.metadata_transform.clone()),
            resync: resync.or(defaults.resync),
            reflector: reflector.or_else(|| defaults.reflector.clone()),
            when_absent: when_absent.or(defaults.when_absent),
        }
    }
}

/// Options of one informer. What is not set comes from the cache's defaults, or from those of this crate.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use larder::{InformerOptions, Kept};
/// # fn of<R: Kept>() -> InformerOptions<R> {
/// InformerOptions::new().name("web-pods").namespaces(["web", "jobs"]).label_selector("app=web")
/// # }
/// ```
///
/// With a transform, the parameter of the closure needs its type: `.transform(|pod: &mut Pod| …)`.
#[non_exhaustive]
pub struct InformerOptions<R: Kept> {
    pub(crate) name: Option<String>,
    pub(crate) common: Common,
    pub(crate) transform: Option<Transform<R::Object>>,
    /// Who is to forget the kind when it is absent: the cache's.
    pub(crate) discovery: Option<Discovery>,
}

impl<R: Kept> Default for InformerOptions<R> {
    fn default() -> Self {
        Self {
            name: None,
            common: Common::default(),
            transform: None,
            discovery: None,
        }
    }
}

impl<R: Kept> Clone for InformerOptions<R> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            common: self.common.clone(),
            transform: self.transform.clone(),
            discovery: self.discovery.clone(),
        }
    }
}

impl<R: Kept> fmt::Debug for InformerOptions<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("name", &self.name)
            .field("namespaces", &self.common.namespaces)
            .field("label_selector", &self.common.label_selector)
            .field("field_selector", &self.common.field_selector)
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

    /// Watches these namespaces alone, of which there must be one at least. Default: all.
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.common.namespaces = Some(Namespaces::only(namespaces));
        self
    }

    /// Watches all namespaces, whatever the default is.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.common.namespaces = Some(Namespaces::All);
        self
    }

    /// Only objects that this label selector selects, on the server; `""` selects everything, whatever the default is.
    /// Its syntax is checked when the informer is made.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.common.label_selector = Some(selector.into());
        self
    }

    /// Only objects that this field selector selects, on the server; `""` selects everything, whatever the default is.
    /// A field that the server cannot select on is its answer 400, seen as the informer's last error.
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.common.field_selector = Some(selector.into());
        self
    }

    /// Only objects that these fields select, on the server; beats the default. A field that the server cannot select this kind by
    /// has no constant, and that of another kind does not compile: see [`FieldSelector`].
    #[must_use]
    pub fn fields(self, selector: FieldSelector<R::Object>) -> Self {
        self.field_selector(selector.to_string())
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
        self.transform = Some(Transform::new(change));
        self
    }

    /// The period after which handlers that do not set their own are told of every object again.
    #[must_use]
    pub fn resync(mut self, resync: Resync) -> Self {
        self.common.resync = Some(resync);
        self
    }

    /// How lists and watches are made: page size, deadlines, backoff.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.common.reflector = Some(options);
        self
    }

    /// What is done when the server does not serve the kind. Default: the cache's, or [`Absent::Wait`].
    #[must_use]
    pub fn when_absent(mut self, absent: Absent) -> Self {
        self.common.when_absent = Some(absent);
        self
    }

    /// The transform that applies: the kind's own, else the one of all kinds.
    pub(crate) fn effective_transform(&self) -> Transform<R::Object> {
        if let Some(transform) = &self.transform {
            return transform.clone();
        }
        match self.common.metadata_transform.clone() {
            None => Transform::none(),
            Some(metadata) => Transform::new(move |object| match R::metadata_mut(object) {
                Some(meta) => metadata.apply(meta),
                None => Ok(()),
            }),
        }
    }

    /// The namespaces to open a list and watch for: `None` for one over everything.
    pub(crate) fn sources(&self, kind: &Kind) -> Result<Vec<Option<Arc<str>>>, InformerError> {
        if let Some(selector) = &self.common.label_selector {
            selector
                .parse::<LabelSelector>()
                .map_err(|source| InformerError::Selector {
                    kind: kind.clone(),
                    source,
                })?;
        }
        match &self.common.namespaces {
            Some(Namespaces::Only(namespaces)) if kind.is_namespaced() => {
                if namespaces.is_empty() {
                    return Err(InformerError::NoNamespaces { kind: kind.clone() });
                }
                if let Some(namespace) =
                    namespaces.iter().find(|namespace| !is_namespace(namespace))
                {
                    let (kind, namespace) = (kind.clone(), namespace.clone());
                    return Err(InformerError::Namespace { kind, namespace });
                }
                Ok(namespaces
                    .iter()
                    .map(|namespace| Some(Arc::from(namespace.as_str())))
                    .collect())
            }
            _ => Ok(vec![None]),
        }
    }
}

fn is_namespace(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len())
        && name.chars().all(inner)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::Resync;

    #[test]
    fn c038_every_option_takes_part_in_defaulting() {
        let defaults = Common {
            namespaces: Some(Namespaces::only(["a"])),
            label_selector: Some("a=b".into()),
            field_selector: Some("metadata.name=x".into()),
            metadata_transform: Some(Transform::new(|_| Ok(()))),
            resync: Some(Resync::Never),
            reflector: Some(ReflectorOptions::default()),
            when_absent: Some(Absent::Stop),
        };
        let set = |common: &Common| {
            let Common {
                namespaces,
                label_selector,
                field_selector,
                metadata_transform,
                resync,
                reflector,
                when_absent,
            } = common;
            [
                namespaces.is_some(),
                label_selector.is_some(),
                field_selector.is_some(),
                metadata_transform.is_some(),
                resync.is_some(),
                reflector.is_some(),
                when_absent.is_some(),
            ]
        };
        assert_eq!(set(&Common::default().or(&defaults)), [true; 7]);
        let own = Common {
            namespaces: Some(Namespaces::All),
            label_selector: Some(String::new()),
            ..Common::default()
        };
        let merged = own.or(&defaults);
        assert_eq!(
            merged.namespaces,
            Some(Namespaces::All),
            "what is set stays"
        );
        assert_eq!(
            merged.label_selector.as_deref(),
            Some(""),
            "c036: an explicit everything beats the default"
        );
        assert_eq!(merged.field_selector.as_deref(), Some("metadata.name=x"));
    }
}

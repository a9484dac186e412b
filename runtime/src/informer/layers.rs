//! From options to sources: the one place that knows which option comes before which.
//!
//! | | an informer's | the cache's for the kind | the cache's |
//! |---|---|---|---|
//! | of one namespace | 1. | 3. | 5. |
//! | in general | 2. | 4. | 6. |

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::default_name;
use super::error::InvalidScope;
use super::namespaces::{NamespaceOptions, Namespaces};
use super::options::{Absent, InformerOptions};
use crate::discovery::Discovery;
use crate::entry::SourceId;
use crate::handler::Resync;
use crate::kept::Kept;
use crate::kind::Kind;
use crate::object::Metadata;
use crate::reflector::{ErrorHook, OnAbsence};
use crate::selector::LabelSelector;
use crate::store::Coverage;

/// An informer's options with those of its kind and the cache's defaults behind them.
pub(crate) struct Layers<R: Kept> {
    is_namespaced: bool,
    name: Arc<str>,
    resync: Resync,
    when_absent: Absent,
    on_error: Option<ErrorHook>,
    discovery: Option<Discovery>,
    namespaces: Namespaces<R>,
    inherits: bool,
    general: NamespaceOptions<R>,
    of_kind: Arc<InformerOptions<R>>,
    defaults: Arc<InformerOptions<Metadata>>,
}

/// The sources of one informer as it is made.
pub(super) struct Plan<R: Kept> {
    pub(super) sources: Vec<Planned<R>>,
    /// Of all others, those that are not watched.
    except: BTreeSet<Arc<str>>,
}

/// One list and watch.
pub(super) struct Planned<R: Kept> {
    pub(super) id: SourceId,
    /// `None` for all that have no source of their own.
    pub(super) namespace: Option<Arc<str>>,
    pub(super) options: NamespaceOptions<R>,
}

impl<R: Kept> Plan<R> {
    pub(super) fn coverage(&self) -> Coverage {
        let sources = self.sources.iter();
        let places = sources.map(|source| (source.id, source.namespace.clone()));
        Coverage::new(places, self.except.clone())
    }
}

impl<R: Kept> Layers<R> {
    /// The patterns name every field, so that a new option cannot be left out of defaulting.
    pub(crate) fn new(
        kind: &Kind,
        options: InformerOptions<R>,
        of_kind: Arc<InformerOptions<R>>,
        defaults: Arc<InformerOptions<Metadata>>,
    ) -> Self {
        let InformerOptions {
            name,
            resync,
            when_absent,
            on_error,
            namespaces,
            general,
            discovery,
        } = options;
        let InformerOptions {
            name: kind_name,
            resync: kind_resync,
            when_absent: kind_when_absent,
            on_error: kind_on_error,
            namespaces: kind_namespaces,
            general: _,   // comes in by namespace, in `of_namespace`
            discovery: _, // the cache's own goes with the informer's options
        } = &*of_kind;
        let InformerOptions {
            name: _, // every informer has its own
            resync: default_resync,
            when_absent: default_when_absent,
            on_error: default_on_error,
            namespaces: default_namespaces,
            general: _,   // comes in by namespace, in `of_namespace`
            discovery: _, // the cache's own goes with the informer's options
        } = &*defaults;
        let namespaces = namespaces.or_else(|| kind_namespaces.as_ref().map(Namespaces::inherited));
        let inherits = namespaces.is_none() && kind.is_namespaced();
        let inherited = || default_namespaces.as_ref().map(Namespaces::inherited);
        Self {
            is_namespaced: kind.is_namespaced(),
            name: name
                .or_else(|| kind_name.clone())
                .unwrap_or_else(|| default_name(kind, R::REPRESENTATION))
                .into(),
            resync: resync
                .or(*kind_resync)
                .or(*default_resync)
                .unwrap_or_default(),
            when_absent: when_absent
                .or(*kind_when_absent)
                .or(*default_when_absent)
                .unwrap_or(R::WHEN_ABSENT),
            on_error: on_error
                .or_else(|| kind_on_error.clone())
                .or_else(|| default_on_error.clone()),
            discovery,
            namespaces: namespaces
                .or_else(|| inherited().filter(|_| inherits))
                .unwrap_or_else(Namespaces::all),
            inherits,
            general,
            of_kind,
            defaults,
        }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(super) fn resync(&self) -> Resync {
        self.resync
    }

    pub(super) fn on_error(&self) -> Option<ErrorHook> {
        self.on_error.clone()
    }

    /// What a source does about the kind's absence; `gone` is what all of them share.
    pub(super) fn on_absence(&self, gone: CancellationToken) -> OnAbsence {
        OnAbsence {
            stop: self.when_absent == Absent::Stop,
            gone,
            discovery: self.discovery.clone(),
        }
    }

    /// Whether it watches the namespaces of the cache's defaults, as those are now.
    pub(super) fn inherits(&self) -> bool {
        self.inherits
    }

    /// What is asked for in a namespace of which the informer's options say `own`, the kind's `of_kind`, and the defaults `default`.
    fn of_namespace(
        &self,
        own: NamespaceOptions<R>,
        of_kind: Option<&NamespaceOptions<R>>,
        default: Option<&NamespaceOptions<Metadata>>,
    ) -> NamespaceOptions<R> {
        let kind_general = &self.of_kind.general;
        let own = own.or(&self.general);
        let own = own.or(of_kind.unwrap_or(kind_general)).or(kind_general);
        let general = &self.defaults.general;
        let default = default.unwrap_or(general).clone().or(general);
        own.or(&default.of_kind())
    }

    /// What is asked for in a namespace that is watched by name.
    pub(super) fn named(
        &self,
        namespace: &str,
        own: NamespaceOptions<R>,
    ) -> Result<NamespaceOptions<R>, InvalidScope> {
        self.check_namespace(namespace)?;
        let of_kind = self.of_kind.namespaces.as_ref();
        let of_kind = of_kind.and_then(|of_kind| of_kind.named.get(namespace));
        let defaults = self.defaults.namespaces.as_ref();
        let default = defaults.and_then(|defaults| defaults.named.get(namespace));
        checked(self.of_namespace(own, of_kind, default), Some(namespace))
    }

    /// What is asked for in a namespace that the cache's defaults came to watch after the informer was made.
    pub(super) fn inherited(
        &self,
        namespace: &str,
        default: &NamespaceOptions<Metadata>,
    ) -> Result<NamespaceOptions<R>, InvalidScope> {
        self.check_namespace(namespace)?;
        // Of a kind whose namespaces are said, the cache's are not inherited.
        let options = self.of_namespace(NamespaceOptions::default(), None, Some(default));
        checked(options, Some(namespace))
    }

    fn others(&self, own: NamespaceOptions<R>) -> NamespaceOptions<R> {
        let of_kind = self.of_kind.namespaces.as_ref();
        let of_kind = of_kind.and_then(|of_kind| of_kind.others.as_ref());
        // Objects without a namespace are in no namespace of the defaults.
        let defaults = self.defaults.namespaces.as_ref();
        let default = defaults.filter(|_| self.is_namespaced);
        let default = default.and_then(|defaults| defaults.others.as_ref());
        self.of_namespace(own, of_kind, default)
    }

    /// The sources to begin with.
    pub(super) fn plan(&self) -> Result<Plan<R>, InvalidScope> {
        let Namespaces {
            named,
            others,
            except,
        } = &self.namespaces;
        checked(self.general.clone(), None)?;
        checked(self.of_kind.general.clone(), None)?;
        for namespace in named.keys().chain(except) {
            self.check_namespace(namespace)?;
        }
        if let Some(namespace) = except.iter().find(|one| named.contains_key(*one)) {
            let namespace = namespace.clone();
            return Err(InvalidScope::Excepted { namespace });
        }
        let mut places = Vec::with_capacity(named.len() + 1);
        for (namespace, own) in named {
            let options = self.named(namespace, own.clone())?;
            places.push((Some(Arc::from(namespace.as_str())), options));
        }
        if let Some(own) = others {
            places.push((None, checked(self.others(own.clone()), None)?));
        }
        if places.is_empty() {
            return Err(InvalidScope::NoNamespaces);
        }
        let planned = |(id, (namespace, options))| Planned {
            id: SourceId(id),
            namespace,
            options,
        };
        Ok(Plan {
            sources: (0..).zip(places).map(planned).collect(),
            except: except.iter().map(|name| Arc::from(name.as_str())).collect(),
        })
    }

    pub(super) fn check_namespace(&self, namespace: &str) -> Result<(), InvalidScope> {
        if !self.is_namespaced {
            let namespace = namespace.to_owned();
            return Err(InvalidScope::ClusterScoped { namespace });
        }
        check_name(namespace)
    }
}

/// Options of a namespace, if they can be meant.
pub(crate) fn checked<R: Kept>(
    options: NamespaceOptions<R>,
    namespace: Option<&str>,
) -> Result<NamespaceOptions<R>, InvalidScope> {
    if let Some(selector) = &options.label_selector {
        selector
            .parse::<LabelSelector>()
            .map_err(|source| InvalidScope::LabelSelector {
                namespace: namespace.map(str::to_owned),
                source,
            })?;
    }
    Ok(options)
}

/// An RFC 1123 label, as names of namespaces are.
pub(crate) fn check_name(namespace: &str) -> Result<(), InvalidScope> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_label = (1..=63).contains(&namespace.len())
        && namespace.chars().all(inner)
        && !namespace.starts_with('-')
        && !namespace.ends_with('-');
    if is_label {
        return Ok(());
    }
    let namespace = namespace.to_owned();
    Err(InvalidScope::Namespace { namespace })
}

#[cfg(test)]
#[path = "layers_tests.rs"]
mod tests;

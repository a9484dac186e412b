//! What can go wrong when reading, waiting and asking for informers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::kind::Kind;
use crate::reflector::ReflectorError;
use crate::selector::InvalidSelector;

/// Why a lister, store or index did not answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The first complete listing has not arrived, so an answer would be partial.
    #[error("{kind} is not synced yet{}{}", start_hint(*started), Cause(cause.as_deref()))]
    NotSynced {
        /// What was read.
        kind: Kind,
        /// Whether its informer was started; that of a cache is by `Cache::start`.
        started: bool,
        /// The last error of its reflector, where there was one. It is in this error's own text, and so not its
        /// [`source`](std::error::Error::source) too.
        cause: Option<Arc<ReflectorError>>,
    },
    /// No object of this name is in the cache.
    #[error("{} not found", Named { kind, namespace: namespace.as_deref(), name })]
    NotFound {
        /// The kind, with its group and resource (plural).
        kind: Kind,
        /// The namespace that was asked, `None` for cluster-scoped kinds.
        namespace: Option<String>,
        /// The name that was asked for.
        name: String,
    },
    /// The namespace lies outside what this informer watches, so nothing is known about it.
    #[error(
        "namespace {namespace:?} is not watched for {kind}; watched: {}",
        Watched { named: watched, except: except.as_deref() }
    )]
    NamespaceNotWatched {
        /// What was read.
        kind: Kind,
        /// The namespace that was asked.
        namespace: String,
        /// The namespaces that are watched by name.
        watched: Vec<String>,
        /// Where all others are watched too, those that are not.
        except: Option<Vec<String>>,
    },
    /// An index was asked about the list or snapshot of another informer.
    #[error(
        "the index is of {kind}, informer {informer:?}, and the list or snapshot is another informer's: ask an index of that one"
    )]
    UnknownIndex {
        /// The kind of the index's informer.
        kind: Kind,
        /// The name of the index's informer.
        informer: String,
    },
}

/// The last error behind an error's own text.
pub(super) struct Cause<'a>(pub(super) Option<&'a ReflectorError>);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(cause) => write!(f, "; last error: {cause}"),
            None => Ok(()),
        }
    }
}

fn start_hint(started: bool) -> &'static str {
    match started {
        true => "",
        false => ": its informer is not started; call `start` of the cache",
    }
}

struct Watched<'a> {
    named: &'a [String],
    except: Option<&'a [String]>,
}

impl fmt::Display for Watched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.except {
            Some(except) => write!(f, "all but {}", except.join(", ")),
            None if self.named.is_empty() => f.write_str("none"),
            None => f.write_str(&self.named.join(", ")),
        }
    }
}

struct Named<'a> {
    kind: &'a Kind,
    namespace: Option<&'a str>,
    name: &'a str,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind, self.name)?;
        match self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace:?}"),
            None => Ok(()),
        }
    }
}

/// Why an informer could not be made or started.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum InformerError {
    /// What is to be watched cannot be meant.
    #[error("informer of {kind}: {source}")]
    Scope {
        /// The informer's kind.
        kind: Kind,
        /// What is wrong with it.
        #[source]
        source: InvalidScope,
    },
    /// There is no tokio runtime to run on.
    #[error("informer of {kind}: no tokio runtime; call this from inside one")]
    NoRuntime {
        /// The informer's kind.
        kind: Kind,
    },
    /// It was stopped; a stopped informer does not start again.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Namespaces and selectors that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidScope {
    /// The list of namespaces to watch is empty, so nothing would ever be known.
    #[error("no namespace is given; name at least one, or watch all of them")]
    NoNamespaces,
    /// A namespace that no server could have.
    #[error("{namespace:?} is no namespace name (RFC 1123 label: a-z, 0-9 and '-', at most 63)")]
    Namespace {
        /// The name.
        namespace: String,
    },
    /// A namespace is named to be watched, and among those that are not to be.
    #[error("namespace {namespace:?} is both to be watched and excepted")]
    Excepted {
        /// The namespace.
        namespace: String,
    },
    /// A namespace is watched or excepted for a kind whose objects have none.
    #[error("the kind is cluster-scoped: namespace {namespace:?} means nothing to it")]
    ClusterScoped {
        /// The namespace.
        namespace: String,
    },
    /// A label selector does not parse.
    #[error("{}{source}", Place(namespace.as_deref()))]
    LabelSelector {
        /// The namespace for which it is, `None` where it is for several.
        namespace: Option<String>,
        /// What is wrong with it.
        #[source]
        source: InvalidSelector,
    },
}

struct Place<'a>(Option<&'a str>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(namespace) => write!(f, "namespace {namespace:?}: "),
            None => Ok(()),
        }
    }
}

/// The informer was stopped.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the informer {informer:?} of {kind} is stopped")]
pub struct Stopped {
    pub(crate) kind: Kind,
    pub(crate) informer: Arc<str>,
}

/// One informer that did not sync.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unsynced {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub informer: Arc<str>,
    /// The last error of its reflector, where there was one.
    pub last_error: Option<Arc<ReflectorError>>,
    /// Whether it was stopped.
    pub stopped: bool,
}

impl fmt::Display for Unsynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            informer,
            last_error,
            stopped,
        } = self;
        write!(f, "{kind}")?;
        if **informer != *kind.to_string() {
            write!(f, " ({informer})")?;
        }
        match (stopped, last_error) {
            (true, Some(error)) => write!(f, ": stopped; last error: {error}"),
            (true, None) => f.write_str(": stopped"),
            (false, Some(error)) => write!(f, ": {error}"),
            (false, None) => f.write_str(": no error so far"),
        }
    }
}

/// A wait for sync that ended without it: names each informer that is not synced and its last error.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The deadline passed.
    #[error("not synced after {after:?}: {}", list(unsynced))]
    Deadline {
        /// How long was waited.
        after: Duration,
        /// Who is not synced.
        unsynced: Vec<Unsynced>,
    },
    /// An informer was stopped before it synced.
    #[error("will not sync: {}", list(unsynced))]
    Stopped {
        /// Who is not synced.
        unsynced: Vec<Unsynced>,
    },
    /// The cache was not started, so nothing would ever sync.
    #[error("the cache is not started: call `start` first")]
    NotStarted,
}

fn list(unsynced: &[Unsynced]) -> String {
    unsynced
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

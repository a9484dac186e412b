//! A kind of the API.

use std::collections::BTreeSet;
use std::fmt;

/// Group, version and kind: what names a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct KindId {
    /// The group; `""` for the core group.
    pub group: String,
    /// The version, as `v1`.
    pub version: String,
    /// The kind, as `Pod`.
    pub kind: String,
}

impl KindId {
    /// The name of these parts.
    #[must_use]
    pub fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// `group/version`, or the version alone in the core group: what `apiVersion` says.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// `v1/Pod`, `apps/v1/Deployment`: how the kinds of a generator are selected, too.
impl fmt::Display for KindId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.kind)
    }
}

/// A kind: what the server calls it, what can be done with it, and which types it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kind {
    /// Group, version and kind.
    pub id: KindId,
    /// The name of the resource in paths, as `pods`.
    pub plural: String,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// What can be done with the resource itself.
    pub verbs: BTreeSet<Verb>,
    /// What lies below an object, as `status`, `scale`, `log`.
    pub subresources: BTreeSet<String>,
    /// The definition of an object. For a kind that can be listed it is what the list's items are.
    pub type_name: Option<String>,
    /// The definition of a list.
    pub list_type: Option<String>,
    /// Whose kind it is.
    pub origin: Origin,
    /// Whether it is not known if it can be watched: the paths of an aggregated API's document do not say, and discovery
    /// was not asked.
    pub watch_unknown: bool,
}

impl Kind {
    /// Whether a cache of it is possible: it can be listed and watched, and its type is known.
    #[must_use]
    pub fn is_cacheable(&self) -> bool {
        self.not_cacheable().is_none()
    }

    /// Why a cache of it is not possible.
    #[must_use]
    pub fn not_cacheable(&self) -> Option<&'static str> {
        if !self.verbs.contains(&Verb::List) {
            Some("it cannot be listed")
        } else if self.watch_unknown {
            Some("it is not known whether it can be watched")
        } else if !self.verbs.contains(&Verb::Watch) {
            Some("it cannot be watched")
        } else if self.type_name.is_none() {
            Some("its list operation does not say what a list holds")
        } else {
            None
        }
    }
}

/// Whether objects of a kind live in namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Objects belong to a namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

impl Scope {
    pub(crate) const WORDS: [(&'static str, Self); 2] =
        [("Namespaced", Self::Namespaced), ("Cluster", Self::Cluster)];
}

/// What can be done with a resource, in the words of discovery and RBAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// `create`
    Create,
    /// `delete`
    Delete,
    /// `deletecollection`
    DeleteCollection,
    /// `get`
    Get,
    /// `list`
    List,
    /// `patch`
    Patch,
    /// `update`
    Update,
    /// `watch`
    Watch,
}

impl Verb {
    pub(crate) const WORDS: [(&'static str, Self); 8] = [
        ("create", Self::Create),
        ("delete", Self::Delete),
        ("deletecollection", Self::DeleteCollection),
        ("get", Self::Get),
        ("list", Self::List),
        ("patch", Self::Patch),
        ("update", Self::Update),
        ("watch", Self::Watch),
    ];
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(word_of(&Self::WORDS, self))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(word_of(&Self::WORDS, self))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(word_of(&Self::WORDS, self))
    }
}

fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    let found = words.iter().find(|(_, meaning)| meaning == value);
    found.map_or("", |(word, _)| word)
}

/// Whose kind it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Kubernetes itself.
    Kubernetes,
    /// A custom resource definition.
    CustomResource,
    /// An API server behind the aggregation layer, such as metrics-server.
    Aggregated,
}

impl Origin {
    pub(crate) const WORDS: [(&'static str, Self); 3] = [
        ("Kubernetes", Self::Kubernetes),
        ("CustomResource", Self::CustomResource),
        ("Aggregated", Self::Aggregated),
    ];
}

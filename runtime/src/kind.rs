//! What a kind is, as values: an informer carries one, no type parameter does.

use std::borrow::Cow;
use std::fmt;

/// Whether objects of a kind live in namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Objects belong to a namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

/// One kind of one group and version, with what its requests need.
///
/// Generated code holds one as a constant for each kind (`PodInformer::KIND`); for a kind known only at run time
/// build one with [`Kind::new`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    group: Cow<'static, str>,
    version: Cow<'static, str>,
    kind: Cow<'static, str>,
    plural: Cow<'static, str>,
    scope: Scope,
}

impl Kind {
    /// A kind known at compile time; the core group is `""`.
    #[must_use]
    pub const fn from_static(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        plural: &'static str,
        scope: Scope,
    ) -> Self {
        Self {
            group: Cow::Borrowed(group),
            version: Cow::Borrowed(version),
            kind: Cow::Borrowed(kind),
            plural: Cow::Borrowed(plural),
            scope,
        }
    }

    /// A kind known at run time; the core group is `""`.
    #[must_use]
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        kind: impl Into<String>,
        plural: impl Into<String>,
        scope: Scope,
    ) -> Self {
        Self {
            group: Cow::Owned(group.into()),
            version: Cow::Owned(version.into()),
            kind: Cow::Owned(kind.into()),
            plural: Cow::Owned(plural.into()),
            scope,
        }
    }

    /// The API group, `""` for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        &self.group
    }

    /// The version, as `v1`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The kind's name, as `Pod`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The resource's plural name, as `pods`.
    #[must_use]
    pub fn plural(&self) -> &str {
        &self.plural
    }

    /// Namespaced or cluster-scoped.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Whether objects of this kind live in namespaces.
    #[must_use]
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// `group/version`, or the version alone in the core group: what `apiVersion` says.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// The path of the collection on the API server, in one namespace or in all of them.
    ///
    /// A namespace given for a cluster-scoped kind is ignored.
    #[must_use]
    pub fn collection_path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() {
            "/api"
        } else {
            "/apis"
        };
        let namespace = namespace.filter(|_| self.is_namespaced());
        match namespace {
            Some(namespace) => format!(
                "{root}/{}/namespaces/{namespace}/{}",
                self.api_version(),
                self.plural
            ),
            None => format!("{root}/{}/{}", self.api_version(), self.plural),
        }
    }
}

/// `pods` in the core group, `deployments.apps` elsewhere: how kubectl and server messages name a resource.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.plural)
        } else {
            write!(f, "{}.{}", self.plural, self.group)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_group_and_scope() {
        let pods = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
        assert_eq!(pods.collection_path(None), "/api/v1/pods");
        assert_eq!(
            pods.collection_path(Some("web")),
            "/api/v1/namespaces/web/pods"
        );
        let roles = Kind::new(
            "rbac.authorization.k8s.io",
            "v1",
            "ClusterRole",
            "clusterroles",
            Scope::Cluster,
        );
        assert_eq!(
            roles.collection_path(Some("web")),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles"
        );
        assert_eq!(
            (pods.to_string(), roles.to_string().as_str()),
            ("pods".into(), "clusterroles.rbac.authorization.k8s.io")
        );
    }
}

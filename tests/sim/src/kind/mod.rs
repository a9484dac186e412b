//! What the server knows about a kind: its names, its scope and what it can be selected by.
//!
//! [`Kind`] is a description, nothing more; the store keeps one beside the objects of each kind. The built-in
//! kinds are a table in [`builtin`], the fields that the server can select on are one in [`fields`].

mod builtin;
mod fields;

use builtin::{NEEDING_VERSION, RETURNING_DELETED, builtin};
use fields::NAMESPACE;
pub use fields::SelectableField;
pub(crate) use fields::{UnsupportedField, known_fields};

/// A kind of object that the server serves.
///
/// Built-in kinds are there from the start (see [`Kind::builtin`]). Others are described by hand:
///
/// ```
/// use larder_sim::{Kind, Sim};
///
/// let sim = Sim::new();
/// sim.add_kind(Kind::new("example.com", "v1", "Widget", "widgets").custom());
/// ```
///
/// or read from the cluster's own document by [`kinds_from_openapi`](crate::kinds_from_openapi).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kind {
    /// API group; empty for the core group.
    pub group: String,
    /// Version within the group, such as `v1`.
    pub version: String,
    /// Name of the kind, such as `Pod`.
    pub kind: String,
    /// Plural resource name as in paths, such as `pods`.
    pub plural: String,
    /// Singular resource name, as discovery reports it.
    pub singular: String,
    /// Short names, as discovery reports them.
    pub short_names: Vec<String>,
    /// The groups of resources that it belongs to, such as `all`, as discovery reports them.
    pub categories: Vec<String>,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Whether the kind can be watched. A watch of another kind is refused with 405.
    pub watchable: bool,
    /// Whether the kind comes from a CustomResourceDefinition. List items of such a kind carry `apiVersion` and
    /// `kind`; those of a built-in one do not.
    pub custom: bool,
    /// Whether the kind has a status subresource. If it has, requests to the main resource leave `status` alone
    /// and requests to `/status` change nothing else.
    pub has_status: bool,
    /// Whether the server keeps `metadata.generation` for this kind.
    pub has_generation: bool,
    /// The fields that a field selector may name, `metadata.name` included.
    pub selectable: Vec<SelectableField>,
    pub(crate) unsupported_field: UnsupportedField,
}

impl Kind {
    /// Describes a namespaced, watchable kind with a status subresource.
    ///
    /// If group and kind are ones of Kubernetes itself whose selectable fields are known, those are used;
    /// otherwise `metadata.name` and `metadata.namespace` can be selected on.
    #[must_use]
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        kind: impl Into<String>,
        plural: impl Into<String>,
    ) -> Self {
        let (group, version, kind) = (group.into(), version.into(), kind.into());
        let (selectable, unsupported_field) = known_fields(&group, &kind, true);
        Self {
            singular: kind.to_lowercase(),
            group,
            version,
            kind,
            plural: plural.into(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: true,
            watchable: true,
            custom: false,
            has_status: true,
            has_generation: true,
            selectable,
            unsupported_field,
        }
    }

    /// Makes the kind cluster-scoped.
    #[must_use]
    pub fn cluster_scoped(mut self) -> Self {
        self.namespaced = false;
        (self.selectable, self.unsupported_field) = known_fields(&self.group, &self.kind, false);
        if self.custom {
            self = self.custom();
        }
        self
    }

    /// Makes the kind one that cannot be watched, as `ComponentStatus` is.
    #[must_use]
    pub fn unwatchable(mut self) -> Self {
        self.watchable = false;
        self
    }

    /// Makes the kind one of a CustomResourceDefinition: its list items carry `apiVersion` and `kind`, and where it is
    /// cluster-scoped, no selector names `metadata.namespace`.
    #[must_use]
    pub fn custom(mut self) -> Self {
        self.custom = true;
        self.unsupported_field = UnsupportedField::Plain;
        if !self.namespaced {
            self.selectable.retain(|field| field.label() != NAMESPACE);
        }
        self
    }

    /// Takes the status subresource away.
    #[must_use]
    pub fn without_status(mut self) -> Self {
        self.has_status = false;
        self
    }

    /// Makes the server leave `metadata.generation` alone, as it does for ConfigMaps and Nodes.
    #[must_use]
    pub fn without_generation(mut self) -> Self {
        self.has_generation = false;
        self
    }

    /// Adds short names.
    #[must_use]
    pub fn short_names<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.short_names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds categories, such as `all`.
    #[must_use]
    pub fn categories<I: IntoIterator<Item: Into<String>>>(mut self, names: I) -> Self {
        self.categories.extend(names.into_iter().map(Into::into));
        self
    }

    /// Lets a field selector name `path`, such as `spec.color`, as `selectableFields` of a
    /// CustomResourceDefinition does. An absent value reads as the empty string.
    #[must_use]
    pub fn selectable(mut self, path: impl Into<String>) -> Self {
        self.selectable.push(SelectableField::at(path));
        self
    }

    /// The kinds that a new server serves: pods, nodes, namespaces, secrets, configmaps, services, events,
    /// serviceaccounts, endpoints, persistentvolumes, persistentvolumeclaims, replicationcontrollers,
    /// componentstatuses, deployments, replicasets, statefulsets, daemonsets, jobs, cronjobs, leases,
    /// endpointslices, ingresses, networkpolicies, poddisruptionbudgets, horizontalpodautoscalers, storageclasses,
    /// priorityclasses, roles, rolebindings, clusterroles, clusterrolebindings,
    /// customresourcedefinitions, certificatesigningrequests and podcertificaterequests.
    #[must_use]
    pub fn builtin() -> Vec<Self> {
        builtin()
    }

    /// `v1` or `apps/v1`: what `apiVersion` says.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `pods` or `deployments.apps`: how the server's messages name the resource.
    #[must_use]
    pub fn qualified_resource(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    /// The Go type of the server that some of its messages name: `core.Pod`.
    pub(crate) fn go_type(&self) -> String {
        let package = match self.group.as_str() {
            // Both groups of events share one type.
            "" | "events.k8s.io" => "core",
            group => group.split('.').next().unwrap_or_default(),
        };
        format!("{package}.{}", self.kind)
    }

    /// The Go type of an object, or with the suffix `List` of a list, as the server prints it: `*core.PodList`.
    pub(crate) fn go_pointer(&self, suffix: &str) -> String {
        if self.custom {
            format!("*unstructured.Unstructured{suffix}")
        } else {
            format!("*{}{suffix}", self.go_type())
        }
    }

    /// Whether a successful delete answers with the object rather than with a status.
    pub(crate) fn returns_deleted(&self) -> bool {
        RETURNING_DELETED.contains(&(self.group.as_str(), self.plural.as_str()))
    }

    /// Whether an update has to say which version it is based on.
    pub(crate) fn needs_version_to_update(&self) -> bool {
        self.custom || NEEDING_VERSION.contains(&(self.group.as_str(), self.plural.as_str()))
    }

    /// Whether `name` means this kind: `pods`, `pod`, `po`, `Pod`, `deployments.apps`, `deployments.v1.apps`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let (resource, rest) = name
            .split_once('.')
            .map_or((name, None), |(first, rest)| (first, Some(rest)));
        let names_me = resource == self.plural
            || resource == self.singular
            || resource == self.kind
            || self.short_names.iter().any(|short| short == resource);
        let in_my_group = rest.is_none_or(|rest| {
            rest == self.group
                || rest
                    .strip_prefix(&self.version)
                    .is_some_and(|group| group.strip_prefix('.').unwrap_or(group) == self.group)
        });
        names_me && in_my_group
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_kind_is_called_by_any_of_its_names() {
        let deployment =
            Kind::new("apps", "v1", "Deployment", "deployments").short_names(["deploy"]);
        for name in [
            "deployments",
            "deployment",
            "deploy",
            "Deployment",
            "deployments.apps",
            "deployments.v1.apps",
        ] {
            assert!(deployment.is_called(name), "{name}");
        }
        for name in [
            "pods",
            "deployments.extensions",
            "deployments.v2.apps",
            "",
            ".",
        ] {
            assert!(!deployment.is_called(name), "{name}");
        }
        let pod = Kind::new("", "v1", "Pod", "pods");
        assert!(pod.is_called("pods") && pod.is_called("pods.v1"));
        assert!(!pod.is_called("pods.metrics.k8s.io"));
    }
}

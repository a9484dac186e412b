//! Names that no rule gives.

/// A property whose field is not what the rule of words gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldException {
    /// The name in JSON.
    pub property: &'static str,
    /// The field in k8s-openapi's types.
    pub field: &'static str,
}

/// Properties that k8s-openapi names by a table of its own: `$ref` and plurals of abbreviations.
///
/// Source: the types of k8s-openapi 0.29 (`Field` matches of their `Deserialize`). A test of `larder-codegen` reads
/// those sources and fails for a row that no carried version has with this field; a test here fails for a row that
/// the rule covers.
pub const FIELD_EXCEPTIONS: &[FieldException] = &[
    row("$ref", "ref_path"),
    row("clusterIPs", "cluster_ips"),
    row("externalIPs", "external_ips"),
    row("hostIPs", "host_ips"),
    row("nonResourceURLs", "non_resource_urls"),
    row("podCIDRs", "pod_cidrs"),
    row("podIPs", "pod_ips"),
    row(
        "serverAddressByClientCIDRs",
        "server_address_by_client_cidrs",
    ),
    row("targetWWNs", "target_wwns"),
];

const fn row(property: &'static str, field: &'static str) -> FieldException {
    FieldException { property, field }
}

/// An API group of Kubernetes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInGroup {
    /// The group; `""` for the core group.
    pub group: &'static str,
    /// The definitions of its types start with this, followed by the version: `io.k8s.api.rbac`.
    pub definitions: &'static str,
}

/// The API groups of Kubernetes itself, whose types k8s-openapi has.
///
/// The name of a group does not tell: `node.k8s.io` is Kubernetes' own, `metrics.k8s.io` is an aggregated API.
/// Source: the documents of Kubernetes 1.33 to 1.37. A test of `larder-codegen` fails for a group that no carried
/// document has, and for a kind of a carried document whose group is absent here or defined elsewhere.
pub const BUILT_IN_GROUPS: &[BuiltInGroup] = &[
    group("", "io.k8s.api.core"),
    group(
        "admissionregistration.k8s.io",
        "io.k8s.api.admissionregistration",
    ),
    group(
        "apiextensions.k8s.io",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    ),
    group(
        "apiregistration.k8s.io",
        "io.k8s.kube-aggregator.pkg.apis.apiregistration",
    ),
    group("apps", "io.k8s.api.apps"),
    group("authentication.k8s.io", "io.k8s.api.authentication"),
    group("authorization.k8s.io", "io.k8s.api.authorization"),
    group("autoscaling", "io.k8s.api.autoscaling"),
    group("batch", "io.k8s.api.batch"),
    group("certificates.k8s.io", "io.k8s.api.certificates"),
    group("coordination.k8s.io", "io.k8s.api.coordination"),
    group("discovery.k8s.io", "io.k8s.api.discovery"),
    group("events.k8s.io", "io.k8s.api.events"),
    group("flowcontrol.apiserver.k8s.io", "io.k8s.api.flowcontrol"),
    group("internal.apiserver.k8s.io", "io.k8s.api.apiserverinternal"),
    group("lifecycle.k8s.io", "io.k8s.api.lifecycle"),
    group("networking.k8s.io", "io.k8s.api.networking"),
    group("node.k8s.io", "io.k8s.api.node"),
    group("policy", "io.k8s.api.policy"),
    group("rbac.authorization.k8s.io", "io.k8s.api.rbac"),
    group("resource.k8s.io", "io.k8s.api.resource"),
    group("scheduling.k8s.io", "io.k8s.api.scheduling"),
    group("storage.k8s.io", "io.k8s.api.storage"),
    group("storagemigration.k8s.io", "io.k8s.api.storagemigration"),
];

const fn group(group: &'static str, definitions: &'static str) -> BuiltInGroup {
    BuiltInGroup { group, definitions }
}

impl BuiltInGroup {
    /// The row of `group`, if it is one of Kubernetes itself.
    ///
    /// ```
    /// use larder_naming::BuiltInGroup;
    ///
    /// assert!(BuiltInGroup::find("node.k8s.io").is_some());
    /// assert!(BuiltInGroup::find("metrics.k8s.io").is_none());
    /// ```
    #[must_use]
    pub fn find(group: &str) -> Option<&'static Self> {
        BUILT_IN_GROUPS.iter().find(|row| row.group == group)
    }

    /// Whether a definition of this name is a type of this group.
    ///
    /// ```
    /// use larder_naming::BuiltInGroup;
    ///
    /// let core = BuiltInGroup::find("").unwrap();
    /// assert!(core.defines("io.k8s.api.core.v1.Pod"));
    /// assert!(!core.defines("io.k8s.api.corex.v1.Pod"));
    /// ```
    #[must_use]
    pub fn defines(&self, definition: &str) -> bool {
        definition
            .strip_prefix(self.definitions)
            .is_some_and(|rest| rest.starts_with('.'))
    }
}

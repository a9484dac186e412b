//! Modules of groups and types.

use crate::case::{escape_keyword, snake_case};
use crate::tables::BuiltInGroup;

/// The module of a group: k8s-openapi's for the groups of Kubernetes itself, else the full group in snake case.
///
/// The full group, because first labels collide: `gateway.networking.k8s.io` and `gateway.example.com`.
///
/// ```
/// use larder_naming::group_module;
///
/// assert_eq!(group_module(""), "core");
/// assert_eq!(group_module("rbac.authorization.k8s.io"), "rbac");
/// assert_eq!(group_module("internal.apiserver.k8s.io"), "apiserverinternal");
/// assert_eq!(group_module("cert-manager.io"), "cert_manager_io");
/// assert_eq!(group_module("metrics.k8s.io"), "metrics_k8s_io");
/// ```
#[must_use]
pub fn group_module(group: &str) -> String {
    let name = match BuiltInGroup::find(group) {
        Some(row) => row.definitions.rsplit('.').next().unwrap_or_default(),
        None => group,
    };
    escape_keyword(snake_case(name))
}

/// Where k8s-openapi has the type of a definition, below its crate root; `None` if the definition is not one of
/// Kubernetes.
///
/// It is the definition's name without `io.k8s`, one module a segment. That the enabled version has the type, this
/// does not say.
///
/// ```
/// use larder_naming::k8s_openapi_path;
///
/// assert_eq!(
///     k8s_openapi_path("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService").as_deref(),
///     Some("kube_aggregator::pkg::apis::apiregistration::v1::APIService"),
/// );
/// assert_eq!(k8s_openapi_path("com.example.v1.Widget"), None);
/// ```
#[must_use]
pub fn k8s_openapi_path(definition: &str) -> Option<String> {
    const ROOTS: [&str; 4] = [
        "api",
        "apiextensions-apiserver",
        "apimachinery",
        "kube-aggregator",
    ];
    let path = definition.strip_prefix("io.k8s.")?;
    let (modules, name) = path.rsplit_once('.')?;
    if !ROOTS.contains(&modules.split('.').next()?) || !is_identifier(name) {
        return None;
    }
    let mut rust = String::with_capacity(path.len() + 8);
    for module in modules.split('.') {
        rust.push_str(&escape_keyword(snake_case(module)));
        rust.push_str("::");
    }
    rust.push_str(&escape_keyword(name.to_owned()));
    Some(rust)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_of_kubernetes_have_a_path() {
        for definition in [
            "",
            "Pod",
            "io.k8s.",
            "io.k8s.Pod",
            "io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics",
            "io.k8s.api.core.v1.",
            "io.k8s.api.core.v1.1",
            "io.k8s.api.core.v1.a b",
        ] {
            assert_eq!(k8s_openapi_path(definition), None, "{definition:?}");
        }
    }
}

//! What a path of the API means.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// A path below a group-version, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Empty if the path names none.
    pub(crate) namespace: String,
    pub(crate) plural: String,
    /// Empty for a collection.
    pub(crate) name: String,
    /// Empty for the object itself.
    pub(crate) subresource: String,
    /// Whether it is one of the old paths below `/watch/`.
    pub(crate) watch: bool,
}

impl ResourcePath {
    /// Takes a path apart; none if it is not one of a resource.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let decoded: Vec<String> = path
            .trim_matches('/')
            .split('/')
            .map(|part| percent_decode_str(part).decode_utf8().map(Cow::into_owned))
            .collect::<Result<_, _>>()
            .ok()?;
        let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
        let (group, version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (watch, rest) = match rest {
            ["watch", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (namespace, rest) = match rest {
            // `namespaces/x`, `namespaces/x/status` and `namespaces/x/finalize` are about the namespace itself.
            ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => ("", rest),
            ["namespaces", namespace, rest @ ..] => (*namespace, rest),
            rest => ("", rest),
        };
        let part = |at: usize| {
            rest.get(at)
                .map(|part| (*part).to_owned())
                .unwrap_or_default()
        };
        let too_long = rest.len() > 3;
        (!rest.is_empty() && !too_long).then(|| Self {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            plural: part(0),
            name: part(1),
            subresource: part(2),
            watch,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ResourcePath;

    fn parse(path: &str) -> Option<[String; 6]> {
        let path = ResourcePath::parse(path)?;
        Some([
            path.group,
            path.version,
            path.namespace,
            path.plural,
            path.name,
            path.subresource,
        ])
    }

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/api/v1/pods", ["", "v1", "", "pods", "", ""]),
            (
                "/api/v1/namespaces/web/pods",
                ["", "v1", "web", "pods", "", ""],
            ),
            (
                "/api/v1/namespaces/web/pods/a",
                ["", "v1", "web", "pods", "a", ""],
            ),
            (
                "/api/v1/namespaces/web/pods/a/status",
                ["", "v1", "web", "pods", "a", "status"],
            ),
            ("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]),
            (
                "/api/v1/namespaces/web",
                ["", "v1", "", "namespaces", "web", ""],
            ),
            (
                "/api/v1/namespaces/web/status",
                ["", "v1", "", "namespaces", "web", "status"],
            ),
            (
                "/apis/apps/v1/deployments",
                ["apps", "v1", "", "deployments", "", ""],
            ),
            (
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
                [
                    "rbac.authorization.k8s.io",
                    "v1",
                    "",
                    "clusterroles",
                    "system:node",
                    "",
                ],
            ),
        ] {
            assert_eq!(
                parse(path)
                    .as_ref()
                    .map(|parts| parts.each_ref().map(String::as_str)),
                Some(expected),
                "{path}"
            );
        }
        assert!(
            ResourcePath::parse("/api/v1/watch/namespaces/web/pods")
                .is_some_and(|path| path.watch && path.namespace == "web")
        );
        for path in [
            "/",
            "/api",
            "/api/v1",
            "/apis/apps/v1",
            "/version",
            "/api/v1/namespaces/a/pods/b/c/d",
        ] {
            assert_eq!(parse(path), None, "{path}");
        }
    }
}

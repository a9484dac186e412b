//! What one may ask for.

use std::fmt;

/// A kind as people and configurations name it.
///
/// Written as text it is one of these; a name is the kind's (`Widget`), the resource's plural or singular (`widgets`, `widget`) or a
/// short one (`wd`):
///
/// | text | group | version |
/// |---|---|---|
/// | `widgets` | any | preferred |
/// | `widgets.example.com` | `example.com` | preferred |
/// | `widgets.v1.example.com` | `example.com` | `v1` |
/// | `pods.`, `pods.v1.` | core | preferred, `v1` |
/// | `pods.v1` | any | `v1` |
/// | `example.com/v1/Widget` | `example.com` | `v1` |
/// | `v1/Pod` | core | `v1` |
///
/// Where a group's name begins like a version (`v1.example.com`), use the form with slashes, or the methods.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::Sought;
///
/// let sought = Sought::kind("Widget").group("example.com").version("v1");
/// assert_eq!(sought.to_string(), "Widget in example.com/v1");
/// assert_eq!(Sought::from("widgets.example.com").to_string(), "widgets in group example.com");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sought {
    pub(super) name: String,
    pub(super) by: By,
    /// `Some("")` is the core group.
    pub(super) group: Option<String>,
    pub(super) version: Option<String>,
}

/// What a name is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum By {
    Kind,
    Resource,
    Any,
}

impl Sought {
    fn new(name: impl Into<String>, by: By) -> Self {
        Self {
            name: name.into(),
            by,
            group: None,
            version: None,
        }
    }

    /// By the kind's name, as `Widget`, exactly.
    #[must_use]
    pub fn kind(name: impl Into<String>) -> Self {
        Self::new(name, By::Kind)
    }

    /// By the resource's plural, singular or short name, as `widgets`.
    #[must_use]
    pub fn resource(name: impl Into<String>) -> Self {
        Self::new(name, By::Resource)
    }

    /// In this group; `""` is the core group. Default: any.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// In this version. Default: the one that the server prefers.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }
}

impl From<&str> for Sought {
    fn from(text: &str) -> Self {
        let some = |text: &str| Some(text.to_owned());
        if let Some((api_version, name)) = text.rsplit_once('/') {
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            return Self {
                group: some(group),
                version: some(version),
                ..Self::new(name, By::Any)
            };
        }
        let Some((name, place)) = text.split_once('.') else {
            return Self::new(text, By::Any);
        };
        let (version, group) = match place.split_once('.') {
            Some((version, group)) if is_version(version) => (some(version), some(group)),
            None if is_version(place) => (some(place), None),
            _ => (None, some(place)),
        };
        Self {
            group,
            version,
            ..Self::new(name, By::Any)
        }
    }
}

impl From<String> for Sought {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// `v1`, `v2beta1`: how Kubernetes names versions that it ranks.
fn is_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else {
        return false;
    };
    let major = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if major.len() == rest.len() {
        return false;
    }
    let minor = ["alpha", "beta"]
        .iter()
        .find_map(|stage| major.strip_prefix(stage));
    match minor {
        None => major.is_empty(),
        Some(minor) => !minor.is_empty() && minor.chars().all(|c| c.is_ascii_digit()),
    }
}

impl fmt::Display for Sought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let group = self.group.as_deref();
        match (group, self.version.as_deref()) {
            (None, None) => Ok(()),
            (Some(""), None) => f.write_str(" in the core group"),
            (Some(group), None) => write!(f, " in group {group}"),
            (None | Some(""), Some(version)) => write!(f, " in {version}"),
            (Some(group), Some(version)) => write!(f, " in {group}/{version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_kind() {
        for (text, name, group, version) in [
            ("widgets", "widgets", None, None),
            ("widgets.example.com", "widgets", Some("example.com"), None),
            (
                "Widget.v1.example.com",
                "Widget",
                Some("example.com"),
                Some("v1"),
            ),
            (
                "wd.v2beta1.example.com",
                "wd",
                Some("example.com"),
                Some("v2beta1"),
            ),
            ("wd.very.example", "wd", Some("very.example"), None),
            ("wd.v1x.example", "wd", Some("v1x.example"), None),
            ("wd.vbeta1.example", "wd", Some("vbeta1.example"), None),
            ("wd.v1beta.example", "wd", Some("v1beta.example"), None),
            ("pods.", "pods", Some(""), None),
            ("pods.v1.", "pods", Some(""), Some("v1")),
            ("pods.v1", "pods", None, Some("v1")),
            ("deployments.apps", "deployments", Some("apps"), None),
            (
                "example.com/v1/Widget",
                "Widget",
                Some("example.com"),
                Some("v1"),
            ),
            ("v1/Pod", "Pod", Some(""), Some("v1")),
            ("", "", None, None),
        ] {
            let sought = Sought::from(text);
            let found = (
                sought.name.as_str(),
                sought.group.as_deref(),
                sought.version.as_deref(),
            );
            assert_eq!(found, (name, group, version), "{text}");
        }
    }
}

//! The key of an object: namespace and name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Namespace and name of an object; cluster-scoped objects have no namespace.
///
/// Written `namespace/name` or `name`, as kubectl and client-go write it. A clone is a reference count, and the
/// namespace's text is shared among all keys that a store made.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::ObjectKey;
///
/// let key: ObjectKey = "web/api-0".parse()?;
/// assert_eq!((key.namespace(), key.name()), (Some("web"), "api-0"));
/// assert_eq!(key.to_string(), "web/api-0");
/// assert!("a/b/c".parse::<ObjectKey>().is_err());
/// # Ok::<(), larder::InvalidKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey(Arc<Parts>);

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Parts {
    namespace: Option<Arc<str>>,
    name: Box<str>,
}

impl ObjectKey {
    /// The key of an object in a namespace.
    #[must_use]
    pub fn namespaced(namespace: impl Into<Arc<str>>, name: impl Into<Box<str>>) -> Self {
        Self::new(Some(namespace.into()), name)
    }

    /// The key of a cluster-scoped object.
    #[must_use]
    pub fn cluster(name: impl Into<Box<str>>) -> Self {
        Self::new(None, name)
    }

    /// The key of the object that has this metadata; `None` where it has no name, as before a generated one is given.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use larder::ObjectKey;
    ///
    /// let mut pod = Pod::default();
    /// assert_eq!(ObjectKey::from_metadata(&pod.metadata), None);
    /// pod.metadata.name = Some("api-0".to_owned());
    /// pod.metadata.namespace = Some("web".to_owned());
    /// assert_eq!(ObjectKey::from_metadata(&pod.metadata), Some(ObjectKey::namespaced("web", "api-0")));
    /// ```
    #[must_use]
    pub fn from_metadata(metadata: &ObjectMeta) -> Option<Self> {
        let namespace = metadata.namespace.as_deref();
        let namespace = namespace.filter(|namespace| !namespace.is_empty());
        Some(Self::new(
            namespace.map(Arc::from),
            metadata.name.as_deref()?,
        ))
    }

    pub(crate) fn new(namespace: Option<Arc<str>>, name: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Parts {
            namespace,
            name: name.into(),
        }))
    }

    /// The namespace, or `None` for a cluster-scoped object.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.0.namespace.as_deref()
    }

    /// The namespace's text, to be shared.
    pub(crate) fn shared_namespace(&self) -> Option<Arc<str>> {
        self.0.namespace.clone()
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace() {
            Some(namespace) => write!(f, "{namespace}/{}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no key: empty, with an empty part, or with more than one `/`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no object key: write `namespace/name`, or `name` for a cluster-scoped object")]
pub struct InvalidKey(String);

impl FromStr for ObjectKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let (namespace, name) = match text.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, text),
        };
        if name.is_empty() || name.contains('/') || namespace.is_some_and(str::is_empty) {
            return Err(InvalidKey(text.to_owned()));
        }
        Ok(Self::new(namespace.map(Arc::from), name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c133_keys_round_trip_and_malformed_ones_are_refused() {
        for text in ["web/api-0", "node-1", "system:node/x"] {
            assert_eq!(text.parse::<ObjectKey>().unwrap().to_string(), text);
        }
        for text in ["", "/", "a/", "/a", "a/b/c", "a//b"] {
            assert!(text.parse::<ObjectKey>().is_err(), "{text:?}");
        }
    }
}

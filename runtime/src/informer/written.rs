//! What a write left behind, as something to wait for.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::identity::{ResourceVersion, Uid};
use crate::key::ObjectKey;

/// A write that the API server has accepted: wait with [`Informer::wait_for`](super::Informer::wait_for) until a cache shows it.
///
/// It is made of what the server answered. An answer that holds the object becomes one by [`of`](Self::of); the answer of a
/// `kube::Api::delete`, by `of_delete` (feature `kube`).
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::Written;
///
/// let mut answer = Pod::default(); // of `kube::Api::create`, `replace`, `patch`, …
/// answer.metadata.namespace = Some("web".to_owned());
/// answer.metadata.name = Some("api-0".to_owned());
/// answer.metadata.resource_version = Some("4711".to_owned());
/// assert_eq!(Written::of(&answer.metadata)?.to_string(), "web/api-0 at version 4711");
///
/// // What was to be sent has no version yet, so there is nothing to wait for.
/// answer.metadata.resource_version = None;
/// assert!(Written::of(&answer.metadata).is_err());
/// # Ok::<(), larder::NotWritten>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    key: ObjectKey,
    left: Left,
}

/// What the write left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Left {
    /// The object in this state.
    State(ResourceVersion),
    /// No object of this uid. `seen` is a version at which it still was there, where that is known: to a cache that has not
    /// got as far, its absence says nothing.
    Nothing {
        uid: Uid,
        seen: Option<ResourceVersion>,
    },
}

impl Written {
    /// The object of this key was written and got this version.
    #[must_use]
    pub fn new(key: ObjectKey, version: ResourceVersion) -> Self {
        Self {
            key,
            left: Left::State(version),
        }
    }

    /// The object of this key and uid was deleted.
    ///
    /// A cache that has not seen it yet, since it was created just before, does not show it either: whoever creates and at once
    /// deletes waits for both.
    #[must_use]
    pub fn deleted(key: ObjectKey, uid: Uid) -> Self {
        Self {
            key,
            left: Left::Nothing { uid, seen: None },
        }
    }

    /// The object that the server answered a create, update, patch or delete with.
    ///
    /// An object that is marked as being deleted and held by nothing, neither a grace period nor a finalizer, is gone with
    /// that answer: the cache then is to show that it is gone. Any other is to be shown at its version, or a later one.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where it has no name, no version or no uid, so that it is no answer of a server.
    pub fn of(metadata: &ObjectMeta) -> Result<Self, NotWritten> {
        let is_going = metadata.deletion_timestamp.is_some() && !is_held(metadata);
        Self::from_answer(metadata, is_going)
    }

    pub(super) fn from_answer(metadata: &ObjectMeta, is_gone: bool) -> Result<Self, NotWritten> {
        let given = |text: &Option<String>, name| {
            let text = text.clone().filter(|text| !text.is_empty());
            text.ok_or(NotWritten { lacks: name })
        };
        let key = ObjectKey::from_metadata(metadata).ok_or(NotWritten {
            lacks: "metadata.name",
        })?;
        let version = given(&metadata.resource_version, "metadata.resourceVersion")?;
        let version = ResourceVersion::new(&version);
        if !is_gone {
            return Ok(Self::new(key, version));
        }
        let left = Left::Nothing {
            uid: Uid::new(&given(&metadata.uid, "metadata.uid")?),
            seen: Some(version),
        };
        Ok(Self { key, left })
    }

    /// The object's key.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// The version that the write gave; `None` for a delete that left nothing.
    #[must_use]
    pub fn version(&self) -> Option<&ResourceVersion> {
        match &self.left {
            Left::State(version) => Some(version),
            Left::Nothing { .. } => None,
        }
    }

    pub(super) fn left(&self) -> &Left {
        &self.left
    }
}

/// Whether something keeps an object that is being deleted.
pub(super) fn is_held(metadata: &ObjectMeta) -> bool {
    let finalizers = metadata.finalizers.as_ref();
    finalizers.is_some_and(|finalizers| !finalizers.is_empty())
        || metadata
            .deletion_grace_period_seconds
            .is_some_and(|seconds| seconds > 0)
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.left {
            Left::State(version) => write!(f, "{} at version {version}", self.key),
            Left::Nothing { uid, .. } => write!(f, "the end of {} ({uid})", self.key),
        }
    }
}

/// An answer that does not say what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing to wait for: what the server answered has no {lacks}")]
pub struct NotWritten {
    pub(super) lacks: &'static str,
}

//! Indexes over two things at once.

use std::fmt;
use std::sync::OnceLock;

use super::extract::Extract;
use crate::kept::Kept;

/// An index over the keys of two others at once: made by [`Field::with`](crate::Field::with) and
/// [`Computed::with`](crate::Computed::with).
///
/// Its keys are pairs. An object has one for each combination of a key of the first with a key of the second, and none where either
/// has none. A pair may itself be a part: then the keys are nested, `((A, B), C)`.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::Pod;
/// use larder::{Informer, Kept, ReadError, field};
///
/// fn count<R: Kept<Stored = Arc<Pod>>>(pods: &Informer<R>) -> Result<(), Box<dyn std::error::Error>> {
///     let by = pods.add_index(field!(Pod, metadata.namespace).with(field!(Pod, spec.nodeName)))?;
///     println!("{} pods of namespace web on node-7", by.get_pair("web", "node-7")?.count());
///     Ok(())
/// }
/// ```
pub struct Composite<A, B> {
    first: A,
    second: B,
    path: OnceLock<Option<Box<str>>>,
}

impl<A, B> Composite<A, B> {
    /// Of any two extractors.
    pub const fn new(first: A, second: B) -> Self {
        Self {
            first,
            second,
            path: OnceLock::new(),
        }
    }

    /// An index over these and another's keys.
    #[must_use]
    pub const fn with<X>(self, other: X) -> Composite<Self, X> {
        Composite::new(self, other)
    }
}

impl<R: Kept, A: Extract<R>, B: Extract<R>> Extract<R> for Composite<A, B> {
    type Key = (A::Key, B::Key);

    /// Both paths, with a comma between them, where both have one.
    fn path(&self) -> Option<&str> {
        let both = || {
            let paths = (self.first.path()?, self.second.path()?);
            Some(format!("{},{}", paths.0, paths.1).into())
        };
        self.path.get_or_init(both).as_deref()
    }

    fn keys(&self, stored: &R::Stored, emit: &mut dyn FnMut(Self::Key)) {
        self.first.keys(stored, &mut |first| {
            self.second
                .keys(stored, &mut |second| emit((first.clone(), second)));
        });
    }
}

impl<A: fmt::Debug, B: fmt::Debug> fmt::Debug for Composite<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Composite")
            .field(&self.first)
            .field(&self.second)
            .finish()
    }
}

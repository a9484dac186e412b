//! What a list may be limited to, and the options of an API client that a cache can serve.

use crate::selector::{InvalidSelector, KeyTests, LabelSelector, Unfit};

/// Which objects a list answers with, and how many at most: for [`Lister::list_with`](super::Lister::list_with).
///
/// Where only labels matter, `matching` of a lister says it shorter; and a list is an iterator, so that `take` caps any.
/// With the feature `kube`, `kube::api::ListParams` become options by `try_from`, for code that listed from the API server
/// before: what a cache cannot do as the server does is refused, nothing is ignored.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::ListOptions;
///
/// let options = ListOptions::new().labels("app=web".parse()?).limit(10);
/// assert_eq!(options, options.clone().field_selector("")?);
///
/// let error = options.field_selector("spec.nodeName=node-7").unwrap_err();
/// assert!(error.to_string().contains("a lister reads such a selector by `fields`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOptions {
    pub(crate) labels: LabelSelector,
    pub(crate) key: KeyTests,
    /// 0 is no limit.
    pub(crate) limit: usize,
}

/// An option of a list that a cache cannot serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListOptionsError {
    /// A continue token: only the server that gave it knows what it stands for.
    #[error(
        "a cache has no pages to continue: drop the continue token, list once, and take as many objects as you need"
    )]
    Continue,
    /// A resource version, or how to match one.
    #[error(
        "a cache answers at the version that it holds, not at {version:?}: wait with `wait_for_version`, then list without a version"
    )]
    ResourceVersion {
        /// The version that was asked for.
        version: String,
    },
    /// The label selector does not parse.
    #[error("invalid label selector")]
    LabelSelector(#[from] InvalidSelector),
    /// A field selector on a field that is not part of an object's key.
    #[error(
        "list options select by metadata.name and metadata.namespace alone, not by the field {field:?}: a lister reads such a selector by \
         `fields` and selects by it; or give it to the informer, whose server evaluates it"
    )]
    Field {
        /// The field.
        field: String,
    },
    /// The field selector does not parse.
    #[error("invalid field selector: {problem}")]
    FieldSelector {
        /// What is wrong with it.
        problem: String,
    },
}

impl ListOptions {
    /// Everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Only objects with such labels.
    #[must_use]
    pub fn labels(mut self, selector: LabelSelector) -> Self {
        self.labels = selector;
        self
    }

    /// Only objects that this field selector selects; a namespace in it is looked up through the namespace index.
    ///
    /// # Errors
    ///
    /// [`ListOptionsError::Field`] for a field other than `metadata.name` and `metadata.namespace`;
    /// [`ListOptionsError::FieldSelector`].
    pub fn field_selector(mut self, selector: &str) -> Result<Self, ListOptionsError> {
        self.key = KeyTests::parse(selector).map_err(|unfit| match unfit {
            Unfit::Field(field) => ListOptionsError::Field { field },
            Unfit::Syntax(problem) => ListOptionsError::FieldSelector { problem },
        })?;
        Ok(self)
    }

    /// At most so many objects; which of them is not specified. 0 is no limit, as in the API. Nothing is looked at after the
    /// last of them.
    #[must_use]
    pub fn limit(mut self, objects: usize) -> Self {
        self.limit = objects;
        self
    }
}

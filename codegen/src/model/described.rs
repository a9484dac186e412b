//! What a definition of a document says, beyond its bare shape.

use super::Member;

/// A definition that is not Kubernetes' own: types are made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Described {
    /// All that types are made of, as the normalised document has it.
    pub(crate) text: String,
    pub(crate) member: Member,
    /// The paths that the server selects by, where it is the object of a custom resource.
    pub(crate) selectable: Vec<String>,
}

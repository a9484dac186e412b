//! Label and field selectors, evaluated as the server does.
//!
//! [`Selector`] is what a request selects by. It is checked when the request comes in, so that matching cannot fail.

mod fields;
mod labels;
mod lexer;
mod names;

pub(crate) use fields::FieldSelector;
pub(crate) use labels::LabelSelector;

use crate::{kind::Kind, object::Stored, status::Status};

/// Both selectors of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selector {
    pub(crate) fn parse(kind: &Kind, labels: &str, fields: &str) -> Result<Self, Status> {
        Ok(Self {
            labels: LabelSelector::parse(labels)?,
            fields: FieldSelector::parse(kind, fields)?,
        })
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        self.labels.matches(&object.labels) && self.fields.matches(&object.fields)
    }
}

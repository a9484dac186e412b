//! A path as it was written.

use std::fmt;

use larder_naming::is_plain;
use proc_macro2::{Ident, Span, TokenStream};

use crate::error::Error;

/// What `field!` was given.
pub(crate) struct Input {
    /// The crate of the runtime, as the caller sees it.
    pub(crate) runtime: TokenStream,
    pub(crate) root: TokenStream,
    pub(crate) steps: Vec<Step>,
    /// What is wrong with the rest; the steps before are good.
    pub(crate) error: Option<Error>,
}

pub(crate) struct Step {
    pub(crate) what: What,
    pub(crate) span: Span,
}

pub(crate) enum What {
    /// A field: its JSON name, and its name in Rust.
    Field { json: String, field: Ident },
    /// `[]`: each item of a list, each value of a map.
    Items,
    /// `["app"]`: the value of one key of a map.
    Entry { key: String },
    /// `{}`: each key of a map.
    Keys,
}

/// The step as it is read in a path, without the dot before it.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field { json, .. } if json.is_empty() || is_plain(json) => f.write_str(json),
            Self::Field { json, .. } => write!(f, "{json:?}"),
            Self::Items => f.write_str("[]"),
            Self::Entry { key } => write!(f, "[{key:?}]"),
            Self::Keys => f.write_str("{}"),
        }
    }
}

/// The whole path: `metadata.labels["app"]`.
pub(crate) fn text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        if matches!(step.what, What::Field { .. }) && !text.is_empty() {
            text.push('.');
        }
        text.push_str(&step.what.to_string());
    }
    text
}

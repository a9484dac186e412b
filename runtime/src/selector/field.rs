//! Field selectors of the server, typed by the kind that they are of.

use std::fmt::{self, Display};
use std::marker::PhantomData;

/// A field that the API server can select objects of type `T` by. Generated for each kind, as `pod::selectable::SPEC_NODE_NAME`.
///
/// Source: the API concepts page "Field Selectors", which says that the fields differ by kind; which they are, stands in the server's
/// code alone. An object without the field reads as `""`, `false` or `0`.
pub struct Selectable<T> {
    path: &'static str,
    kind: PhantomData<fn(&T)>,
}

impl<T> Selectable<T> {
    /// Made by generated code alone, which knows what the server can do.
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(path: &'static str) -> Self {
        Self {
            path,
            kind: PhantomData,
        }
    }

    /// The path, as in JSON.
    #[must_use]
    pub const fn path(self) -> &'static str {
        self.path
    }

    /// Objects whose field has this value: a text, a number, a boolean.
    #[must_use]
    pub fn eq(self, value: impl Display) -> FieldSelector<T> {
        self.compared("=", value)
    }

    /// Objects whose field has another value, or none.
    #[must_use]
    pub fn ne(self, value: impl Display) -> FieldSelector<T> {
        self.compared("!=", value)
    }

    fn compared(self, operator: &str, value: impl Display) -> FieldSelector<T> {
        let mut text = format!("{}{operator}", self.path);
        for c in value.to_string().chars() {
            // What separates requirements is escaped as the server's own parser reads it.
            if matches!(c, '\\' | ',' | '=') {
                text.push('\\');
            }
            text.push(c);
        }
        FieldSelector::from_text(text)
    }
}

impl<T> Clone for Selectable<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Selectable<T> {}

impl<T> fmt::Debug for Selectable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Selectable").field(&self.path).finish()
    }
}

/// Which fields objects of type `T` must have for the API server to send them: requirements that must all hold.
///
/// Made of a kind's [`Selectable`] fields, so that one the server would refuse does not compile. In generated code (`pod` is
/// `larder::core::v1::pod`):
///
/// ```
/// # extern crate larder_runtime as larder;
/// # mod generated {
/// #     use k8s_openapi::api::core::v1::{Node, Pod};
/// #     pub mod pod { pub mod selectable {
/// #         pub const SPEC_NODE_NAME: larder_runtime::Selectable<super::super::Pod> = larder_runtime::Selectable::__new("spec.nodeName");
/// #         pub const STATUS_PHASE: larder_runtime::Selectable<super::super::Pod> = larder_runtime::Selectable::__new("status.phase");
/// #     } }
/// #     pub mod node { pub mod selectable {
/// #         pub const SPEC_UNSCHEDULABLE: larder_runtime::Selectable<super::super::Node> = larder_runtime::Selectable::__new("spec.unschedulable");
/// #     } }
/// # }
/// # use generated::pod;
/// let selector = pod::selectable::SPEC_NODE_NAME.eq("node-7").and(pod::selectable::STATUS_PHASE.ne("Failed"));
/// assert_eq!(selector.to_string(), "spec.nodeName=node-7,status.phase!=Failed");
/// ```
///
/// A field of another kind is none of this one's:
///
/// ```compile_fail,E0308
/// # extern crate larder_runtime as larder;
/// # mod generated {
/// #     use k8s_openapi::api::core::v1::{Node, Pod};
/// #     pub mod pod { pub mod selectable {
/// #         pub const SPEC_NODE_NAME: larder_runtime::Selectable<super::super::Pod> = larder_runtime::Selectable::__new("spec.nodeName");
/// #         pub const STATUS_PHASE: larder_runtime::Selectable<super::super::Pod> = larder_runtime::Selectable::__new("status.phase");
/// #     } }
/// #     pub mod node { pub mod selectable {
/// #         pub const SPEC_UNSCHEDULABLE: larder_runtime::Selectable<super::super::Node> = larder_runtime::Selectable::__new("spec.unschedulable");
/// #     } }
/// # }
/// # use generated::{node, pod};
/// let _ = pod::selectable::SPEC_NODE_NAME.eq("node-7").and(node::selectable::SPEC_UNSCHEDULABLE.eq(true));
/// ```
pub struct FieldSelector<T> {
    text: String,
    kind: PhantomData<fn(&T)>,
}

impl<T> FieldSelector<T> {
    fn from_text(text: String) -> Self {
        Self {
            text,
            kind: PhantomData,
        }
    }

    /// The selector that selects everything, whatever the default is.
    #[must_use]
    pub const fn everything() -> Self {
        Self {
            text: String::new(),
            kind: PhantomData,
        }
    }

    /// Whether it selects everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.text.is_empty()
    }

    /// Objects that both select.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if !self.is_everything() && !other.is_everything() {
            self.text.push(',');
        }
        self.text.push_str(&String::from(other));
        self
    }
}

impl<T> Default for FieldSelector<T> {
    fn default() -> Self {
        Self::everything()
    }
}

impl<T> From<FieldSelector<T>> for String {
    fn from(selector: FieldSelector<T>) -> Self {
        selector.text
    }
}

impl<T> Clone for FieldSelector<T> {
    fn clone(&self) -> Self {
        Self::from_text(self.text.clone())
    }
}

/// The text that the API server takes as `fieldSelector`.
impl<T> Display for FieldSelector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T> fmt::Debug for FieldSelector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FieldSelector").field(&self.text).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_joined_and_their_values_escaped() {
        const NAME: Selectable<()> = Selectable::__new("metadata.name");
        const FLAG: Selectable<()> = Selectable::__new("spec.flag");
        let everything = FieldSelector::<()>::everything();
        assert!(everything.is_everything());
        let both = everything
            .clone()
            .and(NAME.eq("a,b=c\\d"))
            .and(FLAG.ne(true));
        assert_eq!(
            both.clone().and(everything).to_string(),
            r"metadata.name=a\,b\=c\\d,spec.flag!=true"
        );
        assert!(format!("{both:?}").starts_with("FieldSelector(\"metadata.name="));
    }
}

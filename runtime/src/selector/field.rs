//! Which fields objects must have for the server to send them.

use std::fmt::{self, Display};

use super::selectable::Selectable;

/// Which fields objects of type `T` must have for the API server to send them: requirements that must all hold.
///
/// Made of a kind's [`Selectable`] fields, so that one the server would refuse does not compile. In generated code (`pod` is
/// `larder::core::v1::pod`):
///
/// ```
/// # extern crate larder_runtime as larder;
/// # mod generated {
/// #     pub use k8s_openapi::api::core::v1::{Node, Pod};
/// #     pub use larder_runtime::{Selectable, __private::Reads, field};
/// #     pub mod pod { pub mod selectable { use super::super::*;
/// #         pub const SPEC_NODE_NAME: Selectable<Pod> = Selectable::__new("spec.nodeName", Reads::Text(field!(Pod, spec.nodeName)));
/// #         pub const STATUS_PHASE: Selectable<Pod> = Selectable::__new("status.phase", Reads::Text(field!(Pod, status.phase)));
/// #     } }
/// #     pub mod node { pub mod selectable { use super::super::*;
/// #         pub const SPEC_UNSCHEDULABLE: Selectable<Node> = Selectable::__new("spec.unschedulable", Reads::Bool(field!(Node, spec.unschedulable)));
/// #     } }
/// # }
/// # use generated::pod;
/// let selector = pod::selectable::SPEC_NODE_NAME.eq("node-7").and(pod::selectable::STATUS_PHASE.ne("Failed"));
/// assert_eq!(selector.to_string(), "spec.nodeName=node-7,status.phase!=Failed");
///
/// let pod: k8s_openapi::api::core::v1::Pod = serde_json::from_str(r#"{"metadata": {}, "spec": {"containers": [], "nodeName": "node-7"}}"#)?;
/// assert!(selector.matches(&pod), "no phase is another one than `Failed`");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// A field of another kind is none of this one's:
///
/// ```compile_fail,E0308
/// # extern crate larder_runtime as larder;
/// # mod generated {
/// #     pub use k8s_openapi::api::core::v1::{Node, Pod};
/// #     pub use larder_runtime::{Selectable, __private::Reads, field};
/// #     pub mod pod { pub mod selectable { use super::super::*;
/// #         pub const SPEC_NODE_NAME: Selectable<Pod> = Selectable::__new("spec.nodeName", Reads::Text(field!(Pod, spec.nodeName)));
/// #         pub const STATUS_PHASE: Selectable<Pod> = Selectable::__new("status.phase", Reads::Text(field!(Pod, status.phase)));
/// #     } }
/// #     pub mod node { pub mod selectable { use super::super::*;
/// #         pub const SPEC_UNSCHEDULABLE: Selectable<Node> = Selectable::__new("spec.unschedulable", Reads::Bool(field!(Node, spec.unschedulable)));
/// #     } }
/// # }
/// # use generated::{node, pod};
/// let _ = pod::selectable::SPEC_NODE_NAME.eq("node-7").and(node::selectable::SPEC_UNSCHEDULABLE.eq(true));
/// ```
pub struct FieldSelector<T>(Vec<FieldRequirement<T>>);

/// What one field must be, or must not be.
pub(crate) struct FieldRequirement<T> {
    pub(crate) field: Selectable<T>,
    /// Whether the value must be this one, or another.
    pub(crate) equal: bool,
    pub(crate) value: Box<str>,
}

impl<T> FieldRequirement<T> {
    pub(crate) fn holds(&self, object: &T) -> bool {
        (self.field.value(object) == *self.value) == self.equal
    }
}

impl<T> FieldSelector<T> {
    pub(super) fn one(field: Selectable<T>, equal: bool, value: impl Display) -> Self {
        let value = value.to_string().into();
        Self(vec![FieldRequirement {
            field,
            equal,
            value,
        }])
    }

    /// The selector that selects everything, whatever the default is.
    #[must_use]
    pub const fn everything() -> Self {
        Self(Vec::new())
    }

    /// Whether it selects everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Objects that both select.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether the server would select this object: values are compared as [`Selectable::value`] reads them.
    #[must_use]
    pub fn matches(&self, object: &T) -> bool {
        self.0.iter().all(|requirement| requirement.holds(object))
    }

    /// What must all hold.
    pub(crate) fn requirements(&self) -> &[FieldRequirement<T>] {
        &self.0
    }
}

impl<T> Default for FieldSelector<T> {
    fn default() -> Self {
        Self::everything()
    }
}

/// The text that the API server takes as `fieldSelector`.
impl<T> From<FieldSelector<T>> for String {
    fn from(selector: FieldSelector<T>) -> Self {
        selector.to_string()
    }
}

impl<T> Clone for FieldRequirement<T> {
    fn clone(&self) -> Self {
        Self {
            field: self.field,
            equal: self.equal,
            value: self.value.clone(),
        }
    }
}

impl<T> Clone for FieldSelector<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// What separates requirements is escaped in values as the server's own parser reads it.
impl<T> Display for FieldRequirement<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The server splits a path at its dots alone and knows no quotes.
        self.field
            .path()
            .split('"')
            .try_for_each(|part| f.write_str(part))?;
        f.write_str(if self.equal { "=" } else { "!=" })?;
        for part in self.value.split_inclusive(['\\', ',', '=']) {
            match part.strip_suffix(['\\', ',', '=']) {
                Some(plain) => write!(f, "{plain}\\{}", &part[plain.len()..])?,
                None => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// The text that the API server takes as `fieldSelector`.
impl<T> Display for FieldSelector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

impl<T> fmt::Debug for FieldSelector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FieldSelector")
            .field(&self.to_string())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::field;
    use crate::selector::Reads;

    const NAME: Selectable<Pod> =
        Selectable::__new("metadata.name", Reads::Text(field!(Pod, metadata.name)));
    const NETWORK: Selectable<Pod> = Selectable::__new(
        "spec.hostNetwork",
        Reads::Bool(field!(Pod, spec.hostNetwork)),
    );

    #[test]
    fn selectors_are_joined_and_their_values_escaped() {
        let everything = FieldSelector::<Pod>::everything();
        assert!(everything.is_everything());
        let both = everything
            .clone()
            .and(NAME.eq("a,b=c\\d"))
            .and(NETWORK.ne(true));
        assert_eq!(
            both.clone().and(everything).to_string(),
            r"metadata.name=a\,b\=c\\d,spec.hostNetwork!=true"
        );
        assert_eq!(both.requirements().len(), 2);
        assert!(format!("{both:?}").starts_with("FieldSelector(\"metadata.name="));
    }

    #[test]
    fn the_server_is_sent_no_quotes_of_a_path() {
        struct Gauge {
            x_unit: String,
        }
        let unit = Selectable::of_custom_resource(crate::field!(Gauge, "x-unit"));
        let selector = unit.eq("\"bar\"");
        assert_eq!(selector.to_string(), "x-unit=\"bar\"");
        let x_unit = "\"bar\"".to_owned();
        assert!(selector.matches(&Gauge { x_unit }));
    }

    #[test]
    fn requirements_must_all_hold() {
        let mut pod = Pod::default();
        pod.metadata.name = Some("a".into());
        let both = |name: &str, network: bool| NAME.eq(name).and(NETWORK.ne(network));
        assert!(both("a", true).matches(&pod), "absent reads as false");
        assert!(!both("a", false).matches(&pod));
        assert!(!both("b", true).matches(&pod));
        assert!(FieldSelector::everything().matches(&pod));
        assert!(!NAME.eq("").matches(&pod));
        assert!(NAME.eq("").matches(&Pod::default()));
    }
}

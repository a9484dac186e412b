//! Selectors: of labels, evaluated locally as the API server evaluates them, and of the fields that it can select by.
//!
//! The grammar of label selectors is `larder-selector`'s, which `labels!` reads too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use larder_selector::{Invalid, Requirement, Test, parse};

mod field;
mod key_tests;
pub(crate) mod requirements;
mod selectable;

pub(crate) use field::FieldRequirement;
pub use field::FieldSelector;
pub(crate) use key_tests::{KeyTest, KeyTests, Part, Unfit};
pub use selectable::{
    AnyKind, FirstOf, Leaf, OfAnyType, OfKnownType, Reads, Selectable, SelectableValue, shown,
};
pub(crate) use selectable::{Texts, parsed};

/// Which labels an object must have: requirements that must all hold. The empty selector matches everything.
///
/// Made by [`labels!`](crate::labels!) of a text that the compiler checks, from the text that kubectl takes, from k8s-openapi's
/// `LabelSelector` as it stands in many specs, and, with the feature `kube`, from kube's. Semantics and syntax are those of the API
/// concepts page "Labels and Selectors": `!=` and `notin` also match objects without the label.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::LabelSelector;
///
/// let selector: LabelSelector = "app=web,tier in (front, edge),!canary".parse()?;
/// let labels = [("app", "web"), ("tier", "edge")];
/// assert!(selector.matches(&labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into()));
/// assert_eq!(selector.to_string(), "app=web,tier in (edge,front),!canary");
/// # Ok::<(), larder::InvalidSelector>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LabelSelector(Cow<'static, [Requirement]>);

/// A text or value that is no label selector; says which part and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("label selector {selector:?}: {}{problem}", place(selector, problem))]
pub struct InvalidSelector {
    selector: String,
    problem: Invalid,
}

impl InvalidSelector {
    /// Where in the text the problem is, in bytes; `None` where the selector was no text.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.problem.at()
    }
}

fn place(selector: &str, problem: &Invalid) -> String {
    let at = problem.at().map(|at| character(selector, at));
    at.map_or_else(String::new, |at| format!("at character {at}: "))
}

/// Which character begins at this byte, counted from 1, as errors tell it.
pub(crate) fn character(text: &str, at: usize) -> usize {
    let before = text.char_indices().take_while(|(begin, _)| *begin < at);
    before.count() + 1
}

impl LabelSelector {
    /// Made by `labels!` alone, which has parsed it.
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(requirements: &'static [Requirement]) -> Self {
        Self(Cow::Borrowed(requirements))
    }

    /// The selector that matches everything.
    #[must_use]
    pub const fn everything() -> Self {
        Self::__new(&[])
    }

    /// Whether this selector matches whatever labels there are.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// What must hold, all of it.
    pub(crate) fn requirements(&self) -> &[Requirement] {
        &self.0
    }

    /// Whether an object with these labels is selected.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements().iter().all(|requirement| {
            let value = labels.get(requirement.key());
            requirement.holds(value.map(String::as_str))
        })
    }
}

/// The text that the API server takes as `labelSelector`.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.requirements().iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

/// As it is written, for options that take a selector's text.
impl From<LabelSelector> for String {
    fn from(selector: LabelSelector) -> Self {
        selector.to_string()
    }
}

impl FromStr for LabelSelector {
    type Err = InvalidSelector;

    fn from_str(text: &str) -> Result<Self, InvalidSelector> {
        match parse(text) {
            Ok(requirements) => Ok(Self(requirements.into())),
            Err(problem) => Err(InvalidSelector {
                selector: text.to_owned(),
                problem,
            }),
        }
    }
}

/// The selector of a spec. As in the API, an empty one matches everything; where a field is absent altogether,
/// what that means is the field's own affair.
impl TryFrom<&meta::LabelSelector> for LabelSelector {
    type Error = InvalidSelector;

    fn try_from(selector: &meta::LabelSelector) -> Result<Self, InvalidSelector> {
        let equalities = selector.match_labels.iter().flatten();
        let equalities =
            equalities.map(|(key, value)| (key, Ok(Test::In([value].into_iter().collect()))));
        let expressions = selector.match_expressions.iter().flatten();
        let expressions = expressions.map(|expression| (&expression.key, expressed(expression)));
        let requirements = equalities.chain(expressions).map(|(key, test)| {
            test.and_then(|test| Requirement::new(key, test))
                .map_err(|problem| InvalidSelector {
                    selector: key.clone(),
                    problem,
                })
        });
        Ok(Self(requirements.collect::<Result<_, _>>()?))
    }
}

fn expressed(expression: &meta::LabelSelectorRequirement) -> Result<Test, Invalid> {
    let values = || expression.values.iter().flatten().collect();
    Ok(match expression.operator.as_str() {
        "In" => Test::In(values()),
        "NotIn" => Test::NotIn(values()),
        "Exists" => Test::Exists,
        "DoesNotExist" => Test::Absent,
        other => {
            return Err(Invalid::new(format!(
                "{other:?} is no operator: use In, NotIn, Exists or DoesNotExist"
            )));
        }
    })
}

#[cfg(feature = "kube")]
impl TryFrom<&kube::core::Selector> for LabelSelector {
    type Error = InvalidSelector;

    fn try_from(selector: &kube::core::Selector) -> Result<Self, InvalidSelector> {
        selector.to_string().parse()
    }
}

/// A [`LabelSelector`] of a text that the compiler checks.
///
/// It takes one string literal, in the syntax of kubectl. The value is a constant, so it costs nothing to make, and there is no error to
/// handle:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{LabelSelector, labels};
///
/// const EDGE: LabelSelector = labels!("app=web, tier in (front, edge), !canary");
///
/// assert_eq!(Ok(EDGE), "app=web,tier in (front,edge),!canary".parse());
/// assert!(labels!("").is_everything());
/// ```
///
/// What the API server would refuse does not compile. The message says why, and marks the place in the text:
///
/// ```compile_fail
/// # extern crate larder_runtime as larder;
/// let _ = larder::labels!("app=web,tier is front");
/// ```
///
/// A selector that is known at run time alone is parsed: `text.parse::<LabelSelector>()?`.
#[macro_export]
macro_rules! labels {
    ($($selector:tt)*) => {
        $crate::__private::labels!($crate; $($selector)*)
    };
}

#[cfg(test)]
mod tests;

//! Selectors: of labels, evaluated locally as the API server evaluates them, and of the fields that it can select by.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

mod field;
mod key_tests;
mod parse;

pub use field::{FieldSelector, Selectable};
pub(crate) use key_tests::{KeyTests, Unfit};

/// Which labels an object must have: requirements that must all hold. The empty selector matches everything.
///
/// Made from the text that kubectl takes, from k8s-openapi's `LabelSelector` as it stands in many specs, and, with
/// the feature `kube`, from kube's. Semantics and syntax are those of the API concepts page "Labels and Selectors": `!=` and
/// `notin` also match objects without the label.
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
pub struct LabelSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Requirement {
    key: Box<str>,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Test {
    In(BTreeSet<Box<str>>),
    NotIn(BTreeSet<Box<str>>),
    Exists,
    Absent,
    Greater(i64),
    Less(i64),
}

/// A text or value that is no label selector; says which part and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("label selector {selector:?}: {problem}")]
pub struct InvalidSelector {
    selector: String,
    problem: String,
}

impl LabelSelector {
    /// The selector that matches everything.
    #[must_use]
    pub const fn everything() -> Self {
        Self(Vec::new())
    }

    /// Whether this selector matches whatever labels there are.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an object with these labels is selected.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0
            .iter()
            .all(|requirement| requirement.test.holds(labels.get(&*requirement.key)))
    }
}

impl LabelSelector {
    /// For each requirement that a labels index can serve: the texts, `key` or `key=value`, of which an object has exactly one where it
    /// fulfils the requirement, and whether that is all that this selector asks for.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (Vec<String>, bool)> {
        let alone = self.0.len() == 1;
        self.0.iter().filter_map(move |Requirement { key, test }| {
            let (texts, exactly) = match test {
                Test::In(values) => (
                    values
                        .iter()
                        .map(|value| format!("{key}={value}"))
                        .collect(),
                    true,
                ),
                Test::Exists => (vec![key.to_string()], true),
                Test::Greater(_) | Test::Less(_) => (vec![key.to_string()], false),
                Test::NotIn(_) | Test::Absent => return None,
            };
            Some((texts, alone && exactly))
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&String>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.contains(value.as_str())),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value.as_str())),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Greater(bound) => number().is_some_and(|number| number > *bound),
            Self::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// The text that the API server takes as `labelSelector`.
impl fmt::Display for LabelSelector {
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

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let only = |values: &BTreeSet<Box<str>>| match values.iter().next() {
            Some(value) if values.len() == 1 => Some(value.clone()),
            _ => None,
        };
        let join = |values: &BTreeSet<Box<str>>| {
            values
                .iter()
                .map(|value| &**value)
                .collect::<Vec<_>>()
                .join(",")
        };
        match &self.test {
            Test::In(values) => match only(values) {
                Some(value) => write!(f, "{key}={value}"),
                None => write!(f, "{key} in ({})", join(values)),
            },
            Test::NotIn(values) => match only(values) {
                Some(value) => write!(f, "{key}!={value}"),
                None => write!(f, "{key} notin ({})", join(values)),
            },
            Test::Exists => f.write_str(key),
            Test::Absent => write!(f, "!{key}"),
            Test::Greater(bound) => write!(f, "{key}>{bound}"),
            Test::Less(bound) => write!(f, "{key}<{bound}"),
        }
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
        parse::selector(text)
            .map(Self)
            .map_err(|problem| InvalidSelector {
                selector: text.to_owned(),
                problem,
            })
    }
}

/// The selector of a spec. As in the API, an empty one matches everything; where a field is absent altogether,
/// what that means is the field's own affair.
impl TryFrom<&meta::LabelSelector> for LabelSelector {
    type Error = InvalidSelector;

    fn try_from(selector: &meta::LabelSelector) -> Result<Self, InvalidSelector> {
        let equalities = selector
            .match_labels
            .iter()
            .flatten()
            .map(|(key, value)| Requirement {
                key: key.as_str().into(),
                test: Test::In(BTreeSet::from([value.as_str().into()])),
            });
        let mut requirements: Vec<Requirement> = equalities.collect();
        for expression in selector.match_expressions.iter().flatten() {
            let values = || -> BTreeSet<Box<str>> {
                expression
                    .values
                    .iter()
                    .flatten()
                    .map(|value| value.as_str().into())
                    .collect()
            };
            let test = match expression.operator.as_str() {
                "In" => Test::In(values()),
                "NotIn" => Test::NotIn(values()),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::Absent,
                other => return Err(invalid(selector, format!("unknown operator {other:?}"))),
            };
            requirements.push(Requirement {
                key: expression.key.as_str().into(),
                test,
            });
        }
        for requirement in &requirements {
            requirement
                .check()
                .map_err(|problem| invalid(selector, problem))?;
        }
        Ok(Self(requirements))
    }
}

fn invalid(selector: &meta::LabelSelector, problem: String) -> InvalidSelector {
    let keys = selector
        .match_expressions
        .iter()
        .flatten()
        .map(|expression| expression.key.as_str());
    InvalidSelector {
        selector: keys.collect::<Vec<_>>().join(","),
        problem,
    }
}

#[cfg(feature = "kube")]
impl TryFrom<&kube::core::Selector> for LabelSelector {
    type Error = InvalidSelector;

    fn try_from(selector: &kube::core::Selector) -> Result<Self, InvalidSelector> {
        selector.to_string().parse()
    }
}

#[cfg(all(test, feature = "kube"))]
mod tests {
    use kube::core::{Expression, Selector, SelectorExt as _};

    use super::LabelSelector;

    #[test]
    fn a_selector_of_kube_selects_the_same() {
        let (key, value) = (|| "app".to_owned(), || "web".to_owned());
        let values = || ["web".to_owned(), "api".to_owned()].into();
        let expressions = [
            Expression::In(key(), values()),
            Expression::NotIn(key(), values()),
            Expression::Equal(key(), value()),
            Expression::NotEqual(key(), value()),
            Expression::Exists(key()),
            Expression::DoesNotExist(key()),
        ];
        for expression in expressions {
            let theirs = Selector::from_iter([expression, Expression::Exists("tier".into())]);
            let ours = LabelSelector::try_from(&theirs).unwrap();
            for app in [None, Some("web"), Some("api"), Some("other")] {
                for tier in [None, Some("front")] {
                    let labels = [("app", app), ("tier", tier)];
                    let labels = labels
                        .into_iter()
                        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())))
                        .collect();
                    assert_eq!(
                        ours.matches(&labels),
                        theirs.matches(&labels),
                        "{theirs} of {labels:?}"
                    );
                }
            }
        }
        let everything = LabelSelector::try_from(&Selector::default()).unwrap();
        assert!(everything.is_everything());
    }
}

//! One requirement: a key, and what is asked of its value.

use std::borrow::Cow;
use std::fmt;

use crate::Invalid;
use crate::names::{check_key, check_value};

/// What an object's labels must be, as to one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Requirement {
    key: Cow<'static, str>,
    test: Test,
}

/// What is asked of the value of a label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Test {
    /// It is there, and one of these.
    In(Values),
    /// It is absent, or none of these.
    NotIn(Values),
    /// It is there.
    Exists,
    /// It is absent.
    Absent,
    /// It is an integer above this one.
    Greater(i64),
    /// It is an integer below this one.
    Less(i64),
}

/// The values of a requirement: sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Values(Cow<'static, [Cow<'static, str>]>);

impl Values {
    /// Made by `labels!` alone, which has sorted them.
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(values: &'static [Cow<'static, str>]) -> Self {
        Self(Cow::Borrowed(values))
    }

    /// Each value, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|value| &**value)
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn contains(&self, value: &str) -> bool {
        self.0.binary_search_by(|one| (**one).cmp(value)).is_ok()
    }
}

impl<V: Into<String>> FromIterator<V> for Values {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let owned = values.into_iter().map(|value| Cow::Owned(value.into()));
        let mut values: Vec<Cow<'static, str>> = owned.collect();
        values.sort_unstable();
        values.dedup();
        Self(Cow::Owned(values))
    }
}

impl Requirement {
    /// Made by `labels!` alone, which has checked it.
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(key: &'static str, test: Test) -> Self {
        Self {
            key: Cow::Borrowed(key),
            test,
        }
    }

    /// A requirement.
    ///
    /// # Errors
    ///
    /// A key or value that no label has; [`Test::In`] or [`Test::NotIn`] without a value; a negative bound, which the API server
    /// refuses since it is no label value.
    pub fn new(key: impl Into<String>, test: Test) -> Result<Self, Invalid> {
        let key = key.into();
        check_key(&key).map_err(Invalid::new)?;
        match &test {
            Test::In(values) | Test::NotIn(values) => {
                if values.0.is_empty() {
                    return Err(Invalid::new(format!(
                        "{key:?} is compared with no value: give one at least"
                    )));
                }
                values
                    .iter()
                    .try_for_each(check_value)
                    .map_err(Invalid::new)?;
            }
            Test::Greater(bound) | Test::Less(bound) => {
                check_value(&bound.to_string()).map_err(Invalid::new)?;
            }
            Test::Exists | Test::Absent => {}
        }
        Ok(Self::checked(key, test))
    }

    /// Of a key and a test that were found to be good.
    pub(crate) fn checked(key: impl Into<String>, test: Test) -> Self {
        Self {
            key: Cow::Owned(key.into()),
            test,
        }
    }

    /// The label's key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is asked of its value.
    #[must_use]
    pub fn test(&self) -> &Test {
        &self.test
    }

    /// Whether a label with this value, or none, is as required.
    #[must_use]
    pub fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.test {
            Test::In(values) => value.is_some_and(|value| values.contains(value)),
            Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Test::Exists => value.is_some(),
            Test::Absent => value.is_none(),
            Test::Greater(bound) => number().is_some_and(|number| number > *bound),
            Test::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// As it is written in a selector.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key();
        match &self.test {
            Test::In(values) => compared(f, key, ("=", "in"), values),
            Test::NotIn(values) => compared(f, key, ("!=", "notin"), values),
            Test::Exists => f.write_str(key),
            Test::Absent => write!(f, "!{key}"),
            Test::Greater(bound) => write!(f, "{key}>{bound}"),
            Test::Less(bound) => write!(f, "{key}<{bound}"),
        }
    }
}

fn compared(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    (with_one, with_several): (&str, &str),
    values: &Values,
) -> fmt::Result {
    if let [value] = &*values.0 {
        return write!(f, "{key}{with_one}{value}");
    }
    write!(f, "{key} {with_several} ({})", values.0.join(","))
}

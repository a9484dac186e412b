//! The field selectors on an object's name and namespace, which a cache can evaluate whatever the kind is.

use std::fmt;

use super::requirements;
use crate::key::ObjectKey;

/// Tests of an object's key that must all hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeyTests(Vec<KeyTest>);

/// A test of an object's name or namespace. A cluster-scoped object's namespace is `""`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyTest {
    pub(crate) part: Part,
    pub(crate) equal: bool,
    pub(crate) value: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Name,
    Namespace,
}

impl Part {
    pub(crate) const ALL: [Self; 2] = [Self::Name, Self::Namespace];

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Name => "metadata.name",
            Self::Namespace => "metadata.namespace",
        }
    }

    pub(crate) fn of_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.path() == path)
    }
}

impl KeyTest {
    pub(crate) fn in_namespace(namespace: &str) -> Self {
        Self {
            part: Part::Namespace,
            equal: true,
            value: namespace.into(),
        }
    }

    /// The one namespace that an object may be in, where it is about that. `""` is none.
    pub(crate) fn only_namespace(&self) -> Option<&str> {
        let named = self.equal && self.part == Part::Namespace && !self.value.is_empty();
        named.then_some(&*self.value)
    }

    pub(crate) fn holds(&self, key: &ObjectKey) -> bool {
        let value = match self.part {
            Part::Name => key.name(),
            Part::Namespace => key.namespace().unwrap_or_default(),
        };
        (value == &*self.value) == self.equal
    }
}

impl fmt::Display for KeyTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = if self.equal { "=" } else { "!=" };
        write!(f, "{} {operator} {:?}", self.part.path(), self.value)
    }
}

/// Why a field selector cannot be evaluated here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// The field is not in an object's key.
    Field(String),
    /// The text is no field selector.
    Syntax(String),
}

impl KeyTests {
    /// Reads the text of a `fieldSelector`.
    pub(crate) fn parse(text: &str) -> Result<Self, Unfit> {
        let written =
            requirements::parse(text).map_err(|malformed| Unfit::Syntax(malformed.to_string()))?;
        let tests = written.into_iter().map(|one| {
            let part =
                Part::of_path(one.field).ok_or_else(|| Unfit::Field(one.field.to_owned()))?;
            Ok(KeyTest {
                part,
                equal: one.equal,
                value: one.value.into(),
            })
        });
        tests.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &KeyTest> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(selector: &str, key: &str) -> bool {
        let key = key.parse().unwrap();
        let tests = KeyTests::parse(selector).unwrap();
        tests.iter().all(|test| test.holds(&key))
    }

    #[test]
    fn c012_names_and_namespaces_are_compared_as_the_server_does() {
        for (selector, key, expected) in [
            ("", "a/x", true),
            ("metadata.name=x", "a/x", true),
            ("metadata.name==x,metadata.namespace=a", "a/x", true),
            ("metadata.name=x,metadata.namespace=b", "a/x", false),
            ("metadata.name!=x", "a/x", false),
            ("metadata.namespace!=kube-system,", "a/x", true),
            ("metadata.namespace=", "node", true),
            ("metadata.namespace=a", "node", false),
            (r"metadata.name=x\,y\=z\\", r"a/x,y=z\", true),
        ] {
            assert_eq!(holds(selector, key), expected, "{selector} of {key}");
        }
        let tests = KeyTests::parse("metadata.namespace!=a,metadata.namespace=b").unwrap();
        let namespaces: Vec<_> = tests.iter().filter_map(KeyTest::only_namespace).collect();
        assert_eq!(namespaces, ["b"]);
    }

    #[test]
    fn c012_what_cannot_be_evaluated_is_refused() {
        assert_eq!(
            KeyTests::parse("metadata.name=x,spec.nodeName=n"),
            Err(Unfit::Field("spec.nodeName".into()))
        );
        for text in [
            "metadata.name",
            "metadata.name!x",
            "metadata.name=a=b",
            r"metadata.name=\a",
            r"metadata.name=x\",
        ] {
            assert!(
                matches!(KeyTests::parse(text), Err(Unfit::Syntax(_))),
                "{text}"
            );
        }
    }
}

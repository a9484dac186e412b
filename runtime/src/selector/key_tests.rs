//! The field selectors that a cache can evaluate: those on an object's name and namespace.

use crate::key::ObjectKey;

/// Tests of an object's key that must all hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeyTests(Vec<KeyTest>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct KeyTest {
    part: Part,
    equal: bool,
    value: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Namespace,
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
    /// Reads the syntax of `fieldSelector`: requirements `field=value`, `field==value` and `field!=value`, separated by commas. In a
    /// value, a backslash stands before a comma, an equals sign or a backslash.
    pub(crate) fn parse(text: &str) -> Result<Self, Unfit> {
        let requirements = split(text);
        let tests = requirements.into_iter().filter(|one| !one.is_empty());
        tests.map(requirement).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one namespace that an object may be in, where there is one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        let mut wanted = self.0.iter().filter(|test| test.equal);
        wanted
            .find(|test| test.part == Part::Namespace)
            .map(|test| &*test.value)
    }

    pub(crate) fn hold(&self, key: &ObjectKey) -> bool {
        self.0.iter().all(|test| {
            let value = match test.part {
                Part::Name => key.name(),
                Part::Namespace => key.namespace().unwrap_or_default(),
            };
            (value == &*test.value) == test.equal
        })
    }
}

/// The parts between commas that no backslash stands before.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, character) in text.char_indices() {
        if character == ',' && !escaped {
            parts.push(&text[start..at]);
            start = at + 1;
        }
        escaped = character == '\\' && !escaped;
    }
    parts.push(&text[start..]);
    parts
}

fn requirement(text: &str) -> Result<KeyTest, Unfit> {
    let syntax = |problem: &str| Unfit::Syntax(format!("{problem} in {text:?}"));
    let (field, rest) = text
        .find(['=', '!'])
        .map(|at| text.split_at(at))
        .ok_or_else(|| syntax("no `=`, `==` or `!=`"))?;
    let (equal, value) = if let Some(value) = rest.strip_prefix("!=") {
        (false, value)
    } else if let Some(value) = rest.strip_prefix("==").or_else(|| rest.strip_prefix('=')) {
        (true, value)
    } else {
        return Err(syntax("`!` without `=`"));
    };
    let part = match field.trim() {
        "metadata.name" => Part::Name,
        "metadata.namespace" => Part::Namespace,
        other => return Err(Unfit::Field(other.to_owned())),
    };
    let value = unescape(value).ok_or_else(|| syntax("a stray `\\`, `,` or `=`"))?;
    Ok(KeyTest {
        part,
        equal,
        value: value.into(),
    })
}

fn unescape(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => value.push(characters.next().filter(|next| "\\,=".contains(*next))?),
            ',' | '=' => return None,
            other => value.push(other),
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(selector: &str, key: &str) -> bool {
        let tests = KeyTests::parse(selector).unwrap();
        tests.hold(&key.parse().unwrap())
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
        assert_eq!(
            KeyTests::parse("metadata.namespace!=a,metadata.namespace=b")
                .unwrap()
                .namespace(),
            Some("b")
        );
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

    #[test]
    fn no_text_panics() {
        let mut random = fastrand::Rng::with_seed(crate::test_seed());
        let alphabet: Vec<char> = "metadata.nspc=!,\\ü ".chars().collect();
        for _ in 0..20_000 {
            let length = random.usize(..24);
            let text: String = (0..length)
                .map(|_| alphabet[random.usize(..alphabet.len())])
                .collect();
            let _ = KeyTests::parse(&text);
            let _ = KeyTests::parse(&format!("metadata.name{text}"));
        }
    }
}

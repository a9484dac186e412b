//! The text of field selectors: its one parser.
//!
//! Requirements `field=value`, `field==value` and `field!=value`, separated by commas; empty ones are skipped. In a value, a backslash stands
//! before a comma, an equals sign or a backslash. As the API server reads it (apimachinery, `fields/selector.go`), but that space around a field is
//! none of it.

use std::fmt;

/// One requirement of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Requirement<'a> {
    pub(crate) field: &'a str,
    /// Where the field begins, in bytes.
    pub(crate) at: usize,
    pub(crate) equal: bool,
    /// Without the backslashes.
    pub(crate) value: String,
}

/// What keeps a text from being a field selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where the requirement begins, in bytes.
    pub(crate) at: usize,
    problem: &'static str,
    requirement: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {:?}", self.problem, self.requirement)
    }
}

/// The requirements of a text, in its order.
pub(crate) fn parse(text: &str) -> Result<Vec<Requirement<'_>>, Malformed> {
    let parts = split(text).into_iter().filter(|(_, part)| !part.is_empty());
    parts.map(|(at, part)| requirement(at, part)).collect()
}

/// The parts between commas that no backslash stands before, and where each begins.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, character) in text.char_indices() {
        if character == ',' && !escaped {
            parts.push((start, &text[start..at]));
            start = at + 1;
        }
        escaped = character == '\\' && !escaped;
    }
    parts.push((start, &text[start..]));
    parts
}

fn requirement(at: usize, text: &str) -> Result<Requirement<'_>, Malformed> {
    let malformed = |problem| Malformed {
        at,
        problem,
        requirement: text.to_owned(),
    };
    let (field, rest) = text
        .find(['=', '!'])
        .map(|operator| text.split_at(operator))
        .ok_or_else(|| malformed("no `=`, `==` or `!=`"))?;
    let (equal, value) = if let Some(value) = rest.strip_prefix("!=") {
        (false, value)
    } else if let Some(value) = rest.strip_prefix("==").or_else(|| rest.strip_prefix('=')) {
        (true, value)
    } else {
        return Err(malformed("`!` without `=`"));
    };
    let value = unescape(value).ok_or_else(|| malformed("a stray `\\`, `,` or `=`"))?;
    Ok(Requirement {
        field: field.trim(),
        at: at + field.len() - field.trim_start().len(),
        equal,
        value,
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

    #[test]
    fn requirements_say_where_they_stand() {
        let parsed = parse(r"a=1,, b.c!=x\,y\=z\\,d==").unwrap();
        let seen: Vec<_> = parsed
            .iter()
            .map(|one| (one.field, one.at, one.equal, one.value.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                ("a", 0, true, "1"),
                ("b.c", 6, false, r"x,y=z\"),
                ("d", 21, true, "")
            ]
        );
        assert_eq!(parse(""), Ok(vec![]));
    }

    #[test]
    fn c012_what_is_no_selector_is_refused_where_it_stands() {
        for (text, at, problem) in [
            ("a", 0, r#"no `=`, `==` or `!=` in "a""#),
            ("a=1,b!2", 4, r#"`!` without `=` in "b!2""#),
            ("a=b=c", 0, r#"a stray `\`, `,` or `=` in "a=b=c""#),
            (r"a=\a", 0, r#"a stray `\`, `,` or `=` in "a=\\a""#),
            (r"ü=1,a=x\", 5, r#"a stray `\`, `,` or `=` in "a=x\\""#),
        ] {
            let malformed = parse(text).unwrap_err();
            assert_eq!(
                (malformed.at, malformed.to_string().as_str()),
                (at, problem)
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
            for requirement in parse(&text).into_iter().flatten() {
                assert!(text[requirement.at..].starts_with(requirement.field));
            }
            let _ = parse(&format!("metadata.name{text}"));
        }
    }
}

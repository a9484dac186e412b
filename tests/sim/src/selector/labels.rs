//! Label selectors: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas.
//!
//! An absent label satisfies `!=` and `notin`, as the server has it.

use crate::status::Status;

/// A parsed label selector; the empty one matches everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    label: Box<str>,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In(Vec<Box<str>>),
    NotIn(Vec<Box<str>>),
}

impl LabelSelector {
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        let mut requirements = Vec::new();
        for part in split(text)? {
            requirements.push(Requirement::parse(part)?);
        }
        Ok(Self { requirements })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, labels: &[(Box<str>, Box<str>)]) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    fn parse(text: &str) -> Result<Self, Status> {
        let text = text.trim();
        if let Some(label) = text.strip_prefix('!') {
            return Ok(Self {
                label: checked_label(label.trim(), text)?,
                operator: Operator::Absent,
            });
        }
        if let Some(requirement) = Self::parse_set(text)? {
            return Ok(requirement);
        }
        let one_of = |value: &str| Ok(vec![checked_value(value.trim(), text)?]);
        let (label, operator) = if let Some((label, value)) = text.split_once("!=") {
            (label, Operator::NotIn(one_of(value)?))
        } else if let Some((label, value)) = text.split_once("==").or_else(|| text.split_once('='))
        {
            (label, Operator::In(one_of(value)?))
        } else {
            (text, Operator::Exists)
        };
        Ok(Self {
            label: checked_label(label.trim(), text)?,
            operator,
        })
    }

    /// `a in (b,c)` or `a notin (b,c)`, or none of them.
    fn parse_set(text: &str) -> Result<Option<Self>, Status> {
        let Some((head, values)) = text.split_once('(') else {
            return Ok(None);
        };
        let Some(values) = values.strip_suffix(')') else {
            return Err(refused(text, "expected: ',' or ')'"));
        };
        let mut words = head.split_whitespace();
        let (Some(label), Some(operator), None) = (words.next(), words.next(), words.next()) else {
            return Err(refused(text, "expected: in, notin, =, ==, !="));
        };
        let values = values
            .split(',')
            .map(|value| checked_value(value.trim(), text))
            .collect::<Result<_, _>>()?;
        let operator = match operator {
            "in" => Operator::In(values),
            "notin" => Operator::NotIn(values),
            _ => return Err(refused(text, "expected: in, notin, =, ==, !=")),
        };
        Ok(Some(Self {
            label: checked_label(label, text)?,
            operator,
        }))
    }

    fn matches(&self, labels: &[(Box<str>, Box<str>)]) -> bool {
        let value = labels
            .iter()
            .find(|(label, _)| *label == self.label)
            .map(|(_, value)| value);
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => value.is_some_and(|value| values.contains(value)),
            Operator::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
        }
    }
}

/// Splits at the commas that stand outside parentheses.
fn split(text: &str) -> Result<Vec<&str>, Status> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut depth = 0_u32;
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| refused(text, "expected: ',' or 'end of string'"))?;
            }
            ',' if depth == 0 => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    Ok(parts)
}

fn refused(text: &str, expected: &str) -> Status {
    Status::bad_request(format!(
        "unable to parse requirement: found '{text}', {expected}"
    ))
}

fn is_name(text: &str) -> bool {
    let inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let edge = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.len() <= 63
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().all(inner)
}

fn checked_label(label: &str, whole: &str) -> Result<Box<str>, Status> {
    let (prefix, name) = label
        .split_once('/')
        .map_or((None, label), |(prefix, name)| (Some(prefix), name));
    let prefix_is_fine =
        prefix.is_none_or(|prefix| prefix.split('.').all(is_name) && prefix.len() <= 253);
    if is_name(name) && prefix_is_fine {
        Ok(label.into())
    } else {
        Err(refused(
            whole,
            "expected: !, identifier, or 'end of string'",
        ))
    }
}

fn checked_value(value: &str, whole: &str) -> Result<Box<str>, Status> {
    if value.is_empty() || is_name(value) {
        Ok(value.into())
    } else {
        Err(refused(
            whole,
            "a valid label value must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::LabelSelector;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> Option<bool> {
        let labels: Vec<(Box<str>, Box<str>)> = labels
            .iter()
            .map(|&(label, value)| (label.into(), value.into()))
            .collect();
        LabelSelector::parse(selector)
            .ok()
            .map(|selector| selector.matches(&labels))
    }

    #[test]
    fn operators() {
        let web = &[("app", "web"), ("tier", "front"), ("example.com/x", "")][..];
        for (selector, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web", true),
            ("app = web", true),
            ("app=db", false),
            ("app!=db", true),
            ("app!=web", false),
            ("absent!=x", true),
            ("app", true),
            ("!app", false),
            ("!absent", true),
            ("absent", false),
            ("app in (web,db)", true),
            ("app in (db)", false),
            ("absent in (db)", false),
            ("app notin (db)", true),
            ("absent notin (db)", true),
            ("app notin (web)", false),
            ("app=web,tier=front", true),
            ("app=web,tier in (back),x", false),
            ("example.com/x=", true),
            ("example.com/x", true),
        ] {
            assert_eq!(matches(selector, web), Some(expected), "{selector}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for selector in [
            "=",
            "app=web,",
            ",",
            "app in web",
            "app in (web",
            "app)",
            "app of (web)",
            "a b",
            "app=ü",
            "/x",
            "!",
        ] {
            assert_eq!(matches(selector, &[]), None, "{selector}");
        }
    }
}

//! The syntax of label selectors, and what keys and values may be.

use std::collections::BTreeSet;

use super::{Requirement, Test};

/// The requirements of a selector's text, or what is wrong with it.
pub(super) fn selector(text: &str) -> Result<Vec<Requirement>, String> {
    let mut rest = text.trim();
    let mut requirements = Vec::new();
    while !rest.is_empty() {
        let (requirement, after) = requirement(rest)?;
        requirement.check()?;
        requirements.push(requirement);
        rest = match after.strip_prefix(',') {
            Some(more) if more.trim().is_empty() => {
                return Err("nothing follows the last ','".into());
            }
            Some(more) => more.trim_start(),
            None if after.is_empty() => after,
            None => return Err(format!("expected ',' before {after:?}")),
        };
    }
    Ok(requirements)
}

fn requirement(text: &str) -> Result<(Requirement, &str), String> {
    if let Some(rest) = text.strip_prefix('!') {
        let (key, rest) = word(rest.trim_start());
        return Ok((
            Requirement {
                key: key.into(),
                test: Test::Absent,
            },
            rest.trim_start(),
        ));
    }
    let (key, rest) = word(text);
    let rest = rest.trim_start();
    let (test, rest) = test(key, rest)?;
    Ok((
        Requirement {
            key: key.into(),
            test,
        },
        rest.trim_start(),
    ))
}

fn test<'a>(key: &str, rest: &'a str) -> Result<(Test, &'a str), String> {
    let one = |rest: &'a str| {
        let (value, rest) = word(rest.trim_start());
        (BTreeSet::from([Box::from(value)]), rest)
    };
    if rest.is_empty() || rest.starts_with(',') {
        return Ok((Test::Exists, rest));
    }
    if let Some(rest) = rest.strip_prefix("==").or_else(|| rest.strip_prefix('=')) {
        let (values, rest) = one(rest);
        return Ok((Test::In(values), rest));
    }
    if let Some(rest) = rest.strip_prefix("!=") {
        let (values, rest) = one(rest);
        return Ok((Test::NotIn(values), rest));
    }
    if let Some(after) = rest.strip_prefix(['>', '<']) {
        let (bound, after) = word(after.trim_start());
        let bound: i64 = bound
            .parse()
            .map_err(|_| format!("{key:?} is compared with {bound:?}, which is no integer"))?;
        return Ok((
            if rest.starts_with('>') {
                Test::Greater(bound)
            } else {
                Test::Less(bound)
            },
            after,
        ));
    }
    let (operator, rest) = word(rest);
    let (values, rest) = match operator {
        "in" | "notin" => set(key, rest.trim_start())?,
        _ => {
            return Err(format!(
                "{operator:?} after {key:?} is no operator: use =, ==, !=, in, notin, < or >"
            ));
        }
    };
    Ok((
        if operator == "in" {
            Test::In(values)
        } else {
            Test::NotIn(values)
        },
        rest,
    ))
}

fn set<'a>(key: &str, text: &'a str) -> Result<(BTreeSet<Box<str>>, &'a str), String> {
    let open = text
        .strip_prefix('(')
        .ok_or_else(|| format!("the values of {key:?} stand in '(' and ')'"))?;
    let (values, rest) = open
        .split_once(')')
        .ok_or_else(|| format!("the values of {key:?} lack their ')'"))?;
    Ok((
        values.split(',').map(|value| value.trim().into()).collect(),
        rest,
    ))
}

/// Everything up to the next character that means something.
fn word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| c.is_whitespace() || "!=,()<>".contains(c))
        .unwrap_or(text.len());
    text.split_at(end)
}

impl Requirement {
    /// What the API server would refuse: RFC 1123 prefix, name and values of at most 63 characters.
    pub(super) fn check(&self) -> Result<(), String> {
        let (prefix, name) = match self.key.split_once('/') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (None, &*self.key),
        };
        if name.is_empty()
            || !is_label_text(name)
            || prefix.is_some_and(|prefix| !is_subdomain(prefix))
        {
            return Err(format!("{:?} is no label key", self.key));
        }
        let values = match &self.test {
            Test::In(values) | Test::NotIn(values) => values,
            Test::Exists | Test::Absent | Test::Greater(_) | Test::Less(_) => return Ok(()),
        };
        if values.is_empty() {
            return Err(format!("{:?} needs at least one value", self.key));
        }
        match values
            .iter()
            .find(|value| !value.is_empty() && !is_label_text(value))
        {
            Some(value) => Err(format!("{value:?} is no label value")),
            None => Ok(()),
        }
    }
}

fn is_label_text(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().last())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn is_subdomain(text: &str) -> bool {
    let label = |label: &str| {
        let ends =
            |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends(label.chars().next())
            && ends(label.chars().last())
            && label
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::selector::LabelSelector;

    fn labels(text: &str) -> BTreeMap<String, String> {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn selects_as_the_api_server_does() {
        let rows = [
            ("", "", true),
            ("a=b", "a=b", true),
            ("a==b", "a=b", true),
            ("a = b", "a=b", true),
            ("a=b", "a=c", false),
            ("a=b", "", false),
            ("a=", "a=", true),
            ("a=", "", false),
            ("a!=b", "a=c", true),
            ("a!=b", "", true),
            ("a!=b", "a=b", false),
            ("a in (b,c)", "a=c", true),
            ("a in (b, c)", "a=d", false),
            ("a in (b,)", "a=", true),
            ("a notin (b,c)", "", true),
            ("a notin (b,c)", "a=b", false),
            ("a", "a=x", true),
            ("a", "b=x", false),
            ("!a", "b=x", true),
            ("! a", "a=x", false),
            ("a>3", "a=4", true),
            ("a>3", "a=3", false),
            ("a>3", "a=x", false),
            ("a<3", "a=-7", true),
            ("a<3", "", false),
            ("a=b,c in (d),!e,f", "a=b,c=d,f=", true),
            ("a=b,c in (d),!e,f", "a=b,c=d,f=,e=1", false),
            ("app.kubernetes.io/name=x", "app.kubernetes.io/name=x", true),
            ("in in (in)", "in=in", true),
        ];
        for (selector, given, expected) in rows {
            let parsed: LabelSelector = selector.parse().unwrap();
            assert_eq!(
                parsed.matches(&labels(given)),
                expected,
                "{selector:?} on {given:?}"
            );
            let again: LabelSelector = parsed.to_string().parse().unwrap();
            assert_eq!(again, parsed, "{selector:?} prints as {parsed}");
        }
    }

    #[test]
    fn refuses_what_the_api_server_refuses_and_says_why() {
        let rows = [
            (",", "no label key"),
            ("a=b,", "nothing follows"),
            ("a=b c=d", "expected ','"),
            ("a in b", "stand in"),
            ("a in (b", "lack their"),
            ("a is b", "no operator"),
            ("a>b", "no integer"),
            ("=b", "no label key"),
            ("a=b/c", "no label value"),
            ("-a", "no label key"),
            ("Up/a", "no label key"),
            ("a/b/c", "no label key"),
            ("!", "no label key"),
            ("a in (b)c", "expected ','"),
        ];
        for (selector, why) in rows {
            let error = selector.parse::<LabelSelector>().unwrap_err().to_string();
            assert!(error.contains(why), "{selector:?}: {error}");
        }
        assert!(
            format!("a={}", "x".repeat(64))
                .parse::<LabelSelector>()
                .is_err()
        );
    }

    #[test]
    fn takes_the_selector_of_a_spec() {
        use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
        let requirement =
            |key: &str, operator: &str, values: &[&str]| meta::LabelSelectorRequirement {
                key: key.into(),
                operator: operator.into(),
                values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
            };
        let spec = meta::LabelSelector {
            match_labels: Some(labels("a=b")),
            match_expressions: Some(vec![
                requirement("c", "In", &["d", "e"]),
                requirement("f", "NotIn", &["g"]),
                requirement("h", "Exists", &[]),
                requirement("i", "DoesNotExist", &[]),
            ]),
        };
        let selector = LabelSelector::try_from(&spec).unwrap();
        assert_eq!(selector.to_string(), "a=b,c in (d,e),f!=g,h,!i");
        for bad in [requirement("c", "Inn", &["d"]), requirement("c", "In", &[])] {
            let spec = meta::LabelSelector {
                match_expressions: Some(vec![bad]),
                ..Default::default()
            };
            assert!(LabelSelector::try_from(&spec).is_err());
        }
        assert!(
            LabelSelector::try_from(&meta::LabelSelector::default())
                .unwrap()
                .is_everything()
        );
    }
}

//! What labels and their values may look like, and how the server words it.
//!
//! Source: `IsQualifiedName` and `IsValidLabelValue` of apimachinery 1.37.

const LONGEST_PREFIX: usize = 253;
const LONGEST_NAME: usize = 63;
const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
     character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
     must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// What is wrong with a label, if anything.
pub(super) fn label_problem(label: &str) -> Option<String> {
    let parts: Vec<&str> = label.split('/').collect();
    let (prefix, name) = match parts.as_slice() {
        [name] => (None, *name),
        [prefix, name] => (Some(*prefix), *name),
        _ => {
            return Some(format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ));
        }
    };
    let mut problems: Vec<String> = prefix.and_then(prefix_problem).into_iter().collect();
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > LONGEST_NAME {
        problems.push(format!(
            "name part must be no more than {LONGEST_NAME} bytes"
        ));
    }
    if !is_name(name) {
        problems.push(format!("name part {NAME}"));
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

fn prefix_problem(prefix: &str) -> Option<String> {
    let is_part = |part: &str| {
        is_name(part)
            && part
                .bytes()
                .all(|letter| letter == b'-' || is_lower(letter))
    };
    if prefix.is_empty() {
        Some("prefix part must be non-empty".to_owned())
    } else if prefix.len() > LONGEST_PREFIX {
        Some(format!(
            "prefix part must be no more than {LONGEST_PREFIX} bytes"
        ))
    } else {
        let is_fine = prefix.split('.').all(is_part);
        (!is_fine).then(|| format!("prefix part {SUBDOMAIN}"))
    }
}

/// What is wrong with a label's value, if anything.
pub(super) fn value_problem(value: &str) -> Option<String> {
    if value.len() > LONGEST_NAME {
        Some(format!("must be no more than {LONGEST_NAME} bytes"))
    } else {
        (!value.is_empty() && !is_name(value)).then(|| VALUE.to_owned())
    }
}

fn is_lower(letter: u8) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit()
}

fn is_name(text: &str) -> bool {
    let inner = |letter: &u8| letter.is_ascii_alphanumeric() || b"-_.".contains(letter);
    let edge = |letter: Option<&u8>| letter.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
}

#[cfg(test)]
mod tests {
    use super::{label_problem, value_problem};

    #[test]
    fn labels_and_values() {
        let long = "a".repeat(64);
        for (label, expected) in [
            ("app", None),
            ("example.com/App_1.x", None),
            ("a/b/c", Some("a valid label key must consist of")),
            ("/a", Some("prefix part must be non-empty")),
            ("Example.com/a", Some("prefix part a lowercase RFC 1123")),
            (
                "x/",
                Some("name part must be non-empty; name part must consist"),
            ),
            ("-a", Some("name part must consist of")),
            (
                long.as_str(),
                Some("name part must be no more than 63 bytes"),
            ),
        ] {
            let problem = label_problem(label);
            let matches = match (&problem, expected) {
                (Some(problem), Some(expected)) => problem.starts_with(expected),
                (problem, expected) => problem.is_none() && expected.is_none(),
            };
            assert!(matches, "{label}: {problem:?}");
        }
        assert_eq!((value_problem(""), value_problem("a_1")), (None, None));
        assert!(value_problem("ü").is_some() && value_problem(&long).is_some());
    }
}

//! Field selectors: `a=b`, `a==b`, `a!=b`, joined by commas; only fields that the server supports for the kind.

use crate::{kind::Kind, status::Status};

/// A parsed field selector; the empty one matches everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
struct Term {
    /// Position in the kind's selectable fields.
    field: usize,
    value: Box<str>,
    equal: bool,
}

impl FieldSelector {
    pub(crate) fn parse(kind: &Kind, text: &str) -> Result<Self, Status> {
        let parts = split(text);
        let terms = parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| Term::parse(kind, part, text));
        Ok(Self {
            terms: terms.collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub(crate) fn matches(&self, fields: &[Box<str>]) -> bool {
        self.terms.iter().all(|term| {
            fields
                .get(term.field)
                .is_some_and(|value| (*value == term.value) == term.equal)
        })
    }
}

impl Term {
    fn parse(kind: &Kind, part: &str, whole: &str) -> Result<Self, Status> {
        let (label, value, equal) = if let Some((label, value)) = part.split_once("!=") {
            (label, value, false)
        } else if let Some((label, value)) = part.split_once("==").or_else(|| part.split_once('='))
        {
            (label, value, true)
        } else {
            let message = format!("invalid selector: '{whole}'; can't understand '{part}'");
            return Err(Status::bad_request(message));
        };
        let field = kind
            .selectable
            .iter()
            .position(|field| field.label() == label);
        let field = field
            .ok_or_else(|| Status::bad_request(kind.unsupported_field.message(label, kind)))?;
        Ok(Self {
            field,
            value: unescape(value)?,
            equal,
        })
    }
}

/// Splits at the commas that are not escaped by a backslash.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut escaped) = (0, false);
    for (at, letter) in text.char_indices() {
        if letter == ',' && !escaped {
            parts.push(text.get(from..at).unwrap_or_default());
            from = at + 1;
        }
        escaped = letter == '\\' && !escaped;
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

fn unescape(value: &str) -> Result<Box<str>, Status> {
    let mut out = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                _ => {
                    return Err(Status::bad_request(
                        "invalid field selector: invalid escape sequence",
                    ));
                }
            },
            '=' => {
                return Err(Status::bad_request(
                    "invalid field selector: unescaped character in value: =",
                ));
            }
            _ => out.push(letter),
        }
    }
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use super::FieldSelector;
    use crate::kind::Kind;
    use serde_json::{Map, Value, json};

    fn matches(kind: &Kind, selector: &str, object: &Value) -> Result<bool, String> {
        let object: Map<String, Value> = object.as_object().cloned().unwrap_or_default();
        let fields: Vec<Box<str>> = kind
            .selectable
            .iter()
            .map(|field| field.value_in(&object))
            .collect();
        FieldSelector::parse(kind, selector)
            .map(|selector| selector.matches(&fields))
            .map_err(|status| status.message)
    }

    #[test]
    fn operators() {
        let kind = Kind::new("", "v1", "Pod", "pods");
        let pod =
            json!({"metadata": {"name": "a", "namespace": "web"}, "spec": {"nodeName": "n,1"}});
        for (selector, expected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==a,metadata.namespace!=db", true),
            ("metadata.namespace!=web", false),
            ("spec.nodeName=n\\,1", true),
            ("spec.host=n\\,1", true),
            ("spec.hostNetwork=false", true),
            ("status.phase=", true),
            ("status.phase!=", false),
        ] {
            assert_eq!(matches(&kind, selector, &pod), Ok(expected), "{selector}");
        }
    }

    #[test]
    fn unsupported_fields_are_refused_in_the_words_of_the_kind() {
        let refusal = |kind: &Kind, selector: &str| matches(kind, selector, &json!({})).err();
        let pod = Kind::new("", "v1", "Pod", "pods");
        let config_map = Kind::new("", "v1", "ConfigMap", "configmaps");
        let job = Kind::new("batch", "v1", "Job", "jobs");
        assert_eq!(
            refusal(&pod, "spec.color=red").as_deref(),
            Some("field label not supported: spec.color")
        );
        assert_eq!(
            refusal(&config_map, "data.x=1").as_deref(),
            Some(
                "\"data.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            )
        );
        assert_eq!(
            refusal(&job, "spec.x=1").as_deref(),
            Some("field label \"spec.x\" not supported for Job")
        );
        assert_eq!(
            refusal(&pod, "metadata.name").as_deref(),
            Some("invalid selector: 'metadata.name'; can't understand 'metadata.name'")
        );
    }
}

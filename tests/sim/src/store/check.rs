//! What the server checks of every object, whatever its kind: type, namespace and name.
//!
//! Validation beyond that (specs, labels, annotations, owner references) is not simulated.

use crate::{
    kind::Kind,
    status::{FieldError, Status},
};
use serde_json::{Map, Value, map::Entry};

pub(crate) type Object = Map<String, Value>;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
     and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/// The metadata of an object, made if it is missing.
pub(crate) fn metadata(object: &mut Object) -> Result<&mut Object, Status> {
    let slot = match object.entry("metadata") {
        Entry::Vacant(slot) => slot.insert(Value::Object(Map::new())),
        Entry::Occupied(slot) => slot.into_mut(),
    };
    slot.as_object_mut()
        .ok_or_else(|| Status::bad_request("metadata must be a JSON object"))
}

/// A string of the metadata; empty if it is missing or no string.
pub(crate) fn meta_text<'a>(object: &'a Object, name: &str) -> &'a str {
    let value = object
        .get("metadata")
        .and_then(|metadata| metadata.get(name));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// A value of the metadata.
pub(crate) fn meta_value<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    object.get("metadata")?.get(name)
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &Object) -> Vec<&str> {
    let list = meta_value(object, "finalizers").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// That the object says it is of this kind; absent types are filled in by the server.
pub(crate) fn check_type(kind: &Kind, object: &Object) -> Result<(), Status> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, name) = (text("apiVersion"), text("kind"));
    let expected = kind.api_version();
    if !api_version.is_empty() && api_version != expected {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    if !name.is_empty() && name != kind.kind {
        return Err(unreadable(
            kind,
            name,
            &format!(
                "converting ({}.{name}) to ({}): unknown conversion",
                kind.version,
                kind.go_type()
            ),
        ));
    }
    check_metadata_types(kind, object)
}

fn unreadable(kind: &Kind, name: &str, why: &str) -> Status {
    Status::bad_request(format!(
        "{name} in version \"{}\" cannot be handled as a {}: {why}",
        kind.api_version(),
        kind.kind
    ))
}

/// That the members of the metadata have the types that every client takes for granted.
fn check_metadata_types(kind: &Kind, object: &Object) -> Result<(), Status> {
    let refuse = |name: &str, found: &Value, expected: &str| {
        let found = match found {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::String(_) => "string",
            Value::Bool(_) => "bool",
            Value::Number(_) | Value::Null => "number",
        };
        let why = format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.metadata.{name} of type {expected}"
        );
        Err(unreadable(kind, &kind.kind, &why))
    };
    let is_text = |value: &Value| value.is_null() || value.is_string();
    for (name, expected, inner) in METADATA_TYPES {
        let value = meta_value(object, name).unwrap_or(&Value::Null);
        let misfit = match (value, inner) {
            (Value::Null, _) => None,
            (Value::Object(members), Inner::Map) => members.values().find(|value| !is_text(value)),
            (Value::Array(items), Inner::List) => items.iter().find(|value| !is_text(value)),
            (Value::String(_), Inner::Text) => None,
            (other, _) => return refuse(name, other, expected),
        };
        if let Some(misfit) = misfit {
            return refuse(name, misfit, "string");
        }
    }
    Ok(())
}

/// How strings stand in a member of the metadata.
#[derive(Clone, Copy)]
enum Inner {
    Text,
    Map,
    List,
}

const METADATA_TYPES: &[(&str, &str, Inner)] = &[
    ("name", "string", Inner::Text),
    ("generateName", "string", Inner::Text),
    ("namespace", "string", Inner::Text),
    ("uid", "string", Inner::Text),
    ("resourceVersion", "string", Inner::Text),
    ("labels", "map[string]string", Inner::Map),
    ("annotations", "map[string]string", Inner::Map),
    ("finalizers", "[]string", Inner::List),
];

/// Puts the object into the namespace of the request, or says that it is meant for another one.
pub(crate) fn settle_namespace(
    kind: &Kind,
    namespace: &str,
    object: &mut Object,
) -> Result<(), Status> {
    let given = meta_text(object, "namespace").to_owned();
    let metadata = metadata(object)?;
    if !kind.namespaced {
        metadata.remove("namespace");
        return Ok(());
    }
    if !given.is_empty() && given != namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    metadata.insert("namespace".to_owned(), Value::from(namespace));
    Ok(())
}

/// That a new object's name is one that the server accepts.
pub(crate) fn check_name(kind: &Kind, name: &str) -> Result<(), Status> {
    let error = if name.is_empty() {
        FieldError::required("metadata.name", "name or generateName is required")
    } else if let Some(why) = name_problem(kind, name) {
        FieldError::invalid("metadata.name", name, &why)
    } else {
        return Ok(());
    };
    Err(Status::invalid(&kind.group, &kind.kind, name, &[error]))
}

fn name_problem(kind: &Kind, name: &str) -> Option<String> {
    let too_long = |limit: usize| format!("must be no more than {limit} bytes");
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("rbac.authorization.k8s.io", _) => path_segment_problem(name),
        ("", "Namespace" | "Service") if name.len() > 63 => Some(too_long(63)),
        ("", "Namespace" | "Service") => (!is_label(name)).then(|| LABEL.to_owned()),
        _ if name.len() > 253 => Some(too_long(253)),
        _ => (!name.split('.').all(is_label)).then(|| SUBDOMAIN.to_owned()),
    }
}

fn path_segment_problem(name: &str) -> Option<String> {
    if matches!(name, "." | "..") {
        return Some(format!("may not be '{name}'"));
    }
    let letter = ['/', '%']
        .into_iter()
        .find(|&letter| name.contains(letter))?;
    Some(format!("may not contain '{letter}'"))
}

fn is_label(text: &str) -> bool {
    let plain = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let edge = |letter: Option<&u8>| letter.is_some_and(|&letter| plain(letter));
    let bytes = text.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|&letter| plain(letter) || letter == b'-')
}

#[cfg(test)]
mod tests {
    use super::check_name;
    use crate::kind::Kind;

    #[test]
    fn names() {
        let pod = Kind::new("", "v1", "Pod", "pods");
        let namespace = Kind::new("", "v1", "Namespace", "namespaces").cluster_scoped();
        let role = Kind::new("rbac.authorization.k8s.io", "v1", "Role", "roles");
        let long = "a".repeat(254);
        for (kind, name, fine) in [
            (&pod, "a.b-c.9", true),
            (&pod, "", false),
            (&pod, "A", false),
            (&pod, "a_b", false),
            (&pod, "-a", false),
            (&pod, "a..b", false),
            (&pod, long.as_str(), false),
            (&namespace, "web", true),
            (&namespace, "web.x", false),
            (&role, "system:node", true),
            (&role, "a/b", false),
            (&role, "..", false),
        ] {
            assert_eq!(check_name(kind, name).is_ok(), fine, "{} {name}", kind.kind);
        }
        let refusal = check_name(&pod, "A").map_err(|status| status.message);
        assert!(refusal.is_err_and(|message| message.starts_with(
            "Pod \"A\" is invalid: metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of"
        )));
    }
}

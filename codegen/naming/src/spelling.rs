//! The properties that Kubernetes' own types have, to tell a JSON name from a spelling that only looks like one.

use crate::field_name;

/// All property names of the carried documents, one a line, sorted. A test of `larder-codegen` compares them.
const PROPERTIES: &str = include_str!("properties.txt");

/// The names of all properties of Kubernetes' own types, in the documents of 1.33 to 1.37, sorted.
pub fn built_in_properties() -> impl Iterator<Item = &'static str> {
    PROPERTIES.lines()
}

/// The JSON name that was probably meant by `spelling`, which is no property of Kubernetes' own types but gives the same
/// Rust field as one.
///
/// Foreign types may well have a property of that spelling: only they know.
///
/// ```
/// use larder_naming::meant_property;
///
/// assert_eq!(meant_property("node_name"), Some("nodeName"));
/// assert_eq!(meant_property("hostIp"), Some("hostIP"));
/// assert_eq!(meant_property("nodeName"), None);
/// assert_eq!(meant_property("issuerRef"), None);
/// ```
#[must_use]
pub fn meant_property(spelling: &str) -> Option<&'static str> {
    let mut alike = built_in_properties()
        .filter(|property| is_alike(property, spelling))
        .peekable();
    // Most spellings resemble nothing: they cost a glance at each name.
    alike.peek()?;
    if built_in_properties().any(|property| property == spelling) {
        return None;
    }
    let field = field_name(spelling);
    alike.find(|property| field_name(property) == field)
}

/// Whether two names differ only in case and in what separates words.
fn is_alike(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    let bytes = name.bytes().filter(u8::is_ascii_alphanumeric);
    bytes.map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_names_and_other_capitals_are_told_from_json_names() {
        for (spelling, meant) in [
            ("node_name", "nodeName"),
            ("podIps", "podIPs"),
            ("pod_ips", "podIPs"),
            ("type_", "type"),
            ("cluster_ips", "clusterIPs"),
            ("api_version", "apiVersion"),
            ("Metadata", "metadata"),
            ("x_kubernetes_list_type", "x-kubernetes-list-type"),
        ] {
            assert_eq!(meant_property(spelling), Some(meant), "{spelling}");
        }
        for name in [
            "nodeName",
            "type",
            "Port",
            "port",
            "secretTemplate",
            "",
            "é",
        ] {
            assert_eq!(meant_property(name), None, "{name}");
        }
    }

    /// What is a JSON name must never be taken for another's misspelling.
    #[test]
    fn no_property_is_meant_by_another() {
        for property in built_in_properties() {
            assert_eq!(meant_property(property), None, "{property}");
        }
        let sorted: Vec<_> = built_in_properties().collect();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

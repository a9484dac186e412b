//! The properties that Kubernetes' own types have, to tell a JSON name from a spelling that only looks like one.

use std::collections::HashMap;
use std::sync::OnceLock;

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
    // Made once for a compilation's many paths, as a macro that is built without optimisation feels it.
    static BY_LETTERS: OnceLock<HashMap<String, Vec<&'static str>>> = OnceLock::new();
    let by_letters = BY_LETTERS.get_or_init(|| {
        let mut by_letters: HashMap<_, Vec<_>> = HashMap::new();
        for property in built_in_properties() {
            by_letters
                .entry(letters(property))
                .or_default()
                .push(property);
        }
        by_letters
    });
    let alike = by_letters.get(&letters(spelling))?;
    if alike.contains(&spelling) {
        return None;
    }
    let field = field_name(spelling);
    let mut alike = alike.iter().copied();
    alike.find(|property| field_name(property) == field)
}

/// A name without case and without what separates words.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
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

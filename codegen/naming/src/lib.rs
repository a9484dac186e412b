//! How names of the Kubernetes API become Rust names.
//!
//! One rule for everything that has to agree: the generator, which emits code over k8s-openapi's types, and the
//! macros, which turn a JSON path into field access. For the types of Kubernetes itself the names are exactly
//! k8s-openapi's; `larder-codegen` has a test that compares all of them with k8s-openapi's own sources.
//!
//! | from | to | function |
//! |---|---|---|
//! | property `clusterIPs` | field `cluster_ips` | [`field_name`] |
//! | kind `CSIDriver` | module `csi_driver` | [`module_name`] |
//! | group `rbac.authorization.k8s.io` | module `rbac` | [`group_module`] |
//! | group `cert-manager.io` | module `cert_manager_io` | [`group_module`] |
//! | definition `io.k8s.api.core.v1.Pod` | path `api::core::v1::Pod` | [`k8s_openapi_path`] |
//!
//! The functions are total: any text gives a valid identifier. Two different texts may give the same one
//! (`fooBar` and `foo_bar` both give `foo_bar`); who emits fields from foreign schemas has to look for that.
//!
//! ```
//! use larder_naming::{field_name, group_module, k8s_openapi_path, module_name};
//!
//! assert_eq!(field_name("nodeName"), "node_name");
//! assert_eq!(field_name("type"), "type_");
//! assert_eq!(module_name("CSIDriver"), "csi_driver");
//! assert_eq!(group_module("cert-manager.io"), "cert_manager_io");
//! assert_eq!(
//!     k8s_openapi_path("io.k8s.api.core.v1.Pod").as_deref(),
//!     Some("api::core::v1::Pod"),
//! );
//! ```

mod case;
mod groups;
mod hash;
mod spelling;
mod tables;

pub use case::{escape_keyword, is_plain, snake_case};
pub use groups::{group_module, k8s_openapi_path};
pub use hash::hash;
pub use spelling::{built_in_properties, meant_property};
pub use tables::{BUILT_IN_GROUPS, BuiltInGroup, FIELD_EXCEPTIONS, FieldException};

/// The Rust field for a JSON property: k8s-openapi's name for the types of Kubernetes itself.
///
/// [`FIELD_EXCEPTIONS`] first, then [`snake_case`], then [`escape_keyword`].
///
/// ```
/// use larder_naming::field_name;
///
/// assert_eq!(field_name("podIPs"), "pod_ips");
/// assert_eq!(field_name("openAPIV3Schema"), "open_api_v3_schema");
/// assert_eq!(field_name("$ref"), "ref_path");
/// assert_eq!(field_name("x-kubernetes-list-type"), "x_kubernetes_list_type");
/// assert_eq!(field_name("1e"), "_1e");
/// ```
#[must_use]
pub fn field_name(property: &str) -> String {
    let exception = FIELD_EXCEPTIONS.iter().find(|row| row.property == property);
    match exception {
        Some(row) => row.field.to_owned(),
        None => escape_keyword(snake_case(property)),
    }
}

/// The module that holds what belongs to one kind, beside the kind's type: `pod` for `Pod`.
///
/// It is the rule by which k8s-openapi names the file of a type, so abbreviations stay together: `csi_driver`,
/// `ip_address`, `api_service`.
///
/// ```
/// use larder_naming::module_name;
///
/// assert_eq!(module_name("PodTemplate"), "pod_template");
/// assert_eq!(module_name("IPAddress"), "ip_address");
/// ```
#[must_use]
pub fn module_name(kind: &str) -> String {
    escape_keyword(snake_case(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_exception_is_needed() {
        for row in FIELD_EXCEPTIONS {
            assert_ne!(
                escape_keyword(snake_case(row.property)),
                row.field,
                "the rule alone gives this name: delete the row of {:?}",
                row.property
            );
        }
    }

    #[test]
    fn tables_have_one_row_for_each_name_and_are_sorted() {
        let sorted = |names: Vec<&str>| names.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(sorted(
            FIELD_EXCEPTIONS.iter().map(|row| row.property).collect()
        ));
        assert!(sorted(
            BUILT_IN_GROUPS.iter().map(|row| row.group).collect()
        ));
    }

    #[test]
    fn any_text_gives_an_identifier() {
        for text in [
            "", "_", "__", "-", "1e", "a.b/c", "ÄÖ", "日本", "Self", "self", "type", "$", "a b",
            "\u{0}", "İx",
        ] {
            for name in [field_name(text), module_name(text), group_module(text)] {
                let mut chars = name.chars();
                let first = chars.next().expect("not empty");
                assert!(
                    first.is_ascii_lowercase() || first == '_',
                    "{text:?} gave {name:?}"
                );
                assert!(
                    chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                    "{text:?} gave {name:?}"
                );
                assert_ne!(name, "_", "{text:?}");
                assert_eq!(name, escape_keyword(name.clone()), "{text:?}");
            }
        }
    }
}

//! Selectors that are texts.

use super::model::{IMAGE, NODE, SIZE, Thing};
use crate::field::{Field, FieldKey};
use crate::query::text::{Named, Names, fields, labels_and_fields};
use crate::query::{InvalidQuery, Query};

/// As of an informer with three indexes.
struct Known;

fn named<L: FieldKey + 'static>(field: Field<Thing, L>, value: &str) -> Named<Thing> {
    L::from_text(value).map_or(Named::NoValue, |key| Named::Query(field.eq(key)))
}

impl Names<Thing> for Known {
    fn equal(&self, field: &str, value: &str) -> Named<Thing> {
        match field {
            "spec.node" => named(NODE, value),
            "spec.size" => named(SIZE, value),
            "spec.images[]" => named(IMAGE, value),
            _ => Named::Unknown,
        }
    }

    fn all(&self) -> Vec<String> {
        ["spec.node", "spec.size", "spec.images[]"]
            .map(str::to_owned)
            .into()
    }
}

pub(super) fn parse(text: &str) -> Result<Query<Thing>, InvalidQuery> {
    fields(text, &Known)
}

#[test]
fn texts_mean_what_kubectl_means_by_them() {
    for (text, query) in [
        ("", "everything"),
        ("spec.node=n1", r#"spec.node = "n1""#),
        (
            "spec.node==n1,spec.size!=3",
            r#"spec.node = "n1" and spec.size != 3"#,
        ),
        (
            r"metadata.name=x\,y,metadata.namespace!=a,",
            r#"metadata.name = "x,y" and metadata.namespace != "a""#,
        ),
        ("spec.images[]!=", r#"spec.images[] != """#),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), query, "{text}");
    }
    let both = labels_and_fields("app=web", "spec.node!=n1", &Known).unwrap();
    assert_eq!(both.to_string(), r#"spec.node != "n1" and labels app=web"#);
    assert!(labels_and_fields("", "", &Known).unwrap().is_everything());
}

#[test]
fn what_cannot_be_meant_is_refused_where_it_stands() {
    for (text, error) in [
        (
            "spec.node=n1,spec.nod=n2",
            "field selector \"spec.node=n1,spec.nod=n2\": at character 14: \"spec.nod\" cannot be named (did you mean \"spec.node\"?); what can: \
             metadata.name, metadata.namespace, spec.images[], spec.node, spec.size. Add an index on it, or select by `field!`",
        ),
        (
            "Node=n1",
            "field selector \"Node=n1\": at character 1: \"Node\" cannot be named (did you mean \"spec.node\"?); what can: \
             metadata.name, metadata.namespace, spec.images[], spec.node, spec.size. Add an index on it, or select by `field!`",
        ),
        (
            "status.phase=Running",
            "field selector \"status.phase=Running\": at character 1: \"status.phase\" cannot be named; what can: \
             metadata.name, metadata.namespace, spec.images[], spec.node, spec.size. Add an index on it, or select by `field!`",
        ),
        (
            "spec.node=n1, spec.size!=big",
            "field selector \"spec.node=n1, spec.size!=big\": at character 15: \"big\" is no value of spec.size, or its values cannot be \
             written as text: select by `field!`",
        ),
        (
            "spec.node=n1,spec.size",
            "field selector \"spec.node=n1,spec.size\": at character 14: no `=`, `==` or `!=` in \"spec.size\"",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), error);
    }
    let labels = labels_and_fields("app in", "", &Known).unwrap_err();
    assert!(matches!(labels, InvalidQuery::Labels(_)), "{labels}");
}

#[test]
fn no_text_panics() {
    let mut random = fastrand::Rng::with_seed(crate::test_seed());
    let alphabet: Vec<char> = "spec.nodiz=!,\\ü[] ".chars().collect();
    for _ in 0..20_000 {
        let length = random.usize(..24);
        let text: String = (0..length)
            .map(|_| alphabet[random.usize(..alphabet.len())])
            .collect();
        if let Err(error) = parse(&format!("spec.size{text}")) {
            assert!(!error.to_string().is_empty());
        }
    }
}

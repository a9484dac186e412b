//! From what a person calls a kind to the kind.

use anyhow::{anyhow, bail};
use kube::core::Version;
use larder_codegen::{Kind, Model};

use crate::text::did_you_mean;

/// How a kind may be called.
fn names(kind: &Kind) -> Vec<String> {
    let lower = kind.id.kind.to_lowercase();
    let mut names = vec![
        kind.plural.clone(),
        lower,
        kind.id.to_string().to_lowercase(),
    ];
    let (version, group) = (&kind.id.version, &kind.id.group);
    for word in [names[0].clone(), names[1].clone()] {
        names.push(format!("{word}.{group}"));
        names.push(format!("{word}.{version}.{group}"));
    }
    names
}

/// The kind that `wanted` names. Of one group's versions it is the one that Kubernetes prefers; of several groups it is the core
/// group, as kubectl has it.
pub(super) fn find<'a>(model: &'a Model, wanted: &str) -> anyhow::Result<&'a Kind> {
    let lower = wanted.to_lowercase();
    let kinds = || model.kinds.values().filter(|kind| kind.type_name.is_some());
    let found: Vec<&Kind> = kinds()
        .filter(|kind| names(kind).contains(&lower))
        .collect();
    let core: Vec<&Kind> = found
        .iter()
        .copied()
        .filter(|kind| kind.id.group.is_empty())
        .collect();
    match (&found[..], &core[..]) {
        ([], _) => {
            let known: Vec<String> = kinds().flat_map(names).collect();
            if let Some((kind, path)) = wanted.split_once('.')
                && known.contains(&kind.to_lowercase())
            {
                bail!(
                    "there is no kind {wanted:?}: the path stands behind a space, as `larder explain {kind} {path}`"
                );
            }
            let mut hint = did_you_mean(&lower, known.iter().map(String::as_str));
            if hint.is_empty() {
                hint = ": name it by its plural or its kind, as `pods` or `Pod`; short names are not known here".into();
            }
            Err(anyhow!("there is no kind {wanted:?}{hint}"))
        }
        ([one], _) | (_, [one]) => Ok(one),
        ([first, ..], _) => {
            let same_group = found.iter().all(|kind| kind.id.group == first.id.group);
            let newest = found
                .iter()
                .max_by_key(|kind| Version::parse(&kind.id.version).priority());
            match newest {
                Some(newest) if same_group => Ok(newest),
                _ => {
                    let ids: Vec<String> = found.iter().map(|kind| kind.id.to_string()).collect();
                    let ids = ids.join(" or ");
                    Err(anyhow!("{wanted:?} may be {ids}: name one of these"))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A document with these versions of one kind.
    fn versions(versions: &[&str]) -> Model {
        let kind = |version: &&str| {
            format!(
                r##"{{"group": "example.com", "version": "{version}", "kind": "Gauge", "plural": "gauges", "scope": "Cluster",
                "verbs": ["list"], "type": {{"$ref": "Gauge"}}, "origin": "CustomResource"}}"##
            )
        };
        let kinds: Vec<String> = versions.iter().map(kind).collect();
        let kinds = kinds.join(",");
        let text = format!(r#"{{"larder": 1, "kinds": [{kinds}], "types": {{"Gauge": {{}}}}}}"#);
        larder_codegen::read_bytes(Path::new("document.json"), text.as_bytes()).unwrap()
    }

    #[test]
    fn of_several_versions_it_is_the_one_that_kubernetes_prefers() {
        for (given, preferred) in [
            (
                &["v1", "v1alpha1", "v1beta1", "v11", "v2", "v2alpha1"][..],
                "v11",
            ),
            (&["v1", "v2beta1"], "v1"),
            (&["v1beta1", "v1beta2", "v2alpha1"], "v1beta2"),
            (&["foo10", "foo1", "v1alpha1"], "v1alpha1"),
        ] {
            let model = versions(given);
            let found = find(&model, "gauge").unwrap();
            assert_eq!(found.id.version, preferred, "{given:?}");
        }
    }
}

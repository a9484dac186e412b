//! From what a person calls a kind to the kind.

use anyhow::{anyhow, bail};
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
            let newest = found.iter().max_by_key(|kind| stability(&kind.id.version));
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

/// Orders versions as Kubernetes does: general availability, beta, alpha, and the larger number first.
fn stability(version: &str) -> (u8, u32, u32) {
    let number = |text: &str| text.parse().unwrap_or(0);
    let rest = version.strip_prefix('v').unwrap_or(version);
    if let Some((major, minor)) = rest.split_once("beta") {
        return (1, number(major), number(minor));
    }
    match rest.split_once("alpha") {
        Some((major, minor)) => (0, number(major), number(minor)),
        None => (2, number(rest), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_kubernetes_orders_them() {
        let mut versions = [
            "v1alpha1", "v2", "v1beta2", "v1", "v11", "v1beta1", "v2alpha1",
        ];
        versions.sort_by_key(|version| std::cmp::Reverse(stability(version)));
        assert_eq!(
            versions,
            [
                "v11", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "v1alpha1"
            ]
        );
    }
}

//! `larder explain`.

mod path;

use anyhow::{anyhow, bail};
use larder_codegen::{Kind, Model, Schema};
use serde::Serialize;

use self::path::Walk;
use crate::args::{Explain, Output};
use crate::model::type_name;
use crate::text::{did_you_mean, print};
use crate::{Outcome, cluster, model};

/// What there is to say of a field.
#[derive(Serialize)]
struct Explained {
    kind: String,
    resource: String,
    scope: String,
    path: String,
    r#type: String,
    /// Whether an object may be without it.
    optional: bool,
    /// Whether an object may have several.
    several: bool,
    /// How an index over it is written; `None` where a path cannot end there.
    index: Option<String>,
    /// The constant by which the server selects.
    selectable: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<ExplainedField>,
    /// All that the server selects this kind by, where the object itself was asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    selectable_fields: Vec<String>,
}

#[derive(Serialize)]
struct ExplainedField {
    name: String,
    r#type: String,
    required: bool,
}

pub(crate) fn run(args: &Explain, output: Output) -> anyhow::Result<Outcome> {
    let model = match &args.openapi {
        Some(document) => model::read(document)?,
        None => cluster::model(&args.connection, &[])?,
    };
    let explained = explain(&model, &args.kind, args.path.as_deref().unwrap_or(""))?;
    print(&explained, output, text)?;
    Ok(Outcome::Fine)
}

fn explain(model: &Model, kind: &str, path: &str) -> anyhow::Result<Explained> {
    let kind = find(model, kind)?;
    let Some(root) = &kind.type_name else {
        bail!("the document does not say what a {} is", kind.id.kind);
    };
    let walk = Walk::along(model, root, path)?;
    let schema = walk.resolved();
    let fields = match schema {
        Schema::Struct(fields) => fields.as_slice(),
        _ => &[],
    };
    let fields = fields.iter().map(|field| ExplainedField {
        name: field.name.clone(),
        r#type: type_name(&field.schema),
        required: field.required,
    });
    let module = larder_naming::module_name(&kind.id.kind);
    let of_kind = larder_codegen::selectable_fields(kind);
    let constant = |constant: &str| format!("{module}::selectable::{constant}");
    let this = of_kind.iter().find(|(selectable, _)| *selectable == path);
    let all = of_kind.iter().filter(|_| path.is_empty());
    Ok(Explained {
        kind: kind.id.to_string(),
        resource: resource(kind),
        scope: kind.scope.to_string(),
        path: path.to_owned(),
        r#type: type_name(walk.schema()),
        optional: walk.is_optional(),
        several: walk.has_several(),
        index: walk
            .is_key()
            .then(|| format!("field!({}, {path})", kind.id.kind)),
        selectable: this.map(|(_, name)| constant(name)),
        fields: fields.collect(),
        selectable_fields: all.map(|(_, name)| constant(name)).collect(),
    })
}

/// `pods`, `deployments.apps`
fn resource(kind: &Kind) -> String {
    match kind.id.group.as_str() {
        "" => kind.plural.clone(),
        group => format!("{}.{group}", kind.plural),
    }
}

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

fn find<'a>(model: &'a Model, wanted: &str) -> anyhow::Result<&'a Kind> {
    let lower = wanted.to_lowercase();
    let found: Vec<&Kind> = model
        .kinds
        .values()
        .filter(|kind| kind.type_name.is_some() && names(kind).contains(&lower))
        .collect();
    match found[..] {
        [] => {
            let known: Vec<String> = model.kinds.values().flat_map(names).collect();
            let hint = did_you_mean(&lower, known.iter().map(String::as_str));
            Err(anyhow!("the document has no kind {wanted:?}{hint}"))
        }
        [one] => Ok(one),
        [first, ..] => {
            // As kubectl does: the core group before others.
            let core: Vec<&&Kind> = found
                .iter()
                .filter(|kind| kind.id.group.is_empty())
                .collect();
            if let [one] = core[..] {
                return Ok(one);
            }
            let same_group = found.iter().all(|kind| kind.id.group == first.id.group);
            let newest = found.iter().max_by_key(|kind| stability(&kind.id.version));
            match newest {
                Some(newest) if same_group => Ok(newest),
                _ => {
                    let candidates: Vec<String> =
                        found.iter().map(|kind| kind.id.to_string()).collect();
                    Err(anyhow!(
                        "{wanted:?} may be {}: name one of these",
                        candidates.join(" or ")
                    ))
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

fn text(explained: &Explained) -> String {
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    let or =
        |value: &Option<String>, other: &str| value.clone().unwrap_or_else(|| other.to_owned());
    let mut lines = vec![
        ("kind", explained.kind.clone()),
        (
            "resource",
            format!("{}, {}", explained.resource, explained.scope),
        ),
    ];
    if !explained.path.is_empty() {
        lines.extend([
            ("path", explained.path.clone()),
            ("type", explained.r#type.clone()),
            ("optional", yes(explained.optional).to_owned()),
            ("several values", yes(explained.several).to_owned()),
            (
                "index",
                or(
                    &explained.index,
                    "none: a path ends at a string, a number, a boolean, a time",
                ),
            ),
            (
                "server selects",
                or(
                    &explained.selectable,
                    "no: by an index or a query in the cache alone",
                ),
            ),
        ]);
    }
    let mut text = String::new();
    for (name, value) in lines {
        text.push_str(&format!("{name:<16}{value}\n"));
    }
    if !explained.fields.is_empty() {
        text.push_str("fields\n");
    }
    let width = explained
        .fields
        .iter()
        .map(|field| field.name.len())
        .max()
        .unwrap_or(0);
    for field in &explained.fields {
        let required = if field.required { ", required" } else { "" };
        text.push_str(&format!(
            "  {:<width$}  {}{required}\n",
            field.name, field.r#type
        ));
    }
    if !explained.selectable_fields.is_empty() {
        text.push_str("the server selects by\n");
    }
    for constant in &explained.selectable_fields {
        text.push_str(&format!("  {constant}\n"));
    }
    text
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

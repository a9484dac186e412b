//! `larder explain`.
//!
//! `source` finds the kinds, `find` the kind that is meant, `path` walks through its types, `text` prints what came out.

mod find;
mod path;
mod source;
mod text;

use anyhow::bail;
use larder_codegen::{Kind, Schema, SelectableField};
use serde::Serialize;

use self::find::find;
use self::path::Walk;
use self::source::Source;
use crate::Outcome;
use crate::args::{Explain, Output};
use crate::model::type_name;
use crate::text::print;

/// What there is to say of a field. Its form is on the page about the command.
#[derive(Serialize)]
struct Explained {
    kind: String,
    resource: String,
    scope: String,
    origin: String,
    path: String,
    r#type: String,
    /// Whether an object may be without it.
    optional: bool,
    /// Whether an object may have several.
    several: bool,
    /// How an index over it is written; `None` where a path cannot end there.
    index: Option<String>,
    /// The type of that index's keys.
    key: Option<&'static str>,
    server_selects: Selects,
    /// The constant by which the server selects.
    selectable: Option<String>,
    /// The first version of Kubernetes that knows it, where not all supported ones do.
    since: Option<String>,
    /// How a selector of labels is written that asks for it.
    label_selector: Option<String>,
    fields: Vec<ExplainedField>,
    /// All that the server selects this kind by, where the object itself was asked about.
    selectable_fields: Vec<ExplainedSelectable>,
}

/// Whether the server selects objects by a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Selects {
    /// With a selector of fields.
    Field,
    /// With a selector of labels.
    Label,
    No,
    /// What was read does not say.
    Unknown,
}

#[derive(Serialize)]
struct ExplainedField {
    name: String,
    r#type: String,
    required: bool,
}

#[derive(Serialize)]
struct ExplainedSelectable {
    path: String,
    selectable: Option<String>,
    since: Option<String>,
}

pub(crate) fn run(args: &Explain, output: Output) -> anyhow::Result<Outcome> {
    let source = Source::of(args)?;
    let explained = explain(&source, &args.kind, args.path.as_deref().unwrap_or(""))?;
    print(&explained, output, text::text)?;
    Ok(Outcome::Fine)
}

fn explain(source: &Source, kind: &str, path: &str) -> anyhow::Result<Explained> {
    let kind = find(&source.model, kind)?;
    for id in source.not_served(kind) {
        eprintln!("note: {id} is not served, and left out");
    }
    // Where it is not known, a kind that is named gets one.
    if !kind.watch_unknown
        && let Some(reason) = kind.not_cacheable()
    {
        eprintln!("note: {} gets no cache: {reason}", kind.id);
    }
    let Some(root) = &kind.type_name else {
        bail!("the document does not say what a {} is", kind.id.kind);
    };
    let walk = Walk::along(&source.model, root, path)?;
    let (selectable, complete) = source.selectable(kind);
    let all = selectable.iter().filter(|_| path.is_empty());
    let selectable_fields = all.map(|field| ExplainedSelectable {
        path: field.path.clone(),
        selectable: constant(kind, field),
        since: since(field),
    });
    let selectable_fields = selectable_fields.collect();
    let this = selectable.iter().find(|field| field.path == path);
    let label_selector = walk.label_selector();
    let server_selects = match (this, &label_selector) {
        (Some(_), _) => Selects::Field,
        (None, Some(_)) => Selects::Label,
        (None, None) if complete || path.starts_with("metadata.") => Selects::No,
        (None, None) => Selects::Unknown,
    };
    let key = walk.key();
    Ok(Explained {
        kind: kind.id.to_string(),
        resource: resource(kind),
        scope: kind.scope.to_string(),
        origin: kind.origin.to_string(),
        path: path.to_owned(),
        r#type: type_name(walk.schema()),
        optional: walk.is_optional(),
        several: walk.has_several(),
        index: key.map(|_| format!("field!({}, {})", kind.id.kind, walk.spelt())),
        key,
        server_selects,
        selectable: this.and_then(|field| constant(kind, field)),
        since: this.and_then(since),
        label_selector,
        fields: fields(walk.resolved()),
        selectable_fields,
    })
}

fn fields(schema: &Schema) -> Vec<ExplainedField> {
    let Schema::Struct(fields) = schema else {
        return Vec::new();
    };
    let fields = fields.iter().map(|field| ExplainedField {
        name: field.name.clone(),
        r#type: type_name(&field.schema),
        required: field.required,
    });
    fields.collect()
}

/// `pod::selectable::SPEC_NODE_NAME`
fn constant(kind: &Kind, field: &SelectableField) -> Option<String> {
    let module = larder_naming::module_name(&kind.id.kind);
    let constant = field.constant.as_ref()?;
    Some(format!("{module}::selectable::{constant}"))
}

fn since(field: &SelectableField) -> Option<String> {
    field.since.map(|version| version.to_string())
}

/// `pods`, `deployments.apps`
fn resource(kind: &Kind) -> String {
    match kind.id.group.as_str() {
        "" => kind.plural.clone(),
        group => format!("{}.{group}", kind.plural),
    }
}

#[cfg(test)]
mod tests;

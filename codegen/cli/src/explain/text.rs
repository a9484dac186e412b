//! What is explained, for people.

use super::{Explained, ExplainedSelectable, Selects};

pub(super) fn text(explained: &Explained) -> String {
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    let mut lines = vec![
        ("kind", explained.kind.clone()),
        (
            "resource",
            format!("{}, {}", explained.resource, explained.scope),
        ),
    ];
    if !explained.path.is_empty() {
        let no_index = "none: a path ends at a string, an integer, a boolean, a time";
        let index = match (&explained.index, explained.key) {
            (Some(index), Some(key)) => format!("{index}, of {key}"),
            _ => no_index.to_owned(),
        };
        lines.extend([
            ("path", explained.path.clone()),
            ("type", explained.r#type.clone()),
            ("optional", yes(explained.optional).to_owned()),
            ("several values", yes(explained.several).to_owned()),
            ("index", index),
            ("server selects", selects(explained)),
        ]);
    }
    let mut text = String::new();
    for (name, value) in lines {
        text.push_str(&format!("{name:<16}{value}\n"));
    }
    fields(&mut text, explained);
    if !explained.selectable_fields.is_empty() {
        text.push_str("the server selects by\n");
    }
    for field in &explained.selectable_fields {
        text.push_str(&format!("  {}\n", by_field(field)));
    }
    text
}

fn fields(text: &mut String, explained: &Explained) {
    if !explained.fields.is_empty() {
        text.push_str("fields\n");
    }
    let widths = explained.fields.iter().map(|field| field.name.len());
    let width = widths.max().unwrap_or(0);
    for field in &explained.fields {
        let required = if field.required { ", required" } else { "" };
        text.push_str(&format!(
            "  {:<width$}  {}{required}\n",
            field.name, field.r#type
        ));
    }
}

fn selects(explained: &Explained) -> String {
    let label = explained.label_selector.as_deref().unwrap_or_default();
    match explained.server_selects {
        Selects::Field => by_field(&ExplainedSelectable {
            path: explained.path.clone(),
            selectable: explained.selectable.clone(),
            since: explained.since.clone(),
        }),
        Selects::Label => label.to_owned(),
        Selects::No => "no: by an index or a query in the cache alone".to_owned(),
        Selects::Unknown => "not known: an aggregated API has rules of its own".to_owned(),
    }
}

fn by_field(field: &ExplainedSelectable) -> String {
    let constant = match &field.selectable {
        Some(constant) => constant.clone(),
        None => format!("{:?} as text: there is no constant of its type", field.path),
    };
    match &field.since {
        Some(version) => format!("{constant}, from Kubernetes {version} on"),
        None => constant,
    }
}

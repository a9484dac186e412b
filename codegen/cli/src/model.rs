//! Documents as models, and what types are called.

use std::path::Path;

use anyhow::anyhow;
use larder_codegen::{Model, Schema};

/// Reads a document of a file or folder.
pub(crate) fn read(path: &Path) -> anyhow::Result<Model> {
    let model = larder_codegen::read(path).map_err(|errors| anyhow!("{errors}"))?;
    note(&model);
    Ok(model)
}

/// Tells what was passed over.
pub(crate) fn note(model: &Model) {
    for note in &model.notes {
        eprintln!("note: {note}");
    }
}

/// What a shape is called: `string`, `[]Container`, `map of string`.
pub(crate) fn type_name(schema: &Schema) -> String {
    let formatted = |name: &str, format: &Option<String>| match format {
        Some(format) => format!("{name} ({format})"),
        None => name.to_owned(),
    };
    match schema {
        Schema::Boolean => "boolean".to_owned(),
        Schema::Integer(format) => formatted("integer", format),
        Schema::Number(format) => formatted("number", format),
        Schema::String(format) => formatted("string", format),
        Schema::IntOrString => "integer or string".to_owned(),
        Schema::Array(items) => format!("[]{}", type_name(items)),
        Schema::Map(members) => format!("map of {}", type_name(members)),
        Schema::Object | Schema::Struct(_) => "object".to_owned(),
        Schema::Reference(name) => name.rsplit('.').next().unwrap_or(name).to_owned(),
        Schema::Union(members) => {
            let names: Vec<String> = members.iter().map(type_name).collect();
            names.join(" or ")
        }
        // Anything at all, and shapes that are not known here.
        _ => "any".to_owned(),
    }
}

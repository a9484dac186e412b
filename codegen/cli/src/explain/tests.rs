//! What is printed as an index is one: of every path of the fixtures it is reviewed here, and compiled by the tests of the façade.

use std::fmt::Write as _;
use std::path::Path;

use super::*;

/// The root type, the expression and the type of keys of every index over a kind.
fn indexes(source: &Source, kind: &str, path: &str, depth: usize, found: &mut Vec<[String; 2]>) {
    let explained = explain(source, kind, path).unwrap_or_else(|error| panic!("{path}: {error}"));
    if let (Some(index), Some(key)) = (explained.index, explained.key) {
        found.push([index, key.to_owned()]);
    }
    // Schemas may lead back to themselves.
    if depth == 0 {
        return;
    }
    let steps = match explained.r#type.as_str() {
        of_type if of_type.starts_with("[]") => &["[]"][..],
        of_type if of_type.starts_with("map of ") => &["[]", "{}", "[\"a b\"]"],
        _ => &[],
    };
    let below = steps.iter().map(|step| format!("{path}{step}"));
    let dot = if path.is_empty() { "" } else { "." };
    let fields = explained.fields.iter().map(|field| {
        let name = &field.name;
        let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_word {
            format!("{path}{dot}{name}")
        } else {
            format!("{path}{dot}{name:?}")
        }
    });
    let below: Vec<String> = below.chain(fields).collect();
    for path in below {
        indexes(source, kind, &path, depth - 1, found);
    }
}

/// A function that makes all these indexes.
fn function(name: &str, of_type: &str, indexes: &[[String; 2]]) -> String {
    let mut text = format!("\nfn {name}() {{\n    use {of_type};\n");
    for [index, key] in indexes {
        let of_key = format!("keys_are::<{key}, _, _>(larder::{index});");
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "    {of_key}");
    }
    text.push_str("}\n");
    text
}

#[test]
fn every_index_of_the_fixtures_is_as_reviewed() {
    let codegen = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crds = codegen.join("tests/crds").display().to_string();
    let source = Source::of_definitions(&[crds]).unwrap();
    let mut text = "// The indexes that `larder explain` prints for the fixtures. `LARDER_BLESS=1` writes them anew.\n".to_owned();
    for (at, id) in source.model.kinds.keys().enumerate() {
        let mut found = Vec::new();
        indexes(&source, &id.to_string(), "", 12, &mut found);
        assert!(found.len() > 3, "{id}: {found:?}");
        let module = larder_naming::group_module(&id.group);
        let of_type = format!("super::golden::{module}::{}::{}", id.version, id.kind);
        text.push_str(&function(&format!("of_kind_{at}"), &of_type, &found));
    }
    let file = codegen.join("tests/golden/explained.rs");
    if std::env::var_os("LARDER_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == reviewed,
        "{} differs: review it, then LARDER_BLESS=1",
        file.display()
    );
}

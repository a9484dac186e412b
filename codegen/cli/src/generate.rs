//! `larder generate`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use larder_codegen::{Config, Generated};
use serde::Serialize;

use crate::Outcome;
use crate::args::{Generate, Output};
use crate::file::{self, Prepared};
use crate::text::{plural, print};

/// What was made. Its form is on the page about the command.
#[derive(Serialize)]
struct Report {
    files: Vec<ReportedFile>,
    kinds: Vec<ReportedKind>,
    /// How many types were emitted for definitions of the document, which kinds share.
    shared_types: usize,
    left_out: Vec<LeftOut>,
    warnings: Vec<String>,
    other_documents: usize,
}

#[derive(Serialize)]
struct ReportedFile {
    file: String,
    /// Whether it held the same already.
    fresh: bool,
    written: bool,
}

#[derive(Serialize)]
struct ReportedKind {
    kind: String,
    /// How many types were emitted for it.
    types: usize,
}

#[derive(Serialize)]
struct LeftOut {
    kind: String,
    reason: String,
}

/// A file that is made, and whether it is there already.
struct Made {
    file: PathBuf,
    fresh: bool,
    prepared: Option<Prepared>,
}

pub(crate) fn run(args: &Generate, output: Output) -> anyhow::Result<Outcome> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let generated = config(args)
        .out_dir(scratch.path())
        .cargo_instructions(false)
        .generate()
        .map_err(|errors| anyhow!("{errors}"))?;
    for note in &generated.notes {
        eprintln!("note: {note}");
    }
    for line in larder_codegen::inspect::warning_lines(&generated.warnings) {
        eprintln!("warning: {line}");
    }
    // All are made before the first takes its place.
    let mut made = Vec::new();
    for from in [&generated.file, &generated.left_out_file] {
        let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        let file = args.dir.join(from.file_name().unwrap_or_default());
        made.push(make(file, &bytes, args.check)?);
    }
    let differs = args.check && made.iter().any(|made| !made.fresh);
    let mut files = Vec::new();
    for Made {
        file,
        fresh,
        prepared,
    } in made
    {
        files.push(ReportedFile {
            file: file.display().to_string(),
            fresh,
            written: prepared.is_some(),
        });
        prepared.map(Prepared::commit).transpose()?;
    }
    print(&report(files, &generated), output, text)?;
    Ok(if differs {
        Outcome::Differs
    } else {
        Outcome::Fine
    })
}

/// All options of a build script, but those that say where cargo is.
fn config(args: &Generate) -> Config {
    let (documents, types, code) = (&args.documents, &args.types, &args.code);
    let mut config = larder_codegen::configure()
        .kinds(args.kinds.iter().map(String::as_str))
        .built_in_only(documents.built_in_only)
        .unserved_versions(documents.unserved_versions)
        .keep_unknown_fields(!types.no_unknown_fields)
        .runtime_path(&code.runtime_path)
        .k8s_openapi_path(&code.k8s_openapi_path)
        .file_name(&args.file_name);
    if let Some(document) = &args.openapi {
        config = config.openapi(document);
    }
    if let Some(document) = &documents.types_of {
        config = config.types_of(document);
    }
    if let Some(version) = documents.server_version {
        config = config.server_version(version);
    }
    for definitions in &args.crds {
        config = config.crds(definitions);
    }
    for typed in &types.use_type {
        config = config.use_type(&typed.at.kind, &typed.at.path, &typed.of_type);
    }
    for at in &types.prune {
        config = config.prune(&at.kind, &at.path);
    }
    for at in &types.boxed {
        config = config.boxed(&at.kind, &at.path);
    }
    for at in &types.skip {
        config = config.skip(&at.kind, &at.path);
    }
    config
}

fn make(file: PathBuf, bytes: &[u8], check: bool) -> anyhow::Result<Made> {
    let (fresh, prepared) = if check {
        (fs::read(&file).is_ok_and(|there| there == bytes), None)
    } else {
        let prepared = file::prepare(&file, bytes)?;
        (prepared.is_none(), prepared)
    };
    Ok(Made {
        file,
        fresh,
        prepared,
    })
}

fn report(files: Vec<ReportedFile>, generated: &Generated) -> Report {
    let kinds = generated.kinds.iter().map(|kind| ReportedKind {
        kind: kind.id.to_string(),
        types: kind.types.len(),
    });
    let left_out = generated.left_out.iter().map(|kind| LeftOut {
        kind: kind.id.to_string(),
        reason: kind.reason.to_string(),
    });
    Report {
        files,
        kinds: kinds.collect(),
        shared_types: generated.definitions.len(),
        left_out: left_out.collect(),
        warnings: larder_codegen::inspect::warning_lines(&generated.warnings),
        other_documents: generated.other_documents,
    }
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for file in &report.files {
        let state = match (file.written, file.fresh) {
            (true, _) => "written",
            (false, true) => "up to date",
            (false, false) => "not up to date: run the command without `--check`",
        };
        text.push_str(&format!("{}: {state}\n", file.file));
    }
    let types: usize = report.kinds.iter().map(|kind| kind.types).sum();
    let types = types + report.shared_types;
    let (kinds, types) = (plural(report.kinds.len(), "kind"), plural(types, "type"));
    text.push_str(&format!("{kinds}, {types} of their own\n"));
    for LeftOut { kind, reason } in &report.left_out {
        text.push_str(&format!("left out {kind}: {reason}\n"));
    }
    if report.other_documents > 0 {
        let others = plural(report.other_documents, "document");
        text.push_str(&format!(
            "skipped {others} of other kinds than CustomResourceDefinition\n"
        ));
    }
    text
}

//! `larder generate`.

use std::fs;

use anyhow::{Context as _, anyhow};
use larder_codegen::Generated;
use serde::Serialize;

use crate::Outcome;
use crate::args::{Generate, Output};
use crate::file::{self, Prepared};
use crate::text::print;

#[derive(Serialize)]
struct Report {
    file: String,
    fresh: bool,
    written: bool,
    left_out: Vec<String>,
}

pub(crate) fn run(args: Generate, output: Output) -> anyhow::Result<Outcome> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let mut config = larder_codegen::configure().kinds(args.kinds);
    if let Some(document) = args.openapi {
        config = config.openapi(document);
    }
    for definitions in args.crds {
        config = config.crds(definitions);
    }
    let generated = config
        .runtime_path(args.runtime_path)
        .file_name(&args.file_name)
        .out_dir(scratch.path())
        .cargo_instructions(false)
        .generate()
        .map_err(|errors| anyhow!("{errors}"))?;
    for note in &generated.notes {
        eprintln!("note: {note}");
    }
    // Both are made before the first takes its place.
    let mut stale = Vec::new();
    for made in [&generated.file, &generated.left_out_file] {
        let bytes = fs::read(made).with_context(|| format!("cannot read {}", made.display()))?;
        let name = made.file_name().unwrap_or_default();
        let target = args.dir.join(name);
        if args.check {
            let there = fs::read(&target).is_ok_and(|there| there == bytes);
            stale.extend((!there).then_some(None));
        } else {
            stale.extend(file::prepare(&target, &bytes)?.map(Some));
        }
    }
    let outcome = match (args.check, stale.is_empty()) {
        (true, false) => Outcome::Differs,
        _ => Outcome::Fine,
    };
    let report = Report {
        file: args.dir.join(&args.file_name).display().to_string(),
        fresh: stale.is_empty(),
        written: !args.check && !stale.is_empty(),
        left_out: left_out(&generated),
    };
    for prepared in stale.into_iter().flatten() {
        Prepared::commit(prepared)?;
    }
    print(&report, output, text)?;
    Ok(outcome)
}

fn left_out(generated: &Generated) -> Vec<String> {
    generated.left_out.iter().map(ToString::to_string).collect()
}

fn text(report: &Report) -> String {
    let state = match (report.written, report.fresh) {
        (true, _) => "written",
        (false, true) => "up to date",
        (false, false) => "not up to date: run the command without `--check`",
    };
    let mut text = format!("{}: {state}\n", report.file);
    for kind in &report.left_out {
        text.push_str(&format!("left out {kind}\n"));
    }
    text
}

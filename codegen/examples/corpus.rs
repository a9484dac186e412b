//! Generates from a directory of custom resource definitions, compiles what comes out, and reports both:
//! `corpus DIRECTORY [--no-compile] [--prune KIND PATH]… [--kind KIND]…`.
//!
//! Each file is generated from by itself first, so that one with an error is skipped and named; then all others together.
//! The crate that is compiled is made in the target directory and depends on this repository's `larder`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use larder_codegen::{Config, Generated, configure};

/// Names longer than this are counted.
const LONG: usize = 60;

type Failure = Box<dyn std::error::Error>;

struct Options {
    directory: PathBuf,
    compile: bool,
    kinds: Vec<String>,
    pruned: Vec<(String, String)>,
}

fn main() -> ExitCode {
    let Some(options) = parse(std::env::args_os().skip(1)) else {
        eprintln!("usage: corpus DIRECTORY [--no-compile] [--prune KIND PATH]... [--kind KIND]...");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("corpus: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Options> {
    let mut options = Options {
        directory: arguments.next()?.into(),
        compile: true,
        kinds: Vec::new(),
        pruned: Vec::new(),
    };
    let mut arguments = arguments.map_while(|argument| argument.into_string().ok());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--no-compile" => options.compile = false,
            "--kind" => options.kinds.push(arguments.next()?),
            "--prune" => options.pruned.push((arguments.next()?, arguments.next()?)),
            _ => return None,
        }
    }
    Some(options)
}

/// Whether everything could be generated and compiled.
fn run(options: &Options) -> Result<bool, Failure> {
    let crate_folder = folder();
    std::fs::create_dir_all(crate_folder.join("src"))?;
    let (good, skipped) = sort_out(&options.directory, &crate_folder)?;
    let started = Instant::now();
    let generated = generate(options, &good, &crate_folder)?;
    let generation = started.elapsed();
    report_kinds(&generated);
    for (file, reason) in &skipped {
        println!("skipped {}: {reason}", file.display());
    }
    for left_out in &generated.left_out {
        println!("left out {left_out}");
    }
    let compiled = if options.compile {
        Some(compile(&crate_folder)?)
    } else {
        None
    };
    println!(
        "{}",
        summary(&generated, skipped.len(), generation, compiled)
    );
    Ok(skipped.is_empty() && compiled.is_none_or(|(worked, _)| worked))
}

fn folder() -> PathBuf {
    let repository = repository();
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target
        .map_or_else(|| repository.join("target"), PathBuf::from)
        .join("corpus")
}

fn repository() -> PathBuf {
    let codegen = Path::new(env!("CARGO_MANIFEST_DIR"));
    codegen.parent().unwrap_or(codegen).to_owned()
}

type Skipped = Vec<(PathBuf, String)>;

/// The files that can be generated from, and the others with the reason.
fn sort_out(directory: &Path, crate_folder: &Path) -> Result<(Vec<PathBuf>, Skipped), Failure> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let (mut good, mut skipped) = (Vec::new(), Vec::new());
    for file in files {
        let alone = config(crate_folder)
            .file_name("alone.rs")
            .crds(file.display().to_string())
            .generate();
        match alone {
            Ok(_) => good.push(file),
            Err(errors) => skipped.push((file, errors.to_string())),
        }
    }
    Ok((good, skipped))
}

fn config(crate_folder: &Path) -> Config {
    configure()
        .cargo_instructions(false)
        .out_dir(crate_folder.join("src"))
}

fn generate(options: &Options, files: &[PathBuf], folder: &Path) -> Result<Generated, Failure> {
    let mut config = config(folder).kinds(options.kinds.clone());
    for file in files {
        config = config.crds(file.display().to_string());
    }
    for (kind, path) in &options.pruned {
        config = config.prune(kind, path);
    }
    Ok(config.generate()?)
}

fn long_names(types: &[String]) -> usize {
    types
        .iter()
        .filter(|path| type_name(path).len() > LONG)
        .count()
}

fn type_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn report_kinds(generated: &Generated) {
    for kind in &generated.kinds {
        let (types, long) = (kind.types.len(), long_names(&kind.types));
        println!("{}: {types} types, {long} names over {LONG}", kind.id);
    }
}

/// Whether it compiled, and in which time, that of the dependencies aside.
fn compile(folder: &Path) -> Result<(bool, Duration), Failure> {
    let manifest = format!(
        "[package]\nname = \"corpus\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nlarder = {{ path = {:?}, default-features = false }}\n\
         k8s-openapi = {{ version = \"*\", default-features = false }}\n\n[workspace]\n",
        repository()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // Locked as the repository is: nothing new is downloaded.
    std::fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let source = folder.join("src/lib.rs");
    std::fs::write(&source, "")?;
    check(folder)?;
    std::fs::write(
        &source,
        "#![allow(missing_docs)]\ninclude!(\"larder.rs\");\n",
    )?;
    let started = Instant::now();
    let worked = check(folder)?;
    Ok((worked, started.elapsed()))
}

fn check(folder: &Path) -> Result<bool, Failure> {
    let status = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline"])
        .current_dir(folder)
        .env("RUSTFLAGS", "-D warnings")
        .env("CARGO_INCREMENTAL", "0")
        .env("K8S_OPENAPI_ENABLED_VERSION", "1.37")
        .status()?;
    Ok(status.success())
}

fn summary(
    generated: &Generated,
    skipped: usize,
    generation: Duration,
    compiled: Option<(bool, Duration)>,
) -> String {
    let kinds = &generated.kinds;
    let types: usize = kinds.iter().map(|kind| kind.types.len()).sum();
    let long: usize = kinds.iter().map(|kind| long_names(&kind.types)).sum();
    let names = kinds
        .iter()
        .flat_map(|kind| &kind.types)
        .map(|path| type_name(path));
    let longest = names.max_by_key(|name| name.len()).unwrap_or_default();
    let mut text = format!(
        "\n{} kinds generated in {:.1} s, {} versions left out, {skipped} files skipped, {} other documents\n\
         {types} types, {long} names over {LONG}; the longest is {longest} ({})",
        kinds.len(),
        generation.as_secs_f64(),
        generated.left_out.len(),
        generated.other_documents,
        longest.len(),
    );
    let outcome = match compiled {
        None => "not compiled".to_owned(),
        Some((true, time)) => format!("compiled in {:.1} s", time.as_secs_f64()),
        Some((false, time)) => format!("does NOT compile ({:.1} s)", time.as_secs_f64()),
    };
    let _ = write!(text, "\n{outcome}");
    text
}

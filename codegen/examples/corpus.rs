//! Generates from a directory of custom resource definitions, compiles what comes out, and reports both:
//! `corpus DIRECTORY [OPTION]…`; see [`USAGE`].
//!
//! Each file is generated from by itself first, so that one with an error is skipped and named; then all others together.
//! The crate that is compiled is made in the target directory and depends on this repository's `larder`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use larder_codegen::{Config, Generated, configure};

const USAGE: &str = "usage: corpus DIRECTORY [OPTION]...
  --kind GROUP/VERSION/KIND  only this kind; can be given several times
  --prune KIND PATH          no types for what stands at a path; can be given several times
  --unserved                 versions that are not served as well
  --no-compile               generates alone
  --build                    builds as well, where it would only check
  --doc                      documents as well; a warning of rustdoc is an error
  --runs N                   compiles N times and reports the least; default 1";

/// Names longer than this are counted.
const LONG: usize = 60;

type Failure = Box<dyn std::error::Error>;

struct Options {
    directory: PathBuf,
    kinds: Vec<String>,
    pruned: Vec<(String, String)>,
    unserved: bool,
    /// What cargo does with the result.
    commands: Vec<&'static str>,
    runs: usize,
}

fn main() -> ExitCode {
    let Some(options) = parse(std::env::args_os().skip(1)) else {
        eprintln!("{USAGE}");
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
        kinds: Vec::new(),
        pruned: Vec::new(),
        unserved: false,
        commands: vec!["check"],
        runs: 1,
    };
    let mut arguments = arguments.map_while(|argument| argument.into_string().ok());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--kind" => options.kinds.push(arguments.next()?),
            "--prune" => options.pruned.push((arguments.next()?, arguments.next()?)),
            "--unserved" => options.unserved = true,
            "--no-compile" => options.commands.clear(),
            "--build" => options.commands.push("build"),
            "--doc" => options.commands.push("doc"),
            "--runs" => options.runs = arguments.next()?.parse().ok()?,
            _ => return None,
        }
    }
    Some(options)
}

/// Whether everything could be generated and compiled.
fn run(options: &Options) -> Result<bool, Failure> {
    let folder = folder();
    std::fs::create_dir_all(folder.join("src"))?;
    let (good, skipped) = sort_out(&options.directory, &folder)?;
    let started = Instant::now();
    let generated = generate(options, &good, &folder)?;
    let generation = started.elapsed();
    report_kinds(&generated);
    for (file, reason) in &skipped {
        println!("skipped {}: {reason}", file.display());
    }
    for left_out in &generated.left_out {
        println!("left out {left_out}");
    }
    for warning in &generated.warnings {
        println!("warning: {warning}");
    }
    summarise(&generated, skipped.len(), generation);
    let mut worked = skipped.is_empty();
    if !options.commands.is_empty() {
        make_crate(&folder)?;
    }
    for command in &options.commands {
        worked &= report_command(command, &folder, options.runs)?;
    }
    Ok(worked)
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
fn sort_out(directory: &Path, folder: &Path) -> Result<(Vec<PathBuf>, Skipped), Failure> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let (mut good, mut skipped) = (Vec::new(), Vec::new());
    for file in files {
        let alone = config(folder)
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

fn config(folder: &Path) -> Config {
    configure()
        .cargo_instructions(false)
        .out_dir(folder.join("src"))
}

fn generate(options: &Options, files: &[PathBuf], folder: &Path) -> Result<Generated, Failure> {
    let mut config = config(folder)
        .kinds(options.kinds.clone())
        .unserved_versions(options.unserved);
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

fn summarise(generated: &Generated, skipped: usize, generation: Duration) {
    let kinds = &generated.kinds;
    let types: usize = kinds.iter().map(|kind| kind.types.len()).sum();
    let long: usize = kinds.iter().map(|kind| long_names(&kind.types)).sum();
    let paths = kinds.iter().flat_map(|kind| &kind.types);
    let longest = paths.map(|path| type_name(path)).max_by_key(|n| n.len());
    let longest = longest.unwrap_or_default();
    println!(
        "\n{} kinds generated in {:.1} s, {} versions left out, {skipped} files skipped, {} other documents, {} warnings\n\
         {types} types, {long} names over {LONG}; the longest is {longest} ({})",
        kinds.len(),
        generation.as_secs_f64(),
        generated.left_out.len(),
        generated.other_documents,
        generated.warnings.len(),
        longest.len(),
    );
}

/// The crate without the code, whose dependencies are compiled here.
fn make_crate(folder: &Path) -> Result<(), Failure> {
    let manifest = format!(
        "[package]\nname = \"corpus\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nlarder = {{ path = {:?}, default-features = false }}\n\
         k8s-openapi = {{ version = \"*\", default-features = false }}\n\n[workspace]\n",
        repository()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // Locked as the repository is: nothing new is downloaded.
    std::fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Whether the command worked; how long the crate alone took of it is printed.
fn report_command(command: &str, folder: &Path, runs: usize) -> Result<bool, Failure> {
    let source = folder.join("src/lib.rs");
    let mut least = [f64::INFINITY; 2];
    for _ in 0..runs {
        std::fs::write(&source, "")?;
        cargo(command, folder)?;
        // Missing documentation of a crate is its author's matter.
        std::fs::write(&source, "#![deny(warnings)]\ninclude!(\"larder.rs\");\n")?;
        let (started, before) = (Instant::now(), children());
        if !cargo(command, folder)? {
            println!("cargo {command}: FAILED");
            return Ok(false);
        }
        let now = [started.elapsed().as_secs_f64(), children() - before];
        least = [least[0].min(now[0]), least[1].min(now[1])];
    }
    let [wall, processor] = least;
    println!("cargo {command}: {wall:.1} s, {processor:.1} s of processors");
    Ok(true)
}

fn cargo(command: &str, folder: &Path) -> Result<bool, Failure> {
    let only_this = (command == "doc").then_some("--no-deps");
    let status = Command::new(env!("CARGO"))
        .args([command, "--quiet", "--offline"])
        .args(only_this)
        .current_dir(folder)
        .env("CARGO_INCREMENTAL", "0")
        .env("K8S_OPENAPI_ENABLED_VERSION", "1.37")
        .status()?;
    Ok(status.success())
}

/// The seconds of processors that ended child processes took, which a busy machine does not lengthen much; 0 where the system does not
/// tell. Source: proc_pid_stat(5), fields 16 and 17, in hundredths of a second.
fn children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field, in parentheses, may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

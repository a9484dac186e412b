//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Keeps what a cluster serves in files, compares it, explains it, and generates typed caches of it.
#[derive(Debug, Parser)]
#[command(name = "larder", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, or nothing differs; 1 something differs (`openapi diff`, `generate --check`); 2 an error.";

/// The form of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The OpenAPI document of a cluster.
    #[command(subcommand)]
    Openapi(OpenApiCommand),
    /// The custom resource definitions of a cluster.
    #[command(subcommand)]
    Crds(CrdsCommand),
    /// Writes the Rust code of caches, as a build script does, for those who keep it in their repository.
    Generate(Generate),
    /// Tells what a field is: its type, whether it can be absent, how it is indexed and selected by.
    Explain(Explain),
    /// Prints a completion script for a shell.
    Completion {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OpenApiCommand {
    /// Writes the normalised document of a cluster: what `LARDER_OPENAPI` and build scripts read.
    Pull(Pull),
    /// Compares two documents: kinds, types and fields. Exits with 1 if they differ.
    Diff(Diff),
}

#[derive(Debug, Subcommand)]
pub(crate) enum CrdsCommand {
    /// Writes each custom resource definition of a cluster into a file of its own, without what the cluster added.
    Pull(CrdsPull),
}

/// Which cluster, and how long it may take.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Connection {
    /// The context of the kubeconfig. Default: the current one.
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// The kubeconfig. Default: as kubectl finds it (KUBECONFIG, then ~/.kube/config), then the pod's own account.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The deadline of the whole conversation, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u64>() {
        Ok(0) | Err(_) => Err("a number of seconds, 1 or more".to_owned()),
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Pull {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Only these groups, as `apps`; `core` is the group of pods. Default: all.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// The file to write; `-` is standard output.
    #[arg(long, short = 'f', value_name = "FILE", default_value = "openapi.json")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// The old document: a file or directory that build scripts read.
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The new document.
    #[arg(
        value_name = "NEW",
        required_unless_present = "live",
        conflicts_with = "live"
    )]
    pub(crate) new: Option<PathBuf>,
    /// Compares with the cluster instead of a document.
    #[arg(long)]
    pub(crate) live: bool,
    /// Only these groups. Default: all; with `--live`, those that OLD has.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CrdsPull {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Only these groups, as `cert-manager.io`. Default: all.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// The folder to write into; each definition is `<plural>.<group>.yaml` there.
    #[arg(long, short = 'd', value_name = "FOLDER", default_value = "crds")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Generate {
    /// The document whose kinds are wanted.
    #[arg(long, value_name = "DOCUMENT", required_unless_present = "crds")]
    pub(crate) openapi: Option<PathBuf>,
    /// Definitions of custom resources, for types and caches of them: a file, a folder, or a pattern such as `crds/*.yaml`.
    #[arg(long, value_name = "DEFINITIONS")]
    pub(crate) crds: Vec<String>,
    /// Only these kinds, as `v1/Pod` and `apps/v1/Deployment`. Default: all that can be cached.
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// The folder to write into.
    #[arg(long, short = 'd', value_name = "FOLDER")]
    pub(crate) dir: PathBuf,
    /// The name of the file.
    #[arg(long, value_name = "NAME", default_value = "larder.rs")]
    pub(crate) file_name: String,
    /// Where the code finds Larder's runtime.
    #[arg(long, value_name = "PATH", default_value = "::larder")]
    pub(crate) runtime_path: String,
    /// Writes nothing, and exits with 1 if the file is not what would be written.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// The kind: plural, kind, or one of these with its group, as `pods`, `Deployment`, `events.events.k8s.io`.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,
    /// The field, spelt as for `field!`: `spec.containers[].image`. Default: the object itself.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The document to look in. Default: the cluster's own.
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) openapi: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

//! The command line. `help` has the examples that stand below each command's options.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use larder_codegen::KubernetesVersion;

use crate::help;
use crate::paths::{TypedPath, WantedPath};

/// Keeps what a cluster serves in files, compares it, explains it, and generates typed caches of it.
#[derive(Debug, Parser)]
#[command(name = "larder", version, after_help = help::EXIT_CODES, after_long_help = help::LARDER)]
pub(crate) struct Args {
    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t = Output::Text, display_order = 100)]
    pub(crate) output: Output,
    #[command(subcommand)]
    pub(crate) command: Command,
}

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
    #[command(subcommand, after_long_help = help::OPENAPI)]
    Openapi(OpenApiCommand),
    /// The custom resource definitions of a cluster.
    #[command(subcommand, after_long_help = help::CRDS)]
    Crds(CrdsCommand),
    /// Writes the Rust code of caches, as a build script does, for those who keep it in their repository.
    ///
    /// The code is one file of nested modules, as `cert_manager_io::v1`, and a second file lists the kinds that were left out, with
    /// the reasons. It is the same, byte for byte, as what a build script has in OUT_DIR with the same options.
    #[command(after_long_help = help::GENERATE)]
    Generate(Box<Generate>),
    /// Tells what a field is: its type, whether it can be absent, how it is indexed and selected by.
    ///
    /// Kinds are looked for in a document, in definitions of custom resources, or in both; with neither, in the cluster.
    #[command(after_long_help = help::EXPLAIN)]
    Explain(Explain),
    /// Prints a completion script for a shell.
    #[command(after_long_help = help::COMPLETION)]
    Completion {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OpenApiCommand {
    /// Writes the normalised document of a cluster: what `LARDER_OPENAPI` and build scripts read.
    ///
    /// It holds kinds, types and fields, no prose, one kind and one type a line, sorted: the same cluster gives the same bytes, and
    /// two of them compare well. No more rights are needed than every account has that can log in.
    #[command(after_long_help = help::OPENAPI_PULL)]
    Pull(Pull),
    /// Compares two documents: kinds, types and fields. Exits with 1 if they differ.
    ///
    /// Told are kinds, facts of kinds (plural, scope, verbs, subresources), types and fields that were added (+), removed (-) and
    /// changed (~). Types are compared as far as kinds are made of them.
    #[command(after_long_help = help::OPENAPI_DIFF)]
    Diff(Diff),
}

#[derive(Debug, Subcommand)]
pub(crate) enum CrdsCommand {
    /// Writes each custom resource definition of a cluster into a file of its own, without what the cluster added.
    ///
    /// Left out are the status, managed fields, certificates of webhooks and the like, so that a file differs only when the
    /// definition does. The account needs the right to list customresourcedefinitions.apiextensions.k8s.io.
    #[command(after_long_help = help::CRDS_PULL)]
    Pull(CrdsPull),
}

/// Which cluster, and how long it may take.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Cluster")]
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
    /// Only these groups, as `apps`; `core` is the group of pods. Default: all.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// The file to write; `-` is standard output.
    #[arg(long, short = 'f', value_name = "FILE", default_value = "openapi.json")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, ClapArgs)]
#[command(
    group(ArgGroup::new("with").required(true)),
    // By itself clap writes the group in front of OLD.
    override_usage = "larder openapi diff [OPTIONS] <OLD> <NEW|--live>"
)]
pub(crate) struct Diff {
    /// The old document: a file or directory that build scripts read.
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The new document.
    #[arg(value_name = "NEW", group = "with")]
    pub(crate) new: Option<PathBuf>,
    /// Compares with the cluster instead of a document.
    #[arg(long, group = "with")]
    pub(crate) live: bool,
    /// Only these groups. Default: all; with `--live`, those that OLD has.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CrdsPull {
    /// Only these groups, as `cert-manager.io`. Default: all.
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// The folder to write into; each definition is `<plural>.<group>.yaml` there.
    #[arg(long, short = 'd', value_name = "FOLDER", default_value = "crds")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("of").required(true).multiple(true)))]
pub(crate) struct Generate {
    /// The document whose kinds are wanted.
    #[arg(long, value_name = "DOCUMENT", group = "of")]
    pub(crate) openapi: Option<PathBuf>,
    /// Definitions of custom resources, for types and caches of them: files, folders, or patterns such as `crds/*.yaml`.
    #[arg(long, value_name = "DEFINITIONS", num_args = 1.., group = "of")]
    pub(crate) crds: Vec<String>,
    /// Only these kinds, as `v1/Pod` and `apps/v1/Deployment`. Default: all that can be cached.
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// The folder to write into.
    #[arg(long, short = 'd', value_name = "FOLDER")]
    pub(crate) dir: PathBuf,
    /// The name of the file.
    #[arg(long, value_name = "NAME", default_value = "larder.rs", value_parser = file_name)]
    pub(crate) file_name: String,
    /// Writes nothing, and exits with 1 if a file is not what would be written.
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
    #[command(flatten)]
    pub(crate) types: Types,
    #[command(flatten)]
    pub(crate) code: Code,
}

/// What of the documents is emitted.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Documents")]
pub(crate) struct Documents {
    /// A document of the Kubernetes version that is enabled in k8s-openapi: kinds that it lacks have no type there and are left
    /// out. Default: whatever version of Kubernetes has them.
    #[arg(long, value_name = "DOCUMENT", requires = "openapi")]
    pub(crate) types_of: Option<PathBuf>,
    /// Emits kinds of Kubernetes itself alone, and leaves out whatever else the document has.
    #[arg(long, requires = "openapi")]
    pub(crate) built_in_only: bool,
    /// The version of the servers that the code will talk to, as 1.37: what only newer ones can select by gets no constant.
    /// Default: any supported version.
    #[arg(long, value_name = "VERSION", requires = "openapi")]
    pub(crate) server_version: Option<KubernetesVersion>,
    /// Emits versions of custom resources, too, that their definitions say are not served.
    #[arg(long)]
    pub(crate) unserved_versions: bool,
}

/// What the types of custom resources are. Kinds are written as `cert-manager.io/v1/Certificate` or `*`, paths as for `field!`;
/// `**.` in front of a path is any depth.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Types of custom resources")]
pub(crate) struct Types {
    /// A type of your own for what stands at a path.
    #[arg(long, value_name = "KIND:PATH=TYPE")]
    pub(crate) use_type: Vec<TypedPath>,
    /// `serde_json::Value` for what stands at a path: what is large and not looked into compiles faster so.
    #[arg(long, value_name = "KIND:PATH")]
    pub(crate) prune: Vec<WantedPath>,
    /// A `Box` around what stands at a path: a pointer where it is absent most of the time.
    #[arg(long, value_name = "KIND:PATH")]
    pub(crate) boxed: Vec<WantedPath>,
    /// No field for the property at a path: it is dropped when an object is read, and lost when it is written back.
    #[arg(long, value_name = "KIND:PATH")]
    pub(crate) skip: Vec<WantedPath>,
    /// No maps for fields that a schema allows and does not name: they are dropped when an object is read.
    #[arg(long)]
    pub(crate) no_unknown_fields: bool,
}

/// Where the code finds what it uses.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Code")]
pub(crate) struct Code {
    /// Where the code finds Larder's runtime.
    #[arg(long, value_name = "PATH", default_value = "::larder")]
    pub(crate) runtime_path: String,
    /// Where the code finds k8s-openapi.
    #[arg(long, value_name = "PATH", default_value = "::k8s_openapi")]
    pub(crate) k8s_openapi_path: String,
}

fn file_name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(['/', '\\']) || text.starts_with('.') {
        return Err("a name such as `larder.rs`; the folder is `--dir`".to_owned());
    }
    Ok(text.to_owned())
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// The kind: plural or kind, alone or with its group, as `pods`, `Deployment`, `events.events.k8s.io`; no short name.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,
    /// The field, spelt as for `field!`: `spec.containers[].image`. Default: the object itself.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The document to look in.
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) openapi: Option<PathBuf>,
    /// Definitions of custom resources to look in: a file, a folder, or a pattern in quotes, such as `'crds/*.yaml'`.
    #[arg(long, value_name = "DEFINITIONS")]
    pub(crate) crds: Vec<String>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

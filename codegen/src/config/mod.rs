//! The API for build scripts: what can be set. `generate` is what is made of it.

mod generate;

use std::path::PathBuf;

pub use self::generate::Generated;

use crate::cargo::KubernetesVersion;
use crate::error::{Error, Errors, Problem};
use crate::types::{Action, PathOption};

/// Starts a configuration with nothing set; [`Config::generate`] ends it.
///
/// ```
/// # let directory = std::env::temp_dir().join(format!("larder-doctest-{}", std::process::id()));
/// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/v1_37.json");
/// let generated = larder_codegen::configure()
///     .openapi(document)
///     .kinds(["v1/Pod", "apps/v1/Deployment"])
///     .out_dir(&directory)
///     .cargo_instructions(false)
///     .generate()?;
/// assert!(generated.left_out.is_empty());
/// let code = std::fs::read_to_string(&generated.file).unwrap();
/// assert!(code.contains("pub struct DeploymentLister"));
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
pub fn configure() -> Config {
    Config {
        openapi: None,
        types: None,
        server_version: None,
        kinds: Vec::new(),
        built_in_only: false,
        crds: Vec::new(),
        unserved: false,
        unknown_fields: true,
        path_options: Vec::new(),
        out_dir: None,
        file_name: "larder.rs".to_owned(),
        runtime_path: "::larder".to_owned(),
        k8s_openapi_path: "::k8s_openapi".to_owned(),
        cargo_instructions: true,
    }
}

/// What to generate; made by [`configure`]. Each option takes and gives the configuration by value.
#[derive(Debug, Clone)]
#[must_use = "nothing happens before `generate`"]
pub struct Config {
    openapi: Option<PathBuf>,
    types: Option<PathBuf>,
    server_version: Option<KubernetesVersion>,
    kinds: Vec<String>,
    built_in_only: bool,
    crds: Vec<String>,
    unserved: bool,
    unknown_fields: bool,
    path_options: Vec<PathOption>,
    out_dir: Option<PathBuf>,
    file_name: String,
    runtime_path: String,
    k8s_openapi_path: String,
    cargo_instructions: bool,
}

impl Config {
    /// Definitions of custom resources: a file, a directory, or a pattern such as `crds/*.yaml` or `crds/**/*.yaml`. Can be
    /// given several times.
    ///
    /// Files are YAML with any number of documents, or JSON; lists are taken apart. Documents of one definition are merged
    /// by version, and every version that is served is emitted, types and names for caches. What is no
    /// `CustomResourceDefinition` is skipped and counted, hidden files are not looked at. A relative path is relative to where the program runs, which for a
    /// build script is the folder of its crate.
    ///
    /// ```
    /// # let directory = std::env::temp_dir().join(format!("larder-doctest-crds-{}", std::process::id()));
    /// # let crds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crds");
    /// let generated = larder_codegen::configure()
    ///     .crds(format!("{crds}/*.yaml"))
    ///     .out_dir(&directory)
    ///     .cargo_instructions(false)
    ///     .generate()?;
    /// let code = std::fs::read_to_string(&generated.file).unwrap();
    /// assert!(code.contains("pub struct GadgetLister"));
    /// # std::fs::remove_dir_all(directory).unwrap();
    /// # Ok::<(), larder_codegen::Errors>(())
    /// ```
    pub fn crds(mut self, pattern: impl Into<String>) -> Self {
        self.crds.push(pattern.into());
        self
    }

    /// Whether versions of custom resources are emitted that their definitions say are not served. Default: no; they are
    /// left out.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").unserved_versions(true)
    /// # ;
    /// ```
    pub fn unserved_versions(mut self, emit: bool) -> Self {
        self.unserved = emit;
        self
    }

    /// Whether objects that may have fields of any name beside those of the schema (`x-kubernetes-preserve-unknown-fields`,
    /// `additionalProperties`) keep them, in a map called `rest`. Default: yes. Without, they are dropped when an object is
    /// read, and so lost when it is written back; it takes less memory and time to decode.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").keep_unknown_fields(false)
    /// # ;
    /// ```
    pub fn keep_unknown_fields(mut self, keep: bool) -> Self {
        self.unknown_fields = keep;
        self
    }

    /// A type of your own for what stands at a path of a custom resource.
    ///
    /// `kind` is a kind as `cert-manager.io/v1/Certificate`, or `*` for all. What a document describes by references has paths of its
    /// own: `kind` is then the name of a definition, as `com.example.wardle.v1.FlunderSpec`. `path` is spelt as in `field!`:
    /// `spec.template`, `spec.volumes[].source` (items of a list, values of a map), `spec."x-name"`; `**.` in front stands
    /// for any depth. `of_type` is written as the generated module sees it, best absolute: `crate::Template`,
    /// `::k8s_openapi::api::core::v1::PodTemplateSpec`. The type has to implement `Clone`, `Debug`, `Default`,
    /// `PartialEq`, `Serialize` and `Deserialize`. A default of the schema at this path is not taken over.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").use_type(
    ///     "*",
    ///     "**.podTemplate",
    ///     "::k8s_openapi::api::core::v1::PodTemplateSpec",
    /// )
    /// # ;
    /// ```
    pub fn use_type(
        self,
        kind: impl Into<String>,
        path: impl Into<String>,
        of_type: impl Into<String>,
    ) -> Self {
        self.at(
            "use_type",
            kind.into(),
            path.into(),
            Action::Use(of_type.into()),
        )
    }

    /// `serde_json::Value` for what stands at a path, instead of types; see [`use_type`](Self::use_type) for how to name it.
    /// What is large and not looked into costs less to compile this way.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").prune("example.com/v1/Widget", "spec.template")
    /// # ;
    /// ```
    pub fn prune(self, kind: impl Into<String>, path: impl Into<String>) -> Self {
        self.at("prune", kind.into(), path.into(), Action::Prune)
    }

    /// A `Box` around what stands at the path of a property, which is then a pointer where it is absent most of the time; see
    /// [`use_type`](Self::use_type) for how to name it.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").boxed("*", "spec.affinity")
    /// # ;
    /// ```
    pub fn boxed(self, kind: impl Into<String>, path: impl Into<String>) -> Self {
        self.at("boxed", kind.into(), path.into(), Action::Box)
    }

    /// No field for the property at a path; see [`use_type`](Self::use_type) for how to name it. What an object has there
    /// is dropped when it is read, and so lost when it is written back.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().crds("crds/*.yaml").skip("*", "status.history")
    /// # ;
    /// ```
    pub fn skip(self, kind: impl Into<String>, path: impl Into<String>) -> Self {
        self.at("skip", kind.into(), path.into(), Action::Skip)
    }

    fn at(mut self, option: &'static str, kind: String, path: String, action: Action) -> Self {
        self.path_options.push(PathOption {
            option,
            kind,
            path,
            action,
        });
        self
    }

    /// The document whose kinds are wanted: a file or directory that [`read`](crate::read) reads. Needed
    /// unless there are definitions of custom resources ([`crds`](Self::crds)).
    ///
    /// Kinds of Kubernetes itself get caches over k8s-openapi's types. Those of aggregated APIs, and custom resources whose
    /// definition is not given, get types, too, made of the document's definitions. Such a kind that cannot be listed and
    /// watched is left out.
    ///
    /// ```
    /// # let directory = std::env::temp_dir().join(format!("larder-doctest-openapi-{}", std::process::id()));
    /// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents/cluster");
    /// let generated = larder_codegen::configure()
    ///     .openapi(document) // as "openapi/cluster.json"
    ///     .out_dir(&directory)
    ///     .cargo_instructions(false)
    ///     .generate()?;
    /// let code = std::fs::read_to_string(&generated.file).unwrap();
    /// assert!(code.contains("pub struct FlunderInformer"));
    /// assert_eq!(
    ///     generated.left_out[0].to_string(),
    ///     "metrics.k8s.io/v1beta1/NodeMetrics: its server does not serve `watch`, which a cache lives on: list it when you need it",
    /// );
    /// # std::fs::remove_dir_all(directory).unwrap();
    /// # Ok::<(), larder_codegen::Errors>(())
    /// ```
    pub fn openapi(mut self, path: impl Into<PathBuf>) -> Self {
        self.openapi = Some(path.into());
        self
    }

    /// A document of the Kubernetes version that is enabled in k8s-openapi. Kinds that it lacks have no type there and
    /// are left out. Default: the types of the version that k8s-openapi is built for, as cargo tells the build scripts of crates that
    /// depend on it directly; outside of a build script, those of any version.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().openapi("openapi/cluster.json").types_of("openapi/v1_37.json")
    /// # ;
    /// ```
    pub fn types_of(mut self, path: impl Into<PathBuf>) -> Self {
        self.types = Some(path.into());
        self
    }

    /// Whether to emit kinds of Kubernetes itself alone, and leave out whatever else the document has. Default: no. For a crate that
    /// others share, whose clusters have other kinds.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().openapi("openapi/cluster.json").built_in_only(true)
    /// # ;
    /// ```
    pub fn built_in_only(mut self, only: bool) -> Self {
        self.built_in_only = only;
        self
    }

    /// The version of the servers that the code will talk to: constants for what only newer ones can select by are left out.
    /// Default: unknown, and only what servers of every supported version know is emitted.
    ///
    /// ```no_run
    /// # let _ =
    /// larder_codegen::configure().server_version(larder_codegen::KubernetesVersion::enabled()?)
    /// # ;
    /// # Ok::<(), larder_codegen::Errors>(())
    /// ```
    pub fn server_version(mut self, version: KubernetesVersion) -> Self {
        self.server_version = Some(version);
        self
    }

    /// Only these kinds, written `group/version/Kind`, in the core group `version/Kind`. Default: all that can be
    /// cached. A kind that the document does not have, or that cannot be cached, is an error. One of which the document does not
    /// say whether it can be watched is emitted if it is named here.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().kinds(["v1/Pod", "rbac.authorization.k8s.io/v1/Role"])
    /// # ;
    /// ```
    pub fn kinds<K: Into<String>>(mut self, kinds: impl IntoIterator<Item = K>) -> Self {
        self.kinds.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Where to write. Default: `OUT_DIR`, which cargo sets for build scripts.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().out_dir("src/generated")
    /// # ;
    /// ```
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// The name of the file. Default: `larder.rs`.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().file_name("kinds.rs")
    /// # ;
    /// ```
    pub fn file_name(mut self, name: impl Into<String>) -> Self {
        self.file_name = name.into();
        self
    }

    /// Where emitted code finds Larder. Default: `::larder`.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().runtime_path("::larder_runtime")
    /// # ;
    /// ```
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.runtime_path = path.into();
        self
    }

    /// Where emitted code finds k8s-openapi. Default: `::k8s_openapi`.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().k8s_openapi_path("::larder::k8s_openapi")
    /// # ;
    /// ```
    pub fn k8s_openapi_path(mut self, path: impl Into<String>) -> Self {
        self.k8s_openapi_path = path.into();
        self
    }

    /// Whether to print instructions for cargo: when to run the build script again, and a warning for what is left
    /// out or passed over. Default: yes.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().cargo_instructions(false)
    /// # ;
    /// ```
    pub fn cargo_instructions(mut self, print: bool) -> Self {
        self.cargo_instructions = print;
        self
    }

    /// Reads the documents and writes the code.
    ///
    /// The same input gives the same bytes, and a file that holds them already is not touched. Nothing is written if
    /// anything is wrong.
    ///
    /// # Errors
    ///
    /// All that is wrong with the options and the documents, and a file that cannot be written.
    pub fn generate(self) -> Result<Generated, Errors> {
        // Schemas, and what is made of them, are walked recursively, and the stack of a main thread may be one megabyte.
        const STACK: usize = 64 << 20;
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let running = thread.spawn_scoped(scope, || self.generate_here());
            let running = running.map_err(|source| {
                let action = "start a thread";
                Error::of_option("generate", Problem::Io { action, source })
            })?;
            let finished = running.join();
            finished.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

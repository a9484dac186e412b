//! The API for build scripts.

use std::path::PathBuf;

use crate::cargo::{KubernetesVersion, print_rerun_if_changed, print_warning};
use crate::crd;
use crate::emit::{self, Paths};
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::model::{KindId, Model};
use crate::output::write_if_changed;
use crate::plan::{LeftOut, Sources, plan};
use crate::read::read;
use crate::types::{Action, PathOption, apply};
use crate::warning::{self, Warning};

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

/// What [`Config::generate`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The file of Rust code, for `include!`.
    pub file: PathBuf,
    /// A file of Markdown that lists what was left out; empty if nothing was.
    pub left_out_file: PathBuf,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// What was emitted, sorted by group, version and kind.
    pub kinds: Vec<GeneratedKind>,
    /// How many documents among the definitions of custom resources are something else, and were skipped.
    pub other_documents: usize,
    /// What was passed over in definitions of custom resources, each with its place. Cargo shows them as warnings.
    pub warnings: Vec<Warning>,
    /// What was noticed in the OpenAPI document and passed over; nothing emitted depends on it.
    pub notes: Vec<String>,
    /// Whether a file changed; an unchanged one is not written.
    pub changed: bool,
}

/// A kind that was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedKind {
    /// The kind.
    pub id: KindId,
    /// The types that were emitted for its objects, by their paths below the module of group and version: the object
    /// itself, structs, enums and aliases. Empty for a kind whose type was there already.
    pub types: Vec<String>,
}

impl Config {
    /// Definitions of custom resources: a file, a directory, or a pattern such as `crds/*.yaml` or `crds/**/*.yaml`. Can be
    /// given several times.
    ///
    /// Files are YAML with any number of documents, or JSON; lists are taken apart. Documents of one definition are merged
    /// by version, and every version that is served is emitted, types and names for caches. What is no
    /// `CustomResourceDefinition` is skipped and counted. A relative path is relative to where the program runs, which for a
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
    /// `kind` is a kind as `cert-manager.io/v1/Certificate`, or `*` for all. `path` is spelt as in `field!`:
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

    /// A `Box` around what stands at a path, which is then a pointer where it is absent most of the time; see
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
    /// ```
    /// # let _ =
    /// larder_codegen::configure().openapi("openapi/cluster.json")
    /// # ;
    /// ```
    pub fn openapi(mut self, path: impl Into<PathBuf>) -> Self {
        self.openapi = Some(path.into());
        self
    }

    /// A document of the Kubernetes version that is enabled in k8s-openapi. Kinds that it lacks have no type there and
    /// are left out. Default: the document itself, for which every kind of Kubernetes then has to have one.
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
    /// cached. A kind that the document does not have, or that cannot be cached, is an error.
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
                option_error("generate", Problem::Io { action, source })
            })?;
            let finished = running.join();
            finished.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn generate_here(&self) -> Result<Generated, Errors> {
        let mut diagnostics = Diagnostics::default();
        let paths = Paths::parse(&self.runtime_path, &self.k8s_openapi_path, &mut diagnostics);
        let out_dir = self
            .out_dir
            .clone()
            .or_else(|| std::env::var_os("OUT_DIR").map(Into::into));
        if out_dir.is_none() {
            let missing = "there is no OUT_DIR: outside of a build script set `out_dir`";
            diagnostics.push(option_error("out_dir", Problem::Missing(missing)));
        }
        if self.openapi.is_none() && self.crds.is_empty() {
            let missing = "nothing was given to generate from: set `openapi` or `crds`";
            diagnostics.push(option_error("openapi", Problem::Missing(missing)));
        }
        let sources = self.read_sources(&mut diagnostics);
        let (Some(paths), Some(out_dir), Some(mut sources)) = (paths, out_dir, sources) else {
            return Err(unfinished(diagnostics));
        };
        diagnostics.finish(())?;
        let notes = std::mem::take(&mut sources.model.notes);
        let other_documents = sources.definitions.others;
        let place = Place::file("kinds".as_ref());
        let plan = plan(sources, &self.kinds, self.server_version, &place)?;
        let code = emit::emit(&plan, &paths)?;
        if self.cargo_instructions {
            for kind in &plan.left_out {
                print_warning(&format!("left out {kind}"));
            }
            for line in warning::lines(&plan.warnings) {
                print_warning(&line);
            }
        }
        let file = out_dir.join(&self.file_name);
        let left_out_file = file.with_extension("left_out.md");
        let changed = write_if_changed(&file, &code)?
            | write_if_changed(&left_out_file, &emit::left_out_markdown(&plan.left_out))?;
        Ok(Generated {
            file,
            left_out_file,
            kinds: plan.generated(),
            left_out: plan.left_out,
            other_documents,
            warnings: plan.warnings,
            notes,
            changed,
        })
    }

    /// `None` after an error.
    fn read_sources(&self, diagnostics: &mut Diagnostics) -> Option<Sources> {
        let model = self.read_document(self.openapi.as_ref(), diagnostics);
        let types = match &self.types {
            same if *same == self.openapi => None,
            types => self.read_document(types.as_ref(), diagnostics),
        };
        if self.cargo_instructions {
            for pattern in &self.crds {
                print_rerun_if_changed(&crd::watched(pattern));
            }
        }
        let mut definitions = crd::read(&self.crds, self.unserved, diagnostics);
        if diagnostics.len() == 0 {
            for kind in definitions.kinds.values_mut() {
                if !self.unknown_fields {
                    kind.object.forget_unknown_fields();
                }
            }
            apply(
                definitions.kinds.values_mut(),
                &self.path_options,
                diagnostics,
            );
        }
        if self.openapi.is_some() && model.is_none() {
            return None;
        }
        Some(Sources {
            model: model.unwrap_or_default(),
            types,
            definitions,
        })
    }

    fn read_document(
        &self,
        path: Option<&PathBuf>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Model> {
        let path = path?;
        // Before reading: a document with an error has to be looked at again, too.
        if self.cargo_instructions {
            print_rerun_if_changed(path);
        }
        match read(path) {
            Ok(model) => Some(model),
            Err(errors) => {
                diagnostics.extend(errors);
                None
            }
        }
    }
}

pub(crate) fn option_error(option: &str, problem: Problem) -> Error {
    Error::new(Place::file(option.as_ref()), problem)
}

/// What is absent was complained about.
fn unfinished(diagnostics: Diagnostics) -> Errors {
    match diagnostics.finish(()) {
        Err(errors) => errors,
        Ok(()) => option_error("openapi", Problem::Missing("nothing was read")).into(),
    }
}

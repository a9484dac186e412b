//! The API for build scripts.

use std::path::PathBuf;

use crate::cargo::{KubernetesVersion, print_rerun_if_changed, print_warning};
use crate::emit::{self, Paths};
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::model::Model;
use crate::output::write_if_changed;
use crate::plan::{LeftOut, plan};
use crate::read::read;

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
        out_dir: None,
        file_name: "larder.rs".to_owned(),
        runtime_path: "::larder_runtime".to_owned(),
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
    /// What was noticed in the document and passed over; nothing emitted depends on it.
    pub notes: Vec<String>,
    /// Whether a file changed; an unchanged one is not written.
    pub changed: bool,
}

impl Config {
    /// The document whose kinds are wanted: a file or directory that [`read`](crate::read) reads. Needed.
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

    /// Where emitted code finds Larder's runtime. Default: `::larder_runtime`.
    ///
    /// ```
    /// # let _ =
    /// larder_codegen::configure().runtime_path("::larder")
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
    /// out. Default: yes.
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
        if self.openapi.is_none() {
            let missing = "no document was given: set `openapi`";
            diagnostics.push(option_error("openapi", Problem::Missing(missing)));
        }
        let model = self.read_document(self.openapi.as_ref(), &mut diagnostics);
        let types = match &self.types {
            same if *same == self.openapi => None,
            None => None,
            types => self.read_document(types.as_ref(), &mut diagnostics),
        };
        let (Some(paths), Some(out_dir), Some(model)) = (paths, out_dir, model) else {
            return Err(unfinished(diagnostics));
        };
        diagnostics.finish(())?;
        let place = Place::file("kinds".as_ref());
        let plan = plan(
            &model,
            types.as_ref().unwrap_or(&model),
            &self.kinds,
            self.server_version,
            &place,
        )?;
        let code = emit::emit(&plan, &paths)?;
        if self.cargo_instructions {
            for kind in &plan.left_out {
                print_warning(&format!("left out {kind}"));
            }
        }
        let file = out_dir.join(&self.file_name);
        let left_out_file = file.with_extension("left_out.md");
        let changed = write_if_changed(&file, &code)?
            | write_if_changed(&left_out_file, &emit::left_out_markdown(&plan.left_out))?;
        Ok(Generated {
            file,
            left_out_file,
            left_out: plan.left_out,
            notes: model.notes,
            changed,
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

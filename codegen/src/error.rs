//! What can be wrong with a document or a request, always with the place.

use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong, and where.
///
/// Reads `file: path.in.document: what is wrong (did you mean …)`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{place}: {problem}")]
pub struct Error {
    /// Where.
    pub place: Place,
    /// What.
    #[source]
    pub problem: Problem,
}

impl Error {
    pub(crate) fn new(place: Place, problem: Problem) -> Self {
        Self { place, problem }
    }

    pub(crate) fn at_file(file: &Path, problem: Problem) -> Self {
        Self::new(Place::file(file), problem)
    }

    /// What is wrong with what the user set; errors name the option where others name a file.
    pub(crate) fn of_option(option: &str, problem: Problem) -> Self {
        Self::at_file(option.as_ref(), problem)
    }
}

/// A place in a file: the file, which of its parts, and the path inside of the document, where there are such.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    file: PathBuf,
    within: String,
    path: String,
}

impl Place {
    pub(crate) fn file(file: &Path) -> Self {
        Self::inside(file, "", String::new())
    }

    pub(crate) fn inside(file: &Path, within: &str, path: String) -> Self {
        Self {
            file: file.to_owned(),
            within: within.to_owned(),
            path,
        }
    }

    /// What stands at `path` below this place.
    pub(crate) fn below(&self, path: &str) -> Self {
        let mut below = self.clone();
        if !below.path.is_empty() {
            below.path.push('.');
        }
        below.path.push_str(path);
        below
    }

    /// The file or directory, or the name of the setting that is wrong.
    #[must_use]
    pub fn source_file(&self) -> &Path {
        &self.file
    }

    /// Which part of the file, where it has several: `document 2, certificates.cert-manager.io, v1`; empty for the whole
    /// file.
    #[must_use]
    pub fn within(&self) -> &str {
        &self.within
    }

    /// The path inside of the document, as `components.schemas["io.k8s.api.core.v1.Pod"].properties.spec`; empty
    /// for the whole file.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if !self.within.is_empty() {
            write!(f, ": {}", self.within)?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        Ok(())
    }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A file or directory cannot be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// The operating system's answer.
        #[source]
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error("not JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The file is not YAML.
    #[error("not YAML: {0}")]
    Yaml(String),
    /// A pattern of files is none.
    #[error("{pattern:?} is no pattern of files: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no such file.
    #[error(
        "no YAML or JSON file is there: give a file, a directory, or a pattern such as `crds/*.yaml`"
    )]
    NoFile,
    /// There are files, but no definitions of custom resources in them.
    #[error(
        "no CustomResourceDefinition of apiextensions.k8s.io/v1 is there ({others} other documents are)"
    )]
    NoDefinition {
        /// How many documents are something else.
        others: usize,
    },
    /// A definition in a version of the API that is no more.
    #[error(
        "{api_version:?} is not read, as no supported Kubernetes serves it: write the definition in \
         apiextensions.k8s.io/v1"
    )]
    OldDefinition {
        /// Its `apiVersion`.
        api_version: String,
    },
    /// Two documents say different things of one definition.
    #[error("{what} of {definition} is given otherwise in {other}: keep one of the two")]
    Conflict {
        /// The definition's name.
        definition: String,
        /// What differs, as `version v1`.
        what: String,
        /// Where it stands otherwise.
        other: Place,
    },
    /// A value has the wrong JSON type, or is missing.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A word that is none of those known here.
    #[error("{word:?} is no {what}{}", did_you_mean(.suggestion.as_deref()))]
    Unknown {
        /// What the word should be, as `type of a schema`.
        what: &'static str,
        /// The word.
        word: String,
        /// The nearest known word.
        suggestion: Option<String>,
    },
    /// A reference to a definition that the document does not have.
    #[error("{name:?} is not defined in this document{}", did_you_mean(.suggestion.as_deref()))]
    Undefined {
        /// The definition's name.
        name: String,
        /// The nearest defined name.
        suggestion: Option<String>,
    },
    /// A reference that points elsewhere than to a definition.
    #[error("{reference:?} is no reference to a definition: one starts with {prefix:?}")]
    ForeignReference {
        /// The reference as it stands.
        reference: String,
        /// How references of this document start.
        prefix: &'static str,
    },
    /// The file or directory is none of the documents that can be read.
    #[error(
        "not a document that can be read: {0}. Readable are: OpenAPI v2 (`swagger.json`), OpenAPI v3 of one \
         group-version, a directory of those as a Kubernetes release lays them out \
         (`apis__apps__v1_openapi.json`) or with `index.json` and `apis/apps/v1.json`, and a normalised document"
    )]
    NotADocument(&'static str),
    /// Two things would be emitted under one name.
    #[error(
        "{name} would be emitted twice, for {first} and for {second}: leave one out with `kinds`; a second `configure()` with \
         another `file_name` emits it"
    )]
    NameCollision {
        /// The path of modules and the name.
        name: String,
        /// What it stands for first.
        first: String,
        /// What else it would stand for.
        second: String,
    },
    /// A kind was asked for that the document has, but for which there can be no cache.
    #[error("{kind} cannot be cached: {reason}")]
    NoCache {
        /// Group, version and kind.
        kind: String,
        /// Why.
        reason: String,
    },
    /// A path of Rust, given as an option, is none.
    #[error("{path:?} is no path of Rust: write one such as `::larder`")]
    NotAPath {
        /// What was given.
        path: String,
    },
    /// A type of Rust, given as an option, is none.
    #[error("{path:?} is no type of Rust: write one such as `crate::Template`")]
    NotAType {
        /// What was given.
        path: String,
    },
    /// An option that is needed was not given.
    #[error("{0}")]
    Missing(&'static str),
    /// A path has to be absolute.
    #[error(
        "{path:?} is a relative path, and a build script of a dependency runs in the folder of that dependency. \
         Give an absolute path, or let cargo make it one, in `.cargo/config.toml`:\n\n    [env]\n    \
         {variable} = {{ value = {path:?}, relative = true }}\n\n(relative there means: to the folder that holds \
         `.cargo`)"
    )]
    RelativePath {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        path: String,
    },
    /// The version of Kubernetes enabled in k8s-openapi is not known.
    #[error("{0}")]
    KubernetesVersion(String),
    /// The emitted code does not parse: a mistake of the generator, never of the input.
    #[error("the emitted code does not parse, which is a bug of larder-codegen: {0}")]
    Emitted(#[source] syn::Error),
}

pub(crate) fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// All that is wrong, one line each; never empty.
#[derive(Debug)]
pub struct Errors(Vec<Error>);

impl Errors {
    /// The errors, in the order in which they were found.
    #[must_use]
    pub fn as_slice(&self) -> &[Error] {
        &self.0
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Self(vec![error])
    }
}

impl IntoIterator for Errors {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Collects errors, so that one run reports all of them.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics(Vec<Error>);

impl Diagnostics {
    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn extend(&mut self, errors: Errors) {
        self.0.extend(errors.0);
    }

    /// `value` if nothing was wrong.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Errors> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(Errors(self.0))
        }
    }
}

//! What build scripts tell cargo, and what cargo tells build scripts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::{Error, Errors, Place, Problem};

/// A minor version of Kubernetes, as `1.37`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubernetesVersion {
    minor: u8,
}

impl KubernetesVersion {
    /// The minor version: 37 of `1.37`.
    #[must_use]
    pub fn minor(self) -> u8 {
        self.minor
    }

    pub(crate) fn of_minor(minor: u8) -> Self {
        Self { minor }
    }

    /// The version that k8s-openapi is built for, in the build script of a crate that depends on it directly.
    ///
    /// k8s-openapi tells it in a variable that carries its own version in the name, such as
    /// `DEP_K8S_OPENAPI_0.29.0_VERSION`; cargo sets it, and runs the script again when it changes.
    ///
    /// # Errors
    ///
    /// If there is no such variable, more than one, or its value is not understood.
    pub fn enabled() -> Result<Self, Errors> {
        Self::from_variables(env::vars_os())
            .map_err(|problem| Error::new(Place::file(Path::new("k8s-openapi")), problem).into())
    }

    fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, Problem> {
        let mut found = variables.into_iter().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let version = name.strip_prefix("DEP_K8S_OPENAPI_")?;
            version.strip_suffix("_VERSION")?;
            Some((name, value))
        });
        let Some((name, value)) = found.next() else {
            return Err(Problem::KubernetesVersion(
                "no variable DEP_K8S_OPENAPI_…_VERSION: this is for build scripts of crates that depend on \
                 k8s-openapi directly"
                    .to_owned(),
            ));
        };
        if let Some((second, _)) = found.next() {
            return Err(Problem::KubernetesVersion(format!(
                "both {name} and {second} are set: the crate depends on two versions of k8s-openapi"
            )));
        }
        // 0x0001MM00: major, minor, patch.
        let number = value.to_str().and_then(|text| text.parse::<u32>().ok());
        match number.map(u32::to_be_bytes) {
            Some([0, 1, minor, 0]) => Ok(Self { minor }),
            _ => Err(Problem::KubernetesVersion(format!(
                "{name} is {value:?}, not the number of a Kubernetes 1.x"
            ))),
        }
    }
}

/// From `1.37`, as [`Display`](fmt::Display) writes it.
///
/// ```
/// let version: larder_codegen::KubernetesVersion = "1.37".parse()?;
/// assert_eq!(version.minor(), 37);
/// assert!("1.37.2".parse::<larder_codegen::KubernetesVersion>().is_err());
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
impl FromStr for KubernetesVersion {
    type Err = Errors;

    fn from_str(text: &str) -> Result<Self, Errors> {
        let minor = text.strip_prefix("1.");
        let minor = minor.filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()));
        let minor = minor.and_then(|minor| minor.parse().ok());
        minor.map(Self::of_minor).ok_or_else(|| {
            let message = format!("{text:?} is no version of Kubernetes: write one as 1.37");
            let place = Place::file(Path::new("server_version"));
            Error::new(place, Problem::KubernetesVersion(message)).into()
        })
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

/// The absolute path that an environment variable holds, `None` if it is unset or empty; tells cargo to run the build
/// script again when it changes.
///
/// # Errors
///
/// If the path is relative: the message shows how to have cargo make it absolute.
pub fn path_from_env(variable: &'static str) -> Result<Option<PathBuf>, Errors> {
    println!("cargo::rerun-if-env-changed={variable}");
    let value = env::var_os(variable);
    absolute(variable, value.as_deref()).map_err(Into::into)
}

fn absolute(variable: &'static str, value: Option<&OsStr>) -> Result<Option<PathBuf>, Error> {
    let Some(path) = value.filter(|value| !value.is_empty()).map(PathBuf::from) else {
        return Ok(None);
    };
    if path.is_absolute() {
        return Ok(Some(path));
    }
    let path = path.display().to_string();
    let place = Place::file(Path::new(variable));
    Err(Error::new(place, Problem::RelativePath { variable, path }))
}

impl Errors {
    /// Tells cargo the errors, at the end of a build script: cargo shows them and fails the build, whatever the
    /// script's exit code is.
    pub fn print_for_cargo(&self) {
        for line in self.to_string().lines() {
            println!("cargo::error={line}");
        }
    }
}

pub(crate) fn print_warning(text: &str) {
    for line in text.lines() {
        println!("cargo::warning={line}");
    }
}

pub(crate) fn print_rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(variables: &[(&str, &str)]) -> Result<KubernetesVersion, String> {
        let variables = variables.iter().map(|(n, v)| (n.into(), v.into()));
        KubernetesVersion::from_variables(variables).map_err(|problem| problem.to_string())
    }

    #[test]
    fn the_version_is_found_by_prefix_and_suffix() {
        let found = version(&[
            ("PATH", "/bin"),
            ("DEP_K8S_OPENAPI_0.29.0_ROOT", "/"),
            ("DEP_K8S_OPENAPI_0.29.0_VERSION", "75008"),
        ]);
        assert_eq!(found.unwrap().to_string(), "1.37");
    }

    #[test]
    fn an_unknown_version_says_what_was_found() {
        let name = "DEP_K8S_OPENAPI_0.29.0_VERSION";
        for (variables, expected) in [
            (&[][..], "no variable DEP_K8S_OPENAPI_…_VERSION"),
            (&[(name, "1.37")][..], "is \"1.37\", not the number"),
            (&[(name, "140544")][..], "is \"140544\", not the number"),
            (&[(name, "75009")][..], "is \"75009\", not the number"),
            (
                &[(name, "75008"), ("DEP_K8S_OPENAPI_1.0.0_VERSION", "75008")][..],
                "two versions of k8s-openapi",
            ),
        ] {
            let error = version(variables).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_relative_path_shows_the_remedy() {
        let of = |value: &str| absolute("LARDER_OPENAPI", Some(OsStr::new(value)));
        assert_eq!(absolute("LARDER_OPENAPI", None).unwrap(), None);
        assert_eq!(of("").unwrap(), None);
        assert_eq!(of("/a/b.json").unwrap(), Some("/a/b.json".into()));
        let error = of("k8s/openapi.json").unwrap_err().to_string();
        assert!(
            error.starts_with("LARDER_OPENAPI: \"k8s/openapi.json\" is a relative path"),
            "{error}"
        );
        assert!(
            error.contains(
                "[env]\n    LARDER_OPENAPI = { value = \"k8s/openapi.json\", relative = true }"
            ),
            "{error}"
        );
    }
}

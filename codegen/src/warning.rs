//! What was passed over in a definition of custom resources, and where: nothing is wrong with what was emitted, but it may not be what
//! was meant.

use std::fmt;

use crate::error::{Place, did_you_mean};

/// Something in a definition of custom resources that was passed over, and where.
///
/// Reads as an [`Error`](crate::Error) does: `file: document, definition, version: path: what was passed over`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub passed_over: PassedOver,
}

/// What was passed over, and why.
///
/// Paths of objects are spelt as in `field!`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PassedOver {
    /// A key that the API server does not know there either: it drops it, or refuses the definition.
    Key {
        /// The key.
        key: String,
        /// What has no such key, as `schema`.
        of: &'static str,
        /// The nearest key that there is.
        suggestion: Option<String>,
    },
    /// A default that is no value of its type, or is within one of Kubernetes' own types: the field is optional instead.
    Default {
        /// The path of the field.
        path: String,
    },
    /// A selectable field for which there is no constant and no method of the indexer, as the schema has no such path, or has no text,
    /// number or boolean there, or an option gave it another type.
    Selectable {
        /// The path of the field.
        path: String,
        /// The nearest path that could be selected by.
        suggestion: Option<String>,
    },
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key {
                key,
                of,
                suggestion,
            } => {
                let meant = did_you_mean(suggestion.as_deref());
                write!(f, "{key:?} is no key of a {of} and is passed over{meant}")
            }
            Self::Default { path } => write!(
                f,
                "the default of {path} cannot be filled in and is passed over: the field is optional"
            ),
            Self::Selectable { path, suggestion } => {
                let meant = did_you_mean(suggestion.as_deref());
                write!(
                    f,
                    "{path} is no field of a text, number or boolean: there is no constant to select by it{meant}"
                )
            }
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.passed_over)
    }
}

/// One line for what was passed over for one reason in one version of a definition: a foreign key often stands at every property.
///
/// ```
/// # let crds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crds");
/// # let directory = std::env::temp_dir().join(format!("larder-doctest-warnings-{}", std::process::id()));
/// let generated = larder_codegen::configure()
///     .crds(format!("{crds}/*.yaml"))
///     .out_dir(&directory)
///     .cargo_instructions(false)
///     .generate()?;
/// for line in larder_codegen::inspect::warning_lines(&generated.warnings) {
///     eprintln!("warning: {line}");
/// }
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn lines(warnings: &[Warning]) -> Vec<String> {
    let mut first: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        let same = |(there, _): &&mut (&Warning, usize)| {
            let (a, b) = (&there.place, &warning.place);
            a.source_file() == b.source_file()
                && a.within() == b.within()
                && there.passed_over == warning.passed_over
        };
        match first.iter_mut().rev().find(same) {
            Some((_, more)) => *more += 1,
            None => first.push((warning, 0)),
        }
    }
    let line = |(warning, more): (&Warning, usize)| match more {
        0 => warning.to_string(),
        1 => format!("{warning}; so in 1 more place"),
        more => format!("{warning}; so in {more} more places"),
    };
    first.into_iter().map(line).collect()
}

//! The grammar of label selectors, which the runtime reads at run time and `labels!` at compile time.
//!
//! It accepts what the API server accepts and refuses what it refuses: `Parse` and `NewRequirement` of
//! `k8s.io/apimachinery/pkg/labels`. What selects is `LabelSelector` of `larder-runtime`; here is what it is made of.
//!
//! ```
//! use larder_selector::{Test, parse};
//!
//! let requirements = parse("app=web,tier in (front, edge),!canary").unwrap();
//! assert_eq!(requirements[0].key(), "app");
//! assert!(matches!(requirements[1].test(), Test::In(values) if values.iter().eq(["edge", "front"])));
//! assert!(requirements[2].holds(None));
//!
//! let refused = parse("app=web,tier is front").unwrap_err();
//! assert_eq!(refused.at(), Some(13));
//! ```

mod names;
mod parse;
mod requirement;

use std::error::Error;
use std::fmt;

pub use parse::parse;
pub use requirement::{Requirement, Test, Values};

/// What is wrong with a selector, and what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    at: Option<usize>,
    problem: String,
}

impl Invalid {
    /// A problem of what is no text.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            at: None,
            problem: problem.into(),
        }
    }

    fn in_text(at: usize, problem: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            problem: problem.into(),
        }
    }

    /// Where in the text the problem is, in bytes; on the boundary of a character. `None` where there was no text.
    #[must_use]
    pub fn at(&self) -> Option<usize> {
        self.at
    }
}

/// The problem alone.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl Error for Invalid {}

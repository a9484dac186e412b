//! One table of HTTP exchanges for every server that claims to behave like kube-apiserver.
//!
//! `tests/parity/cases/*.json` say what is sent, step by step. `tests/parity/recorded/*.txt` hold what the real server
//! answered, with the values that differ from run to run replaced by names. [`run`] plays a case against any server behind a
//! [`Subject`] and returns its transcript in the same form; [`differences`] compares the two step by step.
//!
//! The real server is right by definition: its recordings change only by recording anew (`tests/parity/README.md`).
//!
//! What lives here: [`Case`] (the format of the table), the player, the normaliser, the comparison. Nothing here knows which
//! server it talks to.

mod case;
mod compare;
mod normal;
mod play;
mod stream;

use std::collections::BTreeMap;
use std::future::Future;

pub use case::{Case, Step};
pub use compare::{Difference, differences};
pub use play::run;

/// A server under comparison.
pub trait Subject {
    /// A client of one of the users of the table: `admin` (may do everything), `tester` (only what RBAC gives), `anonymous`. `None`
    /// when this server has no such user; cases that need it say so in `needs`.
    fn client(&self, user: &str) -> Option<kube::Client>;

    /// Whether the server has an ability that a case names in `needs`: `rbac`, `compact`, `restart`, `encodings`.
    fn has(&self, ability: &str) -> bool;

    /// Does something to the server itself: `compact` or `restart`.
    ///
    /// Errors are for people to read.
    fn control(&self, action: &str) -> impl Future<Output = Result<(), String>>;
}

/// Values that steps saved, by name.
pub(crate) type Saved = BTreeMap<String, String>;

/// Why a case could not be played to its end. A server that answers wrongly is no error but a difference.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of the table cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: std::path::PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of the table has the wrong form.
    #[error("{file}: {source}")]
    Form {
        /// The file.
        file: std::path::PathBuf,
        /// Where and what.
        #[source]
        source: serde_json::Error,
    },
    /// A step cannot be played.
    #[error("step {step} ({about}): {problem}")]
    Step {
        /// Its number, from 1.
        step: usize,
        /// What the case says about it.
        about: String,
        /// What is wrong.
        problem: String,
    },
}

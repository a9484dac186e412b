//! What can go wrong with the real server, apart from its not being available at all.

use std::time::Duration;

/// Why the real server could not be started or commanded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A process could not be run or its pipes failed.
    #[error("{action}: {source}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// The operating system's answer.
        #[source]
        source: std::io::Error,
    },

    /// A kubeconfig of the server cannot be read or used.
    #[error("a client from {path}: {source}")]
    Client {
        /// The kubeconfig.
        path: std::path::PathBuf,
        /// What kube says about it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// `find.sh` failed; it told why on standard error.
    #[error(
        "tests/apiserver/find.sh neither found nor built the API server ({status}); its messages are above"
    )]
    Build {
        /// How the script ended.
        status: std::process::ExitStatus,
    },

    /// There is no server, and `LARDER_APISERVER_REQUIRED` forbids to skip.
    #[error("the real API server is not available, and LARDER_APISERVER_REQUIRED is set")]
    Required,

    /// A deadline passed.
    #[error("waited {limit:?} for {what} of the test API server")]
    Deadline {
        /// What was waited for.
        what: String,
        /// How long.
        limit: Duration,
    },

    /// The program refused a command, or failed while it ran it.
    #[error("the test API server answered {what} with: {answer}")]
    Refused {
        /// The command, or `start`.
        what: String,
        /// The whole answer.
        answer: String,
    },

    /// The program ended, or an earlier command was given up in the middle, so answers can no longer be told apart.
    #[error("the test API server is gone, no answer to {what}; its messages are above")]
    Gone {
        /// The command, or `start`.
        what: String,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Error {
        move |source| Error::Io { action, source }
    }
}

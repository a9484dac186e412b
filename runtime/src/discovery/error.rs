//! Why a name means no kind.

use std::fmt;
use std::time::Duration;

use super::fetch::DocumentError;
use super::sought::Sought;
use crate::kind::Kind;

/// Why [`Discovery::kind`](super::Discovery::kind) names no kind.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// The server does not serve it.
    #[error(
        "the server has no {sought}{}{} (asked {age:?} ago)",
        Near(near),
        Unread(unread)
    )]
    NotFound {
        /// What was sought.
        sought: Sought,
        /// Served kinds that may have been meant, the likeliest first.
        near: Vec<Kind>,
        /// Documents that could not be read; it is not known what they would say.
        unread: Vec<DocumentError>,
        /// How long ago the server was asked: less than [`Discovery::REFRESH_INTERVAL`](super::Discovery::REFRESH_INTERVAL).
        age: Duration,
    },
    /// Several kinds are called so.
    #[error("{sought} is ambiguous: {}", candidates.iter().map(full_name).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// What was sought.
        sought: Sought,
        /// All that it may mean, each in its preferred version.
        candidates: Vec<Kind>,
    },
    /// It is served, but not to be listed and watched, so it cannot be cached.
    #[error(
        "{} cannot be listed and watched, so it cannot be cached",
        full_name(kind)
    )]
    NotWatchable {
        /// What was sought.
        sought: Sought,
        /// What is served.
        kind: Kind,
    },
    /// The documents that would tell could not be read, so it is not known whether it is served.
    #[error("whether the server has {sought} cannot be told{}", Unread(unread))]
    Unread {
        /// What was sought.
        sought: Sought,
        /// Which documents, and why.
        unread: Vec<DocumentError>,
    },
}

/// `widgets.example.com (Widget in example.com/v1)`.
fn full_name(kind: &Kind) -> String {
    format!("{kind} ({} in {})", kind.kind(), kind.api_version())
}

struct Near<'a>(&'a [Kind]);

impl fmt::Display for Near<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.0.iter().map(full_name).collect();
        write!(f, "; did you mean {}?", names.join(" or "))
    }
}

struct Unread<'a>(&'a [DocumentError]);

impl fmt::Display for Unread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let before = if at == 0 { "; unread: " } else { ", " };
            write!(f, "{before}{error}")?;
        }
        Ok(())
    }
}

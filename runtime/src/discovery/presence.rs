//! Whether one kind is served: the question that a reflector has after a 404.
//!
//! Asked anew each time, of the two smallest documents that can answer it. What counts is only what an API server alone says: an
//! `APIResourceList` of the kind's group and version, or, where that is 404, the list of all groups, which every API server has. A
//! balancer or proxy that answers everything with 404 says nothing by that.

use std::time::Duration;

use super::document::{Document, PLAIN};
use super::fetch::{DocumentError, DocumentFailure, document};
use crate::kind::Kind;
use crate::transport::Transport;

/// What the server's discovery says of a kind.
#[derive(Debug)]
pub(crate) enum Presence {
    Served,
    /// Not in this version, and which versions of its group are, where that was asked.
    NotServed {
        served: Vec<String>,
    },
    /// This user may not ask: 401 or 403.
    Refused(DocumentError),
    /// It cannot be told.
    Unknown(DocumentError),
}

impl From<DocumentError> for Presence {
    fn from(error: DocumentError) -> Self {
        match error.code() {
            Some(401 | 403) => Self::Refused(error),
            _ => Self::Unknown(error),
        }
    }
}

/// Asks discovery whether `kind` is served: one request or two, each within `deadline`.
pub(crate) async fn presence(
    transport: &dyn Transport,
    kind: &Kind,
    deadline: Duration,
) -> Presence {
    let root = root(kind);
    let path = format!("{root}/{}", kind.api_version());
    match document(transport, &path, PLAIN, deadline).await {
        Ok(resources) => in_resources(&path, &resources, kind),
        Err(error) if error.code() == Some(404) => {
            match document(transport, root, PLAIN, deadline).await {
                Ok(groups) => in_groups(root, &groups, kind, error),
                Err(error) => error.into(),
            }
        }
        Err(error) => error.into(),
    }
}

fn root(kind: &Kind) -> &'static str {
    if kind.group().is_empty() {
        "/api"
    } else {
        "/apis"
    }
}

fn in_resources(path: &str, list: &Document, kind: &Kind) -> Presence {
    let expected = "APIResourceList";
    if list.kind != expected || list.group_version != kind.api_version() {
        let unexpected = DocumentFailure::Unexpected { expected };
        return Presence::Unknown(DocumentError::new(path, unexpected));
    }
    let mut resources = list.resources.iter();
    if resources.any(|resource| resource.name == kind.plural()) {
        Presence::Served
    } else {
        Presence::NotServed { served: Vec::new() }
    }
}

/// `missing` says that the version's own document is not there.
fn in_groups(root: &str, list: &Document, kind: &Kind, missing: DocumentError) -> Presence {
    let is_core = kind.group().is_empty();
    let expected = if is_core {
        "APIVersions"
    } else {
        "APIGroupList"
    };
    if list.kind != expected {
        let unexpected = DocumentFailure::Unexpected { expected };
        return Presence::Unknown(DocumentError::new(root, unexpected));
    }
    let served: Vec<String> = if is_core {
        list.versions.clone()
    } else {
        let groups = list.groups.iter();
        let group = groups.filter(|group| group.name == kind.group());
        group
            .flat_map(|group| &group.versions)
            .map(|version| version.version.clone())
            .collect()
    };
    if served.iter().any(|version| version == kind.version()) {
        // The two documents contradict each other: the server is between two states.
        Presence::Unknown(missing)
    } else {
        Presence::NotServed { served }
    }
}

//! Reads everything that discovery says: two requests where the server aggregates, else one a group and version.

use futures_util::StreamExt as _;
use futures_util::future::join;
use futures_util::stream;

use super::Discovery;
use super::catalog::{Catalog, Entry, is_of};
use super::document::{AGGREGATED, AggregatedGroup, Document, PLAIN};
use super::fetch::{DocumentError, DocumentFailure, document};
use crate::transport::Transport;

/// Unaggregated documents that are requested at once.
const PARALLEL: usize = 8;

const LISTS: &str = "list of groups";

/// One version of one group.
struct Part {
    group: String,
    version: String,
    entries: Vec<Entry>,
    /// Why there are none, or none that can be relied on.
    unread: Option<DocumentError>,
}

/// A new catalog. What of it cannot be read stays as it is in `old`: a server that is down has not lost its kinds.
///
/// # Errors
///
/// Where nothing at all can be read.
pub(super) async fn read(
    transport: &dyn Transport,
    old: &Catalog,
) -> Result<Catalog, Vec<DocumentError>> {
    let (core, named) = join(root(transport, "/api"), root(transport, "/apis")).await;
    let mut new = Catalog::default();
    match (core, named) {
        (Err(core), Err(named)) => return Err(vec![core, named]),
        (core, named) => {
            new.take(core, old, |entry| entry.kind.group().is_empty());
            new.take(named, old, |entry| !entry.kind.group().is_empty());
        }
    }
    Ok(new)
}

impl Catalog {
    /// Takes what one of the two roots led to; `is_below` is whether an entry belongs to it.
    fn take(
        &mut self,
        parts: Result<Vec<Part>, DocumentError>,
        old: &Self,
        is_below: impl Fn(&Entry) -> bool,
    ) {
        let parts = match parts {
            Ok(parts) => parts,
            Err(error) => {
                self.unread.push(error);
                self.keep(old, is_below);
                return;
            }
        };
        for part in parts {
            if part.unread.is_some() && part.entries.is_empty() {
                self.keep(old, |entry| is_of(entry, &part.group, &part.version));
            }
            self.entries.extend(part.entries);
            self.unread.extend(part.unread);
        }
    }

    fn keep(&mut self, old: &Self, is_meant: impl Fn(&Entry) -> bool) {
        let known = old.entries.iter().filter(|entry| is_meant(entry));
        self.entries.extend(known.cloned());
    }
}

async fn root(transport: &dyn Transport, path: &str) -> Result<Vec<Part>, DocumentError> {
    let root = document(transport, path, AGGREGATED, Discovery::REQUEST_DEADLINE).await?;
    let versions: Vec<(String, String)> = match root.kind.as_str() {
        "APIGroupDiscoveryList" => return Ok(aggregated(path, root.items)),
        "APIVersions" => root
            .versions
            .into_iter()
            .map(|version| (String::new(), version))
            .collect(),
        "APIGroupList" => root
            .groups
            .into_iter()
            .flat_map(|group| {
                let versions = group.versions.into_iter();
                versions.map(move |version| (group.name.clone(), version.version))
            })
            .collect(),
        _ => {
            let unexpected = DocumentFailure::Unexpected { expected: LISTS };
            return Err(DocumentError::new(path, unexpected));
        }
    };
    let reads = versions.into_iter().map(|(group, version)| async move {
        let (entries, unread) = match plain(transport, path, &group, &version).await {
            Ok(entries) => (entries, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Part {
            group,
            version,
            entries,
            unread,
        }
    });
    Ok(stream::iter(reads).buffered(PARALLEL).collect().await)
}

fn path_of(root: &str, group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("{root}/{version}")
    } else {
        format!("{root}/{group}/{version}")
    }
}

fn aggregated(root: &str, groups: Vec<AggregatedGroup>) -> Vec<Part> {
    let mut parts = Vec::new();
    for group in groups {
        let name = group.metadata.name;
        for version in group.versions {
            let path = path_of(root, &name, &version.version);
            let is_stale = version.freshness == "Stale";
            parts.push(Part {
                group: name.clone(),
                version: version.version.clone(),
                unread: is_stale.then(|| DocumentError::new(&path, DocumentFailure::Stale)),
                entries: Entry::of_version(&name, version).collect(),
            });
        }
    }
    parts
}

async fn plain(
    transport: &dyn Transport,
    root: &str,
    group: &str,
    version: &str,
) -> Result<Vec<Entry>, DocumentError> {
    let path = path_of(root, group, version);
    let deadline = Discovery::REQUEST_DEADLINE;
    let Document {
        kind, resources, ..
    } = match document(transport, &path, PLAIN, deadline).await {
        // Gone since the list of groups was made.
        Err(error) if error.code() == Some(404) => return Ok(Vec::new()),
        document => document?,
    };
    let expected = "APIResourceList";
    if kind != expected {
        let unexpected = DocumentFailure::Unexpected { expected };
        return Err(DocumentError::new(&path, unexpected));
    }
    let resources = resources.into_iter();
    Ok(resources
        .filter_map(|resource| Entry::plain(group, version, resource))
        .collect())
}

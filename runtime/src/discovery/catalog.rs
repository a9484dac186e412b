//! What discovery said, as one list to look names up in.

use super::document::{AggregatedResource, AggregatedVersion, Resource};
use super::error::DiscoveryError;
use super::fetch::DocumentError;
use super::sought::{By, Sought};
use crate::kind::{Kind, Scope};

/// How many similar names an error offers.
const OFFERED: usize = 3;

/// One resource in one version.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    singular: String,
    short_names: Vec<String>,
    /// Whether it can be listed and watched.
    watchable: bool,
}

impl Entry {
    /// `None` for a subresource.
    pub(super) fn plain(group: &str, version: &str, resource: Resource) -> Option<Self> {
        (!resource.name.contains('/')).then(|| Self {
            kind: Kind::new(
                group,
                version,
                resource.kind,
                resource.name,
                scope(resource.namespaced),
            ),
            singular: resource.singular_name,
            short_names: resource.short_names,
            watchable: watchable(&resource.verbs),
        })
    }

    /// `None` for one that has subresources alone.
    pub(super) fn aggregated(
        group: &str,
        version: &str,
        resource: AggregatedResource,
    ) -> Option<Self> {
        let kind = resource.response_kind?.kind;
        Some(Self {
            kind: Kind::new(
                group,
                version,
                kind,
                resource.resource,
                scope(resource.scope == "Namespaced"),
            ),
            singular: resource.singular_resource,
            short_names: resource.short_names,
            watchable: watchable(&resource.verbs),
        })
    }

    pub(super) fn of_version(
        group: &str,
        version: AggregatedVersion,
    ) -> impl Iterator<Item = Self> {
        let name = version.version;
        let resources = version.resources.into_iter();
        resources.filter_map(move |resource| Self::aggregated(group, &name, resource))
    }

    /// How well it fits: the ranks of all names that are one. Lower is better.
    fn fits(&self, name: &str, by: By) -> Option<u8> {
        let (is_kind, is_resource) = (by != By::Resource, by != By::Kind);
        if is_resource && self.kind.plural() == name {
            Some(0)
        } else if is_kind && self.kind.kind() == name {
            Some(1)
        } else if is_resource && self.singular == name {
            Some(2)
        } else if is_resource && self.short_names.iter().any(|short| short == name) {
            Some(3)
        } else {
            None
        }
    }

    fn is_in(&self, sought: &Sought) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        is(&sought.group, self.kind.group()) && is(&sought.version, self.kind.version())
    }

    /// The fewest edits that make one of its names out of `name`, letter case ignored.
    fn distance(&self, name: &str) -> usize {
        let names = [self.kind.plural(), self.kind.kind(), &self.singular];
        let distances = names
            .iter()
            .map(|known| strsim::osa_distance(&known.to_lowercase(), name));
        distances.min().unwrap_or(usize::MAX)
    }
}

fn scope(namespaced: bool) -> Scope {
    if namespaced {
        Scope::Namespaced
    } else {
        Scope::Cluster
    }
}

fn watchable(verbs: &[String]) -> bool {
    ["list", "watch"]
        .iter()
        .all(|verb| verbs.iter().any(|known| known == verb))
}

/// All that is served, in the server's order: of a group's versions the preferred one first.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) entries: Vec<Entry>,
    /// What could not be read.
    pub(super) unread: Vec<DocumentError>,
}

impl Catalog {
    /// What is sought; `Ok(None)` if nothing is it.
    pub(super) fn find(&self, sought: &Sought) -> Result<Option<Kind>, DiscoveryError> {
        let ranked: Vec<(u8, &Entry)> = self
            .entries
            .iter()
            .filter(|entry| entry.is_in(sought))
            .filter_map(|entry| Some((entry.fits(&sought.name, sought.by)?, entry)))
            .collect();
        // What cannot be watched (`pods.metrics.k8s.io`) is not what a cache is asked for, if there is something else.
        let (ranked, watchable): (Vec<_>, _) = match ranked.iter().any(|(_, it)| it.watchable) {
            true => (
                ranked.into_iter().filter(|(_, it)| it.watchable).collect(),
                true,
            ),
            false => (ranked, false),
        };
        let best = ranked.iter().map(|(rank, _)| *rank).min();
        let mut candidates: Vec<Kind> = Vec::new();
        for (_, entry) in ranked.iter().filter(|(rank, _)| Some(*rank) == best) {
            let resource = (entry.kind.group(), entry.kind.plural());
            let mut known = candidates.iter();
            if !known.any(|kind| (kind.group(), kind.plural()) == resource) {
                candidates.push(entry.kind.clone());
            }
        }
        let sought = sought.clone();
        if candidates.len() > 1 {
            return Err(DiscoveryError::Ambiguous { sought, candidates });
        }
        match candidates.pop() {
            Some(kind) if !watchable => Err(DiscoveryError::NotWatchable { sought, kind }),
            found => Ok(found),
        }
    }

    /// Kinds that one who looked for this in vain may have meant, the likeliest first: of the same name elsewhere, else of a similar
    /// name, those of the same group first.
    pub(super) fn near(&self, sought: &Sought) -> Vec<Kind> {
        let name = sought.name.to_lowercase();
        let limit = (name.chars().count() / 3).clamp(1, 4);
        let mut near: Vec<_> = self
            .entries
            .iter()
            .filter(|entry| entry.watchable)
            .map(|entry| {
                let same = entry.fits(&sought.name, By::Any).is_some();
                let distance = if same { 0 } else { entry.distance(&name) };
                let elsewhere = sought.group.as_deref() != Some(entry.kind.group());
                (distance, elsewhere, entry)
            })
            .filter(|(distance, _, _)| *distance <= limit)
            .collect();
        near.sort_by_key(|(distance, elsewhere, _)| (*distance, *elsewhere));
        let near = near.into_iter().take(OFFERED);
        near.map(|(_, _, entry)| entry.kind.clone()).collect()
    }

    /// What of the documents that could not be read may hold what is sought.
    pub(super) fn unread_of(&self, sought: &Sought) -> Vec<DocumentError> {
        let may_hold = |error: &&DocumentError| {
            let mut path = error.path().split('/').skip(1);
            let (root, group, version) = (path.next(), path.next(), path.next());
            let (group, version) = match root {
                Some("api") => (Some(""), group),
                _ => (group, version),
            };
            let is = |wanted: &Option<String>, unread: Option<&str>| match (wanted, unread) {
                (Some(wanted), Some(unread)) => wanted == unread,
                _ => true,
            };
            let outside_core = root == Some("apis") && sought.group.as_deref() == Some("");
            !outside_core && is(&sought.group, group) && is(&sought.version, version)
        };
        self.unread.iter().filter(may_hold).cloned().collect()
    }

    /// Takes a kind out.
    pub(super) fn without(&self, kind: &Kind) -> Self {
        let is = |entry: &&Entry| {
            entry.kind.plural() == kind.plural() && is_of(entry, kind.group(), kind.version())
        };
        let entries = self.entries.iter().filter(|entry| !is(entry));
        Self {
            entries: entries.cloned().collect(),
            unread: self.unread.clone(),
        }
    }
}

pub(super) fn is_of(entry: &Entry, group: &str, version: &str) -> bool {
    entry.kind.group() == group && entry.kind.version() == version
}

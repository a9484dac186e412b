//! Which source of an informer feeds which namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::entry::SourceId;

/// The sources of one store, and what is whose: a namespace belongs to one source at most, so no object is ever kept twice, and
/// whatever a source says of a namespace that is not, or no longer, its own is not heard.
#[derive(Clone, Default)]
pub(crate) struct Coverage {
    named: BTreeMap<Arc<str>, SourceId>,
    /// The source of all namespaces without one of their own, and of objects without a namespace.
    others: Option<SourceId>,
    except: BTreeSet<Arc<str>>,
}

impl Coverage {
    /// Of these sources, each of one namespace or, with `None`, of all others but `except`.
    pub(crate) fn new(
        sources: impl IntoIterator<Item = (SourceId, Option<Arc<str>>)>,
        except: BTreeSet<Arc<str>>,
    ) -> Self {
        let mut coverage = Self {
            except,
            ..Self::default()
        };
        for (id, namespace) in sources {
            match namespace {
                Some(namespace) => drop(coverage.named.insert(namespace, id)),
                None => coverage.others = Some(id),
            }
        }
        coverage
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = SourceId> {
        self.named.values().copied().chain(self.others)
    }

    /// The source of a namespace, or, with `None`, of objects that have none.
    pub(crate) fn owner(&self, namespace: Option<&str>) -> Option<SourceId> {
        let Some(namespace) = namespace else {
            return self.others;
        };
        if let Some(id) = self.named.get(namespace) {
            return Some(*id);
        }
        self.others.filter(|_| !self.except.contains(namespace))
    }

    /// The namespaces with a source of their own.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Arc<str>> {
        self.named.keys()
    }

    /// Where all others are watched too, those that are not.
    pub(crate) fn except(&self) -> Option<impl Iterator<Item = &Arc<str>>> {
        self.others.map(|_| self.except.iter())
    }

    /// What a source need not be sent: the namespaces that lie inside what it lists but are not its own.
    pub(crate) fn excluded(&self, source: SourceId) -> Vec<Arc<str>> {
        if self.others != Some(source) {
            return Vec::new();
        }
        // In order, so that the requests of one informer look alike.
        let all: BTreeSet<_> = self.named.keys().chain(&self.except).collect();
        all.into_iter().cloned().collect()
    }

    /// Gives a namespace that has no owner a source.
    pub(super) fn add(&mut self, namespace: Arc<str>, source: SourceId) {
        self.except.remove(&namespace);
        self.named.insert(namespace, source);
    }

    /// Takes a namespace from its owner; the source that is of no use any more, if one is.
    pub(super) fn remove(&mut self, namespace: &str) -> Option<SourceId> {
        let source = self.named.remove(namespace);
        if self.others.is_some() {
            self.except.insert(namespace.into());
        }
        source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[Arc<str>]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn c039_a_namespace_has_one_owner_at_most() {
        let (web, others) = (SourceId(0), SourceId(1));
        let mut coverage = Coverage::new(
            [(web, Some("web".into())), (others, None)],
            ["system".into()].into(),
        );
        let owners = |coverage: &Coverage| {
            [Some("web"), Some("jobs"), Some("system"), None].map(|one| coverage.owner(one))
        };
        assert_eq!(
            owners(&coverage),
            [Some(web), Some(others), None, Some(others)]
        );
        assert_eq!(texts(&coverage.excluded(others)), ["system", "web"]);
        assert!(coverage.excluded(web).is_empty());

        // c041: what is removed falls to nobody, and what comes back gets a source of its own.
        assert_eq!(coverage.remove("web"), Some(web));
        assert_eq!(coverage.remove("jobs"), None);
        assert_eq!(owners(&coverage), [None, None, None, Some(others)]);
        assert_eq!(texts(&coverage.excluded(others)), ["jobs", "system", "web"]);
        let back = SourceId(2);
        coverage.add("jobs".into(), back);
        assert_eq!(owners(&coverage), [None, Some(back), None, Some(others)]);
        assert_eq!(texts(&coverage.excluded(others)), ["jobs", "system", "web"]);
    }

    #[test]
    fn c041_without_all_others_a_removed_namespace_is_forgotten() {
        let mut coverage = Coverage::new([(SourceId(0), Some("a".into()))], BTreeSet::new());
        assert_eq!(coverage.remove("a"), Some(SourceId(0)));
        assert_eq!(coverage.owner(Some("a")), None);
        assert_eq!(coverage.owner(None), None);
        assert_eq!(coverage.sources().count(), 0);
        assert!(coverage.except().is_none() && coverage.except.is_empty());
    }
}

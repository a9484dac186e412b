//! What the server remembers: the objects of every kind, and the changes that led there.
//!
//! One [`Store`] lies behind the mutex of a [`Sim`](crate::Sim); nothing in here waits or knows HTTP. Always true:
//! a version belongs to one change only and grows with each; the log of a kind holds every change after
//! [`Table::oldest`], so a state at that version or later can be rebuilt; bytes of objects are never copied, only
//! shared.

mod check;
mod create;
mod defaults;
mod delete;
mod log;
mod merge;
mod patch;
mod propagation;
mod table;
mod write;

pub(crate) use delete::{DeleteOptions, Deleted, Preconditions};
pub(crate) use log::{Change, Event};
pub(crate) use patch::{Patch, is_plain_merge};
pub(crate) use propagation::Propagation;
pub(crate) use table::{Page, PageQuery, Table};
pub(crate) use write::Part;

use crate::{clock::Clock, kind::Kind, object::Stored, status::Status};
use std::{collections::BTreeMap, sync::Arc};

/// Names a kind within one server; never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KindId(u32);

/// The state of one server.
pub(crate) struct Store {
    version: u64,
    compacted: u64,
    tables: BTreeMap<KindId, Table>,
    next_kind: u32,
    history: usize,
    random: fastrand::Rng,
    clock: Clock,
    /// Whether writes only say what they would do, see [`Store::pretend`].
    pretends: bool,
}

impl Store {
    pub(crate) fn new(start_version: u64, history: usize, seed: u64, clock: Clock) -> Self {
        Self {
            version: start_version.max(1),
            compacted: 0,
            tables: BTreeMap::new(),
            next_kind: 0,
            history,
            random: fastrand::Rng::with_seed(seed),
            clock,
            pretends: false,
        }
    }

    /// Does a write without a trace, as a dry run: the answer is that of the write, and nothing changes.
    pub(crate) fn pretend<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.pretends = true;
        let result = write(self);
        self.pretends = false;
        result
    }

    /// The version of the last change.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn random(&mut self) -> &mut fastrand::Rng {
        &mut self.random
    }

    /// Starts to serve a kind. One of the same group, version and plural is replaced with all its objects.
    pub(crate) fn add_kind(&mut self, kind: Kind) -> KindId {
        self.remove_kind(&kind.group, &kind.version, &kind.plural);
        let id = KindId(self.next_kind);
        self.next_kind = self.next_kind.wrapping_add(1);
        self.tables
            .insert(id, Table::new(Arc::new(kind), self.history, self.version));
        id
    }

    /// Stops to serve a kind; its objects are gone and its watches end.
    ///
    /// The deletes have versions, as everywhere, so that a watch of the kind's next life cannot resume in this one.
    pub(crate) fn remove_kind(&mut self, group: &str, version: &str, plural: &str) -> bool {
        let Some(id) = self.find(group, version, plural).map(|(id, _)| id) else {
            return false;
        };
        let Some(table) = self.tables.remove(&id) else {
            return false;
        };
        self.version += table.len() as u64;
        true
    }

    /// All kinds in the order in which they came.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (KindId, &Arc<Kind>)> {
        self.tables.iter().map(|(&id, table)| (id, table.kind()))
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.values()
    }

    /// The kind at this place of the API, if it is served.
    pub(crate) fn find(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Option<(KindId, Arc<Kind>)> {
        let mut kinds = self.kinds();
        kinds
            .find(|(_, kind)| {
                kind.group == group && kind.version == version && kind.plural == plural
            })
            .map(|(id, kind)| (id, Arc::clone(kind)))
    }

    /// The kind that people call by this name.
    pub(crate) fn called(&self, name: &str) -> Option<(KindId, Arc<Kind>)> {
        self.kinds()
            .find(|(_, kind)| kind.is_called(name))
            .map(|(id, kind)| (id, Arc::clone(kind)))
    }

    /// The kind that an object says it is of.
    pub(crate) fn of_type(
        &self,
        api_version: &str,
        kind_name: &str,
    ) -> Option<(KindId, Arc<Kind>)> {
        let mut kinds = self.kinds();
        kinds
            .find(|(_, kind)| kind.kind == kind_name && kind.api_version() == api_version)
            .map(|(id, kind)| (id, Arc::clone(kind)))
    }

    pub(crate) fn table(&self, id: KindId) -> Result<&Table, Status> {
        self.tables.get(&id).ok_or_else(Status::no_such_resource)
    }

    pub(crate) fn table_mut(&mut self, id: KindId) -> Result<&mut Table, Status> {
        self.tables
            .get_mut(&id)
            .ok_or_else(Status::no_such_resource)
    }

    /// The version from which on the changes of a kind are still known.
    pub(crate) fn oldest(&self, table: &Table) -> u64 {
        table.oldest().max(self.compacted)
    }

    pub(crate) fn get(&self, id: KindId, key: &str) -> Result<Option<Arc<Stored>>, Status> {
        Ok(self.table(id)?.get(key))
    }

    /// Forgets every change up to now: lists and watches at earlier versions are refused with 410. Watches that
    /// are open go on.
    pub(crate) fn compact(&mut self) -> u64 {
        self.compacted = self.version;
        for table in self.tables.values_mut() {
            table.trim(self.compacted);
        }
        self.compacted
    }

    /// Lets versions run ahead without a change.
    pub(crate) fn advance(&mut self, versions: u64) -> u64 {
        self.version = self.version.saturating_add(versions);
        self.version
    }

    /// The next version. Every change takes one.
    fn tick(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    /// Writes a change down and wakes the watches.
    fn record(&mut self, id: KindId, change: Change, object: Arc<Stored>) -> Result<(), Status> {
        let compacted = self.compacted;
        self.table_mut(id)?.apply(change, object, compacted);
        Ok(())
    }
}

/// `namespace/name`, or `name` where there is no namespace.
pub(crate) fn key_of(namespace: &str, name: &str) -> Arc<str> {
    if namespace.is_empty() {
        name.into()
    } else {
        format!("{namespace}/{name}").into()
    }
}

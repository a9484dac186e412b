//! Reads by queries: of a snapshot, and of what a lister sees.

use std::ops::Deref;

use super::plan::plan;
use super::{Plan, Query, Subject};
use crate::informer::ListOptions;
use crate::kept::KeptLabels;
use crate::selector::KeyTest;
use crate::store::{Filter, List, Snapshot};

impl<R: KeptLabels> Snapshot<R> {
    /// The objects that a query selects, at this snapshot's moment.
    ///
    /// See [`Lister::select`](crate::Lister::select).
    pub fn select<T: 'static>(&self, query: impl Into<Query<T>>) -> List<R>
    where
        R::Stored: Deref<Target = T>,
    {
        self.selected(&query.into(), Deref::deref)
    }

    /// As [`select`](Self::select), of tests that need no object as well, whatever is stored.
    pub(crate) fn selected<T: 'static>(
        &self,
        query: &Query<T>,
        object: fn(&R::Stored) -> &T,
    ) -> List<R> {
        let planned = plan(query, &**self.state());
        let found = planned.way.map(|way| way.found);
        let tests = match planned.tests.len() {
            0 => None,
            _ => Some(Query::all(planned.tests.into_iter().cloned())),
        };
        let list = match found {
            Some(found) => self.united(found.postings, found.repeats),
            None => self.list(),
        };
        match tests {
            Some(tests) => list.filtered(filter::<R, T>(tests, object)),
            None => list,
        }
    }

    /// How [`select`](Self::select) answers a query.
    pub fn explain<T: 'static>(&self, query: impl Into<Query<T>>) -> Plan
    where
        R::Stored: Deref<Target = T>,
    {
        Plan::of(&query.into(), &**self.state())
    }
}

/// For queries that look at no object.
pub(crate) fn no_object<S>(_: &S) -> &() {
    &()
}

fn filter<R: KeptLabels, T: 'static>(query: Query<T>, object: fn(&R::Stored) -> &T) -> Filter<R> {
    Box::new(move |entry| {
        query.holds(&Subject {
            key: &entry.key,
            object: object(&entry.stored),
            labels: &|| R::labels(&entry.stored),
        })
    })
}

impl<T> Query<T> {
    /// Of a namespace's objects those that the query selects.
    pub(crate) fn in_namespace(self, namespace: &str) -> Self {
        Self::keyed(KeyTest::in_namespace(namespace)).and(self)
    }
}

impl ListOptions {
    pub(crate) fn query(&self) -> Query<()> {
        Query::of_keys(&self.key).and(&self.labels)
    }
}

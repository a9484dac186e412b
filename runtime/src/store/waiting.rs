//! Who waits until the store has seen something, each woken only when that may have come.
//!
//! A change costs one look at the waiters of its source: none where nobody waits, and one comparison where none of them is due.
//! Always true: a waiter that is registered and then finds in the published state that what it waits for is missing is
//! woken by the change that brings it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::PoisonError;

use tokio::sync::oneshot;

use crate::entry::{Change, SourceId};
use crate::identity::ResourceVersion;
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::sync::{Mutex, MutexGuard};

/// What wakes a waiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WakeAt {
    /// The source has reached this version; with 0, anything that it brings. A source whose versions are no numbers wakes its
    /// waiters with all that it brings.
    Reached(SourceId, u64),
    /// The object of this key was deleted.
    Deleted(ObjectKey),
}

/// The waiters of one store.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Table>);

#[derive(Default)]
struct Table {
    next: u64,
    reached: BTreeMap<(SourceId, u64, u64), oneshot::Sender<()>>,
    deleted: HashMap<ObjectKey, Vec<(u64, oneshot::Sender<()>)>>,
    /// The newest versions that are no numbers: whether an older one has been passed cannot be told from a newer one.
    passed: VecDeque<(SourceId, ResourceVersion)>,
}

/// How many versions that are no numbers are remembered.
const PASSED: usize = 256;

impl Waiting {
    /// A waiter, which must look at the published state once more before it waits.
    pub(crate) fn register(&self, at: WakeAt) -> Waiter<'_> {
        let (sender, woken) = oneshot::channel();
        let mut table = self.lock();
        table.next += 1;
        let id = table.next;
        match &at {
            WakeAt::Reached(source, version) => {
                table.reached.insert((*source, *version, id), sender);
            }
            WakeAt::Deleted(key) => {
                table
                    .deleted
                    .entry(key.clone())
                    .or_default()
                    .push((id, sender));
            }
        }
        drop(table);
        Waiter {
            waiting: self,
            at,
            id,
            woken,
        }
    }

    /// Whether a version that is no number was among the newest that the source brought.
    pub(crate) fn has_passed(&self, source: SourceId, version: &ResourceVersion) -> bool {
        self.lock()
            .passed
            .iter()
            .any(|(other, passed)| *other == source && passed == version)
    }

    /// A source has brought something, which readers can see by now: those who are to be woken for it, which happens when
    /// the answer is dropped. `brought` are the versions on the way that are no numbers.
    pub(super) fn settle<R: Kept>(
        &self,
        source: SourceId,
        version: Option<&ResourceVersion>,
        brought: Vec<ResourceVersion>,
        changes: &[Change<R>],
    ) -> Due {
        let mut table = self.lock();
        for version in brought {
            if table.passed.len() == PASSED {
                table.passed.pop_front();
            }
            table.passed.push_back((source, version));
        }
        let version = version.map_or(0, |version| version.number().unwrap_or(u64::MAX));
        let mut due = Vec::new();
        while let Some(first) = table.reached.range((source, 0, 0)..).next() {
            let place = *first.0;
            if place.0 != source || place.1 > version {
                break;
            }
            due.extend(table.reached.remove(&place));
        }
        if !table.deleted.is_empty() {
            for change in changes {
                if let Change::Delete { last, .. } = change
                    && let Some(waiters) = table.deleted.remove(&last.key)
                {
                    due.extend(waiters.into_iter().map(|(_, sender)| sender));
                }
            }
        }
        Due(due)
    }

    /// Everybody: what is watched has changed, so that each is to look again.
    pub(super) fn take_all(&self) -> Due {
        let mut table = self.lock();
        let reached = std::mem::take(&mut table.reached).into_values();
        let deleted = std::mem::take(&mut table.deleted).into_values().flatten();
        Due(reached.chain(deleted.map(|(_, sender)| sender)).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Nothing in here is the user's code.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those whose time has come. Dropping it wakes them, outside of all locks.
#[must_use]
pub(super) struct Due(Vec<oneshot::Sender<()>>);

impl Drop for Due {
    fn drop(&mut self) {
        for waiter in self.0.drain(..) {
            // One that has gone meanwhile needs no waking.
            let _ = waiter.send(());
        }
    }
}

/// One who waits. Dropping it ends the wait.
pub(crate) struct Waiter<'a> {
    waiting: &'a Waiting,
    at: WakeAt,
    id: u64,
    woken: oneshot::Receiver<()>,
}

impl Waiter<'_> {
    /// Until it is woken.
    pub(crate) async fn woken(&mut self) {
        // The sender is not dropped while this is registered.
        let _ = (&mut self.woken).await;
    }

    pub(crate) fn waits_at(&self) -> &WakeAt {
        &self.at
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut table = self.waiting.lock();
        match &self.at {
            WakeAt::Reached(source, version) => {
                table.reached.remove(&(*source, *version, self.id));
            }
            WakeAt::Deleted(key) => {
                let Some(waiters) = table.deleted.get_mut(key) else {
                    return;
                };
                waiters.retain(|(id, _)| *id != self.id);
                if waiters.is_empty() {
                    table.deleted.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Entry;
    use crate::identity::Uid;
    use crate::kept::{StoreError, Transform};

    enum Nothing {}

    impl Kept for Nothing {
        type Object = ();
        type Stored = ();
        type Read = ();

        fn store(_: &crate::RawObject<'_>, _: &Transform<()>) -> Result<(), StoreError> {
            Ok(())
        }

        fn read((): &()) {}
    }

    const ONE: SourceId = SourceId(1);
    const TWO: SourceId = SourceId(2);

    fn settle(waiting: &Waiting, source: SourceId, version: &str, deleted: &[&str]) {
        let version = ResourceVersion::new(version);
        let delete = |key: &&str| Change::<Nothing>::Delete {
            last: Entry {
                key: key.parse().unwrap(),
                uid: Uid::new("u"),
                version: version.clone(),
                source,
                stored: (),
            },
            final_state: true,
        };
        let changes: Vec<_> = deleted.iter().map(delete).collect();
        let brought = Vec::from_iter(version.number().is_none().then(|| version.clone()));
        drop(waiting.settle(source, Some(&version), brought, &changes));
    }

    fn is_woken(waiter: &mut Waiter<'_>) -> bool {
        waiter.woken.try_recv().is_ok()
    }

    #[test]
    fn c134_a_change_wakes_those_who_wait_for_it_and_nobody_else() {
        let waiting = Waiting::default();
        let reached = |source, version| waiting.register(WakeAt::Reached(source, version));
        let deleted = |key: &str| waiting.register(WakeAt::Deleted(key.parse().unwrap()));
        let (mut five, mut also_five, mut six) =
            (reached(ONE, 5), reached(ONE, 5), reached(ONE, 6));
        let (mut other, mut any) = (reached(TWO, 1), reached(ONE, 0));
        let (mut a, mut b) = (deleted("ns/a"), deleted("ns/b"));

        settle(&waiting, ONE, "4", &[]);
        assert!(is_woken(&mut any), "by all that its source brings");
        assert!(!is_woken(&mut five) && !is_woken(&mut other));
        settle(&waiting, ONE, "5", &["ns/a"]);
        assert!(is_woken(&mut five) && is_woken(&mut also_five) && is_woken(&mut a));
        for waiter in [&mut six, &mut other, &mut b] {
            assert!(!is_woken(waiter), "{:?}", waiter.at);
        }
        // What is no number may be beyond any.
        settle(&waiting, ONE, "x", &[]);
        assert!(is_woken(&mut six) && !is_woken(&mut other));

        drop((five, also_five, six, other, any, a, b));
        let table = waiting.lock();
        assert!(table.reached.is_empty() && table.deleted.is_empty());
    }

    #[test]
    fn c134_versions_that_are_no_numbers_are_remembered_up_to_a_bound() {
        let waiting = Waiting::default();
        let passed = |source, version: usize| {
            waiting.has_passed(source, &ResourceVersion::new(&format!("v{version}")))
        };
        for version in 0..1000 {
            settle(&waiting, ONE, &format!("v{version}"), &[]);
        }
        assert!(passed(ONE, 999) && passed(ONE, 1000 - PASSED));
        assert!(!passed(ONE, 999 - PASSED) && !passed(TWO, 999));
        assert_eq!(waiting.lock().passed.len(), PASSED);
    }
}

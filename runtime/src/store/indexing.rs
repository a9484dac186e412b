//! Adding indexes to a store that is read and written meanwhile. Readers go on; changes wait for the lock that it takes.

use std::sync::Arc;

use super::extract::{Extract, IndexKey};
use super::indexed::{Indexed, Spec};
use super::shared::{Shared, Writer};
use super::state::State;
use crate::kept::Kept;
use crate::sync::MutexGuard;

impl<R: Kept> Shared<R> {
    /// Adds an index, filled from what is stored, and says its place.
    pub(crate) fn add_index<K: IndexKey>(&self, spec: Arc<Spec<R, K>>) -> usize {
        self.add_index_to(self.writer(), spec)
    }

    /// The index over the extractor's path, with its place: whichever there is, or else a new one.
    pub(crate) fn built_in<X: Extract<R>>(&self, extract: X) -> (usize, Arc<Spec<R, X::Key>>) {
        let found = |state: &State<R>| {
            let (at, index): (_, &Indexed<R, X::Key>) = state.index_of(extract.path()?)?;
            Some((at, Arc::clone(index.spec())))
        };
        if let Some(found) = found(&self.peek()) {
            return found;
        }
        // Many may come here at once; the first makes it.
        let writer = self.writer();
        if let Some(found) = found(&writer.state) {
            return found;
        }
        let spec = Spec::new(extract, false);
        (self.add_index_to(writer, Arc::clone(&spec)), spec)
    }

    fn add_index_to<K: IndexKey>(
        &self,
        mut writer: MutexGuard<'_, Writer<R>>,
        spec: Arc<Spec<R, K>>,
    ) -> usize {
        let at = writer.state.add_index(spec);
        self.publish(&mut writer);
        drop(writer);
        self.changes().send_replace(());
        at
    }
}

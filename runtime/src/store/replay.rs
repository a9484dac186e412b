//! Walking a state for a handler: entry by entry, nothing collected.

use std::sync::Arc;

use super::state::State;
use crate::entry::{Entry, SourceId};
use crate::handler::Replay;
use crate::kept::Kept;

/// A cursor over one state, which it keeps in memory until it is dropped.
pub(super) struct Replaying<R: Kept> {
    state: Arc<State<R>>,
    next: u32,
    source: Option<SourceId>,
}

impl<R: Kept> Replaying<R> {
    pub(super) fn all(state: Arc<State<R>>) -> Self {
        Self {
            state,
            next: 0,
            source: None,
        }
    }

    /// Only what one source delivered.
    pub(super) fn of_source(state: Arc<State<R>>, source: SourceId) -> Self {
        Self {
            state,
            next: 0,
            source: Some(source),
        }
    }
}

impl<R: Kept> Replay<R> for Replaying<R> {
    fn next(&mut self) -> Option<Entry<R::Stored>> {
        while self.next < self.state.bound() {
            let entry = self.state.entry(self.next);
            self.next += 1;
            if let Some(entry) =
                entry.filter(|entry| self.source.is_none_or(|source| entry.source == source))
            {
                return Some(entry.clone());
            }
        }
        None
    }
}

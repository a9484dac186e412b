//! One stored object with what identifies its state, and the changes that handlers hear of.

use crate::identity::{ResourceVersion, Uid};
use crate::kept::Kept;
use crate::key::ObjectKey;

/// Which reflector of an informer an object came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SourceId(pub(crate) u32);

/// One object in the store.
#[derive(Clone)]
pub(crate) struct Entry<S> {
    pub(crate) key: ObjectKey,
    pub(crate) uid: Uid,
    pub(crate) version: ResourceVersion,
    pub(crate) source: SourceId,
    pub(crate) stored: S,
}

/// What happened to one object, in the order in which the store showed it.
pub(crate) enum Change<R: Kept> {
    /// The key was absent and is present now; `initial` for the first complete listing of its source.
    Add {
        new: Entry<R::Stored>,
        initial: bool,
    },
    /// The same object (same uid) in another state.
    Update {
        old: Entry<R::Stored>,
        new: Entry<R::Stored>,
    },
    /// The key is absent now. `last` is the last state known; `final_state` says whether it is the object's last.
    Delete {
        last: Entry<R::Stored>,
        final_state: bool,
    },
}

impl<R: Kept> Change<R> {
    pub(crate) fn key(&self) -> &ObjectKey {
        match self {
            Self::Add { new, .. } | Self::Update { new, .. } => &new.key,
            Self::Delete { last, .. } => &last.key,
        }
    }
}

impl<R: Kept> Clone for Change<R> {
    fn clone(&self) -> Self {
        match self {
            Self::Add { new, initial } => Self::Add {
                new: new.clone(),
                initial: *initial,
            },
            Self::Update { old, new } => Self::Update {
                old: old.clone(),
                new: new.clone(),
            },
            Self::Delete { last, final_state } => Self::Delete {
                last: last.clone(),
                final_state: *final_state,
            },
        }
    }
}

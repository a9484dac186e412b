//! What a cache's builder says of single kinds.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::registry::Id;
use crate::informer::InformerOptions;
use crate::kept::Kept;
use crate::kind::Kind;

/// Options by kind and by what is kept of it; each an `InformerOptions` of that.
#[derive(Clone, Default)]
pub(super) struct KindOptions(HashMap<Id, Arc<dyn Any + Send + Sync>>);

impl KindOptions {
    pub(super) fn set<R: Kept>(&mut self, kind: &Kind, options: InformerOptions<R>) {
        self.0.insert(Id::of::<R>(kind, None), Arc::new(options));
    }

    /// What was said of a kind, where something was.
    pub(super) fn of<R: Kept>(&self, kind: &Kind) -> Option<Arc<InformerOptions<R>>> {
        let options = self.0.get(&Id::of::<R>(kind, None))?;
        Arc::clone(options).downcast().ok()
    }
}

impl fmt::Debug for KindOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(Id::kind)).finish()
    }
}

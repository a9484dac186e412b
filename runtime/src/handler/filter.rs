//! A handler behind predicates.

use std::fmt;

use super::handler::Handler;
use super::seen::{Seen, Tombstone};
use crate::kept::Kept;

type OnCreate<R> = Box<dyn Fn(&Seen<R>) -> bool + Send + Sync>;
type OnUpdate<R> = Box<dyn Fn(&Seen<R>, &Seen<R>) -> bool + Send + Sync>;
type OnDelete<R> = Box<dyn Fn(&Tombstone<R>) -> bool + Send + Sync>;

/// Hands on to a handler only what passes the predicates for that sort of event; all of them must pass.
///
/// A sort without a predicate passes. Each event is judged alone: an object that comes to match is an update that
/// passes, not an add, and `old` is the state of the last event before filtering. Predicates run in the handler's
/// task; those that look at key, uid or version decode nothing.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use larder::Handler;
/// # mod pod {
/// #     use std::sync::Arc;
/// #     use k8s_openapi::api::core::v1::Pod;
/// #     use larder::{Kept, RawObject, StoreError, Transform, store_decoded};
/// #     pub enum Full {}
/// #     impl Kept for Full {
/// #         type Object = Pod;
/// #         type Stored = Arc<Pod>;
/// #         type Read = Arc<Pod>;
/// #         fn store(raw: &RawObject<'_>, transform: &Transform<Pod>) -> Result<Arc<Pod>, StoreError> {
/// #             store_decoded(raw, transform)
/// #         }
/// #         fn read(stored: &Arc<Pod>) -> Arc<Pod> { stored.clone() }
/// #     }
/// # }
/// use larder::{Filtered, Funcs};
///
/// let handler = Filtered::<pod::Full, _>::new(Funcs::new().on_update(|_, new| println!("{}", new.key())))
///     .create(|pod| pod.namespace() == Some("web"))
///     .update(|old, new| old.version() != new.version())   // no resyncs
///     .update(|_, new| new.namespace() == Some("web"))
///     .delete(|gone| gone.final_state());
/// # fn takes(_: impl Handler<pod::Full>) {}
/// # takes(handler);
/// ```
pub struct Filtered<R: Kept, H> {
    handler: H,
    create: Vec<OnCreate<R>>,
    update: Vec<OnUpdate<R>>,
    delete: Vec<OnDelete<R>>,
}

impl<R: Kept, H: Handler<R>> Filtered<R, H> {
    /// `handler`, with everything passing.
    #[must_use]
    pub fn new(handler: H) -> Self {
        Self {
            handler,
            create: Vec::new(),
            update: Vec::new(),
            delete: Vec::new(),
        }
    }

    /// Adds must pass this too, initial ones included.
    #[must_use]
    pub fn create(mut self, passes: impl Fn(&Seen<R>) -> bool + Send + Sync + 'static) -> Self {
        self.create.push(Box::new(passes));
        self
    }

    /// Updates, given old and new, must pass this too, resyncs included.
    #[must_use]
    pub fn update(
        mut self,
        passes: impl Fn(&Seen<R>, &Seen<R>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.update.push(Box::new(passes));
        self
    }

    /// Deletes must pass this too.
    #[must_use]
    pub fn delete(
        mut self,
        passes: impl Fn(&Tombstone<R>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.delete.push(Box::new(passes));
        self
    }
}

impl<R: Kept, H: Handler<R>> Handler<R> for Filtered<R, H> {
    fn on_add(&self, object: &Seen<R>, initial: bool) {
        if self.create.iter().all(|passes| passes(object)) {
            self.handler.on_add(object, initial);
        }
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        if self.update.iter().all(|passes| passes(old, new)) {
            self.handler.on_update(old, new);
        }
    }

    fn on_delete(&self, object: &Tombstone<R>) {
        if self.delete.iter().all(|passes| passes(object)) {
            self.handler.on_delete(object);
        }
    }
}

impl<R: Kept, H> fmt::Debug for Filtered<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered")
            .field("create", &self.create.len())
            .field("update", &self.update.len())
            .field("delete", &self.delete.len())
            .finish_non_exhaustive()
    }
}

//! The trait that handlers implement, and the ready-made ones: closures, keys only, filtered.

use std::fmt;
use std::sync::Arc;

use super::seen::{Seen, Tombstone};
use crate::kept::Kept;
use crate::key::ObjectKey;

/// Hears what changed in one informer's store. The contract stands in the [module's page](crate::handler).
///
/// All methods default to nothing. They are synchronous and run in a task of the handler's own, one at a time: they
/// should hand longer work on (to a queue, a channel), and must not block their thread. Whoever needs to await takes
/// [`Events`](super::Events) instead.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use std::sync::Arc;
/// # use larder::{ObjectKey, ResourceVersion, Uid};
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
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use larder::{Handler, Seen, Tombstone};
///
/// #[derive(Default)]
/// struct Count(AtomicUsize);
///
/// impl Handler<pod::Full> for Count {
///     fn on_add(&self, _pod: &Seen<pod::Full>, _initial: bool) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
///     fn on_delete(&self, _pod: &Tombstone<pod::Full>) {
///         self.0.fetch_sub(1, Ordering::Relaxed);
///     }
/// }
///
/// let count = Count::default();
/// # let pod = Seen::new(ObjectKey::cluster("a"), Uid::new("1"), ResourceVersion::new("1"), Arc::default());
/// count.on_add(&pod, false);
/// assert_eq!(count.0.load(Ordering::Relaxed), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not handle what `{R}` keeps",
    note = "implement `Handler`, or make one of closures (`Funcs`) or of a function of keys (`Keys`)"
)]
pub trait Handler<R: Kept>: Send + Sync + 'static {
    /// The object is there and was not before. `initial` if it was there when the informer, or this handler, began.
    fn on_add(&self, object: &Seen<R>, initial: bool) {
        let _ = (object, initial);
    }

    /// The object's state changed from `old`, the last state this handler was given, to `new`.
    ///
    /// On a resync both are the same state: versions are equal, and both yield the same object.
    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        let _ = (old, new);
    }

    /// The object is gone.
    fn on_delete(&self, object: &Tombstone<R>) {
        let _ = object;
    }
}

impl<R: Kept, H: Handler<R> + ?Sized> Handler<R> for Arc<H> {
    fn on_add(&self, object: &Seen<R>, initial: bool) {
        (**self).on_add(object, initial);
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        (**self).on_update(old, new);
    }

    fn on_delete(&self, object: &Tombstone<R>) {
        (**self).on_delete(object);
    }
}

impl<R: Kept, H: Handler<R> + ?Sized> Handler<R> for Box<H> {
    fn on_add(&self, object: &Seen<R>, initial: bool) {
        (**self).on_add(object, initial);
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        (**self).on_update(old, new);
    }

    fn on_delete(&self, object: &Tombstone<R>) {
        (**self).on_delete(object);
    }
}

type OnAdd<R> = Box<dyn Fn(&Seen<R>, bool) + Send + Sync>;
type OnUpdate<R> = Box<dyn Fn(&Seen<R>, &Seen<R>) + Send + Sync>;
type OnDelete<R> = Box<dyn Fn(&Tombstone<R>) + Send + Sync>;

/// A handler made of closures; those not given do nothing.
///
/// The kept type has to be named, as `pod::Full` here: the closures are read before it is known which informer takes
/// them.
///
/// ```
/// # extern crate larder_runtime as larder;
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
/// use larder::Funcs;
///
/// let printer = Funcs::<pod::Full>::new()
///     .on_add(|pod, initial| println!("+ {} initial={initial}", pod.key()))
///     .on_update(|old, new| println!("~ {} {} to {}", new.key(), old.version(), new.version()))
///     .on_delete(|pod| println!("- {}", pod.key()));
/// # let _ = printer;
/// ```
pub struct Funcs<R: Kept> {
    add: Option<OnAdd<R>>,
    update: Option<OnUpdate<R>>,
    delete: Option<OnDelete<R>>,
}

impl<R: Kept> Funcs<R> {
    /// A handler that does nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            add: None,
            update: None,
            delete: None,
        }
    }

    /// What to do on an add; replaces what was given before. See [`Handler::on_add`].
    #[must_use]
    pub fn on_add(mut self, f: impl Fn(&Seen<R>, bool) + Send + Sync + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// What to do on an update; replaces what was given before. See [`Handler::on_update`].
    #[must_use]
    pub fn on_update(mut self, f: impl Fn(&Seen<R>, &Seen<R>) + Send + Sync + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// What to do on a delete; replaces what was given before. See [`Handler::on_delete`].
    #[must_use]
    pub fn on_delete(mut self, f: impl Fn(&Tombstone<R>) + Send + Sync + 'static) -> Self {
        self.delete = Some(Box::new(f));
        self
    }
}

impl<R: Kept> Default for Funcs<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Kept> Handler<R> for Funcs<R> {
    fn on_add(&self, object: &Seen<R>, initial: bool) {
        if let Some(f) = &self.add {
            f(object, initial);
        }
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        if let Some(f) = &self.update {
            f(old, new);
        }
    }

    fn on_delete(&self, object: &Tombstone<R>) {
        if let Some(f) = &self.delete {
            f(object);
        }
    }
}

impl<R: Kept> fmt::Debug for Funcs<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Funcs")
            .field("on_add", &self.add.is_some())
            .field("on_update", &self.update.is_some())
            .field("on_delete", &self.delete.is_some())
            .finish()
    }
}

/// A handler that takes keys only: called with the object's key on every add, update, resync and delete.
///
/// Nothing is ever decoded for it. It fits any kind.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::Keys;
///
/// let (queue, _worker) = std::sync::mpsc::channel();
/// let handler = Keys::new(move |key| {
///     let _ = queue.send(key.clone());
/// });
/// # let _ = handler;
/// ```
#[derive(Clone, Copy)]
pub struct Keys<F>(F);

impl<F: Fn(&ObjectKey) + Send + Sync + 'static> Keys<F> {
    /// Calls `tell` with each key.
    pub fn new(tell: F) -> Self {
        Self(tell)
    }
}

impl<R: Kept, F: Fn(&ObjectKey) + Send + Sync + 'static> Handler<R> for Keys<F> {
    fn on_add(&self, object: &Seen<R>, _initial: bool) {
        (self.0)(object.key());
    }

    fn on_update(&self, _old: &Seen<R>, new: &Seen<R>) {
        (self.0)(new.key());
    }

    fn on_delete(&self, object: &Tombstone<R>) {
        (self.0)(object.key());
    }
}

impl<F> fmt::Debug for Keys<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(..)")
    }
}

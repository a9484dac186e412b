//! The same events as a stream, for whoever needs to await between them.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::feed::Feed;
use super::registration::Registration;
use super::seen::{Seen, Tombstone};
use crate::kept::Kept;
use crate::key::ObjectKey;

/// What a [`Handler`](super::Handler)'s methods are told, as a value.
#[non_exhaustive]
pub enum Event<R: Kept> {
    /// The object is there and was not before.
    Add {
        /// Its state.
        object: Seen<R>,
        /// Whether it was there when the informer, or this stream, began.
        initial: bool,
    },
    /// The object's state changed; on a resync both states are the same.
    Update {
        /// The last state that this stream yielded for the object.
        old: Seen<R>,
        /// Its state now.
        new: Seen<R>,
    },
    /// The object is gone.
    Delete(Tombstone<R>),
    /// Everything that was there at the start has been yielded. Comes once.
    Synced,
}

impl<R: Kept> Event<R> {
    /// The key of the object that this is about; `None` for [`Event::Synced`].
    #[must_use]
    pub fn key(&self) -> Option<&ObjectKey> {
        match self {
            Self::Add { object, .. } => Some(object.key()),
            Self::Update { new, .. } => Some(new.key()),
            Self::Delete(gone) => Some(gone.key()),
            Self::Synced => None,
        }
    }
}

impl<R: Kept> Clone for Event<R> {
    fn clone(&self) -> Self {
        match self {
            Self::Add { object, initial } => Self::Add {
                object: object.clone(),
                initial: *initial,
            },
            Self::Update { old, new } => Self::Update {
                old: old.clone(),
                new: new.clone(),
            },
            Self::Delete(gone) => Self::Delete(gone.clone()),
            Self::Synced => Self::Synced,
        }
    }
}

impl<R: Kept> fmt::Debug for Event<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { object, initial } => f
                .debug_struct("Add")
                .field("object", object)
                .field("initial", initial)
                .finish(),
            Self::Update { old, new } => f
                .debug_struct("Update")
                .field("old", old)
                .field("new", new)
                .finish(),
            Self::Delete(gone) => f.debug_tuple("Delete").field(gone).finish(),
            Self::Synced => f.write_str("Synced"),
        }
    }
}

/// The events of one informer as a stream, under the same contract as a [`Handler`](super::Handler).
///
/// It may be read as slowly as you like: what waits for it is bounded and merged per key, and nobody else waits. Once
/// unread events exceed [`HandlerOptions::capacity`](super::HandlerOptions::capacity), an object that came and went
/// before it was read is not heard of, and one that changed often is heard of in its last state.
///
/// Ends when the informer stops or [`remove`](Registration::remove) is called, and, after what waits, when the runtime has
/// ended that the informer runs on. Dropping it removes it. It has no task: resyncs, too, happen as it is read.
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
/// use larder::{Event, Events};
///
/// async fn follow(mut events: Events<pod::Full>) {
///     while let Some(event) = events.next().await {
///         match event {
///             Event::Add { object, .. } => println!("+ {}", object.key()),
///             Event::Update { new, .. } => println!("~ {}", new.key()),
///             Event::Delete(gone) => println!("- {}", gone.key()),
///             Event::Synced => println!("that is all for now"),
///             _ => {}
///         }
///     }
/// }
/// ```
#[must_use = "a stream that is dropped is removed"]
pub struct Events<R: Kept> {
    feed: Feed<R>,
    registration: Registration,
}

impl<R: Kept> Events<R> {
    pub(crate) fn new(feed: Feed<R>, registration: Registration) -> Self {
        Self { feed, registration }
    }

    /// The next event; `None` once the stream has ended. Cancelling the wait loses nothing.
    pub async fn next(&mut self) -> Option<Event<R>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// This stream's registration: its name, whether it has synced, its counts.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }
}

impl<R: Kept> Stream for Events<R> {
    type Item = Event<R>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<R>>> {
        // So that a loop over a stream that is never empty lets other tasks run.
        let budget = ready!(tokio::task::coop::poll_proceed(cx));
        let event = ready!(self.get_mut().feed.poll_next(cx));
        budget.made_progress();
        Poll::Ready(event)
    }
}

impl<R: Kept> Drop for Events<R> {
    fn drop(&mut self) {
        self.registration.remove();
    }
}

impl<R: Kept> fmt::Debug for Events<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Events").field(&self.registration).finish()
    }
}

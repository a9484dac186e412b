//! Telling handlers what changed.
//!
//! An informer keeps a store equal to the API server and tells its handlers of each change. A handler implements
//! [`Handler`], or is made of closures ([`Funcs`]), or takes keys only ([`Keys`]), or is one of these behind predicates
//! ([`Filtered`]); whoever needs to await reads [`Events`]. This page says what all of them may rely on.
//!
//! # What a handler may rely on
//!
//! **Per object.** The events of one key tell a story without gaps: an add, any number of updates, a delete, and again
//! an add. The states in it are states that the object really had, in the order in which it had them; not each of them
//! need be there. The `old` of an update is always the state that this very handler was given last, and the last state
//! that the store knows always arrives in the end. Another object of the same name (another uid) is never an update:
//! it comes as a delete and an add.
//!
//! **Across objects.** Events come in the order in which the store showed the changes, as long as the handler keeps up
//! (see below). It is not promised beyond that: the API server itself orders only the changes of one watch, and a
//! listing yields its deletes first, then its adds and updates, in any order.
//!
//! **The store is ahead.** A state is readable from the store before any handler hears of it. A lister asked from
//! within a handler answers with that state or a later one; the object may even be gone by then. So a handler that
//! queues the key and reads the object later loses nothing.
//!
//! **One call at a time.** A handler's methods are called one after another, in a task of its own, with no lock held:
//! they may read the store, register and remove handlers, remove themselves. Different handlers run independently of
//! each other; between them there is no order.
//!
//! **The start.** A handler first hears of every object that is there as an add with `initial` set, whether it was
//! registered before the informer started or hours after. It has synced
//! ([`has_synced`](Registration::has_synced)) once its calls for these have returned, or at once if there were none; a
//! call that panicked has returned. An initial add may already show a later state than the listing did. Nothing is lost
//! or doubled between these adds and the changes that follow.
//!
//! **Deletes.** Every object that was added and is gone is deleted exactly once. If the delete itself was missed,
//! because it happened while the watch was away, [`final_state`](Tombstone::final_state) is `false` and the object is
//! the last that was known of it. Key, namespace, name and uid are always right.
//!
//! **A slow handler.** Up to [`capacity`](HandlerOptions::capacity) events wait for it as they came. Beyond that a new
//! event is merged with those of its object that wait: an update joins the add or update before it, a delete replaces
//! the updates before it, and an object that was added and deleted unheard of is never heard of. A delete and the add
//! of a new object under its name stay two events. So what waits is bounded by the number of objects; how much was
//! merged is counted ([`HandlerStats`]). A slow handler delays neither the store nor any other handler.
//!
//! **A handler that panics** loses that one call. The panic is logged with the handler's name and the object's key,
//! counted, and the next event follows. (Where panics abort the process, they do.)
//!
//! **Resync.** Each time its period has passed, a handler is told of every object that is there as an update from its
//! state to that same state. Nothing is asked of the server. This happens only while nothing waits for the handler, one
//! object at a time, and only for states that it was given last; an object that changes meanwhile is skipped, since its
//! change arrives by itself. A handler that is always behind is therefore not resynced on top. The period is drawn once
//! from 0.9 to 1.1 times the base.
//!
//! **Removal.** Once [`Registration::remove`] has returned, no further event is taken for the handler; one that was
//! taken just before may still reach it or be worked on. Once [`Registration::removed`] has returned, no method runs
//! any more and the handler has been dropped. The same holds when the informer stops: what waits is not delivered.
//! Dropping a [`Registration`] removes nothing, dropping [`Events`] does.
//!
//! **What a handler must do** in return: not change what it is given (types see to that), not block its thread for long
//! (hand long work to a queue; a blocked thread delays whatever else the async runtime runs on it), and not rely on
//! seeing each state that an object went through: neither the server's watch nor this cache promises that.
//!
//! A handler that owns a handle of its own informer keeps that informer alive.

// What lives here: the queue of each handler and the task or stream that empties it, and the hub, through which the
// store reaches them. The store calls the hub under its lock; nothing in here calls user code under any lock, waits, or
// knows how objects are stored. Locks are taken in the order store, roster (`hub`), state (`mailbox`).

mod feed;
mod filter;
// The trait that gives the folder its name.
#[allow(clippy::module_inception)]
mod handler;
mod hub;
mod lifetime;
mod mailbox;
mod member;
mod options;
mod queue;
mod registration;
mod resync;
mod seen;
mod stream;
#[cfg(test)]
mod tests;
mod worker;

pub use filter::Filtered;
pub use handler::{Funcs, Handler, Keys};
pub use options::{HandlerOptions, Resync};
pub use registration::{HandlerError, HandlerStats, Registration};
pub use seen::{Seen, Tombstone};
pub use stream::{Event, Events};

pub(crate) use {
    hub::{Hub, HubConfig},
    mailbox::Wakes,
    queue::QueueStats,
    resync::{Current, Replay, draw_period},
};

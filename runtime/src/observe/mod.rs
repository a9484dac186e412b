//! How logs and metrics know the parts of an informer, and what is measured of each.
//!
//! [`Observed`] is one per informer, [`ObservedSource`] one per list and watch, [`ObservedHandler`] one per handler. They hold
//! the handles of the `metrics` crate, registered once, so that an event costs an atomic operation and no allocation. Without
//! the feature `metrics` the handles in [`handle`] are empty types whose methods do nothing, and all of this compiles to nothing.
//!
//! What always holds:
//!
//! - [`table`] is the one home of names, units and descriptions; `docs/metrics.md` shows the same, which a test compares.
//! - All handles are registered where an informer or handler is made, in the caller's thread: a recorder that is local to a
//!   thread sees everything.
//! - Gauges of what is gone are 0: each of the three clears its own when it is dropped, or earlier.
//! - No label holds anything out of an object.

mod handle;
mod handler;
mod informer;
mod names;
mod seldom;
mod source;
mod table;

pub(crate) use handle::{Counter, Stopwatch};
pub(crate) use handler::ObservedHandler;
pub(crate) use informer::Observed;
pub(crate) use seldom::{Say, Seldom};
#[cfg(test)]
pub(crate) use source::CAUSES;
pub(crate) use source::ObservedSource;

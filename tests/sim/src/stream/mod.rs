//! Response bodies that are written as they are read: lists in chunks, watches event by event.
//!
//! Nothing is produced before the client reads it, so a client that does not read costs no memory. [`Wire`] writes
//! objects and applies the faults of a [`StreamPlan`]; [`list_body`] and [`watch_body`] decide what is written when.

mod body;
mod list;
mod plan;
mod watch;
mod wire;

pub use body::{BodyError, ResponseBody};
pub(crate) use list::{ListHead, list_body};
pub(crate) use plan::{Broken, End, StreamPlan};
pub(crate) use watch::{InitialEvents, WatchStart, watch_body};
pub(crate) use wire::{Shape, Wire};

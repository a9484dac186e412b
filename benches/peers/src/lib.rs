//! The same work on Larder and on its peers, in one run: what `docs/measurements.md` shows.
//!
//! The bench `peers` fills a simulated API server and serves it on a loopback socket, without TLS. It starts one child
//! process per peer and way of listing, and tells it by lines on its standard input what to do next. So what is
//! counted in a child is the work of a client alone: its heap, its instructions.
//!
//! The child exists twice: `larder-peer` with the system's allocator, for instructions and times, and
//! `larder-peer-counted` with one that counts bytes, which costs instructions itself. A third program, `larder-updates`, is
//! told what a watch says instead of watching: what one update costs must not vary with how a socket cuts it.
//!
//! Sizes and counts are absolute; times are only ever compared with times of the same run.

mod args;
mod callgrind;
mod child;
mod cluster;
mod index_heap;
mod lookups;
mod peers;
mod process;
mod protocol;
mod reads;
mod table;
mod timing;
mod topics;
mod updates;

pub use args::{Args, Programs};
pub use child::run as run_child;
pub use topics::run;
pub use updates::run as run_updates;

//! The same work on Larder and on its peers, in one run: what `docs/measurements.md` shows.
//!
//! The bench `peers` fills a simulated API server and serves it on a loopback socket, without TLS. It starts one child
//! process per peer and way of listing, and tells it by lines on its standard input what to do next. So what is
//! counted in a child is the work of a client alone: its heap, its instructions.
//!
//! The child exists twice: `larder-peer` with the system's allocator, for instructions and times, and
//! `larder-peer-counted` with one that counts bytes, which costs instructions itself.
//!
//! Sizes and counts are absolute; times are only ever compared with times of the same run.

mod args;
mod child;
mod cluster;
mod peers;
mod process;
mod protocol;
mod reads;
mod table;
mod topics;

pub use args::{Args, Programs};
pub use child::run as run_child;
pub use topics::run;

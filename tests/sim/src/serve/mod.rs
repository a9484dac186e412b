//! From an HTTP request to a response.
//!
//! [`answer`] is the whole way: what is asked for ([`route`], [`params`]), what shall go wrong with it (the faults),
//! and then the handler of the verb. The two ways in, the tower service and the socket, only wrap it.

mod accept;
mod discovery;
mod handle;
mod list;
mod listen;
mod params;
mod read;
mod respond;
mod route;
mod service;
mod watch;
mod write;

pub(crate) use discovery::Documents;
pub use handle::{ConnectionRefused, Verb};
pub use listen::Listening;
pub use service::SimService;

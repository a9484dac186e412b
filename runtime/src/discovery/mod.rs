//! What the API server says that it serves: which kind a name means, and whether a kind is there.
//!
//! [`Discovery`] maps names to [`Kind`](crate::Kind)s; the cache and whoever knows kinds by name alone call it. `presence` answers the reflector, which
//! trusts no memory. kube has a discovery too, but it is bound to `kube::Client`, where here the transport is a trait, and it has
//! neither deadlines nor a shared, rate-limited refresh.
//!
//! What always holds: every request has a deadline; one refresh is under way at a time, and one ended at least
//! [`Discovery::REFRESH_INTERVAL`] before the next begins; what cannot be read hides nothing else and is reported.

mod catalog;
mod document;
mod error;
mod fetch;
mod mapper;
mod presence;
mod read;
mod sought;

pub use error::DiscoveryError;
pub use fetch::{DocumentError, DocumentFailure};
pub use mapper::Discovery;
pub(crate) use presence::{Presence, presence};
pub use sought::Sought;

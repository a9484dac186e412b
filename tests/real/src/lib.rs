//! The real API server for Rust tests.
//!
//! [`RealServer::start`] runs the program of `tests/apiserver`: etcd and kube-apiserver on loopback ports, in a temporary
//! directory that goes when the server does. Where the program is not built (`tests/apiserver/find.sh --build`), tests are skipped and say so.
//!
//! | variable | effect |
//! |---|---|
//! | `LARDER_APISERVER` | the program to run, instead of the one that `find.sh --build` built; `none` skips |
//! | `LARDER_APISERVER_REQUIRED` | when set, a missing server is an error and not a skip (for continuous integration) |
//!
//! What always holds: every wait has a deadline, and its error names what was waited for; no process outlives its
//! [`RealServer`].

mod client;
mod error;
mod find;
pub mod parity;
mod server;

pub use error::Error;
pub use server::RealServer;

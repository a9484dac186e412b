//! Faults on demand.
//!
//! A [`Fault`] says what goes wrong and with which requests; [`Faults`] holds those of a server and decides, request
//! by request. Nothing here is random by itself: [`random_faults`] makes a list of faults from a seed.

mod decide;
mod describe;
mod random;

pub(crate) use decide::{Decision, PlainText};
pub use decide::{FaultId, Faults};
pub use describe::Fault;
pub use random::random_faults;

#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`Sim`] is the server and the handle to it, [`SimBuilder`] makes one that behaves differently, [`Fault`] is something that goes
//! wrong, [`Kind`] describes what is served, [`Status`] is how the server says no.
//!
//! # How it is built
//!
//! `serve` turns a request into a response: what is asked for, which faults apply, then the handler of the verb. `store`
//! holds the objects of each kind in the order of their keys with a log of changes, behind one mutex that is never held across a
//! wait; an earlier state is the present one with the later changes undone. `stream` writes the bodies of lists and watches as
//! they are read, in chunks, from JSON that was serialised once per version of an object. Time is tokio's everywhere.

mod bell;
mod clock;
mod fault;
pub mod fixtures;
mod kind;
mod object;
mod openapi;
mod requests;
mod selector;
mod serve;
mod server;
mod sim;
mod status;
mod store;
mod stream;

pub use fault::{Fault, FaultId, Faults, random_faults};
pub use kind::{Kind, SelectableField};
pub use openapi::{OpenApiError, kinds_from_openapi};
pub use requests::Request;
pub use serve::{ConnectionRefused, Listening, SimService, Verb};
pub use server::SimBuilder;
pub use sim::Sim;
pub use status::{Cause, Details, FieldError, Status};
pub use stream::{BodyError, ResponseBody};

//! A Kubernetes API server inside of a test.
#![doc = ""]

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

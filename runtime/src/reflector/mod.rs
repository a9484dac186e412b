//! The reflector: keeps one [`Sink`](crate::sink::Sink) equal to what one collection of an API server holds.
//!
//! One task per source, never driven by a consumer's poll. [`machine`] decides, [`run`](run()) does: it sends the requests, splits
//! the bodies and feeds the sink; [`status`] is what others see of it. Nothing here knows a kind's type, so all of
//! it is compiled once. The informer alone calls in here; options, backoff and errors are public.
//!
//! What always holds:
//!
//! - What is cached of a kind leaves for a 404 only if discovery confirms it: [`absence`].
//! - Every wait for the server has a deadline, and every failure one answer: the table of [`machine`].
//! - What a listing collected is published whole or not at all.
//! - Nothing that was received waits unpublished while the reflector waits for more.
//! - No body reaches an error or a log, except the `message` of a Kubernetes `Status`.

mod absence;
mod answer;
mod backoff;
mod confirm;
mod deadline;
mod error;
mod list;
mod machine;
mod options;
mod report;
mod request;
mod run;
mod status;
mod step;
mod watch;

#[cfg(test)]
mod tests;

pub use backoff::{Backoff, ExponentialBackoff};
pub(crate) use confirm::OnAbsence;
pub use error::{Awaited, ReflectorError, ReflectorFailure, ReflectorRequest};
pub use options::ReflectorOptions;
pub(crate) use report::{ErrorHook, Reports};
pub(crate) use request::{Accept, Target};
pub(crate) use run::run;
pub use status::Phase;
pub(crate) use status::SourceStatus;

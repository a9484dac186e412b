//! The reflector: keeps one [`Sink`](crate::sink::Sink) equal to what one collection of an API server holds.
//!
//! A task per source, never driven by a consumer's poll. `machine` decides, `run` does: it sends the requests, splits the
//! bodies and feeds the sink. `status` is what others see of it. Nothing here knows a kind's type.
//! Used by the informer alone; the options, the backoff and the errors are public.

mod backoff;
mod machine;

pub use backoff::{Backoff, ExponentialBackoff};
mod stub;
pub use stub::{Phase, ReflectorError, ReflectorOptions};
pub(crate) use stub::{SourceStatus, Target, run};

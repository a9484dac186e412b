//! What the types that `larder-codegen` makes of custom resource definitions need: values that hold all that the API server
//! accepts, and facts of a definition.
//!
//! Emitted code and users of its types call this; nothing else of the runtime does. What always holds: what one of these
//! values was read from, it is written as again.

mod check;
mod choice;
mod facts;
mod int_or_string;
mod number;
mod object;
mod time;

#[doc(hidden)]
pub use check::{check_api_version, check_kind, names};
#[doc(hidden)]
pub use choice::{Text, read_text};
pub use facts::{PrinterColumn, Scale};
pub use int_or_string::IntOrString;
#[doc(hidden)]
pub use number::{Numbers, WriteNumbers};
#[doc(hidden)]
pub use object::{Known, KnownOr};
pub use time::DateTime;

//! What is logged: that it is what docs/metrics.md says, and that nothing shows what is in an object.

#[path = "../support/mod.rs"]
mod support;

mod capture;
mod documented;
mod secrets;

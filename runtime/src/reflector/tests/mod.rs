//! The driver against a scripted server, on tokio's paused clock.

mod fake;
mod faults;
mod listing;
mod streaming;
mod watching;

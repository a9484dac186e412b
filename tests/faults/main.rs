//! A cache while things go wrong: pod informers over the simulator with faults, on the paused clock unless a file says
//! otherwise. Tests are named by conformance number.

#[path = "../e2e/fold.rs"]
mod fold;
#[path = "../support/mod.rs"]
mod support;

mod bench;
mod broken;
mod calls_back;
mod handlers;
mod health;
mod listing;
mod options;
mod silence;
mod socket;
mod streaming;
mod table;
mod threads;
mod watching;

//! Typed, metadata-only and dynamic informers have one vocabulary: what holds for one holds for all three, in every scope and over every
//! kind of listing.

#[path = "../e2e/fold.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod fold;
#[path = "../support/mod.rs"]
mod support;

mod alone;
mod events;
mod faults;
mod indexes;
mod reads;
mod real;
mod registry;
mod representation;
mod selectors;

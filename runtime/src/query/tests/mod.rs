//! Queries against an evaluator of their own, and the texts that make them.

mod model;
mod plan;
mod property;
mod text;
mod world;

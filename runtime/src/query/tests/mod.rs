//! Queries against an evaluator of their own, and the texts that make them.

mod model;
mod property;
mod text;

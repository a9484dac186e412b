//! The built command: on files and a server of this process, one module a subject; on a real API server (`real`, `published`); and as its
//! page shows it (`page`).

mod diff;
mod discovery;
mod errors;
mod explain;
mod explain_custom;
mod generate;
mod help;
mod page;
mod published;
mod pull;
mod real;
mod support;

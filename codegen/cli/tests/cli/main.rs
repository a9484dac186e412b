//! The built command: on files and a server of this process, one module a subject; on a real API server (`real`); and as its page shows
//! it (`page`).

mod diff;
mod errors;
mod explain;
mod explain_custom;
mod generate;
mod help;
mod page;
mod pull;
mod real;
mod support;

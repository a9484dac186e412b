//! The built command: on files and a server of this process (`command`, `discovery`), on a real API server (`real`, `published`), and as
//! its page shows it (`page`).

mod command;
mod discovery;
mod page;
mod published;
mod real;
mod support;

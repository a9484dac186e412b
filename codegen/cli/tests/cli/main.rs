//! The built command: on files and a server of this process (`command`), on a real API server (`real`), and as its page shows it (`page`).

mod command;
mod page;
mod real;
mod support;

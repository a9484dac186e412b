//! What the server does, seen from outside. One binary, so that it is linked once.

mod common;
mod kube_client;
mod list;
mod watch;

//! What the server does, seen from outside. One binary, so that it is linked once.

mod common;

mod delete;
mod discovery;
mod faults;
mod kube_client;
mod list;
mod patch;
mod shapes;
mod stream_faults;
mod three_pods;
mod watch;
mod write;

//! The synchronisation that the store, the handlers and those who wait are built on, in one place: under `cfg(larder_shuttle)`
//! the models in `models/` put a scheduler's own behind the same names, and so try the real code in many interleavings.
//!
//! What others wait for goes through here: locks, the published pointer, channels, tasks, a handler's timer. Counters do not.

#[cfg(not(all(test, larder_shuttle)))]
mod real {
    use std::future::Future;

    pub(crate) use std::sync::{Mutex, MutexGuard};

    pub(crate) use arc_swap::ArcSwap;
    use tokio::runtime::Handle;
    pub(crate) use tokio::sync::watch;
    pub(crate) use tokio::time::{Sleep, sleep};

    /// Runs a task on `runtime`; whoever needs its end has the task say so.
    pub(crate) fn spawn(runtime: &Handle, task: impl Future<Output = ()> + Send + 'static) {
        runtime.spawn(task);
    }
}

#[cfg(not(all(test, larder_shuttle)))]
pub(crate) use real::{ArcSwap, Mutex, MutexGuard, Sleep, sleep, spawn, watch};

#[cfg(all(test, larder_shuttle))]
pub(crate) use crate::models::sync::{ArcSwap, Mutex, MutexGuard, Sleep, sleep, spawn, watch};

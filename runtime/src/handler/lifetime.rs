//! Whether the runtime that an informer runs on still lives.
//!
//! A stream is polled by its owner, on any runtime or none, and so may outlive the one that its timer belongs to. To poll a
//! timer of a runtime that has ended is a panic, and nothing else would ever come from that runtime either: the
//! stream is to end instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Set once the runtime has ended. A runtime drops its tasks before it stops its clock, so it is set by the time that
/// a timer must not be polled any more.
#[derive(Clone, Default)]
pub(crate) struct Ended(Arc<AtomicBool>);

impl Ended {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Watches over `runtime` by a task that waits on it until `done` is cancelled. When the task goes otherwise, the runtime has ended:
/// `then` is called after the answer is set.
pub(super) fn watch_over(
    runtime: &Handle,
    done: CancellationToken,
    then: impl FnOnce() + Send + 'static,
) -> Ended {
    let ended = Ended::default();
    let dropped = Dropped {
        ended: ended.clone(),
        then: Some(then),
    };
    runtime.spawn(async move {
        let mut dropped = dropped;
        done.cancelled().await;
        dropped.then = None;
    });
    ended
}

struct Dropped<F: FnOnce()> {
    ended: Ended,
    /// `None` once there is nothing to watch over any more.
    then: Option<F>,
}

impl<F: FnOnce()> Drop for Dropped<F> {
    fn drop(&mut self) {
        if let Some(then) = self.then.take() {
            self.ended.0.store(true, Ordering::Release);
            then();
        }
    }
}

//! Whether the runtime that an informer runs on still lives.
//!
//! A stream is polled by its owner, on any runtime or none, and so may outlive the one that its timer belongs to. To poll a
//! timer of a runtime that has ended is a panic, and nothing else would ever come from that runtime either: the
//! stream is to end instead.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Whether the runtime has ended. A runtime drops its tasks before it stops its clock, so it is known by the time that
/// a timer must not be polled any more.
pub(crate) struct Ended {
    is_set: AtomicBool,
    /// Ends the task that watches.
    done: CancellationToken,
}

impl Ended {
    /// Watches over `runtime` by a task on it, until this is dropped or `done` is cancelled. When the task goes otherwise, the
    /// runtime has ended: `then` is called after that is known.
    pub(super) fn watch(
        runtime: &Handle,
        done: CancellationToken,
        then: impl FnOnce() + Send + 'static,
    ) -> Arc<Self> {
        let ended = Arc::new(Self {
            is_set: AtomicBool::new(false),
            done: done.clone(),
        });
        let dropped = Dropped {
            ended: Arc::downgrade(&ended),
            then: Some(then),
        };
        runtime.spawn(async move {
            let mut dropped = dropped;
            done.cancelled().await;
            dropped.then = None;
        });
        ended
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.done.cancel();
    }
}

struct Dropped<F: FnOnce()> {
    ended: Weak<Ended>,
    /// `None` once there is nothing to watch over any more.
    then: Option<F>,
}

impl<F: FnOnce()> Drop for Dropped<F> {
    fn drop(&mut self) {
        if let (Some(then), Some(ended)) = (self.then.take(), self.ended.upgrade()) {
            ended.is_set.store(true, Ordering::Release);
            then();
        }
    }
}

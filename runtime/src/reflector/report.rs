//! Telling a hook of the user's about failed requests, beside the reflectors that made them.
//!
//! Always true: a reflector never waits for the hook; a panic in it ends one call; errors reach it in their order, one at a
//! time; of a burst that it cannot follow the newest are told.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use super::error::ReflectorError;
use crate::turn::yield_to_others;

/// What the user wants to be called with each failed request.
#[derive(Clone)]
pub(crate) struct ErrorHook(Arc<dyn Fn(&ReflectorError) + Send + Sync>);

impl ErrorHook {
    pub(crate) fn new(hook: impl Fn(&ReflectorError) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    #[cfg(test)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ErrorHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorHook(..)")
    }
}

/// How many errors may wait for the hook. Reflectors back off, so that only a hook which hangs lets them pile up.
const WAITING: usize = 64;

/// The errors of one informer on their way to its hook. There is a task only while some wait.
#[derive(Debug)]
pub(crate) struct Reports {
    hook: ErrorHook,
    runtime: Handle,
    /// Joined when the informer stops.
    tasks: TaskTracker,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    errors: VecDeque<Arc<ReflectorError>>,
    has_task: bool,
}

impl Reports {
    pub(crate) fn new(hook: ErrorHook, runtime: Handle, tasks: TaskTracker) -> Arc<Self> {
        Arc::new(Self {
            hook,
            runtime,
            tasks,
            queue: Mutex::default(),
        })
    }

    /// Has the hook called with an error soon.
    pub(super) fn tell(self: &Arc<Self>, error: Arc<ReflectorError>) {
        let mut queue = self.lock();
        if queue.errors.len() == WAITING {
            queue.errors.pop_front();
            tracing::debug!(kind = %error.kind(), "the error hook is slow: an error was not told");
        }
        queue.errors.push_back(error);
        if !std::mem::replace(&mut queue.has_task, true) {
            drop(queue);
            self.tasks
                .spawn_on(Arc::clone(self).call_all(), &self.runtime);
        }
    }

    async fn call_all(self: Arc<Self>) {
        while let Some(error) = self.next() {
            self.call(&error);
            yield_to_others().await;
        }
    }

    fn next(&self) -> Option<Arc<ReflectorError>> {
        let mut queue = self.lock();
        let next = queue.errors.pop_front();
        queue.has_task = next.is_some();
        next
    }

    fn call(&self, error: &ReflectorError) {
        // The message of a panic goes to the panic hook alone: it is the user's text.
        if catch_unwind(AssertUnwindSafe(|| (self.hook.0)(error))).is_err() {
            tracing::error!(kind = %error.kind(), "the error hook panicked; it is called again with the next error");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // The user's code runs outside of it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The reflector tasks of one informer: started once, stopped once, joined by all who stop them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Feed;
use super::error::{InformerError, Stopped};
use super::options::{Absent, InformerOptions};
use crate::discovery::Discovery;
use crate::kept::{Kept, Transform};
use crate::reflector::{self, Accept, Ended, OnAbsence, ReflectorOptions, Target};
use crate::store::{Shared, Source};
use crate::sync::{self, Mutex, MutexGuard};
use crate::transport::Transport;

/// What the reflectors need, and the tasks once they run.
pub(super) struct Tasks<R: Kept> {
    transport: Arc<dyn Transport>,
    runtime: Handle,
    label_selector: Option<String>,
    field_selector: Option<String>,
    reflector: Arc<ReflectorOptions>,
    transform: Transform<R::Object>,
    when_absent: Absent,
    discovery: Option<Discovery>,
    cancel: CancellationToken,
    /// Stays true after a stop.
    started: Mutex<bool>,
    running: TaskTracker,
}

/// Held by each source's task. Each lets go of its own objects when it finds the kind absent; once all have ended so, the informer is
/// stopped.
struct LastOne {
    found_absent: AtomicBool,
    cancel: CancellationToken,
}

impl Drop for LastOne {
    fn drop(&mut self) {
        if *self.found_absent.get_mut() {
            self.cancel.cancel();
        }
    }
}

impl<R: Kept> Tasks<R> {
    pub(super) fn new(
        transport: Arc<dyn Transport>,
        runtime: Handle,
        options: InformerOptions<R>,
    ) -> Self {
        let set = |selector: Option<String>| selector.filter(|selector| !selector.is_empty());
        Self {
            transform: options.effective_transform(),
            transport,
            runtime,
            label_selector: set(options.common.label_selector),
            field_selector: set(options.common.field_selector),
            reflector: Arc::new(options.common.reflector.unwrap_or_default()),
            when_absent: options.common.when_absent.unwrap_or_default(),
            discovery: options.discovery,
            cancel: CancellationToken::new(),
            started: Mutex::new(false),
            running: TaskTracker::new(),
        }
    }

    pub(super) fn start(
        &self,
        shared: &Arc<Shared<R>>,
        feeds: &[Feed],
    ) -> Result<(), InformerError> {
        let kind = shared.kind();
        let mut started = self.started();
        if self.is_stopped() {
            return Err(Stopped {
                kind: kind.clone(),
                informer: Arc::clone(shared.name()),
            }
            .into());
        }
        if *started {
            return Ok(());
        }
        let last = Arc::new(LastOne {
            found_absent: AtomicBool::new(false),
            cancel: self.cancel.clone(),
        });
        for feed in feeds {
            let target = Target {
                kind: kind.clone(),
                namespace: feed.namespace.as_deref().map(Into::into),
                label_selector: self.label_selector.clone(),
                field_selector: self.field_selector.clone(),
                accept: Accept::of(R::REPRESENTATION),
            };
            let sink = Source::new(Arc::clone(shared), feed.id, self.transform.clone());
            let reflector = reflector::run(
                Arc::clone(&self.transport),
                target,
                Box::new(sink),
                Arc::clone(&self.reflector),
                Arc::clone(&feed.status),
                OnAbsence {
                    stop: self.when_absent == Absent::Stop,
                    discovery: self.discovery.clone(),
                },
                self.cancel.clone(),
            );
            let last = Arc::clone(&last);
            let task = async move {
                if reflector.await == Ended::Absent {
                    last.found_absent.store(true, Ordering::Relaxed);
                }
            };
            sync::spawn(&self.runtime, self.running.track_future(task));
        }
        *started = true;
        Ok(())
    }

    pub(super) fn is_started(&self) -> bool {
        *self.started()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Resolves when the informer is told to stop.
    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.cancel
    }

    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Ends the tasks and waits for their end, whoever else does. One whose transform does not return by `until` is left
    /// to end by itself.
    pub(super) async fn stop(&self, until: Instant) {
        // Under the lock, so that none is started afterwards.
        let started = self.started();
        self.cancel();
        drop(started);
        self.running.close();
        if timeout_at(until, self.running.wait()).await.is_err() {
            tracing::warn!(
                tasks = self.running.len(),
                "reflector tasks have not ended by the deadline: a transform still runs"
            );
        }
    }

    fn started(&self) -> MutexGuard<'_, bool> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

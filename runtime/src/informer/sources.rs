//! The sources of one informer: one reflector task per watched namespace, and perhaps one for all others.
//!
//! What is whose stands in the store's state, which readers see; this is who feeds it. All changes go through one lock, under
//! which the store is told first: a source is heard once the store knows it, and no longer once the store has let go of it,
//! whatever its task still does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use super::error::{InformerError, InvalidScope, Stopped};
use super::layers::{Layers, Plan, Planned};
use super::namespaces::NamespaceOptions;
use crate::entry::SourceId;
use crate::kept::Kept;
use crate::object::Metadata;
use crate::reflector::{self, Accept, Reports, SourceStatus, Target};
use crate::store::{Shared, Source};
use crate::sync::{self, ArcSwap, Mutex, MutexGuard};
use crate::transport::Transport;

/// One list and watch of an informer.
pub(super) struct Feed<R: Kept> {
    pub(super) id: SourceId,
    /// `None` for all that have no feed of their own.
    pub(super) namespace: Option<Arc<str>>,
    pub(super) status: Arc<SourceStatus>,
    options: NamespaceOptions<R>,
    cancel: CancellationToken,
}

pub(super) struct Sources<R: Kept> {
    transport: Arc<dyn Transport>,
    runtime: Handle,
    layers: Layers<R>,
    shared: Arc<Shared<R>>,
    /// Those there are now; read without the lock, changed under it.
    feeds: ArcSwap<Vec<Arc<Feed<R>>>>,
    /// Held through each change.
    control: Mutex<Control>,
    /// Set under the lock, and stays true after a stop.
    started: AtomicBool,
    /// Ends all of them.
    cancel: CancellationToken,
    /// Cancelled when the kind is absent and they are to end then.
    gone: CancellationToken,
    /// Calls of the error hook are among them.
    running: TaskTracker,
    reports: Option<Arc<Reports>>,
}

struct Control {
    /// The number of the next source.
    next: u32,
    /// What the tasks that run now share.
    last: Weak<LastOne>,
}

/// Held by each source's task. When one ends because the kind is absent, each lets go of its own objects and ends; once all
/// have, the informer is stopped.
struct LastOne {
    gone: CancellationToken,
    cancel: CancellationToken,
}

impl Drop for LastOne {
    fn drop(&mut self) {
        if self.gone.is_cancelled() {
            self.cancel.cancel();
        }
    }
}

impl<R: Kept> Sources<R> {
    /// The sources of an informer that does not run yet, over the store that knows the plan's coverage; `cancel` ends them.
    pub(super) fn new(
        transport: Arc<dyn Transport>,
        runtime: Handle,
        layers: Layers<R>,
        plan: Plan<R>,
        shared: Arc<Shared<R>>,
        cancel: CancellationToken,
    ) -> Self {
        let running = TaskTracker::new();
        let hook = layers.on_error();
        let reports = hook.map(|hook| Reports::new(hook, runtime.clone(), running.clone()));
        let feeds: Vec<_> = plan
            .sources
            .into_iter()
            .map(|planned| feed(planned, &shared, reports.clone(), &cancel))
            .collect();
        let next = feeds.iter().map(|feed| feed.id.0 + 1).max();
        Self {
            transport,
            runtime,
            layers,
            shared,
            feeds: ArcSwap::from_pointee(feeds),
            control: Mutex::new(Control {
                next: next.unwrap_or_default(),
                last: Weak::new(),
            }),
            started: AtomicBool::new(false),
            cancel,
            gone: CancellationToken::new(),
            running,
            reports,
        }
    }

    /// Those there are now.
    pub(super) fn feeds(&self) -> Arc<Vec<Arc<Feed<R>>>> {
        self.feeds.load_full()
    }

    /// Starts the tasks; nothing happens where they run already.
    pub(super) fn start(&self) -> Result<(), InformerError> {
        let mut control = self.control();
        self.check_running()?;
        if !self.is_started() {
            let last = self.last(&mut control);
            for feed in self.feeds().iter() {
                self.spawn(feed, &last);
            }
            self.started.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Watches a namespace; `options` is asked where it is not watched yet. Answers whether it was not.
    fn add(
        &self,
        namespace: &str,
        options: impl FnOnce(&Layers<R>) -> Result<NamespaceOptions<R>, InvalidScope>,
    ) -> Result<bool, InformerError> {
        let mut control = self.control();
        self.check_running()?;
        let options = options(&self.layers).map_err(|source| self.invalid(source))?;
        if self.is_watched(namespace) {
            return Ok(false);
        }
        let planned = Planned {
            id: SourceId(control.next),
            namespace: Some(namespace.into()),
            options,
        };
        control.next = control.next.wrapping_add(1);
        self.shared.add_source(planned.id, namespace.into());
        let feed = feed(planned, &self.shared, self.reports.clone(), &self.cancel);
        if self.is_started() {
            self.spawn(&feed, &self.last(&mut control));
        }
        let mut feeds = Vec::clone(&self.feeds());
        feeds.push(feed);
        self.feeds.store(Arc::new(feeds));
        tracing::info!(kind = %self.shared.kind(), informer = %self.shared.observed().name(), namespace, "namespace added");
        Ok(true)
    }

    /// Watches a namespace with options of its own.
    pub(super) fn add_named(
        &self,
        namespace: &str,
        own: NamespaceOptions<R>,
    ) -> Result<bool, InformerError> {
        self.add(namespace, |layers| layers.named(namespace, own))
    }

    /// Watches a namespace that was added to the defaults; nothing happens where those do not say what is watched.
    pub(super) fn add_inherited(
        &self,
        namespace: &str,
        default: &NamespaceOptions<Metadata>,
    ) -> Result<bool, InformerError> {
        if !self.layers.inherits() {
            return Ok(false);
        }
        self.add(namespace, |layers| layers.inherited(namespace, default))
    }

    /// Watches a namespace no longer. Answers whether it was watched.
    pub(super) fn remove(&self, namespace: &str) -> Result<bool, InformerError> {
        let control = self.control();
        self.check_running()?;
        self.layers
            .check_namespace(namespace)
            .map_err(|source| self.invalid(source))?;
        if !self.is_watched(namespace) {
            return Ok(false);
        }
        self.shared.remove_namespace(namespace);
        let is_it = |feed: &Arc<Feed<R>>| feed.namespace.as_deref() == Some(namespace);
        let (gone, left): (Vec<_>, Vec<_>) = self.feeds().iter().cloned().partition(is_it);
        for feed in gone {
            feed.cancel.cancel();
        }
        self.feeds.store(Arc::new(left));
        drop(control);
        tracing::info!(kind = %self.shared.kind(), informer = %self.shared.observed().name(), namespace, "namespace removed");
        Ok(true)
    }

    /// The same for a namespace that was removed from the defaults.
    pub(super) fn remove_inherited(&self, namespace: &str) -> Result<bool, InformerError> {
        if !self.layers.inherits() {
            return Ok(false);
        }
        self.remove(namespace)
    }

    fn is_watched(&self, namespace: &str) -> bool {
        let state = self.shared.peek();
        state.coverage().owner(Some(namespace)).is_some()
    }

    fn last(&self, control: &mut Control) -> Arc<LastOne> {
        control.last.upgrade().unwrap_or_else(|| {
            let last = Arc::new(LastOne {
                gone: self.gone.clone(),
                cancel: self.cancel.clone(),
            });
            control.last = Arc::downgrade(&last);
            last
        })
    }

    fn spawn(&self, feed: &Feed<R>, last: &Arc<LastOne>) {
        let set = |selector: &Option<String>| selector.clone().filter(|text| !text.is_empty());
        let target = Target {
            kind: self.shared.kind().clone(),
            namespace: feed.namespace.as_deref().map(Into::into),
            label_selector: set(&feed.options.label_selector),
            field_selector: set(&feed.options.field_selector),
            accept: Accept::of(R::REPRESENTATION),
        };
        let transform = feed.options.transform.clone().unwrap_or_default();
        let options = Arc::new(feed.options.reflector.clone().unwrap_or_default());
        let sink = Source::new(Arc::clone(&self.shared), feed.id, transform)
            .max_labels(options.max_labels);
        let reflector = reflector::run(
            Arc::clone(&self.transport),
            target,
            Box::new(sink),
            options,
            Arc::clone(&feed.status),
            self.layers.on_absence(self.gone.clone()),
            feed.cancel.clone(),
        );
        let last = Arc::clone(last);
        let task = async move {
            reflector.await;
            drop(last);
        };
        let span = tracing::info_span!(
            "reflector",
            kind = %self.shared.kind(),
            informer = %self.shared.observed().name(),
            namespace = feed.namespace.as_deref(),
        );
        let task = self.running.track_future(task.instrument(span));
        sync::spawn(&self.runtime, task);
    }

    pub(super) fn is_started(&self) -> bool {
        self.started.load(Ordering::Acquire)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether the kind's absence is what stopped it.
    pub(super) fn is_gone(&self) -> bool {
        self.is_stopped() && self.gone.is_cancelled()
    }

    pub(super) fn check_running(&self) -> Result<(), Stopped> {
        if self.is_stopped() {
            return Err(self.stopped());
        }
        Ok(())
    }

    pub(super) fn stopped(&self) -> Stopped {
        Stopped {
            kind: self.shared.kind().clone(),
            informer: Arc::clone(self.shared.name()),
        }
    }

    fn invalid(&self, source: InvalidScope) -> InformerError {
        let kind = self.shared.kind().clone();
        InformerError::Scope { kind, source }
    }

    /// Resolves when the informer is told to stop.
    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.cancel
    }

    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Ends the tasks and waits for their end, whoever else does. One whose transform does not return by `until` is left
    /// to end by itself; answers how many are.
    pub(super) async fn stop(&self, until: Instant) -> usize {
        // Under the lock, so that none is started afterwards.
        let control = self.control();
        self.cancel();
        drop(control);
        self.running.close();
        let ended = timeout_at(until, self.running.wait()).await;
        ended.map_or_else(|_| self.running.len(), |()| 0)
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn feed<R: Kept>(
    planned: Planned<R>,
    shared: &Shared<R>,
    reports: Option<Arc<Reports>>,
    cancel: &CancellationToken,
) -> Arc<Feed<R>> {
    let Planned {
        id,
        namespace,
        options,
    } = planned;
    Arc::new(Feed {
        id,
        status: Arc::new(SourceStatus::new(
            shared.changes().clone(),
            reports,
            shared.observed().source(namespace.as_deref()),
        )),
        namespace,
        options,
        cancel: cancel.child_token(),
    })
}

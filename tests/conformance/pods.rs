//! An informer of pods whatever it keeps, as the cases see it.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use larder::{
    Cache, Handler, HandlerError, HandlerOptions, Health, Informer, InformerOptions, Kept,
    KeptLabels, LabelSelector, ListOptions, ObjectKey, ReadError, Registration, Seen, Stopped,
    SyncError, Tombstone,
};
use larder_sim::Sim;

use crate::fold::Fold;
use crate::forms::Looks;
use crate::matrix::Scope;
use crate::support::{SOON, settle, until};

/// What a read gave.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) key: String,
    pub(crate) version: String,
    pub(crate) labels: BTreeMap<String, String>,
    /// The memory that holds it.
    pub(crate) held: Arc<dyn Any + Send + Sync>,
}

impl Read {
    pub(crate) fn is_same_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held)
    }
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.key, self.version)
    }
}

/// An informer's own options, of those that work with everything that can be kept.
#[derive(Clone, Default)]
pub(crate) struct Own {
    pub(crate) name: Option<&'static str>,
    pub(crate) namespaces: Option<Vec<&'static str>>,
    pub(crate) everywhere: bool,
    pub(crate) labels: Option<&'static str>,
    pub(crate) fields: Option<&'static str>,
}

impl Own {
    pub(crate) fn named(name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..Self::default()
        }
    }

    pub(crate) fn options<R: Kept>(self) -> InformerOptions<R> {
        let mut options = InformerOptions::new();
        if let Some(name) = self.name {
            options = options.name(name);
        }
        if let Some(namespaces) = self.namespaces {
            options = options.namespaces(namespaces);
        }
        if self.everywhere {
            options = options.all_namespaces();
        }
        if let Some(labels) = self.labels {
            options = options.label_selector(labels);
        }
        if let Some(fields) = self.fields {
            options = options.field_selector(fields);
        }
        options
    }
}

/// What a handler was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Add { key: String, initial: bool },
    Update { key: String, same: bool },
    Delete { key: String, final_state: bool },
}

/// A handler that says everything in one closure.
pub(crate) struct Tell<F>(pub(crate) F);

impl<R: Kept, F: Fn(Told) + Send + Sync + 'static> Handler<R> for Tell<F> {
    fn on_add(&self, new: &Seen<R>, initial: bool) {
        let key = new.key().to_string();
        (self.0)(Told::Add { key, initial });
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        let key = new.key().to_string();
        let same = old.version() == new.version();
        (self.0)(Told::Update { key, same });
    }

    fn on_delete(&self, gone: &Tombstone<R>) {
        let key = gone.key().to_string();
        let final_state = gone.final_state();
        (self.0)(Told::Delete { key, final_state });
    }
}

/// A closure that hears what a handler is told.
pub(crate) type Hear = Box<dyn Fn(Told) + Send + Sync>;

/// An informer of pods, erased.
pub(crate) trait Pods {
    fn get(&self, key: &ObjectKey) -> Result<Read, ReadError>;
    fn list(&self) -> Result<Vec<Read>, ReadError>;
    fn list_in(&self, namespace: &str) -> Result<Vec<Read>, ReadError>;
    fn get_in(&self, namespace: &str, name: &str) -> Result<Read, ReadError>;
    fn matching(&self, selector: &LabelSelector) -> Result<Vec<Read>, ReadError>;
    fn matching_in(
        &self,
        namespace: &str,
        selector: &LabelSelector,
    ) -> Result<Vec<Read>, ReadError>;
    fn list_with(&self, options: &ListOptions) -> Result<Vec<Read>, ReadError>;
    fn hear(&self, hear: Hear, options: HandlerOptions) -> Result<Registration, Stopped>;
    fn fold(&self, options: HandlerOptions) -> (Fold, Registration);
    fn remove_handler(&self, registration: &Registration) -> bool;
    fn handler_count(&self) -> usize;
    fn name(&self) -> String;
    fn health(&self) -> Health;
    fn has_synced(&self) -> bool;
    fn wait_for_sync(&self, deadline: Duration) -> LocalBoxFuture<'_, Result<(), SyncError>>;
    fn stop(&self, deadline: Duration) -> LocalBoxFuture<'_, Result<(), HandlerError>>;
}

/// [`Pods`] of one kept type.
pub(crate) struct PodsOf<L: Looks>(pub(crate) Informer<L::Kept>);

impl<L: Looks> PodsOf<L> {
    fn all(reads: impl Iterator<Item = <L::Kept as Kept>::Read>) -> Vec<Read> {
        reads.map(L::look).collect()
    }
}

impl<L: Looks> Pods for PodsOf<L>
where
    L::Kept: KeptLabels,
{
    fn get(&self, key: &ObjectKey) -> Result<Read, ReadError> {
        self.0.lister().get(key).map(L::look)
    }

    fn list(&self) -> Result<Vec<Read>, ReadError> {
        self.0.lister().list().map(Self::all)
    }

    fn list_in(&self, namespace: &str) -> Result<Vec<Read>, ReadError> {
        self.0.lister().namespace(namespace).list().map(Self::all)
    }

    fn get_in(&self, namespace: &str, name: &str) -> Result<Read, ReadError> {
        self.0.lister().namespace(namespace).get(name).map(L::look)
    }

    fn matching(&self, selector: &LabelSelector) -> Result<Vec<Read>, ReadError> {
        self.0.lister().matching(selector).map(Self::all)
    }

    fn matching_in(
        &self,
        namespace: &str,
        selector: &LabelSelector,
    ) -> Result<Vec<Read>, ReadError> {
        let lister = self.0.lister().namespace(namespace);
        lister.matching(selector).map(Self::all)
    }

    fn list_with(&self, options: &ListOptions) -> Result<Vec<Read>, ReadError> {
        self.0.lister().list_with(options).map(Self::all)
    }

    fn hear(&self, hear: Hear, options: HandlerOptions) -> Result<Registration, Stopped> {
        self.0.add_handler_with(Tell(hear), options)
    }

    fn fold(&self, options: HandlerOptions) -> (Fold, Registration) {
        let fold = Fold::default();
        let added = self.0.add_handler_with(fold.clone(), options);
        (fold, added.expect("the informer runs"))
    }

    fn remove_handler(&self, registration: &Registration) -> bool {
        self.0.remove_handler(registration)
    }

    fn handler_count(&self) -> usize {
        self.0.handler_count()
    }

    fn name(&self) -> String {
        self.0.name().to_owned()
    }

    fn health(&self) -> Health {
        self.0.health()
    }

    fn has_synced(&self) -> bool {
        self.0.has_synced()
    }

    fn wait_for_sync(&self, deadline: Duration) -> LocalBoxFuture<'_, Result<(), SyncError>> {
        Box::pin(self.0.wait_for_sync(deadline))
    }

    fn stop(&self, deadline: Duration) -> LocalBoxFuture<'_, Result<(), HandlerError>> {
        Box::pin(self.0.stop(deadline))
    }
}

/// A started cache, its informer of pods, and the cluster that it follows.
pub(crate) struct Subject {
    pub(crate) cache: Cache,
    pub(crate) pods: Box<dyn Pods>,
    pub(crate) sim: Sim,
    pub(crate) scope: Scope,
}

impl Subject {
    pub(crate) fn new(cache: Cache, pods: Box<dyn Pods>, sim: Sim, scope: Scope) -> Self {
        Self {
            cache,
            pods,
            sim,
            scope,
        }
    }

    /// Key and version of each pod that the server has in scope.
    pub(crate) fn held(&self) -> BTreeMap<String, String> {
        let pods = self.sim.list("pods").expect("the simulator lists");
        let text = |pod: &serde_json::Value, field: &str| {
            let text = pod["metadata"][field].as_str();
            text.unwrap_or_default().to_owned()
        };
        let in_scope = pods
            .iter()
            .filter(|pod| self.scope.watches(&text(pod, "namespace")));
        let row = |pod| {
            let key = format!("{}/{}", text(pod, "namespace"), text(pod, "name"));
            (key, text(pod, "resourceVersion"))
        };
        in_scope.map(row).collect()
    }

    /// Waits until readers see what the server has in scope, and handlers had time to.
    pub(crate) async fn equal(&self) {
        until("the cache equals the server", || {
            versions(&self.pods.list().expect("it is synced")) == self.held()
        })
        .await;
        settle().await;
    }

    /// Loses the watches and the versions to resume them from, so that each source lists once more.
    pub(crate) async fn relist(&self) {
        let before = self.pods.health().relists;
        let sources = self.pods.health().sources.len() as u64;
        self.sim.compact();
        let gone = larder_sim::Fault::gone()
            .on(larder_sim::Verb::Watch)
            .except_streaming_lists();
        let gone = self.sim.faults().add(gone);
        self.sim.disconnect();
        until("relists", || self.pods.health().relists >= before + sources).await;
        self.sim.faults().remove(gone);
        until("watches", || self.pods.health().stale_since.is_none()).await;
    }

    pub(crate) async fn end(self) {
        self.cache.shutdown(SOON).await.expect("it stops in time");
    }
}

/// Key and version of each.
pub(crate) fn versions(reads: &[Read]) -> BTreeMap<String, String> {
    let row = |read: &Read| (read.key.clone(), read.version.clone());
    let all: BTreeMap<_, _> = reads.iter().map(row).collect();
    assert_eq!(all.len(), reads.len(), "each object once: {reads:?}");
    all
}

/// The keys, each of which must come once.
pub(crate) fn keys(reads: &[Read]) -> BTreeSet<String> {
    versions(reads).into_keys().collect()
}

/// What a fold was told, as [`versions`] says it.
pub(crate) fn told(fold: &Fold) -> BTreeMap<String, String> {
    let row = |(key, version): (ObjectKey, larder::ResourceVersion)| {
        (key.to_string(), version.to_string())
    };
    fold.versions().into_iter().map(row).collect()
}

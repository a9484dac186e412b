//! The server itself: what all handles share, and how one is set up.

use crate::{
    bell::{Bell, Listener},
    clock::Clock,
    fault::Faults,
    kind::Kind,
    requests::RequestLog,
    serve::Documents,
    status::Status,
    store::{DeleteOptions, Deleted, KindId, Store},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::{Duration, SystemTime},
};

/// What does not change while the server lives.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) watch_cache: bool,
    pub(crate) watch_lists: bool,
    pub(crate) aggregated_discovery: bool,
    pub(crate) bookmark_interval: Duration,
    pub(crate) watch_timeout: Duration,
    pub(crate) chunk_size: usize,
    pub(crate) ends_grace_periods: bool,
    pub(crate) kubernetes_version: (u32, u32),
    pub(crate) user: String,
}

/// Sets up a [`Sim`](crate::Sim).
///
/// ```
/// use larder_sim::Sim;
/// use std::time::Duration;
///
/// let sim = Sim::builder().without_watch_list().bookmark_interval(Duration::from_secs(10)).build();
/// assert_eq!(sim.current_version(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use = "call build()"]
pub struct SimBuilder {
    settings: Settings,
    kinds: Vec<Kind>,
    seed: u64,
    start_version: u64,
    history: usize,
    time: SystemTime,
}

impl Default for SimBuilder {
    fn default() -> Self {
        let settings = Settings {
            watch_cache: true,
            watch_lists: true,
            aggregated_discovery: true,
            bookmark_interval: Duration::from_secs(60),
            watch_timeout: Duration::from_secs(2700),
            chunk_size: 64 * 1024,
            ends_grace_periods: true,
            kubernetes_version: (1, 37),
            user: "sim".to_owned(),
        };
        Self {
            settings,
            kinds: Kind::builtin(),
            seed: 0,
            start_version: 1,
            history: 100_000,
            time: SystemTime::now(),
        }
    }
}

impl SimBuilder {
    /// Behaves as a server without a watch cache does (a resource with `--watch-cache-sizes=…#0`): a limit is kept
    /// at version "0" too, a future version is refused at once, and watches get no bookmarks but the one that ends
    /// the initial events.
    pub fn without_watch_cache(mut self) -> Self {
        self.settings.watch_cache = false;
        self
    }

    /// Refuses `sendInitialEvents` with 422, as servers with the feature gate `WatchList` off do.
    pub fn without_watch_list(mut self) -> Self {
        self.settings.watch_lists = false;
        self
    }

    /// Answers a request for aggregated discovery with the plain documents, as servers before 1.27 do.
    pub fn without_aggregated_discovery(mut self) -> Self {
        self.settings.aggregated_discovery = false;
        self
    }

    /// Time between bookmarks of a watch that asked for them; 60 s as on the real server unless set.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.settings.bookmark_interval = interval;
        self
    }

    /// How long a watch without `timeoutSeconds` lasts; 45 minutes unless set (the real server draws 30 to 60).
    pub fn watch_timeout(mut self, timeout: Duration) -> Self {
        self.settings.watch_timeout = timeout;
        self
    }

    /// Bytes after which a chunk of a list or watch is sent; 64 KiB unless set.
    pub fn chunk_size(mut self, bytes: usize) -> Self {
        self.settings.chunk_size = bytes.max(1);
        self
    }

    /// Leaves pods that are being deleted where they are after their grace period, as without a kubelet. Without
    /// this, the server itself removes them, if it was asked within a tokio runtime.
    pub fn without_kubelet(mut self) -> Self {
        self.settings.ends_grace_periods = false;
        self
    }

    /// The version that `/version` reports; 1.37 unless set.
    pub fn kubernetes_version(mut self, major: u32, minor: u32) -> Self {
        self.settings.kubernetes_version = (major, minor);
        self
    }

    /// The user name in the messages of 403; `sim` unless set.
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.settings.user = name.into();
        self
    }

    /// Serves these kinds in place of the built-in ones.
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = Kind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        self
    }

    /// Serves one more kind.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// The seed of generated names and uids; the same seed and calls give the same objects. 0 unless set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The version before the first change; 1 unless set.
    pub fn start_version(mut self, version: u64) -> Self {
        self.start_version = version;
        self
    }

    /// How many changes of each kind are kept for watches and for lists at earlier versions; 100,000 unless set.
    pub fn history(mut self, changes: usize) -> Self {
        self.history = changes;
        self
    }

    /// The time of day at the start, for timestamps; now unless set.
    pub fn time(mut self, time: SystemTime) -> Self {
        self.time = time;
        self
    }

    /// Starts the server. It needs no runtime until it is asked something over HTTP.
    #[must_use]
    pub fn build(self) -> crate::Sim {
        let clock = Clock::starting_at(self.time);
        let mut store = Store::new(self.start_version, self.history, self.seed, clock);
        for kind in self.kinds {
            store.add_kind(kind);
        }
        let version = store.version();
        crate::Sim::new_from(Shared {
            store: Mutex::new(store),
            settings: self.settings,
            requests: RequestLog::new(),
            faults: Faults::new(),
            documents: RwLock::new(Documents::default()),
            versions: Bell::new(version),
            disconnect: Bell::new(Ending::Cut),
            watchers: Bell::new(0),
        })
    }
}

/// How open watches end before their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The connection breaks.
    Cut,
    /// In good order, as when the server shuts down.
    Clean,
}

/// What all handles and open responses of one server share.
pub(crate) struct Shared {
    store: Mutex<Store>,
    settings: Settings,
    requests: RequestLog,
    faults: Faults,
    documents: RwLock<Documents>,
    versions: Bell<u64>,
    disconnect: Bell<Ending>,
    /// Rings whenever a watch opens or ends.
    watchers: Bell<u64>,
}

impl Shared {
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn requests(&self) -> &RequestLog {
        &self.requests
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    pub(crate) fn documents(&self) -> RwLockReadGuard<'_, Documents> {
        self.documents
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn documents_mut(&self) -> RwLockWriteGuard<'_, Documents> {
        self.documents
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The locked state. Never held across a wait.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells those who wait for a version.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, Status>,
    ) -> Result<T, Status> {
        let mut store = self.store();
        let result = change(&mut store);
        self.versions.ring(store.version());
        result
    }

    /// Changes the state, or if it is not to last only says what the change would come to.
    pub(crate) fn write_if<T>(
        &self,
        lasts: bool,
        change: impl FnOnce(&mut Store) -> Result<T, Status>,
    ) -> Result<T, Status> {
        if lasts {
            self.write(change)
        } else {
            self.store().pretend(change)
        }
    }

    /// The current version, as it grows.
    pub(crate) fn versions(&self) -> Listener<u64> {
        self.versions.listen()
    }

    /// Changes when all open watches shall end, and says how.
    pub(crate) fn disconnections(&self) -> Listener<Ending> {
        self.disconnect.listen()
    }

    pub(crate) fn disconnect(&self, how: Ending) {
        self.disconnect.ring(how);
    }

    pub(crate) fn watchers_changed(&self) {
        self.watchers.change(|count| *count += 1);
    }

    pub(crate) fn watchers(&self) -> Listener<u64> {
        self.watchers.listen()
    }

    /// Deletes an object, and sees to the end of its grace period.
    pub(crate) fn delete(
        self: &Arc<Self>,
        id: KindId,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
        is_dry_run: bool,
    ) -> Result<Deleted, Status> {
        let delete = |store: &mut Store| store.delete(id, namespace, name, options);
        let deleted = self.write_if(!is_dry_run, delete)?;
        if let Some(grace) = deleted.grace.filter(|_| !is_dry_run) {
            self.end_grace_later(id, &deleted, grace);
        }
        Ok(deleted)
    }

    /// Removes a pod after its grace period, as the kubelet does. Without a runtime nothing happens.
    fn end_grace_later(self: &Arc<Self>, id: KindId, deleted: &Deleted, grace: Duration) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if !self.settings.ends_grace_periods {
            return;
        }
        let shared = Arc::downgrade(self);
        let (object, uid) = (Arc::clone(&deleted.object), deleted.uid.clone());
        runtime.spawn(async move {
            tokio::time::sleep(grace).await;
            let Some(shared) = shared.upgrade() else {
                return;
            };
            let finished = shared.write(|store| {
                store.finish_grace(id, object.namespace(), object.name(), &uid);
                Ok(())
            });
            debug_assert!(finished.is_ok());
        });
    }
}

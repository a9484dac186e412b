//! One informer of a history with all who listen, read and wait, and what must hold of them.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use larder::core::v1::{Pod, PodInformer, pod};
use larder::{
    Event, Events, Filtered, HandlerOptions, InformerOptions, Registration, Resync, Seen,
    Tombstone, TypedInformer as _,
};
use tokio::task::JoinHandle;

use crate::cluster::{Cluster, NAMESPACES};
use crate::ear::Ear;
use crate::indexes::Indexes;
use crate::support::{client, listings};
use crate::trace::Trace;

/// Longer than any fault lasts.
pub(crate) const LONG: Duration = Duration::from_secs(7200);

/// What an informer watches.
struct Scope {
    /// All where there is none.
    namespaces: Option<Vec<&'static str>>,
    color: Option<&'static str>,
}

impl Scope {
    fn has(&self, pod: &crate::cluster::Pod<'_>) -> bool {
        let namespaces = self.namespaces.as_ref();
        namespaces.is_none_or(|some| some.contains(&pod.namespace))
            && self.color.is_none_or(|color| color == pod.color)
    }
}

struct Listener {
    ear: Ear,
    registration: Registration,
    /// It hears of objects with an even number in their name only.
    even: bool,
}

pub(crate) struct Watcher {
    number: usize,
    trace: Trace,
    scope: Scope,
    pods: PodInformer,
    indexes: Indexes,
    listeners: Vec<Listener>,
    /// Removed handlers, and how often they had been called by then.
    removed: Vec<(Ear, usize)>,
    joined: usize,
    stream: Events<pod::Full>,
    streamed: BTreeMap<String, String>,
    /// The highest version of each key that the store ever showed.
    shown: HashMap<String, u64>,
    waiting: Vec<JoinHandle<Result<(), String>>>,
}

fn row(pod: &Pod) -> (String, String) {
    let meta = &pod.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let key = format!("{}/{}", text(&meta.namespace), text(&meta.name));
    (key, text(&meta.resource_version))
}

fn is_even(key: &str) -> bool {
    key.ends_with(['0', '2', '4', '6', '8'])
}

fn even<R: larder::Kept>(seen: &Seen<R>) -> bool {
    is_even(seen.name())
}

impl Watcher {
    pub(crate) fn new(
        number: usize,
        cluster: &Cluster,
        random: &mut fastrand::Rng,
        trace: &Trace,
    ) -> Self {
        let (_, reflector) = listings()[random.usize(..3)].clone();
        let every = [
            Resync::Never,
            Resync::Every(Duration::from_secs(random.u64(1..600))),
        ];
        let mut options = InformerOptions::new()
            .name(format!("watcher-{number}"))
            .reflector(reflector)
            .resync(every[random.usize(..2)]);
        let mut scope = Scope {
            namespaces: None,
            color: None,
        };
        if random.u8(..3) == 0 {
            let mut some = NAMESPACES.to_vec();
            some.truncate(random.usize(1..4));
            options = options.namespaces(some.clone());
            scope.namespaces = Some(some);
        }
        if random.u8(..3) == 0 {
            options = options.label_selector("color=red");
            scope.color = Some("red");
        }
        let pods = PodInformer::new(client(&cluster.sim), options).unwrap();
        let bound = HandlerOptions::default().capacity(random.usize(..5));
        let stream = pods.events(bound).unwrap();
        let mut watcher = Self {
            number,
            trace: trace.clone(),
            scope,
            pods,
            indexes: Indexes::default(),
            listeners: Vec::new(),
            removed: Vec::new(),
            joined: 0,
            stream,
            streamed: BTreeMap::new(),
            shown: HashMap::new(),
            waiting: Vec::new(),
        };
        watcher.listen(random);
        watcher.index(random);
        watcher.wait();
        watcher
    }

    fn name(&self) -> &str {
        self.pods.inner().name()
    }

    /// How many lists and watches it has.
    pub(crate) fn sources(&self) -> usize {
        self.scope.namespaces.as_ref().map_or(1, Vec::len)
    }

    /// One more handler.
    pub(crate) fn listen(&mut self, random: &mut fastrand::Rng) {
        if self.listeners.len() >= 6 {
            return;
        }
        self.joined += 1;
        let name = format!("{}/{}", self.number, self.joined);
        let mut options = HandlerOptions::default().name(&name);
        if random.bool() {
            options = options.capacity([0, 1, 7, 21][random.usize(..4)]);
        }
        if random.u8(..3) == 0 {
            options = options.resync(Resync::Every(Duration::from_secs(random.u64(1..300))));
        }
        let (ear, even_only) = (Ear::new(&name, &self.trace), random.u8(..4) == 0);
        let pods = self.pods.inner();
        let added = if even_only {
            let filtered = Filtered::new(ear.clone())
                .create(even)
                .update(|_, new| even(new))
                .delete(|gone: &Tombstone<_>| even(gone.seen()));
            pods.add_handler_with(filtered, options)
        } else {
            pods.add_handler_with(ear.clone(), options)
        };
        let registration = added.unwrap();
        let waited = registration.clone();
        self.waiting.push(tokio::spawn(async move {
            match waited.wait_for_sync(LONG * 1000).await {
                Ok(()) | Err(larder::HandlerError::Removed { .. }) => Ok(()),
                Err(error) => Err(error.to_string()),
            }
        }));
        self.listeners.push(Listener {
            ear,
            registration,
            even: even_only,
        });
    }

    /// One handler goes.
    pub(crate) async fn unlisten(&mut self, random: &mut fastrand::Rng) {
        if self.listeners.is_empty() {
            return;
        }
        let gone = self
            .listeners
            .swap_remove(random.usize(..self.listeners.len()));
        assert!(gone.registration.remove());
        assert!(!gone.registration.remove(), "it was removed twice");
        gone.registration.removed(LONG).await.unwrap();
        let calls = gone.ear.calls();
        self.removed.push((gone.ear, calls));
    }

    /// One namespace more or less, where they are named; one stays.
    pub(crate) fn rescope(&mut self, random: &mut fastrand::Rng) {
        let Some(namespaces) = &mut self.scope.namespaces else {
            return;
        };
        let namespace = NAMESPACES[random.usize(..3)];
        let pods = self.pods.inner();
        match namespaces.iter().position(|known| *known == namespace) {
            None => {
                assert!(pods.add_namespace(namespace).unwrap());
                namespaces.push(namespace);
            }
            Some(at) if namespaces.len() > 1 => {
                assert!(pods.remove_namespace(namespace).unwrap());
                namespaces.swap_remove(at);
            }
            Some(_) => assert!(!pods.add_namespace(namespace).unwrap()),
        }
    }

    pub(crate) fn index(&mut self, random: &mut fastrand::Rng) {
        self.indexes.add(&self.pods, random.bool());
    }

    /// A task that waits for sync.
    pub(crate) fn wait(&mut self) {
        let pods = self.pods.clone();
        self.waiting.push(tokio::spawn(async move {
            let waited = pods.wait_for_sync(LONG * 1000).await;
            waited.map_err(|error| error.to_string())
        }));
    }

    fn stored(&self) -> BTreeMap<String, String> {
        let snapshot = self.pods.store().snapshot();
        snapshot.list().map(|pod| row(&pod)).collect()
    }

    /// What must hold at any moment.
    pub(crate) fn look(&mut self) {
        let (name, snapshot) = (self.name(), self.pods.store().snapshot());
        let all: BTreeMap<_, _> = snapshot.list().map(|pod| row(&pod)).collect();
        assert_eq!(all.len(), snapshot.len(), "{name}: a key twice");
        let mut by_namespace = 0;
        for (namespace, count) in snapshot.namespaces() {
            let listed = snapshot.namespace(&namespace);
            let in_it = listed.filter(|pod| pod.metadata.namespace.as_deref() == Some(&namespace));
            assert_eq!(in_it.count(), count, "{name}: namespace {namespace}");
            by_namespace += count;
        }
        assert_eq!(by_namespace, all.len(), "{name}");
        self.indexes.look(&snapshot);
        for (key, version) in all {
            let version: u64 = version.parse().unwrap();
            let before = self.shown.insert(key.clone(), version).unwrap_or(0);
            assert!(before <= version, "{key} went from {before} to {version}");
        }
    }

    pub(crate) async fn read_stream(&mut self, at_most: usize) {
        for _ in 0..at_most {
            let next = tokio::time::timeout(Duration::from_secs(1), self.stream.next()).await;
            let Ok(Some(event)) = next else { return };
            let key = event.key().map(ToString::to_string).unwrap_or_default();
            let told = self.streamed.get(&key);
            match event {
                Event::Add { object, .. } => {
                    assert_eq!(told, None, "{key} added twice");
                    self.streamed.insert(key, object.version().to_string());
                }
                Event::Update { old, new } => {
                    assert_eq!(told, Some(&old.version().to_string()), "{key} updated");
                    self.streamed.insert(key, new.version().to_string());
                }
                Event::Delete(_) => assert!(self.streamed.remove(&key).is_some(), "{key} deleted"),
                _ => {}
            }
        }
    }

    /// During an outage it is known that what the store holds may be old.
    pub(crate) fn look_stale(&self) {
        let health = self.pods.health();
        assert!(health.stale_since.is_some(), "{health:#?}");
    }

    /// Waits until it equals the server; the network must be kind.
    pub(crate) async fn settle(&mut self, cluster: &Cluster) {
        let expected = cluster.held(|pod| self.scope.has(pod));
        let healthy = || {
            let health = self.pods.health();
            health.synced && health.stale_since.is_none()
        };
        let equal = async {
            while self.stored() != expected || !healthy() {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        };
        if tokio::time::timeout(LONG, equal).await.is_err() {
            panic!(
                "store {:?}, server {expected:?}, {:#?}",
                self.stored(),
                self.pods.health()
            );
        }
        self.read_stream(10_000).await;
    }

    /// What must hold when nothing is left to happen.
    pub(crate) async fn check(&mut self, cluster: &Cluster) {
        let expected = cluster.held(|pod| self.scope.has(pod));
        let name = self.name();
        assert_eq!(self.stored(), expected, "{name}");
        let health = self.pods.health();
        assert_eq!(health.objects, expected.len(), "{name}");
        for Listener {
            ear,
            registration,
            even,
        } in &self.listeners
        {
            let name = registration.name();
            let mut expected = expected.clone();
            expected.retain(|key, _| !even || is_even(key));
            assert_eq!(ear.told(), expected, "{name}");
            assert_eq!(ear.wrong(), Vec::<String>::new(), "{name}");
            assert!(registration.has_synced(), "{name}");
            let stats = registration.stats();
            assert_eq!((stats.queued, stats.panics), (0, 0), "{name}");
        }
        for (ear, calls) in &self.removed {
            assert_eq!(ear.calls(), *calls, "called after its removal");
            assert_eq!(ear.wrong(), Vec::<String>::new());
        }
        assert_eq!(self.streamed, expected, "{name}: the stream");
        assert!(self.stream.registration().has_synced(), "{name}");
        self.indexes.check(&self.pods);
        for waiting in self.waiting.drain(..) {
            assert!(waiting.is_finished(), "a task still waits");
            assert_eq!(waiting.await.unwrap(), Ok(()));
        }
    }

    /// Ends it; nothing of it may go on.
    pub(crate) async fn stop(mut self) {
        self.pods.stop(LONG).await.unwrap();
        assert_eq!(self.pods.inner().handler_count(), 0);
        while self.stream.next().await.is_some() {}
        for listener in &self.listeners {
            listener.registration.removed(Duration::ZERO).await.unwrap();
        }
    }
}

//! Random histories under random faults: once the faults are over, everything equals the server.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use larder::core::v1::{Pod, PodInformer};
use larder::{
    Event, Events, Handler, HandlerOptions, Index, InformerOptions, Kept, LabelSelector, ObjectKey,
    Registration, Seen, Tombstone, TypedInformer as _, computed,
};
use larder_sim::{Fault, Sim, random_faults};
use serde_json::json;

use crate::bench::{LONG, held, named, seconds, stored, told};
use crate::fold::Fold;
use crate::support::{client, labelled, listings, settle};

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The whole fold, and that versions of one key never go back. (The simulator's versions are numbers that rise.)
#[derive(Clone, Default)]
struct Strict {
    fold: Fold,
    highest: Arc<Mutex<HashMap<ObjectKey, u64>>>,
    back: Arc<Mutex<Vec<String>>>,
}

impl Strict {
    fn rise<R: Kept>(&self, seen: &Seen<R>) {
        let version: u64 = seen.version().to_string().parse().unwrap();
        let mut highest = self.highest.lock().unwrap();
        let before = highest.insert(seen.key().clone(), version).unwrap_or(0);
        if before >= version {
            let text = format!("{} from {before} to {version}", seen.key());
            self.back.lock().unwrap().push(text);
        }
    }
}

impl<R: Kept> Handler<R> for Strict {
    fn on_add(&self, new: &Seen<R>, initial: bool) {
        self.rise(new);
        self.fold.on_add(new, initial);
    }

    fn on_update(&self, old: &Seen<R>, new: &Seen<R>) {
        if old.version() != new.version() {
            self.rise(new);
        }
        self.fold.on_update(old, new);
    }

    fn on_delete(&self, gone: &Tombstone<R>) {
        self.fold.on_delete(gone);
    }
}

const NAMESPACES: [&str; 3] = ["a", "b", "c"];

/// One run: a cluster, an informer of it, and all who listen.
struct History {
    seed: u64,
    random: fastrand::Rng,
    sim: Sim,
    pods: PodInformer,
    by_color: Index<larder::core::v1::pod::Full, String>,
    handlers: Vec<(&'static str, Strict, Registration)>,
    stream: Events<larder::core::v1::pod::Full>,
    streamed: BTreeMap<String, String>,
    /// The highest version of each key that the store ever showed.
    shown: HashMap<String, u64>,
    /// The namespaces that are watched.
    watched: Vec<&'static str>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut builder = Sim::builder().seed(seed).chunk_size(random.usize(1..4000));
        if random.u8(..4) == 0 {
            builder = builder.without_watch_cache();
        }
        if random.u8(..4) == 0 {
            builder = builder.without_watch_list();
        }
        let sim = builder.build();
        for fault in random_faults(random.u64(..), random.usize(..20)) {
            sim.faults().add(fault);
        }
        let (_, options) = listings()[random.usize(..3)].clone();
        let mut informer = InformerOptions::new().reflector(options);
        let mut watched = NAMESPACES.to_vec();
        if random.u8(..3) == 0 {
            watched.truncate(2);
            informer = informer.namespaces(watched.clone());
        }
        let pods = PodInformer::new(client(&sim), informer).unwrap();
        let by_color = pods
            .add_index(computed(|pod: &Pod| {
                pod.metadata.labels.as_ref()?.get("color").cloned()
            }))
            .unwrap();
        let stream = pods
            .events(HandlerOptions::default().capacity(random.usize(..5)))
            .unwrap();
        let mut history = Self {
            seed,
            random,
            sim,
            pods,
            by_color,
            handlers: Vec::new(),
            stream,
            streamed: BTreeMap::new(),
            shown: HashMap::new(),
            watched,
        };
        history.listen("early", HandlerOptions::default());
        history.listen("tiny", HandlerOptions::default().capacity(0));
        history
    }

    fn listen(&mut self, name: &'static str, options: HandlerOptions) {
        let strict = Strict::default();
        let registration = self
            .pods
            .inner()
            .add_handler_with(strict.clone(), options)
            .unwrap();
        self.handlers.push((name, strict, registration));
    }

    /// Something happens in the cluster.
    fn change(&mut self) {
        let namespace = NAMESPACES[self.random.usize(..3)];
        let name = format!("p{}", self.random.u8(..8));
        let color = ["red", "green", "blue"][self.random.usize(..3)];
        let labels = json!({"color": color});
        match self.random.u8(..10) {
            0..4 => drop(self.sim.create(labelled(namespace, &name, &labels))),
            4..7 => {
                let patch = json!({"metadata": {"labels": labels}});
                drop(self.sim.patch("pods", namespace, &name, &patch));
            }
            7 => {
                drop(self.sim.delete_now("pods", namespace, &name));
                drop(self.sim.create(labelled(namespace, &name, &labels)));
            }
            _ => drop(self.sim.delete_now("pods", namespace, &name)),
        }
    }

    async fn step(&mut self) {
        match self.random.u8(..30) {
            0 => drop(self.sim.compact()),
            1 => self.sim.disconnect(),
            2 => {
                let sim = self.sim.clone();
                let changes = self.random.usize(..6);
                sim.change_unseen(|_| (0..changes).for_each(|_| self.change()));
            }
            3 => drop(self.sim.advance_version(self.random.u64(1..50))),
            4 => {
                let faults = self.random.usize(1..4);
                for fault in random_faults(self.random.u64(..), faults) {
                    self.sim.faults().add(fault);
                }
            }
            5 if self.handlers.len() < 8 => {
                let capacity = self.random.usize(..4) * 7;
                self.listen("late", HandlerOptions::default().capacity(capacity));
            }
            6 => self.read_stream(self.random.clone().usize(..10)).await,
            7 => tokio::time::sleep(seconds(self.random.u64(..200))).await,
            8..12 => {
                tokio::time::sleep(std::time::Duration::from_millis(self.random.u64(..3000))).await;
            }
            _ => self.change(),
        }
        self.look();
    }

    /// What the store shows at this moment.
    fn look(&mut self) {
        let snapshot = self.pods.store().snapshot();
        let all: BTreeMap<_, _> = snapshot.list().map(|pod| named(&pod)).collect();
        assert_eq!(all.len(), snapshot.len(), "seed {}: a key twice", self.seed);
        let mut by_namespace = 0;
        for (namespace, count) in snapshot.namespaces() {
            let names: Vec<_> = snapshot
                .namespace(&namespace)
                .map(|pod| named(&pod).0)
                .collect();
            assert_eq!(names.len(), count, "seed {}", self.seed);
            let prefix = format!("{namespace}/");
            assert!(names.iter().all(|name| name.starts_with(&prefix)));
            by_namespace += count;
        }
        assert_eq!(by_namespace, all.len(), "seed {}", self.seed);
        for (key, version) in all {
            let version: u64 = version.parse().unwrap();
            let before = self.shown.insert(key.clone(), version).unwrap_or(0);
            assert!(
                before <= version,
                "seed {}: {key} went from {before} to {version}",
                self.seed
            );
        }
    }

    async fn read_stream(&mut self, at_most: usize) {
        for _ in 0..at_most {
            let next = tokio::time::timeout(seconds(1), self.stream.next()).await;
            let Ok(Some(event)) = next else { return };
            let (key, version) = match event {
                Event::Add { object, .. } => {
                    assert!(
                        !self.streamed.contains_key(&object.key().to_string()),
                        "seed {}",
                        self.seed
                    );
                    (object.key().to_string(), Some(object.version().to_string()))
                }
                Event::Update { old, new } => {
                    let told = self.streamed.get(&new.key().to_string());
                    assert_eq!(told, Some(&old.version().to_string()), "seed {}", self.seed);
                    (new.key().to_string(), Some(new.version().to_string()))
                }
                Event::Delete(gone) => {
                    assert!(
                        self.streamed.contains_key(&gone.key().to_string()),
                        "seed {}",
                        self.seed
                    );
                    (gone.key().to_string(), None)
                }
                _ => continue,
            };
            match version {
                Some(version) => drop(self.streamed.insert(key, version)),
                None => drop(self.streamed.remove(&key)),
            }
        }
    }

    fn expected(&self) -> BTreeMap<String, String> {
        let watched = |key: &str| {
            let namespace = key.split('/').next().unwrap_or_default();
            self.watched.contains(&namespace)
        };
        let mut held = held(&self.sim);
        held.retain(|key, _| watched(key));
        held
    }

    async fn settle(&mut self) {
        self.sim.faults().clear();
        self.sim.disconnect();
        let expected = self.expected();
        let equal = async {
            while stored(&self.pods) != expected {
                tokio::time::sleep(seconds(1)).await;
            }
        };
        if tokio::time::timeout(LONG, equal).await.is_err() {
            panic!(
                "seed {}: store {:?}, server {expected:?}, {:#?}",
                self.seed,
                stored(&self.pods),
                self.pods.health()
            );
        }
        self.listen("at the end", HandlerOptions::default());
        settle().await;
        self.read_stream(10_000).await;
        let health = self.pods.health();
        assert!(health.synced, "seed {}", self.seed);
        let calm = async {
            while self.pods.health().stale_since.is_some() {
                tokio::time::sleep(seconds(1)).await;
            }
        };
        let calm = tokio::time::timeout(LONG, calm).await;
        assert!(calm.is_ok(), "seed {}: {health:#?}", self.seed);
    }

    fn check(&self) {
        let seed = self.seed;
        let expected = self.expected();
        for (name, strict, registration) in &self.handlers {
            assert_eq!(told(&strict.fold), expected, "seed {seed}: {name}");
            assert_eq!(
                strict.fold.wrong(),
                Vec::<String>::new(),
                "seed {seed}: {name}"
            );
            assert_eq!(
                *strict.back.lock().unwrap(),
                Vec::<String>::new(),
                "seed {seed}: {name}"
            );
            assert!(registration.has_synced(), "seed {seed}: {name}");
        }
        assert_eq!(self.streamed, expected, "seed {seed}: the stream");
        assert!(self.stream.registration().has_synced(), "seed {seed}");
        for color in ["red", "green", "blue"] {
            let selector: LabelSelector = format!("color={color}").parse().unwrap();
            let selected = self.pods.lister().matching(&selector).unwrap();
            let selected: BTreeMap<_, _> = selected.map(|pod| named(&pod)).collect();
            let indexed: BTreeMap<_, _> = self
                .by_color
                .get(color)
                .unwrap()
                .map(|pod| named(&pod))
                .collect();
            assert_eq!(indexed, selected, "seed {seed}: {color}");
        }
    }
}

async fn run(seed: u64) {
    let mut history = History::new(seed);
    let steps = history.random.usize(20..200);
    for _ in 0..steps {
        history.step().await;
    }
    history.settle().await;
    history.check();
    let fault = Fault::unavailable();
    history.sim.faults().add(fault.times(1));
    history.change();
    history.settle().await;
    history.check();
}

/// `LARDER_SEED` runs that history alone; `LARDER_HISTORIES` says how many to run.
#[test]
fn c077_c121_random_histories_under_random_faults_end_equal_everywhere() {
    let seeds: Vec<u64> = match number("LARDER_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("LARDER_HISTORIES").unwrap_or(20))
            .map(|_| fastrand::u64(..))
            .collect(),
    };
    for seed in seeds {
        println!("LARDER_SEED={seed}");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(run(seed));
    }
}

//! One history: what happens, step by step, and the quiet points at which all must be equal.

use std::time::Duration;

use crate::cluster::Cluster;
use crate::support::settle;
use crate::trace::Trace;
use crate::watcher::Watcher;

pub(crate) struct History {
    random: fastrand::Rng,
    cluster: Cluster,
    watchers: Vec<Watcher>,
    trace: Trace,
    round: u64,
}

impl History {
    /// Runs a whole history and answers with its trace.
    pub(crate) async fn run(seed: u64, steps: usize) -> u64 {
        // Backoffs and periods in the runtime draw from this thread's generator.
        fastrand::seed(seed);
        let mut history = Self::new(seed);
        for step in 0..steps {
            history.trace.note(format_args!("step {step}"));
            history.step().await;
        }
        history.quiet().await;
        history.end().await
    }

    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let (cluster, trace) = (Cluster::new(seed, &mut random), Trace::new());
        let watchers = (0..random.usize(1..4))
            .map(|number| Watcher::new(number, &cluster, &mut random, &trace))
            .collect();
        Self {
            random,
            cluster,
            watchers,
            trace,
            round: 0,
        }
    }

    fn any(&mut self) -> (&mut Watcher, &mut fastrand::Rng) {
        let at = self.random.usize(..self.watchers.len());
        (&mut self.watchers[at], &mut self.random)
    }

    async fn step(&mut self) {
        let random = &mut self.random;
        match random.u16(..600) {
            0..12 => drop(self.cluster.sim.compact()),
            12..30 => self.cluster.sim.disconnect(),
            30..40 => self.cluster.sim.end_watches(),
            40..60 => self.unseen(),
            60..80 => drop(self.cluster.sim.advance_version(random.u64(1..50))),
            80..105 => self.cluster.faults(random, 4),
            105..115 => self.cluster.spoil(random),
            115..118 => self.outage().await,
            118..121 => self.cluster.toggle_kind(),
            121..123 => self.quiet().await,
            123..138 => {
                let (watcher, random) = self.any();
                watcher.listen(random);
            }
            138..148 => {
                let (watcher, random) = self.any();
                watcher.unlisten(random).await;
            }
            148..150 => {
                let (watcher, random) = self.any();
                watcher.index(random);
            }
            150..153 => self.any().0.wait(),
            153..170 => {
                let (watcher, random) = self.any();
                let at_most = random.usize(..10);
                watcher.read_stream(at_most).await;
            }
            170..175 => {
                let (watcher, random) = self.any();
                watcher.rescope(random);
            }
            175..185 => self.pass(200_000).await,
            185..270 => self.pass(3000).await,
            _ => self.cluster.change(random),
        }
        for watcher in &mut self.watchers {
            watcher.look();
        }
    }

    /// Time goes by.
    async fn pass(&mut self, at_most: u64) {
        tokio::time::sleep(Duration::from_millis(self.random.u64(..at_most))).await;
    }

    /// Changes that no watch tells of.
    fn unseen(&mut self) {
        let sim = self.cluster.sim.clone();
        let changes = self.random.usize(..6);
        sim.change_unseen(|_| (0..changes).for_each(|_| self.cluster.change(&mut self.random)));
    }

    /// Nothing works for a while: requests get rare, and health says so.
    async fn outage(&mut self) {
        let fault = self.cluster.outage(&mut self.random).await;
        self.cluster.sim.clear_requests();
        let seconds = self.random.u64(90..900);
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let requests = self.cluster.sim.requests().len();
        let sources: usize = self.watchers.iter().map(Watcher::sources).sum();
        // The longest backoff is drawn from 15 to 30 seconds.
        let most = sources * (20 + usize::try_from(seconds / 10).unwrap());
        assert!(
            requests <= most,
            "{requests} requests of {sources} sources in {seconds} s of an outage"
        );
        for watcher in &self.watchers {
            watcher.look_stale();
        }
        self.cluster.sim.faults().remove(fault);
    }

    /// All goes well for as long as it takes: everything ends equal.
    async fn quiet(&mut self) {
        self.round += 1;
        let breaks = self.random.bool();
        self.cluster.be_kind(self.round, breaks).await;
        for watcher in &mut self.watchers {
            watcher.listen(&mut self.random);
            watcher.wait();
        }
        for watcher in &mut self.watchers {
            watcher.settle(&self.cluster).await;
        }
        settle().await;
        for watcher in &mut self.watchers {
            watcher.check(&self.cluster).await;
        }
        self.trace.note(format_args!(
            "quiet, {} requests",
            self.cluster.sim.requests().len()
        ));
    }

    /// Stops everything: no watch, no task is left.
    async fn end(self) -> u64 {
        for watcher in self.watchers {
            watcher.stop().await;
        }
        settle().await;
        assert_eq!(self.cluster.sim.watchers(), 0);
        let tasks = tokio::runtime::Handle::current().metrics();
        assert_eq!(tasks.num_alive_tasks(), 0, "tasks are left");
        self.trace.hash()
    }
}

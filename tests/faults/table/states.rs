//! The states in which something goes wrong, and how each is reached.

use std::time::Duration;

use larder::core::v1::PodInformer;
use larder::{Backoff, HandlerOptions, InformerOptions, ReflectorOptions, Registration};
use larder_sim::{Fault, Sim, Verb};
use serde_json::json;

use super::rows::LARGEST;
use super::wire::{Reply, Wire};
use crate::bench::{folded, seconds};
use crate::fold::Fold;
use crate::support::{SOON, pod, settle};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    FirstPage,
    LaterPage,
    Relist,
    StreamingList,
    WatchStart,
    MidWatch,
}

impl State {
    pub(crate) const ALL: [Self; 6] = [
        Self::FirstPage,
        Self::LaterPage,
        Self::Relist,
        Self::StreamingList,
        Self::WatchStart,
        Self::MidWatch,
    ];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::FirstPage => "The first list",
            Self::LaterPage => "A later page of the first list",
            Self::Relist => "A relist, after a watch whose version was gone",
            Self::StreamingList => "The first streaming list, before its bookmark",
            Self::WatchStart => "The start of a watch that lived for a while before",
            Self::MidWatch => "In a watch that has just begun",
        }
    }

    /// The request that is answered otherwise.
    pub(crate) const fn request(self) -> &'static str {
        match self {
            Self::FirstPage | Self::Relist => "list",
            Self::LaterPage => "page",
            Self::StreamingList => "stream",
            Self::WatchStart | Self::MidWatch => "watch",
        }
    }

    /// How an error of that request begins.
    pub(crate) const fn error(self) -> &'static str {
        match self {
            Self::FirstPage | Self::LaterPage | Self::Relist => "list",
            Self::StreamingList => "streaming list",
            Self::WatchStart | Self::MidWatch => "watch",
        }
    }

    /// Whether there are objects already.
    pub(crate) const fn is_synced(self) -> bool {
        matches!(self, Self::Relist | Self::WatchStart | Self::MidWatch)
    }
}

/// The pause of the backoff in these tests: always the same, and no other time here ends like it.
pub(crate) const BACKOFF: u64 = 7;

struct Fixed;

impl Backoff for Fixed {
    fn next(&mut self) -> Duration {
        seconds(BACKOFF)
    }

    fn reset(&mut self) {}
}

/// An informer in a state, whose next request is for the test to answer.
pub(crate) struct Bench {
    pub(crate) sim: Sim,
    pub(crate) wire: Wire,
    pub(crate) pods: PodInformer,
    pub(crate) fold: Fold,
    pub(crate) state: State,
    _registration: Registration,
}

impl Bench {
    /// Brings an informer up to the state and gives it the answer, which is made of what the simulator then has.
    pub(crate) async fn reach(
        state: State,
        times: usize,
        reply: impl FnOnce(&Sim) -> Reply,
    ) -> Self {
        let sim = match state {
            // With everything in memory a server ignores the limit of a first list.
            State::LaterPage => Sim::builder().without_watch_cache().build(),
            _ => Sim::new(),
        };
        for number in 0..5 {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
        }
        let wire = Wire::to(&sim);
        // Answers take a moment, so that what is seen until then is seen.
        let slow = || sim.faults().add(Fault::delay(seconds(1)));
        if !state.is_synced() {
            wire.arm(state.request(), reply(&sim), times);
            slow();
            let bench = Self::begin(sim, wire, state);
            settle().await;
            return bench;
        }
        let bench = Self::begin(sim.clone(), wire, state);
        bench.pods.wait_for_sync(SOON).await.unwrap();
        bench.quiet_watch().await;
        // Changes that nobody has seen: what comes next has something to tell.
        let Self { sim, wire, .. } = &bench;
        if state != State::WatchStart {
            wire.arm("watch", Reply::Refuse, usize::MAX);
            sim.disconnect();
            settle().await;
            for name in ["p0", "p1"] {
                let patch = json!({"metadata": {"labels": {"seen": "late"}}});
                sim.patch("pods", "a", name, &patch).unwrap();
            }
        }
        if state == State::Relist {
            sim.faults().add(Fault::gone().on(Verb::Watch).times(1));
        }
        wire.arm(state.request(), reply(sim), times);
        slow();
        sim.disconnect();
        bench
    }

    fn begin(sim: Sim, wire: Wire, state: State) -> Self {
        let options = ReflectorOptions::default()
            .streaming_list(state == State::StreamingList)
            .page_size(2)
            .max_object_bytes(LARGEST)
            .backoff(|| Fixed);
        let options = InformerOptions::new().reflector(options);
        let pods = PodInformer::new(wire.clone(), options).unwrap();
        let (fold, registration) = folded(&pods, HandlerOptions::default());
        Self {
            sim,
            wire,
            pods,
            fold,
            state,
            _registration: registration,
        }
    }

    /// Lets the watch live long enough to be resumed at once, and see a bookmark.
    async fn quiet_watch(&self) {
        self.sim.advance_version(1);
        tokio::time::sleep(seconds(100)).await;
        assert!(self.pods.health().stale_since.is_none());
    }
}

//! The server's side of a history: its objects, and what goes wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use larder_sim::{Fault, FaultId, Kind, Sim, random_faults};
use serde_json::{Value, json};

use crate::support::labelled;

pub(crate) const NAMESPACES: [&str; 3] = ["a", "b", "c"];
pub(crate) const COLORS: [&str; 3] = ["red", "green", "blue"];

/// A simulated cluster that changes at random.
pub(crate) struct Cluster {
    pub(crate) sim: Sim,
    /// The kind while it is not served.
    removed: Option<Kind>,
    /// Names of objects that were damaged on their way: the cache has them in an earlier state until they change again.
    spoiled: BTreeSet<String>,
}

impl Cluster {
    pub(crate) fn new(seed: u64, random: &mut fastrand::Rng) -> Self {
        let mut builder = Sim::builder().seed(seed).chunk_size(random.usize(1..4000));
        if random.u8(..4) == 0 {
            builder = builder.without_watch_cache();
        }
        if random.u8(..4) == 0 {
            builder = builder.without_watch_list();
        }
        if random.u8(..4) == 0 {
            builder = builder.history(random.usize(1..50));
        }
        if random.u8(..4) == 0 {
            builder = builder.watch_timeout(Duration::from_secs(random.u64(20..400)));
        }
        let cluster = Self {
            sim: builder.build(),
            removed: None,
            spoiled: BTreeSet::new(),
        };
        cluster.faults(random, 20);
        cluster
    }

    /// Up to `most` faults that go by.
    pub(crate) fn faults(&self, random: &mut fastrand::Rng, most: usize) {
        for fault in random_faults(random.u64(..), random.usize(..most)) {
            self.sim.faults().add(fault);
        }
    }

    /// An object of one name does not decode a few times.
    pub(crate) fn spoil(&mut self, random: &mut fastrand::Rng) {
        let name = format!("p{}", random.u8(..8));
        let fault = match random.bool() {
            true => Fault::broken_json(&name),
            false => Fault::broken_field(&name, "/spec/containers", &json!("none")),
        };
        self.sim.faults().add(fault.times(random.usize(1..4)));
        self.spoiled.insert(name);
    }

    /// Nothing works from now on, and nothing else goes wrong.
    pub(crate) async fn outage(&self, random: &mut fastrand::Rng) -> FaultId {
        self.sim.faults().clear();
        // Requests that are being delayed have their way still.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let fault = match random.u8(..6) {
            0 => Fault::refuse(),
            1 => Fault::unavailable(),
            2 => Fault::internal_error(),
            3 => Fault::close_at_once(),
            4 => Fault::gateway_timeout(),
            _ => Fault::never_answer(),
        };
        let id = self.sim.faults().add(fault);
        self.sim.disconnect();
        id
    }

    /// The kind goes, with all its objects, or comes back.
    pub(crate) fn toggle_kind(&mut self) {
        if let Some(kind) = self.removed.take() {
            return self.sim.add_kind(kind);
        }
        let mut kinds = self.sim.kinds().into_iter();
        self.removed = kinds.find(|kind| kind.group.is_empty() && kind.plural == "pods");
        assert!(self.sim.remove_kind("", "v1", "pods"));
    }

    /// One change. Some come to nothing, as their object is not there, or already is.
    pub(crate) fn change(&mut self, random: &mut fastrand::Rng) {
        let namespace = NAMESPACES[random.usize(..3)];
        let name = format!("p{}", random.u8(..8));
        let labels = json!({"color": COLORS[random.usize(..3)]});
        let sim = &self.sim;
        match random.u8(..10) {
            0..4 => drop(sim.create(labelled(namespace, &name, &labels))),
            4..7 => {
                let patch = json!({"metadata": {"labels": labels}});
                drop(sim.patch("pods", namespace, &name, &patch));
            }
            7 => {
                drop(sim.delete_now("pods", namespace, &name));
                drop(sim.create(labelled(namespace, &name, &labels)));
            }
            _ => drop(sim.delete_now("pods", namespace, &name)),
        }
    }

    /// From now on all goes well. Streams that went silent stay so, unless connections are broken.
    pub(crate) async fn be_kind(&mut self, round: u64, breaks: bool) {
        self.sim.faults().clear();
        if self.removed.is_some() {
            self.toggle_kind();
        }
        if !self.spoiled.is_empty() {
            // A stream that damages objects goes on to, and so will one whose request is still being delayed.
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        if breaks || !self.spoiled.is_empty() {
            self.sim.disconnect();
        }
        let spoiled = std::mem::take(&mut self.spoiled);
        for pod in self.sim.list("pods").unwrap() {
            let text = |field: &str| pod["metadata"][field].as_str().unwrap();
            if spoiled.contains(text("name")) {
                let patch = json!({"metadata": {"annotations": {"touched": round.to_string()}}});
                let touched = self
                    .sim
                    .patch("pods", text("namespace"), text("name"), &patch);
                touched.unwrap();
            }
        }
    }

    /// Key and version of each object that `wanted` says (by namespace, name, color).
    pub(crate) fn held(&self, wanted: impl Fn(&Pod<'_>) -> bool) -> BTreeMap<String, String> {
        let pods = self.sim.list("pods").unwrap_or_default();
        let rows = pods.iter().map(Pod::new).filter(wanted);
        rows.map(|pod| {
            (
                format!("{}/{}", pod.namespace, pod.name),
                pod.version.into(),
            )
        })
        .collect()
    }
}

/// What the histories look at in a pod.
pub(crate) struct Pod<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) color: &'a str,
    version: &'a str,
}

impl<'a> Pod<'a> {
    fn new(pod: &'a Value) -> Self {
        let meta = &pod["metadata"];
        let text = |value: &'a Value| value.as_str().unwrap_or_default();
        Self {
            namespace: text(&meta["namespace"]),
            name: text(&meta["name"]),
            color: text(&meta["labels"]["color"]),
            version: text(&meta["resourceVersion"]),
        }
    }
}

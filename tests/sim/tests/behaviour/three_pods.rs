//! The cluster that faults are tried on: three pods, and how they are read.

use crate::common::{Failure, pod};
use larder_sim::Sim;
use std::time::Duration;

pub(crate) const PODS: &str = "/api/v1/pods";
pub(crate) const WATCH: &str = "/api/v1/pods?watch=1&resourceVersion=1&timeoutSeconds=300";
pub(crate) const STREAMING: &str = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=300";
pub(crate) const LONG: Duration = Duration::from_secs(3600);

pub(crate) fn sim() -> Result<Sim, Failure> {
    let sim = Sim::new();
    sim.load(["a", "b", "c"].map(|name| pod("web", name)))?;
    Ok(sim)
}

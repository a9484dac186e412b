//! The simulator answers as the real server did, by the recordings in `tests/parity/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use larder_real::parity::{Case, Subject, differences, run};
use larder_sim::{Sim, SimBuilder};

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../parity")
        .join(name)
}

struct Simulator(Sim);

impl Simulator {
    /// A simulator with the switches that stand for flags of kube-apiserver.
    fn like(flags: &[String]) -> Simulator {
        let switch = |builder: SimBuilder, flag: &String| match flag.as_str() {
            "--feature-gates=WatchList=false" => builder.without_watch_list(),
            "--watch-cache=false" => builder.without_watch_cache(),
            other => panic!("the simulator has no switch for {other}"),
        };
        Simulator(flags.iter().fold(Sim::builder(), switch).build())
    }
}

impl Subject for Simulator {
    fn client(&self, user: &str) -> Option<kube::Client> {
        (user == "admin").then(|| kube::Client::new(self.0.service(), "default"))
    }

    fn has(&self, ability: &str) -> bool {
        matches!(ability, "compact" | "restart")
    }

    /// The real server's watch cache hides a compaction until a restart; the simulator's compaction stands for both.
    async fn control(&self, action: &str) -> Result<(), String> {
        if action == "restart" {
            // The real server compacts beyond every version that anyone knows.
            self.0.advance_version(2);
            self.0.compact();
            self.0.end_watches();
        }
        Ok(())
    }
}

/// Steps in which the simulator differs on purpose: `case: heading`, with the reason after a `#`.
fn known() -> BTreeSet<String> {
    let text = std::fs::read_to_string(directory("simulator-differs.txt")).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The steps of a case that differ: `case: heading`, and what it looks like.
async fn play(case: Case) -> Vec<(String, String)> {
    let simulator = Simulator::like(&case.flags);
    if case.needs.iter().any(|ability| !simulator.has(ability)) {
        return Vec::new();
    }
    let seen = run(&simulator, &case)
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let recorded =
        std::fs::read_to_string(directory("recorded").join(format!("{}.txt", case.name))).unwrap();
    let found = differences(&recorded, &seen).into_iter();
    found
        .map(|difference| {
            (
                format!("{}: {}", case.name, difference.step),
                difference.to_string(),
            )
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_simulator_answers_as_the_real_server_did() {
    let chosen = std::env::var("LARDER_CASE").unwrap_or_default();
    let mut cases = Case::read_all(&directory("cases")).unwrap();
    cases.retain(|case| case.name.contains(&chosen));
    // Each has a simulator of its own, and what they wait for passes on the paused clock.
    let found = futures_util::future::join_all(cases.into_iter().map(play))
        .await
        .concat();

    let known = known();
    let new = found.iter().filter(|(step, _)| !known.contains(step));
    let report: String = new
        .map(|(step, difference)| format!("{step}\n{difference}\n"))
        .collect();
    assert!(
        report.is_empty(),
        "the real server answers otherwise (- real, + simulator):\n{report}"
    );
    let stale: Vec<_> = known
        .iter()
        .filter(|step| !found.iter().any(|(found, _)| found == *step))
        .collect();
    assert!(
        !chosen.is_empty() || stale.is_empty(),
        "no longer different, take them off the list: {stale:#?}"
    );
}

//! Random histories of a cluster under random faults, on the paused clock: whenever the network is kind for long enough, each
//! store equals the server, each handler was told just that, and whoever waited is awake.
//!
//! `tests/histories.sh` runs many. A failure prints the seed of its history, which `LARDER_SEED` replays to the last event;
//! `LARDER_TRACE=1` shows what happened in it.

#[allow(dead_code, reason = "each test target uses a part")]
#[path = "../../e2e/fold.rs"]
mod fold;
#[path = "../../support/mod.rs"]
mod support;

mod cluster;
mod ear;
mod history;
mod indexes;
mod trace;
mod watcher;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::history::History;

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number")),
    )
}

fn steps() -> usize {
    number("LARDER_STEPS").map_or(300, |steps| usize::try_from(steps).unwrap())
}

/// One history in a runtime of its own.
fn run(seed: u64, steps: usize) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(History::run(seed, steps))
}

/// Runs histories until there are none left or one failed, and says which.
fn work(seeds: &Mutex<impl Iterator<Item = u64>>, failed: &AtomicBool) {
    loop {
        let seed = seeds.lock().unwrap().next();
        let Some(seed) = seed.filter(|_| !failed.load(Ordering::Relaxed)) else {
            return;
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(seed, steps()))) {
            failed.store(true, Ordering::Relaxed);
            eprintln!("LARDER_SEED={seed} LARDER_STEPS={} failed", steps());
            resume_unwind(panic);
        }
    }
}

#[test]
fn c077_c121_c156_random_histories_under_random_faults_end_equal_everywhere() {
    let (given, count) = (number("LARDER_SEED"), number("LARDER_HISTORIES"));
    let count = given.map_or(count.unwrap_or(20), |_| 1);
    let seeds = (0..count).map(|_| given.unwrap_or_else(|| fastrand::u64(..)));
    let (seeds, failed) = (Mutex::new(seeds), AtomicBool::new(false));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| work(&seeds, &failed)))
            .collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

#[test]
fn a_seed_gives_the_same_history_again() {
    for seed in 0..5 {
        let traces = [(); 2].map(|()| run(seed, 150));
        assert_eq!(traces[0], traces[1], "seed {seed}");
    }
    assert_ne!(run(1, 150), run(2, 150));
}

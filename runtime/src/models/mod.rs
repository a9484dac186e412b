//! Models of what runs at once: the real store, handlers and waiting, on a scheduler that tries many interleavings.
//!
//! Built with `RUSTFLAGS="--cfg larder_shuttle"`, which puts [`sync`] behind `crate::sync`; it says what the models leave out.
//! Run them by `tests/models.sh`, in which a failure prints how to replay it. `tests/mutations.sh` breaks the code in the
//! ways that these are to find, and shows that they do.
//!
//! Waiting goes through wakers and condition variables alone, never through polling, so that a wake-up that is lost leaves
//! everything blocked, which the scheduler reports as a deadlock.

mod cluster;
mod ear;
mod handlers;
mod informer;
mod store;
pub(crate) mod sync;
mod waiting;

use std::time::Duration;

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, MaxSteps, Runner};

/// Deadlines never pass in a model.
const LONG: Duration = Duration::from_secs(60);

/// How many steps a schedule may take; more means that something goes on for ever.
const STEPS: usize = 50_000;

/// Preemptions that the second scheduler places. Most faults of this kind need one or two.
const PREEMPTIONS: usize = 3;

/// Runs a model in many schedules, half of them random, half with few preemptions; or in the one given by `LARDER_SCHEDULE`.
fn explore(model: fn()) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    // For deadlines to be made; nothing in here drives this runtime. Never dropped: it would wake tasks that a failed schedule
    // left, which the scheduler no longer knows.
    let _entered = Box::leak(Box::new(runtime)).enter();
    let model = move || {
        sync::let_timers_fire(0);
        model();
    };
    if let Ok(schedule) = std::env::var("LARDER_SCHEDULE") {
        return shuttle::replay(model, &schedule);
    }
    let wanted = std::env::var("LARDER_SCHEDULES").ok();
    let schedules: usize = wanted.map_or(1000, |text| {
        text.parse().expect("LARDER_SCHEDULES is a number")
    });
    let seed = crate::test_seed();
    let mut config = Config::new();
    config.stack_size = 256 * 1024;
    config.max_steps = MaxSteps::FailAfter(STEPS);
    let half = schedules.div_ceil(2);
    let random = RandomScheduler::new_from_seed(seed, half);
    Runner::new(random, config.clone()).run(model);
    let preempting = PctScheduler::new_from_seed(seed, PREEMPTIONS, half);
    Runner::new(preempting, config).run(model);
}

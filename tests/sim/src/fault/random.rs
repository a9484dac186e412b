//! Faults drawn from a seed.

use super::describe::Fault;
use crate::{serve::Verb, status::Status};
use std::time::Duration;

/// Draws `count` faults from a seed; the same seed gives the same faults.
///
/// They hit lists and watches of every resource, each a few times only, so that a client that does not give up gets
/// through in the end. Objects are never damaged: those faults name their object.
///
/// ```
/// use larder_sim::{Sim, random_faults};
///
/// let sim = Sim::new();
/// for fault in random_faults(42, 20) {
///     sim.faults().add(fault);
/// }
/// ```
#[must_use]
pub fn random_faults(seed: u64, count: usize) -> Vec<Fault> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| draw(&mut random)).collect()
}

type Draw = fn(&mut fastrand::Rng) -> Fault;

const DRAWS: &[Draw] = &[
    |_| Fault::refuse(),
    |random| Fault::delay(Duration::from_millis(random.u64(1..5000))),
    |_| Fault::gone(),
    |random| Fault::too_many_requests(random.u32(1..4)),
    |random| Fault::overloaded(random.u32(1..4)),
    |_| Fault::internal_error(),
    |_| Fault::unavailable(),
    |_| Fault::gateway_timeout(),
    |_| Fault::unauthorized(),
    |_| Fault::forbidden(),
    |_| Fault::not_served(),
    |_| Fault::without_watch_list(),
    |_| Fault::close_at_once(),
    |random| Fault::cut_after(random.usize(0..20)),
    |random| Fault::cut_within(random.usize(0..20)),
    |random| Fault::end_within(random.usize(0..20)),
    |random| Fault::silence_after(random.usize(0..20)),
    |random| Fault::silence_within(random.usize(0..20)),
    |_| Fault::duplicate_events(),
    |random| Fault::slow(Duration::from_millis(random.u64(1..200))),
    |random| Fault::error_event(random.usize(0..20), Status::too_old_version(1, 2)),
    |random| Fault::error_event(random.usize(0..20), Status::too_many_requests(1)),
    |random| {
        Fault::error_event(
            random.usize(0..20),
            Status::internal("a fault was injected"),
        )
    },
    |random| Fault::short_watch(Duration::from_millis(random.u64(0..3000))),
    |_| Fault::no_bookmarks(),
    |_| Fault::no_initial_events_end(),
    |_| Fault::never_answer(),
];

fn draw(random: &mut fastrand::Rng) -> Fault {
    let fault = random
        .choice(DRAWS)
        .map_or_else(Fault::refuse, |draw| draw(random));
    let verb = if random.bool() {
        Verb::List
    } else {
        Verb::Watch
    };
    fault
        .on(verb)
        .skip(random.usize(0..4))
        .times(random.usize(1..4))
}

#[cfg(test)]
mod tests {
    use super::random_faults;

    #[test]
    fn a_seed_gives_the_same_faults() {
        let text = |seed| format!("{:?}", random_faults(seed, 50));
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }
}

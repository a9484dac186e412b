//! Times of the same read on both peers, taken in turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::protocol::ReadCost;

/// Turns whose median is taken. Both peers are measured in each.
const ROUNDS: usize = 31;
/// How long one measurement of a round should take at least, so that the clock does not matter.
const MEASUREMENT: Duration = Duration::from_millis(20);

/// Times both. What a read yields is dropped within its time.
pub(crate) fn compare<A, B>(
    read: &str,
    target: Option<f64>,
    kube: impl Fn() -> A,
    larder: impl Fn() -> B,
) -> ReadCost {
    let (kube_loops, larder_loops) = (loops(&kube), loops(&larder));
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let kube = nanoseconds(&kube, kube_loops);
        let larder = nanoseconds(&larder, larder_loops);
        for (all, one) in times.iter_mut().zip([kube, larder, kube / larder]) {
            all.push(one);
        }
    }
    let [kube, larder, ratio] = times.map(median);
    ReadCost {
        read: read.to_owned(),
        target,
        kube,
        larder,
        ratio,
    }
}

/// How often to read in one measurement.
fn loops<T>(read: &impl Fn() -> T) -> u32 {
    let mut loops = 1;
    while nanoseconds(read, loops) * f64::from(loops) < MEASUREMENT.as_nanos() as f64 {
        loops *= 2;
    }
    loops
}

/// Nanoseconds a read, the drop of what it yields included.
fn nanoseconds<T>(read: &impl Fn() -> T, loops: u32) -> f64 {
    let begin = Instant::now();
    for _ in 0..loops {
        black_box(read());
    }
    begin.elapsed().as_nanos() as f64 / f64::from(loops)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! Reads of both caches, timed in turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{ObjectRef, Store};
use larder::ObjectKey;
use larder::core::v1::PodInformer;

use crate::protocol::ReadCost;

/// Turns whose median is taken. Both peers are measured in each.
const ROUNDS: usize = 31;
/// How long one measurement of a round should take at least, so that the clock does not matter.
const MEASUREMENT: Duration = Duration::from_millis(20);

/// Measures each kind of read; the readers must have synced and hold the same objects.
pub(crate) fn measure(kube: &Store<Pod>, larder: &PodInformer) -> anyhow::Result<Vec<ReadCost>> {
    let lister = larder.lister();
    let store = larder.store();
    let pods = kube.state();
    let pod = pods.get(pods.len() / 2).context("there are no pods")?;
    let namespace = pod.metadata.namespace.as_deref();
    let namespace = namespace.context("the pod has no namespace")?;
    let name = pod.metadata.name.as_deref();
    let name = name.context("the pod has no name")?;
    let key = ObjectKey::namespaced(namespace, name);
    let reference = ObjectRef::<Pod>::new(name).within(namespace);
    let here = lister.namespace(namespace).list()?.count();

    Ok(vec![
        compare(
            &format!("list of one namespace of {here}"),
            Some(20.0),
            || kube.state_filter(|pod| pod.metadata.namespace.as_deref() == Some(namespace)),
            || lister.namespace(namespace).list().map(Vec::from_iter),
        ),
        compare(
            &format!("snapshot of all {}", pods.len()),
            Some(50.0),
            || kube.state(),
            || store.snapshot(),
        ),
        compare(
            "the same, and a look at each object's node",
            None,
            || count_scheduled(kube.state()),
            || count_scheduled(store.snapshot().list()),
        ),
        compare(
            "one object by its key",
            None,
            || kube.get(&reference),
            || lister.get(&key),
        ),
    ])
}

fn count_scheduled<P: AsRef<Pod>>(pods: impl IntoIterator<Item = P>) -> usize {
    let scheduled = |pod: &P| {
        let spec = pod.as_ref().spec.as_ref();
        spec.is_some_and(|spec| spec.node_name.is_some())
    };
    pods.into_iter().filter(scheduled).count()
}

fn compare<A, B>(
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

//! What the metrics of a cache say, and that the documented ones are those emitted.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use larder::core::v1::{NodeInformer, Pod, PodInformer};
use larder::{
    Cache, Funcs, HandlerOptions, InformerOptions, ReflectorOptions, TransformError,
    TypedInformer as _,
};
use larder_sim::{Fault, Sim};
use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use serde_json::json;
use support::{SOON, client, cluster, node, pod, settle, until};

/// A recorder that can be looked at as often as one likes.
#[derive(Default)]
struct Recorded {
    /// Unit and description by name.
    described: Mutex<BTreeMap<String, (String, String)>>,
    /// By type and key; of a histogram, how many values it was given.
    values: Mutex<BTreeMap<(&'static str, Key), Arc<AtomicU64>>>,
}

/// A histogram that counts its values.
struct Values(Arc<AtomicU64>);

impl HistogramFn for Values {
    fn record(&self, _: f64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Recorded {
    fn describe(&self, name: KeyName, unit: Option<Unit>, what: SharedString) {
        let unit = unit.map(|unit| unit.as_str().to_owned());
        let row = (unit.unwrap_or_default(), what.to_string());
        let mut described = self.described.lock().unwrap();
        described.insert(name.as_str().to_owned(), row);
    }

    fn register(&self, kind: &'static str, key: &Key) -> Arc<AtomicU64> {
        let mut values = self.values.lock().unwrap();
        Arc::clone(values.entry((kind, key.clone())).or_default())
    }
}

impl Recorder for Recorded {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, what: SharedString) {
        self.describe(name, unit, what);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, what: SharedString) {
        self.describe(name, unit, what);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, what: SharedString) {
        self.describe(name, unit, what);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.register("counter", key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.register("gauge", key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Values(self.register("histogram", key))))
    }
}

struct Seen {
    recorded: &'static Recorded,
    _guard: metrics::LocalRecorderGuard<'static>,
}

/// A recorder for everything that is made on this thread from now on.
fn recorder() -> Seen {
    let recorded: &'static Recorded = Box::leak(Box::default());
    Seen {
        recorded,
        _guard: metrics::set_default_local_recorder(recorded),
    }
}

impl Seen {
    /// Name and labels, as Prometheus writes them, with the value; for histograms how many values.
    fn now(&self) -> BTreeMap<String, f64> {
        let values = self.recorded.values.lock().unwrap();
        let row = |((kind, key), value): (&(&str, Key), &Arc<AtomicU64>)| {
            let labels: Vec<String> = key
                .labels()
                .map(|label| format!("{}={}", label.key(), label.value()))
                .collect();
            let value = value.load(Ordering::Relaxed);
            let value = if *kind == "gauge" {
                f64::from_bits(value)
            } else {
                value as f64
            };
            (format!("{}{{{}}}", key.name(), labels.join(",")), value)
        };
        values.iter().map(row).collect()
    }
}

/// One metric as the page and the recorder know it: name, type, unit, labels of its own, description.
type Row = (String, String, String, BTreeSet<String>, String);

fn documented() -> BTreeSet<Row> {
    let page = include_str!("../docs/metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `larder_"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, unit, labels, what] = cells.try_into().expect("five columns");
        let labels = labels.split_whitespace();
        (
            name.trim_matches('`').to_owned(),
            kind.to_owned(),
            unit.to_owned(),
            labels
                .map(|label| label.trim_matches('`').to_owned())
                .collect(),
            what.to_owned(),
        )
    })
    .collect()
}

fn emitted(seen: &Seen) -> BTreeSet<Row> {
    let described = seen.recorded.described.lock().unwrap();
    let values = seen.recorded.values.lock().unwrap();
    let row = |(kind, key): &(&str, Key)| {
        let all: BTreeSet<String> = key.labels().map(|label| label.key().to_owned()).collect();
        let common = BTreeSet::from(["kind".to_owned(), "informer".to_owned()]);
        assert!(all.is_superset(&common), "{key:?}");
        let (unit, what) = described[key.name()].clone();
        (
            key.name().to_owned(),
            (*kind).to_owned(),
            unit,
            &all - &common,
            what,
        )
    };
    values.keys().map(row).collect()
}

#[tokio::test(start_paused = true)]
async fn the_documented_metrics_are_those_emitted() {
    let seen = recorder();
    let sim = cluster([pod("a", "one")]);
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let _events = pods.events(HandlerOptions::default()).unwrap();
    assert_eq!(emitted(&seen), documented());
}

#[tokio::test(start_paused = true)]
async fn c120_c158_counts_and_health_are_measured() {
    let seen = recorder();
    let sim = cluster((0..5).map(|number| pod("a", &format!("p{number}"))));
    sim.create(pod("a", "bad")).unwrap();
    sim.create(pod("a", "refused")).unwrap();
    sim.faults()
        .add(Fault::broken_field("bad", "/spec/priority", &json!("x")));
    let options = InformerOptions::new()
        .name("measured")
        .transform(|pod: &mut Pod| match pod.metadata.name.as_deref() {
            Some("refused") => Err(TransformError::new("as the test wants")),
            _ => Ok(()),
        });
    let pods = PodInformer::new(client(&sim), options).unwrap();
    let handler = Funcs::new().on_add(|pod, _| assert_ne!(pod.name(), "p3", "as the test wants"));
    let registration = pods
        .inner()
        .add_handler_with(handler, HandlerOptions::default().name("h"))
        .unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    settle().await;

    let now = seen.now();
    let value = |name: &str, labels: &str| {
        let key = format!("{name}{{kind=pods,informer=measured{labels}}}");
        *now.get(&key).unwrap_or_else(|| panic!("{key} in {now:#?}"))
    };
    assert_eq!(value("larder_store_objects", ""), 5.0);
    assert_eq!(value("larder_informer_synced", ""), 1.0);
    assert_eq!(value("larder_informer_sources", ""), 1.0);
    assert_eq!(value("larder_informer_handlers", ""), 1.0);
    assert_eq!(
        value("larder_requests_total", ",request=streaming_list"),
        1.0
    );
    assert_eq!(value("larder_watch_events_total", ",type=added"), 7.0);
    assert_eq!(value("larder_watch_events_total", ",type=bookmark"), 1.0);
    assert_eq!(value("larder_decode_failures_total", ""), 1.0);
    assert_eq!(value("larder_transform_refusals_total", ""), 1.0);
    assert_eq!(value("larder_listing_duration_seconds", ""), 1.0);
    assert_eq!(value("larder_relists_total", ""), 0.0);
    assert!(value("larder_received_bytes_total", "") > 1000.0);
    let source = |name: &str| value(name, ",namespace=");
    assert_eq!(source("larder_source_stale_since_timestamp_seconds"), 0.0);
    assert!(source("larder_source_listed_timestamp_seconds") > 1.7e9);
    assert!(source("larder_source_heard_timestamp_seconds") > 1.7e9);
    let of_handler = |name: &str| value(name, ",handler=h");
    assert_eq!(of_handler("larder_handler_synced"), 1.0);
    assert_eq!(of_handler("larder_handler_delivered_total"), 5.0);
    assert_eq!(of_handler("larder_handler_panics_total"), 1.0);
    assert_eq!(of_handler("larder_handler_queue_length"), 0.0);
    assert_eq!(of_handler("larder_handler_call_duration_seconds"), 5.0);
}

#[tokio::test(start_paused = true)]
async fn c158_a_lost_watch_shows_and_so_does_how_its_requests_end() {
    let seen = recorder();
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let options = InformerOptions::new().name("lost").namespaces(["a", "b"]);
    let options = options.reflector(ReflectorOptions::default().streaming_list(false));
    let pods = PodInformer::new(client(&sim), options).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    sim.faults().add(Fault::forbidden().namespace("b"));
    sim.disconnect();
    tokio::time::sleep(SOON * 4).await;
    let of = |now: &BTreeMap<String, f64>, name: &str, labels: &str| {
        now[&format!("{name}{{kind=pods,informer=lost{labels}}}")]
    };
    let now = seen.now();
    let stale = "larder_source_stale_since_timestamp_seconds";
    assert_eq!(of(&now, stale, ",namespace=a"), 0.0);
    assert!(of(&now, stale, ",namespace=b") > 1.7e9);
    assert_eq!(of(&now, "larder_informer_sources", ""), 2.0);
    let ended = |cause: &str| {
        of(
            &now,
            "larder_requests_ended_total",
            &format!(",request=watch,cause={cause}"),
        )
    };
    assert!(ended("cut") + ended("complete") >= 2.0, "{now:#?}");
    assert!(ended("status") >= 3.0);
    assert!(of(&now, "larder_backoffs_total", "") >= 3.0);
    assert_eq!(
        of(
            &now,
            "larder_requests_ended_total",
            ",request=list,cause=complete"
        ),
        2.0
    );
    sim.faults().clear();
    until("it is back", || {
        of(&seen.now(), stale, ",namespace=b") == 0.0
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn c120_what_a_full_queue_did_is_measured() {
    let seen = recorder();
    let sim = cluster([pod("a", "one")]);
    let pods = PodInformer::new(client(&sim), InformerOptions::new().name("full")).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let options = HandlerOptions::default().name("slow").capacity(1);
    let mut events = pods.events(options).unwrap();
    for number in 0..4 {
        let patch = json!({"metadata": {"labels": {"n": number.to_string()}}});
        sim.patch("pods", "a", "one", &patch).unwrap();
        settle().await;
    }
    sim.create(pod("a", "brief")).unwrap();
    settle().await;
    sim.delete_now("pods", "a", "brief").unwrap();
    settle().await;
    let stats = events.registration().stats();
    let value = |name: &str| seen.now()[&format!("{name}{{kind=pods,informer=full,handler=slow}}")];
    assert_eq!(value("larder_handler_queue_length"), stats.queued as f64);
    assert_eq!(value("larder_handler_merged_total"), stats.merged as f64);
    assert!(stats.merged >= 2 && stats.dropped_pairs == 1, "{stats:?}");
    assert_eq!(value("larder_handler_dropped_pairs_total"), 1.0);
    while events.registration().stats().queued > 0 {
        events.next().await.unwrap();
    }
    assert_eq!(value("larder_handler_queue_length"), 0.0);
}

#[tokio::test(start_paused = true)]
async fn c114_gauges_of_what_is_gone_are_0() {
    let seen = recorder();
    let sim = cluster([pod("a", "one"), node("n", &json!({}))]);
    let cache = Cache::builder(client(&sim)).namespaces(["a", "b"]).build();
    cache.start().unwrap();
    let pods = cache.informer::<PodInformer>().unwrap();
    let nodes = cache.informer::<NodeInformer>().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let _kept = pods.events(HandlerOptions::default()).unwrap();
    let removed = pods.events(HandlerOptions::default()).unwrap();
    drop(removed);
    let gauges = |seen: &Seen| -> Vec<(String, f64)> {
        let is_gauge =
            |(key, _): &(String, f64)| !key.contains("_total{") && !key.contains("duration");
        seen.now().into_iter().filter(is_gauge).collect()
    };
    let up: Vec<_> = gauges(&seen)
        .into_iter()
        .filter(|(_, value)| *value > 0.0)
        .collect();
    assert!(up.len() >= 12, "{up:#?}");
    let handlers = up
        .iter()
        .find(|(key, _)| key.contains("_handlers{kind=pods"));
    assert_eq!(handlers.unwrap().1, 1.0);
    cache.shutdown(SOON).await.unwrap();
    let left: Vec<_> = gauges(&seen)
        .into_iter()
        .filter(|(_, value)| *value != 0.0)
        .collect();
    let stays = |key: &str| key.contains("store_objects") || key.contains("informer_synced");
    assert!(left.iter().all(|(key, _)| stays(key)), "{left:#?}");
    assert_eq!(left.len(), 4, "{left:#?}");
    drop((pods, nodes));
    let left: Vec<_> = gauges(&seen)
        .into_iter()
        .filter(|(_, value)| *value != 0.0)
        .collect();
    assert_eq!(left, []);
}

#[tokio::test(start_paused = true)]
async fn c141_informers_of_one_name_are_told_apart() {
    let seen = recorder();
    let sims: [Sim; 2] = [cluster([pod("a", "one")]), cluster([])];
    let of = |sim| PodInformer::new(client(sim), InformerOptions::new().name("twins")).unwrap();
    let twins = [of(&sims[0]), of(&sims[1])];
    for twin in &twins {
        twin.wait_for_sync(SOON).await.unwrap();
        assert_eq!(twin.name(), "twins", "its own name stays");
    }
    let objects = |name| seen.now()[&format!("larder_store_objects{{kind=pods,informer={name}}}")];
    assert_eq!((objects("twins"), objects("twins-2")), (1.0, 0.0));
    twins[0].stop(SOON).await.unwrap();
    let successor = of(&sims[0]);
    successor.wait_for_sync(SOON).await.unwrap();
    drop(twins);
    assert_eq!(
        objects("twins"),
        1.0,
        "the end of a stopped one does not show in its successor"
    );
}

//! The table of events, and the spans.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::time::Duration;

use larder::core::v1::{Pod, PodInformer};
use larder::{
    Backoff, Funcs, HandlerOptions, InformerOptions, ReflectorOptions, TypedInformer as _, computed,
};
use larder_sim::{Fault, Verb};
use serde_json::json;

use crate::capture::{Line, Log};
use crate::support::{SOON, client, cluster, pod, settle, until};

/// Level and fields by message, as the page has them.
fn documented() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let page = include_str!("../../docs/metrics.md");
    let levels = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"];
    let mut table = BTreeMap::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [level, message, fields, _] = cells[..] else {
            continue;
        };
        if !levels.contains(&level) {
            continue;
        }
        let (own, without) = fields.split_once(", but not").unwrap_or((fields, ""));
        let mut names: BTreeSet<String> =
            own.split('`').skip(1).step_by(2).map(Into::into).collect();
        if without.is_empty() {
            names.extend(["kind".to_owned(), "informer".to_owned()]);
        }
        table.insert(message.to_owned(), (level.to_owned(), names));
    }
    table
}

const INDEX: &str =
    "an index's extractor or key panicked; the object lacks that key, or all, in the index";

struct Breaks;

impl Backoff for Breaks {
    fn next(&mut self) -> Duration {
        panic!("as the test wants")
    }

    fn reset(&mut self) {}
}

fn informer(sim: &larder_sim::Sim, name: &str, options: ReflectorOptions) -> PodInformer {
    let options = InformerOptions::new()
        .name(name)
        .namespaces(["a"])
        .reflector(options);
    PodInformer::new(client(sim), options).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_documented_events_are_those_logged_and_the_spans_name_their_part() {
    let (log, _guard) = Log::capture();
    let sim = cluster(["one", "bad"].map(|name| pod("a", name)));
    sim.faults()
        .add(Fault::broken_field("bad", "/spec/priority", &json!("x")));
    let pods = informer(&sim, "main", ReflectorOptions::default());
    let panics = Funcs::new().on_add(|_, _| panic!("as the test wants"));
    let options = HandlerOptions::default().name("panics");
    pods.inner().add_handler_with(panics, options).unwrap();
    pods.add_index(computed(|_: &Pod| -> Option<String> {
        panic!("as the test wants")
    }))
    .unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    sim.compact();
    sim.faults().add(
        Fault::gone()
            .on(Verb::Watch)
            .except_streaming_lists()
            .times(1),
    );
    sim.faults().add(Fault::forbidden().skip(1).times(1));
    sim.disconnect();
    until("a relist", || pods.health().relists > 0).await;

    assert!(pods.add_namespace("b").unwrap() && pods.remove_namespace("b").unwrap());

    // More than are said one by one.
    let refusing = InformerOptions::new()
        .name("refusing")
        .transform(|_: &mut Pod| Err(larder::TransformError::new("as the test wants")));
    let many = cluster((0..20).map(|number| pod("a", &format!("p{number}"))));
    let refusing = PodInformer::new(client(&many), refusing).unwrap();
    refusing.wait_for_sync(SOON).await.unwrap();

    let broken = informer(
        &sim,
        "broken",
        ReflectorOptions::default().backoff(|| Breaks),
    );
    broken.wait_for_sync(SOON).await.unwrap();
    sim.faults().add(Fault::unavailable());
    sim.disconnect();
    settle().await;
    sim.faults().clear();
    pods.stop(SOON).await.unwrap();

    stuck_transform().await;

    let mut seen: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    let lines = log.lines();
    for line in lines.iter().filter(|line| !line.is_span) {
        if line.message.contains("once more") || line.message.contains("one more") {
            continue;
        }
        let row = seen
            .entry(line.message.clone())
            .or_insert_with(|| (line.level.clone(), BTreeSet::new()));
        row.1.extend(line.fields.keys().cloned());
    }
    // An error that is part of an ended request is documented with the failed ones.
    if let Some((_, fields)) = seen.get_mut("request ended") {
        fields.remove("error");
    }
    let mut documented = documented();
    if let Some((_, fields)) = documented.get_mut(INDEX) {
        // Closures have none.
        fields.remove("path");
    }
    for (message, row) in &seen {
        assert_eq!(Some(row), documented.get(message), "{message}");
    }
    let unseen = documented
        .keys()
        .filter(|message| !seen.contains_key(*message));
    assert_eq!(unseen.collect::<Vec<_>>(), Vec::<&String>::new());

    let span = |name: &str, informer: &str| -> Line {
        let matching = |line: &&Line| {
            line.is_span && line.message == name && line.fields["informer"] == informer
        };
        lines.iter().find(matching).cloned().expect(name)
    };
    let reflector = span("reflector", "main");
    assert_eq!(reflector.level, "INFO");
    assert_eq!(reflector.fields["kind"], "pods");
    assert_eq!(reflector.fields["namespace"], "\"a\"");
    let handler = span("handler", "main");
    assert_eq!(handler.level, "INFO");
    assert_eq!(handler.fields["kind"], "pods");
    assert_eq!(handler.fields["handler"], "\"panics\"");
}

/// An informer whose transform has not returned by the deadline of its stop.
async fn stuck_transform() {
    let sim = cluster([pod("a", "one")]);
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (entered, has_entered) = mpsc::channel();
    let pods = {
        let _inside = runtime.enter();
        let options = InformerOptions::new()
            .name("stuck")
            .transform(move |_: &mut Pod| {
                let _ = entered.send(());
                let _ = wait.lock().unwrap().recv();
                Ok(())
            });
        PodInformer::new(client(&sim), options).unwrap()
    };
    has_entered.recv().unwrap();
    pods.stop(Duration::from_millis(1)).await.unwrap();
    release.send(()).unwrap();
    runtime.shutdown_background();
}

#[tokio::test(start_paused = true)]
async fn a_kind_of_which_nothing_decodes_and_a_server_that_is_away_do_not_flood_the_log() {
    let (log, _guard) = Log::capture();
    let sim = cluster((0..300).map(|number| pod("a", &format!("p{number}"))));
    let options = InformerOptions::new()
        .name("floods")
        .transform(|_: &mut Pod| Err(larder::TransformError::new("as the test wants")));
    let pods = PodInformer::new(client(&sim), options).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    let aloud = |informer: &str| {
        let loud = |line: &&crate::capture::Line| {
            !line.is_span && line.level == "WARN" && line.fields["informer"] == informer
        };
        log.lines().iter().filter(loud).count()
    };
    assert_eq!((pods.health().decode_failures, aloud("floods")), (300, 11));
    let many = (0..50).map(|number| format!("ns{number}"));
    let options = InformerOptions::new().name("away").namespaces(many);
    sim.faults().add(Fault::unavailable());
    let _away = PodInformer::new(client(&sim), options).unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let minutes = 10;
    assert!(aloud("away") <= (minutes + 1) * 10, "{}", aloud("away"));
    let withheld: u64 = log
        .lines()
        .iter()
        .filter_map(|line| line.fields.get("withheld")?.parse::<u64>().ok())
        .sum();
    assert!(withheld > 100, "{withheld}");
}

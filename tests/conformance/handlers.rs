//! c110 to c122: handlers over the whole path.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder::{HandlerOptions, Registration, Resync};
use larder_sim::{Fault, Sim, random_faults};
use serde_json::json;

use crate::fold::Fold;
use crate::matrix::{Mode, cases};
use crate::pods::{Hear, Subject, Told, told};
use crate::support::{SOON, cluster, pod, settle, until};

cases! {
    c110_c111_each_handler_keeps_its_own_resync_period in EVERY,
    c112_c118_handlers_added_at_any_moment_hear_of_everything_once in EVERY,
    c113_failed_requests_reach_the_error_hook in EVERY,
    c114_c117_removed_handlers_hear_nothing_and_leave_nothing_behind in EVERY,
    c116_started_stays_true_after_the_stop in EVERY,
    c119_a_panicking_handler_syncs_and_the_others_go_on in EVERY,
    c120_a_slow_handler_holds_a_bounded_queue_and_delays_nobody in EVERY,
    c121_random_changes_under_random_faults_end_right_everywhere in EVERY,
    c122_a_resync_repeats_the_state_and_never_lists in EVERY,
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn pods(count: usize) -> Sim {
    cluster((0..count).map(|number| pod("a", &format!("p{number}"))))
}

fn relabel(sim: &Sim, name: &str, value: usize) {
    let patch = json!({"metadata": {"labels": {"value": value.to_string()}}});
    sim.patch("pods", "a", name, &patch).unwrap();
}

/// What a handler was told, and how to hear it.
fn log() -> (Arc<Mutex<Vec<Told>>>, Hear) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&log);
    (log, Box::new(move |told| sink.lock().unwrap().push(told)))
}

fn take(log: &Mutex<Vec<Told>>) -> Vec<Told> {
    std::mem::take(&mut log.lock().unwrap())
}

/// How many of these are resyncs, when nothing else is expected.
fn resyncs(log: &Mutex<Vec<Told>>) -> usize {
    let told = take(log);
    let resync = |told: &&Told| matches!(told, Told::Update { same: true, .. });
    assert_eq!(told.iter().filter(resync).count(), told.len(), "{told:?}");
    told.len()
}

async fn c110_c111_each_handler_keeps_its_own_resync_period(mode: &Mode) {
    let sim = pods(2);
    let builder = mode.builder(&sim).resync(Resync::Every(seconds(1_000)));
    let subject = mode.synced_with(&sim, builder).await;
    let every = |period| HandlerOptions::default().resync(period);
    let options = [
        every(Resync::Every(seconds(100))),
        HandlerOptions::default(),
        every(Resync::Never),
    ];
    let logs = options.map(|options| {
        let (log, hear) = log();
        subject.pods.hear(hear, options).unwrap();
        log
    });
    settle().await;
    for log in &logs {
        let told = take(log);
        assert_eq!(told.len(), 2, "{told:?}");
        let initial = |told: &Told| matches!(told, Told::Add { initial: true, .. });
        assert!(told.iter().all(initial), "{told:?}");
    }
    tokio::time::sleep(seconds(112)).await;
    let heard = logs.each_ref().map(|log| resyncs(log));
    assert_eq!(heard, [2, 0, 0], "only the one that is due");
    tokio::time::sleep(seconds(1_000)).await;
    let [own, inherited, never] = logs.each_ref().map(|log| resyncs(log));
    assert!((16..=24).contains(&own), "{own}");
    assert_eq!((inherited, never), (2, 0));
    subject.end().await;
}

/// Each handler is synced, and what it was told adds up to what is held.
async fn all_were_told(subject: &Subject, handlers: &[(Fold, Registration)]) {
    for (fold, registration) in handlers {
        registration.wait_for_sync(SOON).await.unwrap();
        settle().await;
        assert_eq!(told(fold), subject.held());
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
}

async fn c112_c118_handlers_added_at_any_moment_hear_of_everything_once(mode: &Mode) {
    let sim = pods(40);
    let cache = mode.builder(&sim).build();
    let informer = mode.form.informer(&cache, None).unwrap();
    let subject = Subject::new(cache, informer, sim.clone(), mode.scope);
    // Before the start, while it starts, and amid changes afterwards.
    let mut handlers = vec![subject.pods.fold(HandlerOptions::default())];
    subject.cache.start().unwrap();
    for _ in 0..5 {
        handlers.push(subject.pods.fold(HandlerOptions::default()));
        tokio::task::yield_now().await;
    }
    subject.pods.wait_for_sync(SOON).await.unwrap();
    for round in 0..15 {
        relabel(&sim, &format!("p{round}"), round);
        sim.delete_now("pods", "a", &format!("p{}", 20 + round))
            .unwrap();
        handlers.push(subject.pods.fold(HandlerOptions::default().capacity(round)));
        if round % 3 == 0 {
            settle().await;
        }
        relabel(&sim, &format!("p{round}"), round + 1);
    }
    subject.equal().await;
    all_were_told(&subject, &handlers).await;
    subject.end().await;
}

async fn c113_failed_requests_reach_the_error_hook(mode: &Mode) {
    let sim = pods(2);
    let fault = sim.faults().add(Fault::forbidden().resource("pods"));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let builder = mode.builder(&sim).on_error(move |error| {
        sink.lock().unwrap().push(error.to_string());
    });
    let cache = mode.started(builder);
    let informer = mode.form.informer(&cache, None).unwrap();
    until("the hook hears", || heard.lock().unwrap().len() >= 3).await;
    for error in heard.lock().unwrap().drain(..) {
        assert!(error.contains("pods") && error.contains("403"), "{error}");
    }
    sim.faults().remove(fault);
    informer.wait_for_sync(SOON * 4).await.unwrap();
    cache.shutdown(SOON).await.unwrap();
}

async fn c114_c117_removed_handlers_hear_nothing_and_leave_nothing_behind(mode: &Mode) {
    let sim = pods(4);
    let subject = mode.synced(&sim).await;
    let other = mode.synced(&sim).await;
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    settle().await;
    let before = alive();
    let marks: Vec<Arc<AtomicUsize>> = (0..20).map(|_| Arc::default()).collect();
    let add = |mark: &Arc<AtomicUsize>| {
        let mark = Arc::clone(mark);
        let hear = Box::new(move |_| {
            mark.fetch_add(1, Ordering::Relaxed);
        });
        subject.pods.hear(hear, HandlerOptions::default()).unwrap()
    };
    let registrations: Vec<_> = marks.iter().map(add).collect();
    settle().await;
    for (removed, registration) in registrations.iter().enumerate() {
        assert_eq!(subject.pods.handler_count(), 20 - removed);
        assert!(!other.pods.remove_handler(registration), "not its own");
        assert!(subject.pods.remove_handler(registration));
        assert!(!subject.pods.remove_handler(registration), "once is enough");
        registration.removed(SOON).await.unwrap();
    }
    relabel(&sim, "p0", 1);
    subject.equal().await;
    assert_eq!(subject.pods.handler_count(), 0);
    until("their tasks end", || alive() == before).await;
    for mark in &marks {
        assert_eq!(
            mark.load(Ordering::Relaxed),
            4,
            "the initial adds and no more"
        );
        assert_eq!(Arc::strong_count(mark), 1, "the handler is dropped");
    }
    subject.end().await;
    other.end().await;
}

async fn c116_started_stays_true_after_the_stop(mode: &Mode) {
    let sim = pods(1);
    let cache = mode.builder(&sim).build();
    let pods = mode.form.informer(&cache, None).unwrap();
    let state = || (pods.health().started, pods.health().stopped);
    assert_eq!(state(), (false, false));
    cache.start().unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(state(), (true, false));
    pods.stop(SOON).await.unwrap();
    assert_eq!(state(), (true, true));
    assert!(
        pods.hear(Box::new(|_| {}), HandlerOptions::default())
            .is_err()
    );
    cache.shutdown(SOON).await.unwrap();
}

async fn c119_a_panicking_handler_syncs_and_the_others_go_on(mode: &Mode) {
    let sim = pods(10);
    let subject = mode.synced(&sim).await;
    let options = HandlerOptions::default().name("panics");
    let panics = subject
        .pods
        .hear(Box::new(|_| panic!("on purpose")), options);
    let panics = panics.unwrap();
    let (fold, _) = subject.pods.fold(HandlerOptions::default());
    panics.wait_for_sync(SOON).await.unwrap();
    relabel(&sim, "p0", 1);
    sim.delete_now("pods", "a", "p1").unwrap();
    subject.equal().await;
    // Ten adds, an update, and a pod is marked before it is deleted.
    assert_eq!(panics.stats().panics, 13);
    assert_eq!(told(&fold), subject.held());
    subject.end().await;
}

async fn c120_a_slow_handler_holds_a_bounded_queue_and_delays_nobody(mode: &Mode) {
    let sim = pods(5);
    let subject = mode.synced(&sim).await;
    let (fold, slow) = subject.pods.fold(HandlerOptions::default().capacity(3));
    let (quick, _) = subject.pods.fold(HandlerOptions::default());
    slow.wait_for_sync(SOON).await.unwrap();
    for round in 0..60 {
        // No turn for the handlers in between: everything waits.
        for name in ["p0", "p1", "p2", "p3"] {
            relabel(&sim, name, round);
        }
        sim.create(pod("a", "brief")).unwrap();
        sim.delete_now("pods", "a", "brief").unwrap();
    }
    subject.equal().await;
    let stats = slow.stats();
    assert!(stats.most_queued <= 3 + 2 * 6, "{stats:?}");
    assert!(stats.merged > 150, "what was merged is counted: {stats:?}");
    for fold in [&fold, &quick] {
        assert_eq!(told(fold), subject.held());
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
    subject.end().await;
}

async fn c121_random_changes_under_random_faults_end_right_everywhere(mode: &Mode) {
    let seed = crate::support::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let sim = pods(5);
    let subject = mode.synced(&sim).await;
    for fault in random_faults(seed, 6) {
        sim.faults().add(fault);
    }
    let mut handlers = vec![subject.pods.fold(HandlerOptions::default())];
    for step in 0..120 {
        let namespace = ["a", "b"][random.usize(..2)];
        let name = format!("p{}", random.u8(..8));
        // Of these the server refuses what does not fit its state.
        let _ = match random.u8(..5) {
            0 | 1 => sim.create(pod(namespace, &name)),
            2 => sim.delete_now("pods", namespace, &name),
            _ => sim.patch(
                "pods",
                namespace,
                &name,
                &json!({"metadata": {"labels": {"step": step.to_string()}}}),
            ),
        };
        match random.u8(..40) {
            0 => drop(sim.compact()),
            1 => sim.disconnect(),
            2 => handlers.push(
                subject
                    .pods
                    .fold(HandlerOptions::default().capacity(random.usize(..4))),
            ),
            _ => {}
        }
        if random.u8(..4) == 0 {
            tokio::time::sleep(Duration::from_millis(random.u64(..2_000))).await;
        }
    }
    sim.faults().clear();
    sim.disconnect();
    subject.equal().await;
    all_were_told(&subject, &handlers).await;
    subject.end().await;
}

async fn c122_a_resync_repeats_the_state_and_never_lists(mode: &Mode) {
    let sim = pods(4);
    let subject = mode.synced(&sim).await;
    let (log, hear) = log();
    let options = HandlerOptions::default().resync(Resync::Every(seconds(100)));
    let registration = subject.pods.hear(hear, options).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    assert_eq!(take(&log).len(), 4);
    // Also while the server is away.
    sim.faults().add(Fault::refuse());
    tokio::time::sleep(seconds(88)).await;
    assert_eq!(resyncs(&log), 0);
    tokio::time::sleep(seconds(23)).await;
    assert_eq!(resyncs(&log), 4);
    tokio::time::sleep(seconds(1_000)).await;
    assert!((9 * 4..=12 * 4).contains(&resyncs(&log)));
    assert_eq!(subject.pods.health().relists, 0);
    subject.end().await;
}

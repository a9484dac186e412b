//! Options and deadlines at their ends: zero and the largest.

use std::time::Duration;

use larder::{Cache, ExponentialBackoff, HandlerOptions, ReflectorOptions, Resync};
use larder_sim::{Fault, Sim, Verb};

use crate::bench::{begun, equal, folded, held, lists, seconds, synced, told};
use crate::support::{SOON, client, cluster, pod, settle};

type Set = fn(ReflectorOptions, Duration) -> ReflectorOptions;

const DURATIONS: [(&str, Set); 7] = [
    ("watch_timeout", ReflectorOptions::watch_timeout),
    ("response_timeout", ReflectorOptions::response_timeout),
    ("list_idle_timeout", ReflectorOptions::list_idle_timeout),
    (
        "streaming_list_timeout",
        ReflectorOptions::streaming_list_timeout,
    ),
    ("streaming_list_cap", ReflectorOptions::streaming_list_cap),
    ("bookmark_interval", ReflectorOptions::bookmark_interval),
    ("watch_margin", ReflectorOptions::watch_margin),
];

fn disturb(sim: &Sim) {
    sim.faults()
        .add(Fault::short_watch(seconds(70)).on(Verb::Watch));
    sim.faults().add(
        Fault::error_event(3, larder_sim::Status::internal("odd"))
            .on(Verb::Watch)
            .times(1),
    );
    sim.faults()
        .add(Fault::silence_after(1).on(Verb::Watch).skip(3).times(1));
}

/// No value of any option ends the reflector, or makes it ask without pause.
#[tokio::test(start_paused = true)]
async fn c083_c151_no_duration_is_too_short_or_too_long() {
    for (name, set) in DURATIONS {
        for value in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::MAX / 2,
            Duration::MAX,
        ] {
            for options in [lists(), ReflectorOptions::default()] {
                let text = format!("{name} {value:?}");
                let sim = cluster([pod("a", "one")]);
                disturb(&sim);
                let pods = begun(&sim, set(options, value));
                for number in 0..10 {
                    tokio::time::sleep(seconds(60)).await;
                    sim.create(pod("a", &format!("p{number}"))).unwrap();
                }
                let health = pods.health();
                assert_ne!(
                    health.sources[0].phase,
                    larder::Phase::Stopped,
                    "{text}: {health:#?}"
                );
                let count = sim.requests().len();
                assert!(count < 800, "{count} requests in ten minutes: {text}");
                pods.stop(SOON).await.unwrap();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_at_their_ends() {
    let options = |set: fn(ReflectorOptions) -> ReflectorOptions| {
        [set(lists()), set(ReflectorOptions::default())]
    };
    let rows: Vec<ReflectorOptions> = [
        options(|options| options.page_size(0)),
        options(|options| options.page_size(1)),
        options(|options| options.page_size(u32::MAX)),
        options(|options| options.max_object_bytes(usize::MAX)),
        options(|options| {
            options.backoff(|| ExponentialBackoff::new(Duration::MAX, Duration::MAX))
        }),
        options(|options| options.keep_managed_fields(true)),
    ]
    .into_iter()
    .flatten()
    .collect();
    for options in rows {
        let sim = Sim::builder().without_watch_cache().build();
        for number in 0..5 {
            sim.create(pod("a", &format!("p{number}"))).unwrap();
        }
        let pods = synced(&sim, options).await;
        equal(&sim, &pods).await;
    }
    let sim = cluster([pod("a", "one")]);
    let pods = begun(&sim, ReflectorOptions::default().max_object_bytes(0));
    tokio::time::sleep(seconds(300)).await;
    let error = pods
        .wait_for_sync(Duration::ZERO)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("larger than the limit of 0 bytes"),
        "{error}"
    );
    assert!(sim.requests().len() < 60);
}

#[tokio::test(start_paused = true)]
async fn handlers_of_any_capacity_and_period() {
    let sim = cluster((0..10).map(|number| pod("a", &format!("p{number}"))));
    let pods = synced(&sim, ReflectorOptions::default()).await;
    let mut folds = Vec::new();
    for capacity in [0, 1, usize::MAX] {
        for period in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
            let options = HandlerOptions::default()
                .capacity(capacity)
                .resync(Resync::Every(period));
            folds.push(folded(&pods, options));
        }
    }
    for number in 0..10 {
        sim.delete_now("pods", "a", &format!("p{number}")).unwrap();
        sim.create(pod("a", &format!("p{number}"))).unwrap();
    }
    equal(&sim, &pods).await;
    tokio::time::sleep(seconds(10)).await;
    for (fold, registration) in &folds {
        assert_eq!(told(fold), held(&sim));
        assert_eq!(fold.wrong(), Vec::<String>::new());
        assert_eq!(registration.stats().panics, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn c140_deadlines_without_end_and_without_length() {
    let sim = cluster([pod("a", "one")]);
    let cache = Cache::builder(client(&sim))
        .read_deadline(Duration::MAX)
        .build();
    cache.start().unwrap();
    assert_eq!(
        cache
            .list::<larder::core::v1::PodInformer>()
            .await
            .unwrap()
            .count(),
        1
    );
    cache.wait_for_cache_sync(Duration::MAX).await.unwrap();
    cache.wait_for_cache_sync(Duration::ZERO).await.unwrap();
    let pods = cache.informer::<larder::core::v1::PodInformer>().unwrap();
    pods.wait_for_sync(Duration::MAX).await.unwrap();
    let (_, registration) = folded(&pods, HandlerOptions::default());
    registration.wait_for_sync(Duration::MAX).await.unwrap();
    settle().await;
    cache
        .remove::<larder::core::v1::PodInformer>(None, Duration::MAX)
        .await
        .unwrap();
    registration.removed(Duration::MAX).await.unwrap();
    pods.stop(Duration::MAX).await.unwrap();
    cache.shutdown(Duration::MAX).await.unwrap();
}

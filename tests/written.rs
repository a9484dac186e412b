//! Reading one's own writes: waiting until a cache shows them. c134 throughout.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use http::{Request, Response};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use larder::core::v1::{ConfigMap, ConfigMapInformer, NodeInformer, Pod, PodInformer};
use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::{
    BodyStream, Cache, CacheError, InformerOptions, ObjectKey, ReadError, ReflectorOptions,
    ResourceVersion, TransformError, Transport, TransportError, Uid, WaitError, Written,
};
use larder_sim::{Fault, Sim, Verb};
use serde_json::{Value, json};
use support::{SOON, client, cluster, labelled, listings, node, pod, settle};
use tokio::time::Instant;

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What a write answered.
fn written(answer: &Value) -> Written {
    let metadata: ObjectMeta = serde_json::from_value(answer["metadata"].clone()).unwrap();
    Written::of(&metadata).unwrap()
}

fn version_of(answer: &Value) -> ResourceVersion {
    ResourceVersion::new(answer["metadata"]["resourceVersion"].as_str().unwrap())
}

fn relabel(sim: &Sim, name: &str, label: &str) -> Value {
    let patch = json!({"metadata": {"labels": {"app": label}}});
    sim.patch("pods", "a", name, &patch).unwrap()
}

fn label(pods: &PodInformer, name: &str) -> Option<String> {
    let pod = pods.lister().namespace("a").get(name).ok()?;
    pod.metadata.labels.clone()?.remove("app")
}

async fn informer(sim: &Sim, options: InformerOptions<larder::core::v1::pod::Full>) -> PodInformer {
    let pods = PodInformer::new(client(sim), options).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

#[tokio::test(start_paused = true)]
async fn c134_after_the_wait_reads_show_the_write() {
    for (mode, options) in listings() {
        for namespaces in [None, Some(["a", "b"])] {
            let sim = cluster([pod("a", "one"), pod("b", "one")]);
            let mut of = InformerOptions::new().reflector(options.clone());
            if let Some(namespaces) = namespaces {
                of = of.namespaces(namespaces);
            }
            let pods = informer(&sim, of).await;
            let start = Instant::now();

            let created = sim.create(pod("a", "two")).unwrap();
            pods.wait_for(&written(&created), SOON).await.unwrap();
            assert!(pods.lister().get(&key("a/two")).is_ok(), "{mode}");

            let patched = relabel(&sim, "one", "new");
            pods.store()
                .wait_for(&written(&patched), SOON)
                .await
                .unwrap();
            assert_eq!(label(&pods, "one").as_deref(), Some("new"), "{mode}");

            // A later state serves as well.
            let first = written(&relabel(&sim, "two", "first"));
            relabel(&sim, "two", "second");
            pods.lister().wait_for(&first, SOON).await.unwrap();
            settle().await;
            pods.lister()
                .wait_for(&first, Duration::ZERO)
                .await
                .unwrap();

            // So does its deletion, seen or missed.
            let last = written(&relabel(&sim, "one", "last"));
            sim.delete_now("pods", "a", "one").unwrap();
            pods.wait_for(&last, SOON).await.unwrap();
            settle().await;
            pods.wait_for(&last, Duration::ZERO).await.unwrap();
            assert!(pods.lister().get(&key("a/one")).is_err(), "{mode}");
            assert!(
                start.elapsed() < seconds(1),
                "{mode}: the write's own event ends the wait"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c134_answers_of_kube_say_what_to_wait_for() {
    let sim = cluster([]);
    let cache = Cache::builder(client(&sim)).build();
    let maps = cache.informer::<ConfigMapInformer>().unwrap();
    let pods = cache.informer::<PodInformer>().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let api = Api::<ConfigMap>::namespaced(client(&sim), "a");
    let start = Instant::now();

    let map = serde_json::from_value(json!({"metadata": {"name": "one"}})).unwrap();
    let created = api.create(&PostParams::default(), &map).await.unwrap();
    let created = Written::of(&created.metadata).unwrap();
    maps.wait_for(&created, SOON).await.unwrap();
    assert!(maps.lister().get(&key("a/one")).is_ok());

    // A kind without a grace period is gone at once, and the answer is a status.
    let answer = api.delete("one", &DeleteParams::default()).await.unwrap();
    assert!(answer.is_right());
    let deleted = Written::of_delete(key("a/one"), &answer).unwrap();
    assert_eq!(deleted.version(), None);
    maps.wait_for(&deleted, SOON).await.unwrap();
    assert!(maps.lister().get(&key("a/one")).is_err());

    // Held by a finalizer it stays, marked; taking the finalizer off is its end.
    let map = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    let map = serde_json::from_value(map).unwrap();
    api.create(&PostParams::default(), &map).await.unwrap();
    let answer = api.delete("held", &DeleteParams::default()).await.unwrap();
    let marked = Written::of_delete(key("a/held"), &answer).unwrap();
    assert!(marked.version().is_some());
    cache
        .wait_for::<ConfigMapInformer>(&marked, SOON)
        .await
        .unwrap();
    let held = maps.lister().get(&key("a/held")).unwrap();
    assert!(held.metadata.deletion_timestamp.is_some());
    let freed = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    let freed = api.patch("held", &PatchParams::default(), &freed).await;
    let freed = Written::of(&freed.unwrap().metadata).unwrap();
    maps.wait_for(&freed, SOON).await.unwrap();
    assert!(maps.lister().get(&key("a/held")).is_err());

    // Pods: with a grace period the object stays, without one the answer shows it once more.
    let api = Api::<Pod>::namespaced(client(&sim), "a");
    for (name, grace, stays) in [("slow", None, true), ("quick", Some(0), false)] {
        let mut running = pod("a", name);
        running["spec"]["nodeName"] = json!("n");
        let created = sim.create(running).unwrap();
        pods.wait_for(&written(&created), SOON).await.unwrap();
        let params = DeleteParams {
            grace_period_seconds: grace,
            ..DeleteParams::default()
        };
        let answer = api.delete(name, &params).await.unwrap();
        let key = ObjectKey::namespaced("a", name);
        let deleted = Written::of_delete(key.clone(), &answer).unwrap();
        pods.wait_for(&deleted, SOON).await.unwrap();
        let found = pods.lister().get(&key);
        assert_eq!(found.is_ok(), stays, "{name}");
        if let Ok(found) = found {
            assert!(found.metadata.deletion_timestamp.is_some());
        }
    }
    assert!(start.elapsed() < seconds(1));
}

#[tokio::test(start_paused = true)]
async fn c134_a_deleted_object_is_told_from_its_successor() {
    let sim = cluster([]);
    let pods = informer(&sim, InformerOptions::new()).await;
    let first = sim.create(pod("a", "one")).unwrap();
    let uid = Uid::new(first["metadata"]["uid"].as_str().unwrap());
    let gone = Written::deleted(key("a/one"), uid);
    pods.wait_for(&written(&first), SOON).await.unwrap();
    assert_eq!(
        gone.to_string(),
        format!(
            "the end of a/one ({})",
            first["metadata"]["uid"].as_str().unwrap()
        )
    );

    // Nobody sees the delete: after a relist there is another object, or none.
    let error = pods.wait_for(&gone, seconds(3)).await.unwrap_err();
    assert!(error.to_string().contains("the delete of a/one"), "{error}");
    let waiting = tokio::spawn({
        let (pods, gone) = (pods.clone(), gone.clone());
        async move { pods.wait_for(&gone, SOON).await }
    });
    settle().await;
    sim.change_unseen(|sim| {
        sim.delete_now("pods", "a", "one").unwrap();
        sim.create(pod("a", "one")).unwrap();
    });
    sim.compact();
    waiting.await.unwrap().unwrap();
    assert!(pods.lister().get(&key("a/one")).is_ok(), "its successor");
}

#[tokio::test(start_paused = true)]
async fn c134_absence_says_nothing_before_the_first_listing() {
    let sim = cluster([]);
    let refused = sim.faults().add(Fault::unavailable().resource("pods"));
    let pods = PodInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let created = sim.create(pod("a", "one")).unwrap();
    let gone = Written::deleted(
        key("a/one"),
        Uid::new(created["metadata"]["uid"].as_str().unwrap()),
    );
    for wanted in [&gone, &written(&created)] {
        let error = pods.wait_for(wanted, seconds(5)).await.unwrap_err();
        let WaitError::Deadline {
            held, after, cause, ..
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!((held, *after), (&None, seconds(5)));
        assert!(cause.is_some());
        let text = error.to_string();
        assert!(
            text.contains("not synced yet") && text.contains("503"),
            "{text}"
        );
        assert!(
            std::error::Error::source(&error).is_none(),
            "the cause is in its text, once"
        );
    }
    sim.faults().remove(refused);
    pods.wait_for(&written(&created), SOON * 4).await.unwrap();
    assert!(pods.lister().get(&key("a/one")).is_ok());
}

#[tokio::test(start_paused = true)]
async fn c134_a_write_outside_of_the_selectors_is_passed_by_later_versions() {
    let sim = cluster([labelled("a", "one", &json!({"app": "x"}))]);
    let pods = informer(&sim, InformerOptions::new().label_selector("app=x")).await;
    let start = Instant::now();

    // It leaves the selection: the server says so with the write's own version.
    let left = written(&relabel(&sim, "one", "y"));
    pods.wait_for(&left, SOON).await.unwrap();
    assert!(pods.store().is_empty() && start.elapsed() < seconds(1));

    // It was outside and stays there: the next bookmark passes it.
    let outside = written(&relabel(&sim, "one", "z"));
    let early = pods.wait_for(&outside, seconds(5)).await.unwrap_err();
    let WaitError::Deadline { held, version, .. } = &early else {
        panic!("{early:?}")
    };
    assert!(held.is_some() && version.as_ref() == outside.version());
    pods.wait_for(&outside, seconds(120)).await.unwrap();
    assert!(start.elapsed() > seconds(10), "by a bookmark");

    // An event of another object passes it as well.
    let outside = written(&relabel(&sim, "one", "w"));
    let before = Instant::now();
    sim.create(labelled("a", "two", &json!({"app": "x"})))
        .unwrap();
    pods.wait_for(&outside, SOON).await.unwrap();
    assert!(before.elapsed() < seconds(1));
}

#[tokio::test(start_paused = true)]
async fn c134_a_namespace_that_is_not_watched_is_an_error_at_once() {
    let sim = cluster([node("n", &json!({}))]);
    let cache = Cache::builder(client(&sim)).namespaces(["a", "b"]).build();
    cache.start().unwrap();
    let created = written(&sim.create(pod("c", "one")).unwrap());
    let start = Instant::now();
    let error = cache.wait_for::<PodInformer>(&created, SOON).await;
    let error = error.unwrap_err();
    assert!(
        matches!(
            &error,
            CacheError::Wait(WaitError::Read(ReadError::NamespaceNotWatched { namespace, .. }))
                if namespace == "c"
        ),
        "{error:?}"
    );
    assert_eq!(start.elapsed(), Duration::ZERO);

    // A cluster-scoped kind is watched whole.
    let patch = json!({"metadata": {"labels": {"new": "label"}}});
    let patched = written(&sim.patch("nodes", "", "n", &patch).unwrap());
    cache
        .wait_for::<NodeInformer>(&patched, SOON)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn c134_every_namespace_has_a_version_of_its_own() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let pods = informer(&sim, InformerOptions::new().namespaces(["a", "b"])).await;
    sim.faults().add(Fault::never_answer().namespace("b"));
    sim.disconnect();
    settle().await;

    let in_a = sim.create(pod("a", "two")).unwrap();
    let in_b = sim.create(pod("b", "two")).unwrap();
    pods.wait_for(&written(&in_a), SOON).await.unwrap();
    assert!(pods.wait_for(&written(&in_b), seconds(5)).await.is_err());

    // For the kind as a whole each of them counts.
    let error = pods
        .wait_for_version(&version_of(&in_a), seconds(90))
        .await
        .unwrap_err();
    let WaitError::Deadline { key: None, .. } = &error else {
        panic!("{error:?}")
    };
    sim.faults().clear();
    // A watch that is not answered is given up when its `timeoutSeconds` have passed.
    pods.wait_for_version(&version_of(&in_b), seconds(700))
        .await
        .unwrap();
    assert_eq!(pods.store().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn c134_a_quiet_kind_goes_on_by_bookmarks() {
    let sim = cluster([pod("a", "one")]);
    for (mode, options) in listings() {
        let pods = informer(&sim, InformerOptions::new().reflector(options)).await;
        let version = ResourceVersion::new(&sim.advance_version(3).to_string());
        let start = Instant::now();
        pods.wait_for_version(&version, seconds(120)).await.unwrap();
        let waited = start.elapsed();
        assert!(
            waited > seconds(1) && waited <= seconds(61),
            "{mode}: {waited:?}"
        );
        assert_eq!(pods.health().relists, 0, "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c134_a_relist_that_jumps_past_the_version_ends_the_wait() {
    for (mode, options) in listings() {
        let sim = cluster([pod("a", "one")]);
        let pods = informer(&sim, InformerOptions::new().reflector(options)).await;
        let (changed, passed) = sim.change_unseen(|sim| {
            let changed = written(&relabel(sim, "one", "new"));
            sim.create(pod("a", "two")).unwrap();
            let passed = version_of(&sim.create(pod("a", "three")).unwrap());
            (changed, passed)
        });
        sim.compact();
        pods.wait_for(&changed, SOON).await.unwrap();
        assert_eq!(label(&pods, "one").as_deref(), Some("new"), "{mode}");
        pods.wait_for_version(&passed, SOON).await.unwrap();
        assert_eq!(pods.health().relists, 1, "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c134_a_stopped_informer_sees_nothing_more() {
    let sim = cluster([pod("a", "one")]);
    let pods = informer(&sim, InformerOptions::new()).await;
    let seen = written(&relabel(&sim, "one", "seen"));
    pods.wait_for(&seen, SOON).await.unwrap();
    sim.faults().add(Fault::never_answer());
    sim.disconnect();
    let unseen = written(&relabel(&sim, "one", "unseen"));
    let waiting = tokio::spawn({
        let (pods, unseen) = (pods.clone(), unseen.clone());
        async move { pods.wait_for(&unseen, SOON * 100).await }
    });
    settle().await;
    pods.stop(SOON).await.unwrap();
    let start = Instant::now();
    for ended in [
        waiting.await.unwrap(),
        pods.wait_for(&unseen, SOON).await,
        pods.wait_for_version(unseen.version().unwrap(), SOON).await,
    ] {
        assert!(matches!(ended, Err(WaitError::Stopped(_))), "{ended:?}");
    }
    pods.wait_for(&seen, SOON).await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn c134_an_object_that_is_not_stored_has_been_seen() {
    let sim = cluster([pod("a", "one")]);
    let options = InformerOptions::new().transform(|pod: &mut Pod| {
        match pod.metadata.labels.as_ref().and_then(|all| all.get("app")) {
            Some(app) if app == "refused" => Err(TransformError::new("not this one")),
            _ => Ok(()),
        }
    });
    let pods = informer(&sim, options).await;
    let start = Instant::now();
    let refused = written(&relabel(&sim, "one", "refused"));
    pods.wait_for(&refused, SOON).await.unwrap();
    assert_eq!(label(&pods, "one").as_deref(), Some("one"));
    assert_eq!(pods.health().decode_failures, 1);
    assert!(start.elapsed() < seconds(1));
}

#[tokio::test(start_paused = true)]
async fn c134_an_error_names_what_was_waited_for() {
    let sim = cluster([pod("a", "one")]);
    let pods = informer(&sim, InformerOptions::new()).await;
    let held = sim.current_version();
    let future = Written::new(key("a/one"), ResourceVersion::new("99999"));
    let error = pods.wait_for(&future, seconds(2)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("pods: version 99999 of a/one not seen within 2s; seen up to version {held}")
    );
    let version = ResourceVersion::new("99999");
    let error = pods.wait_for_version(&version, seconds(2)).await;
    assert!(
        error
            .unwrap_err()
            .to_string()
            .starts_with("pods: version 99999 not seen within 2s;")
    );
    assert!(pods.wait_for(&future, Duration::ZERO).await.is_err());
}

/// Versions that are no numbers, as an aggregated API server may give them: every digit becomes a letter on its way.
struct Lettered(kube::Client);

fn letters(version: &str) -> String {
    version
        .bytes()
        .map(|digit| char::from(digit - b'0' + b'a'))
        .collect()
}

fn digits(version: &str) -> String {
    version
        .bytes()
        .map(|letter| char::from(letter - b'a' + b'0'))
        .collect()
}

/// The text with each version between `mark` and `end` spelt otherwise.
fn respell(text: &str, mark: &str, end: char, spell: fn(&str) -> String) -> String {
    let mut parts = text.split(mark);
    let mut respelt = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let version = part.split(end).next().unwrap_or_default();
        let spelt = if version == "0" {
            "0".to_owned()
        } else {
            spell(version)
        };
        respelt.extend([mark, &spelt, &part[version.len()..]]);
    }
    respelt
}

impl Transport for Lettered {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        let (mut head, body) = request.into_parts();
        let uri = respell(&head.uri.to_string(), "resourceVersion=", '&', digits);
        head.uri = uri.parse().unwrap();
        let answer = Transport::send(&self.0, Request::from_parts(head, body));
        // The simulator sends whole lists and events.
        let spell = |chunk: Bytes| {
            let text = std::str::from_utf8(&chunk).unwrap();
            Bytes::from(respell(text, "\"resourceVersion\":\"", '"', letters))
        };
        let respelt = move |body: BodyStream| -> BodyStream { body.map_ok(spell).boxed() };
        async move { Ok(answer.await?.map(respelt)) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn c134_versions_that_are_no_numbers_are_recognised_as_they_pass() {
    for (mode, options) in listings() {
        let sim = cluster([pod("a", "one"), pod("a", "busy")]);
        let options = InformerOptions::new().reflector(options);
        let pods = PodInformer::new(Lettered(client(&sim)), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        let start = Instant::now();
        let spelt = |answer: &Value| {
            let version = letters(&version_of(answer).to_string());
            let name = answer["metadata"]["name"].as_str().unwrap();
            let key = ObjectKey::namespaced("a", name);
            (Written::new(key, ResourceVersion::new(&version)), version)
        };
        let (changed, _) = spelt(&relabel(&sim, "one", "new"));
        pods.wait_for(&changed, SOON).await.unwrap();
        assert_eq!(label(&pods, "one").as_deref(), Some("new"), "{mode}");

        // Passed before anybody waits, by many more.
        let (early, version) = spelt(&relabel(&sim, "one", "newer"));
        for number in 0..100 {
            relabel(&sim, "busy", &number.to_string());
        }
        sim.delete_now("pods", "a", "one").unwrap();
        settle().await;
        pods.wait_for(&early, SOON).await.unwrap();
        pods.wait_for_version(&ResourceVersion::new(&version), SOON)
            .await
            .unwrap();
        assert!(start.elapsed() < seconds(2), "{mode}");

        // Passed too long ago to be remembered: the deadline says so, rather than that it was seen.
        for number in 0..300 {
            relabel(&sim, "busy", &format!("again-{number}"));
        }
        settle().await;
        assert!(pods.wait_for(&early, seconds(1)).await.is_err(), "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn c134_many_tasks_wait_and_each_wakes() {
    let sim = cluster((0..20).map(|number| pod("a", &format!("p{number}"))));
    let pods = informer(&sim, InformerOptions::new()).await;
    let base = sim.current_version();
    let woken = Arc::new(AtomicU64::new(0));
    let waiting: Vec<_> = (1..=1000)
        .map(|number: u64| {
            let (pods, woken) = (pods.clone(), Arc::clone(&woken));
            let version = ResourceVersion::new(&(base + 1 + number % 100).to_string());
            let name = format!("p{}", number % 20);
            tokio::spawn(async move {
                let written = Written::new(ObjectKey::namespaced("a", name), version);
                pods.wait_for(&written, SOON).await.unwrap();
                woken.fetch_add(1, Ordering::Relaxed);
            })
        })
        .collect();
    settle().await;
    assert_eq!(woken.load(Ordering::Relaxed), 0);
    for number in 0..50 {
        relabel(&sim, &format!("p{}", number % 20), &format!("v{number}"));
    }
    settle().await;
    assert_eq!(
        woken.load(Ordering::Relaxed),
        500,
        "those whose version has come, and nobody else"
    );
    for number in 0..60 {
        relabel(&sim, &format!("p{}", number % 20), &format!("w{number}"));
    }
    for task in waiting {
        task.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c134_writes_are_read_back_under_random_faults() {
    let seed = support::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    for (mode, options) in listings() {
        let sim = cluster((0..5).map(|number| pod("a", &format!("p{number}"))));
        let pods = informer(&sim, InformerOptions::new().reflector(options)).await;
        for step in 0..200 {
            match random.u8(..8) {
                0 => sim.disconnect(),
                1 => drop(sim.compact()),
                2 => {
                    let fault = [Fault::unavailable(), Fault::gone(), Fault::close_at_once()];
                    let fault = fault[random.usize(..3)].clone();
                    sim.faults().add(fault.on(Verb::Watch).times(2));
                }
                _ => {}
            }
            let name = format!("p{}", random.usize(..5));
            let text = format!("s{step}");
            let before = sim.get("pods", "a", &name).unwrap();
            let exists = before.is_some();
            let write = random.u8(..4);
            let unseen = random.bool();
            let make = |sim: &Sim| match (exists, write) {
                (false, _) => Some(
                    sim.create(labelled("a", &name, &json!({"app": text})))
                        .unwrap(),
                ),
                (true, 0) => {
                    sim.delete_now("pods", "a", &name).unwrap();
                    None
                }
                (true, _) => Some(relabel(sim, &name, &text)),
            };
            let answer = if unseen {
                sim.change_unseen(make)
            } else {
                make(&sim)
            };
            match answer {
                Some(answer) => {
                    pods.wait_for(&written(&answer), SOON * 20).await.unwrap();
                    assert_eq!(
                        label(&pods, &name),
                        Some(text),
                        "{mode}, step {step}, LARDER_SEED={seed}"
                    );
                }
                None => {
                    let uid = before.unwrap()["metadata"]["uid"]
                        .as_str()
                        .unwrap()
                        .to_owned();
                    let gone = Written::deleted(ObjectKey::namespaced("a", &*name), Uid::new(&uid));
                    pods.wait_for(&gone, SOON * 20).await.unwrap();
                    assert_eq!(
                        label(&pods, &name),
                        None,
                        "{mode}, step {step}, LARDER_SEED={seed}"
                    );
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c134_waits_that_are_dropped_leave_nothing() {
    let sim = cluster([pod("a", "one")]);
    let pods = informer(
        &sim,
        InformerOptions::new().reflector(ReflectorOptions::default()),
    )
    .await;
    let never = Written::new(key("a/one"), ResourceVersion::new("99999"));
    for _ in 0..100 {
        let wait = pods.wait_for(&never, SOON);
        assert!(
            tokio::time::timeout(Duration::from_millis(1), wait)
                .await
                .is_err()
        );
    }
    let seen = written(&relabel(&sim, "one", "new"));
    pods.wait_for(&seen, SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn c041_c134_a_namespace_that_goes_while_one_waits_is_an_error_at_once() {
    let sim = cluster([pod("a", "one"), pod("b", "one")]);
    let pods = informer(&sim, InformerOptions::new().namespaces(["a", "b"])).await;
    let future = Written::new(key("b/one"), ResourceVersion::new("99999"));
    let waiting = tokio::spawn({
        let pods = pods.clone();
        async move { pods.wait_for(&future, SOON).await }
    });
    settle().await;
    let start = Instant::now();
    assert!(pods.remove_namespace("b").unwrap());
    let ended = waiting.await.unwrap();
    assert!(
        matches!(
            ended,
            Err(WaitError::Read(ReadError::NamespaceNotWatched { .. }))
        ),
        "{ended:?}"
    );
    assert_eq!(start.elapsed(), Duration::ZERO);

    // One that comes while the informer runs is waited for from its first listing on.
    let created = written(&sim.create(pod("c", "one")).unwrap());
    assert!(pods.wait_for(&created, SOON).await.is_err());
    assert!(pods.add_namespace("c").unwrap());
    pods.wait_for(&created, SOON).await.unwrap();
    assert!(pods.lister().get(&key("c/one")).is_ok());
}

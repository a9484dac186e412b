//! Objects that do not decode, and that nothing out of them is ever said.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use larder::core::v1::{Pod, PodInformer, SecretInformer};
use larder::{HandlerOptions, InformerOptions, ReflectorOptions, TransformError};
use larder_sim::{Fault, Sim, Verb};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span;

use crate::bench::{equal, folded, held, lists, seconds, stored, synced, told};
use crate::support::{SOON, client, cluster, listings, pod, settle, until};

fn relabel(sim: &Sim, name: &str, value: &str) {
    let patch = json!({"metadata": {"labels": {"value": value}}});
    sim.patch("pods", "a", name, &patch).unwrap();
}

/// The ways in which the object `bad` may be damaged.
fn damages() -> Vec<(&'static str, Fault)> {
    let field = |pointer: &str, value: Value| Fault::broken_field("bad", pointer, &value);
    let deep = (0..126).fold(json!(1), |inner, _| json!([inner]));
    vec![
        (
            "a field of another type",
            field("/spec/nodeName", json!({"a": 1})),
        ),
        (
            "a number out of range",
            field("/spec/priority", json!(1e300)),
        ),
        (
            "a timestamp that is none",
            field("/metadata/creationTimestamp", json!("x")),
        ),
        ("too deep", field("/metadata/annotations", deep)),
        (
            "labels of numbers",
            field("/metadata/labels", json!({"a": 1})),
        ),
        ("spec a list", field("/spec", json!([1, 2]))),
        ("no JSON", Fault::broken_json("bad")),
    ]
}

#[tokio::test(start_paused = true)]
async fn c150_in_a_list_it_blocks_neither_its_page_nor_its_kind() {
    for (damage, fault) in damages() {
        for (listing, options) in listings() {
            let text = format!("{damage}, {listing}");
            let sim = cluster(["a0", "bad", "z"].map(|name| pod("a", name)));
            let id = sim.faults().add(fault.clone());
            let pods = synced(&sim, options).await;
            let (fold, _) = folded(&pods, HandlerOptions::default());
            let mut expected = held(&sim);
            let bad = expected.remove("a/bad").unwrap();
            assert_eq!(stored(&pods), expected, "{text}");
            let health = pods.health();
            assert_eq!(health.decode_failures, 1, "{text}");
            let failure = health.last_decode_failure.unwrap();
            assert_eq!(failure.key.unwrap().to_string(), "a/bad", "{text}");
            assert!(
                health.stale_since.is_none() && health.relists == 0,
                "{text}"
            );

            relabel(&sim, "z", "later");
            settle().await;
            assert_ne!(
                stored(&pods)["a/z"],
                expected["a/z"],
                "{text}: the others go on"
            );
            sim.delete_now("pods", "a", "bad").unwrap();
            settle().await;
            equal(&sim, &pods).await;
            sim.faults().remove(id);
            assert!(!told(&fold).contains_key("a/bad") && !bad.is_empty());
            assert_eq!(fold.wrong(), Vec::<String>::new(), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c150_in_a_watch_the_last_good_state_stays_and_its_delete_applies() {
    for (damage, fault) in damages() {
        for (listing, options) in listings() {
            let text = format!("{damage}, {listing}");
            let sim = cluster(["a0", "bad", "z"].map(|name| pod("a", name)));
            let pods = synced(&sim, options).await;
            let (fold, _) = folded(&pods, HandlerOptions::default());
            let good = stored(&pods);
            let id = sim.faults().add(fault.clone());
            sim.disconnect();
            tokio::time::sleep(seconds(2)).await;
            relabel(&sim, "bad", "unreadable");
            relabel(&sim, "z", "after it");
            settle().await;
            assert_eq!(stored(&pods)["a/bad"], good["a/bad"], "{text}");
            assert_eq!(stored(&pods)["a/z"], held(&sim)["a/z"], "{text}");
            assert_eq!(pods.health().decode_failures, 1, "{text}");
            assert_eq!(pods.health().relists, 0, "{text}");

            sim.change_unseen(|sim| relabel(sim, "a0", "unseen"));
            until("a relist", || pods.health().relists == 1).await;
            assert_eq!(
                stored(&pods)["a/bad"],
                good["a/bad"],
                "{text}: also over a relist"
            );

            sim.delete_now("pods", "a", "bad").unwrap();
            settle().await;
            assert!(!stored(&pods).contains_key("a/bad"), "{text}");
            sim.create(pod("a", "bad")).unwrap();
            settle().await;
            assert!(
                !stored(&pods).contains_key("a/bad"),
                "{text}: unreadable again"
            );
            sim.faults().remove(id);
            sim.disconnect();
            tokio::time::sleep(seconds(2)).await;
            relabel(&sim, "bad", "readable");
            equal(&sim, &pods).await;
            settle().await;
            assert_eq!(told(&fold), held(&sim), "{text}");
            assert_eq!(fold.wrong(), Vec::<String>::new(), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c150_an_unreadable_successor_ends_its_predecessor_as_a_missed_delete() {
    let sim = cluster([pod("a", "bad"), pod("a", "z")]);
    let pods = synced(&sim, ReflectorOptions::default()).await;
    let (fold, _) = folded(&pods, HandlerOptions::default());
    settle().await;
    sim.faults()
        .add(Fault::broken_field("bad", "/spec", &json!(1)));
    sim.change_unseen(|sim| {
        sim.delete_now("pods", "a", "bad").unwrap();
        sim.create(pod("a", "bad")).unwrap();
    });
    until("the relist", || pods.store().len() == 1).await;
    settle().await;
    assert_eq!((fold.missed_deletes(), told(&fold).len()), (1, 1));
}

/// Names, uids and versions that no server should send.
#[tokio::test(start_paused = true)]
async fn c150_odd_metadata_neither_panics_nor_blocks() {
    let rows = [
        ("/metadata/name", json!("")),
        ("/metadata/name", json!("with/slash/es")),
        ("/metadata/name", json!(7)),
        ("/metadata/name", json!("x".repeat(100_000))),
        ("/metadata/namespace", json!("")),
        ("/metadata/namespace", json!("elsewhere")),
        ("/metadata/namespace", json!(["a"])),
        ("/metadata/uid", json!("")),
        ("/metadata/uid", json!(null)),
        (
            "/metadata/resourceVersion",
            json!("99999999999999999999999"),
        ),
        ("/metadata/resourceVersion", json!("-1")),
        ("/metadata/resourceVersion", json!(null)),
        ("/metadata/generation", json!(u64::MAX)),
        ("/metadata", json!(null)),
        ("/metadata", json!([])),
    ];
    for (pointer, value) in rows {
        for (listing, options) in listings() {
            let text = format!(
                "{pointer} {}, {listing}",
                value.to_string().chars().take(30).collect::<String>()
            );
            let sim = cluster(["a0", "bad", "z"].map(|name| pod("a", name)));
            let id = sim
                .faults()
                .add(Fault::broken_field("bad", pointer, &value));
            let pods = synced(&sim, options).await;
            let (fold, _) = folded(&pods, HandlerOptions::default());
            assert_eq!(stored(&pods)["a/z"], held(&sim)["a/z"], "{text}");
            for number in 0..3 {
                relabel(&sim, "bad", &number.to_string());
                relabel(&sim, "z", &number.to_string());
                tokio::time::sleep(seconds(5)).await;
            }
            assert_eq!(stored(&pods)["a/z"], held(&sim)["a/z"], "{text}");
            let asked = sim.requests().len();
            assert!(asked < 40, "{text}: {asked} requests");
            sim.faults().remove(id);
            sim.change_unseen(|sim| relabel(sim, "bad", "readable"));
            equal(&sim, &pods).await;
            settle().await;
            assert_eq!(told(&fold), held(&sim), "{text}");
            assert_eq!(fold.wrong(), Vec::<String>::new(), "{text}");
        }
    }
}

/// Everything that is logged, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut error = Some(value);
        while let Some(cause) = error {
            let _ = write!(self.0, " {field}={cause} {cause:?}");
            error = cause.source();
        }
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut Text(&mut self.0.lock().unwrap()));
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut Text(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = self.0.lock().unwrap();
        event.record(&mut Text(&mut text));
        text.push('\n');
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test(start_paused = true)]
async fn c150_a_kind_of_which_nothing_is_stored_does_not_flood_the_log() {
    for (listing, options) in listings() {
        let log = Log::default();
        let _capturing = tracing::subscriber::set_default(log.clone());
        let sim = cluster((0..500).map(|number| pod("a", &format!("p{number}"))));
        let options = InformerOptions::new()
            .reflector(options)
            .transform(|_: &mut Pod| Err(TransformError::new("none of them")));
        let pods = PodInformer::new(client(&sim), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(pods.health().decode_failures, 500, "{listing}");
        let lines = |word: &str| {
            let log = log.0.lock().unwrap();
            log.lines().filter(|line| line.contains(word)).count()
        };
        let one_by_one = "an object was not stored";
        assert_eq!(lines(one_by_one), 10, "{listing}");
        assert_eq!(lines(" objects=490"), 1, "{listing}");

        // A relist within the minute is one line, and the next minute begins anew.
        sim.change_unseen(|sim| sim.advance_version(1));
        until("a relist", || pods.health().relists == 1).await;
        assert_eq!(lines(one_by_one), 10, "{listing}");
        assert_eq!(lines(" objects=500"), 1, "{listing}");
        tokio::time::sleep(seconds(60)).await;
        sim.create(pod("a", "new")).unwrap();
        settle().await;
        assert_eq!(lines(one_by_one), 11, "{listing}");
        assert_eq!(pods.health().decode_failures, 1001, "{listing}");
    }
}

/// A word that stands in each damaged place, and its base64.
const WORD: &str = "hunter2";
const CODED: &str = "aHVudGVyMg";

fn secret(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"namespace": "a", "name": name, "annotations": {"note": WORD}},
        "data": {"password": format!("{CODED}==")},
    })
}

#[tokio::test(start_paused = true)]
async fn c150_no_log_error_or_health_says_a_word_out_of_a_secret() {
    let log = Log::default();
    let _capturing = tracing::subscriber::set_default(log.clone());
    let damages = [
        ("/data", json!(WORD)),
        ("/data/password", json!(format!("{WORD}!!"))),
        ("/data/password", json!([WORD])),
        ("/data", json!({WORD: 7})),
        ("/immutable", json!(WORD)),
        ("/metadata/creationTimestamp", json!(WORD)),
        ("/metadata/generation", json!(WORD)),
        ("/metadata/labels", json!({WORD: {WORD: WORD}})),
        ("/metadata/ownerReferences", json!(WORD)),
        ("/metadata/resourceVersion", json!({WORD: WORD})),
        ("/type", json!({WORD: WORD})),
        ("/stringData", json!([WORD])),
    ];
    let mut said = String::new();
    for (listing, options) in listings() {
        let sim = cluster((0..damages.len() + 1).map(|number| secret(&format!("s{number}"))));
        for (number, (pointer, value)) in damages.iter().enumerate() {
            sim.faults()
                .add(Fault::broken_field(format!("s{number}"), *pointer, value));
        }
        // One plan damages one object: each of them in turn.
        for number in 0..=damages.len() {
            let options = InformerOptions::new().reflector(options.clone());
            let secrets = SecretInformer::new(client(&sim), options).unwrap();
            secrets.wait_for_sync(SOON).await.unwrap();
            let mut events = secrets.events(HandlerOptions::default()).unwrap();
            let patch = json!({"metadata": {"labels": {"n": number.to_string()}}});
            for other in 0..=damages.len() {
                sim.patch("secrets", "a", &format!("s{other}"), &patch)
                    .unwrap();
            }
            tokio::time::sleep(seconds(3)).await;
            sim.disconnect();
            sim.faults()
                .add(Fault::end_within(1).on(Verb::Watch).times(1));
            tokio::time::sleep(seconds(3)).await;
            let failed =
                secrets.health().decode_failures + secrets.health().sources[0].broken_events;
            assert!(failed > 0 || number == damages.len(), "{listing} {number}");
            while let Ok(Some(event)) = tokio::time::timeout(seconds(1), events.next()).await {
                let _ = write!(said, "{event:?}");
            }
            let _ = write!(said, "{:?} {secrets:?}", secrets.health());
            let broken = sim.faults();
            broken.clear();
            for (number, (pointer, value)) in damages.iter().enumerate().skip(number + 1) {
                broken.add(Fault::broken_field(format!("s{number}"), *pointer, value));
            }
        }
    }
    let logged = log.0.lock().unwrap().clone();
    assert!(logged.contains("was not stored"), "{logged}");
    for text in [&logged, &said] {
        for word in [WORD, CODED] {
            let line = text.lines().find(|line| line.contains(word));
            assert_eq!(line, None);
        }
    }
}

/// Bodies that are no lists, no events, no UTF-8, or without end.
#[tokio::test(start_paused = true)]
async fn bodies_of_any_bytes_fail_at_a_bounded_rate_and_say_nothing_of_themselves() {
    use bytes_of_a_peer::Peer;
    let bodies: Vec<Vec<u8>> = vec![
        b"hunter2".to_vec(),
        b"\xff\xfe\x00hunter2".to_vec(),
        b"{\"kind\":\"PodList\",\"metadata\":{},\"items\":[]}".to_vec(),
        b"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":7},\"items\":[{}]}".to_vec(),
        b"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[null, 1, \"hunter2\", [], {}]}".to_vec(),
        b"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"same\"},\"items\":[]}".to_vec(),
        [b"{\"items\":[".to_vec(), b"[".repeat(100_000)].concat(),
        [b"{\"items\":[".to_vec(), b"{\"a\":".repeat(100_000), b"}".repeat(100_000), b"]}".to_vec()].concat(),
        b"{\"type\":\"ADDED\",\"object\":{}}\n".repeat(1000),
        b"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"\"}}}\n".repeat(10),
        b"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":-99999999999999,\"details\":{\"retryAfterSeconds\":99999999999999999999}}}\n".to_vec(),
        b"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":429,\"details\":{\"retryAfterSeconds\":2147483647}}}\n".to_vec(),
        b"{\"type\":7,\"object\":null}\n{\"type\":\"hunter2\"}\n".to_vec(),
        b" ".repeat(1 << 20),
        b"\n".repeat(1 << 20),
        b"{\"items\":[{\"metadata\":{\"name\":\"a\"}}".to_vec(),
        b"{\"items\":{\"hunter2\":1}}".to_vec(),
    ];
    for body in bodies {
        for options in [lists(), ReflectorOptions::default()] {
            let peer = Peer::new(&body);
            let text: String = String::from_utf8_lossy(&body).chars().take(80).collect();
            let options = InformerOptions::new().reflector(options);
            let pods = PodInformer::new(peer.clone(), options).unwrap();
            tokio::time::sleep(seconds(600)).await;
            let requests = peer.requests();
            assert!((1..200).contains(&requests), "{requests} requests: {text}");
            let health = pods.health();
            assert_ne!(health.sources[0].phase, larder::Phase::Stopped, "{text}");
            assert!(!format!("{health:?}").contains("hunter2"), "{text}");
            pods.stop(SOON).await.unwrap();
        }
    }
}

mod bytes_of_a_peer {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::BoxFuture;
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use larder::{BodyStream, Transport, TransportError};

    /// Answers every request with 200 and the same bytes.
    #[derive(Clone)]
    pub(super) struct Peer {
        body: Arc<[u8]>,
        requests: Arc<AtomicUsize>,
    }

    impl Peer {
        pub(super) fn new(body: &[u8]) -> Self {
            Self {
                body: body.into(),
                requests: Arc::default(),
            }
        }

        pub(super) fn requests(&self) -> usize {
            self.requests.load(Ordering::Relaxed)
        }
    }

    impl Transport for Peer {
        fn send(
            &self,
            _: http::Request<bytes::Bytes>,
        ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            let body = bytes::Bytes::copy_from_slice(&self.body);
            async { Ok(http::Response::new(stream::iter([Ok(body)]).boxed())) }.boxed()
        }
    }
}

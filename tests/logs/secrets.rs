//! A run full of Secrets in which everything fails that can: no log, error, `Debug` or `Display` says a word out of one.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder::core::v1::{Secret, SecretInformer};
use larder::{
    Cache, Event, Funcs, HandlerOptions, InformerOptions, RawBuffer, ReflectorOptions,
    TransformError, TypedInformer as _, computed,
};
use larder_sim::{Fault, Sim, Status, Verb};
use serde_json::{Value, json};

use crate::capture::Log;
use crate::support::{SOON, client, cluster, listings};

/// A word that stands in each value, and its base64.
const WORD: &str = "hunter2";
const CODED: &str = "aHVudGVyMg";

fn secret(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "namespace": "a", "name": name,
            "labels": {"word": WORD}, "annotations": {"note": WORD},
        },
        "data": {"password": format!("{CODED}==")},
    })
}

/// Whatever shows what is in it.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<String>>);

impl Said {
    fn debug(&self, value: &dyn std::fmt::Debug) {
        let _ = writeln!(self.0.lock().unwrap(), "{value:?} {value:#?}");
    }

    fn error(&self, error: &(dyn std::error::Error + 'static)) {
        let mut next = Some(error);
        while let Some(error) = next {
            let _ = writeln!(self.0.lock().unwrap(), "{error} {error:?}");
            next = error.source();
        }
    }
}

fn assert_silent(what: &str, text: &str) {
    for word in [WORD, CODED] {
        let line = text.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "{what}");
    }
}

/// Statuses that quote a value, as a conversion webhook's author may have them do.
fn quoting(code: u16) -> Status {
    Status::new(
        code,
        "InternalError",
        format!("conversion of {WORD} failed"),
    )
}

fn faults(sim: &Sim) {
    let faults = sim.faults();
    for (name, pointer, value) in [
        ("s1", "/data", json!(WORD)),
        ("s2", "/data/password", json!(format!("{WORD}!!"))),
        ("s3", "/metadata/creationTimestamp", json!(WORD)),
        ("s4", "/metadata/labels", json!({WORD: {WORD: WORD}})),
        ("s5", "/immutable", json!({WORD: WORD})),
    ] {
        faults.add(Fault::broken_field(name, pointer, &value));
    }
}

#[tokio::test(start_paused = true)]
async fn c150_nothing_says_a_word_out_of_a_secret() {
    let (log, _guard) = Log::capture();
    let said = Said::default();
    for (_, reflector) in listings() {
        let sim = cluster((0..9).map(|number| secret(&format!("s{number}"))));
        faults(&sim);
        let cache = Cache::builder(client(&sim)).reflector(reflector.max_object_bytes(20_000));
        said.debug(&cache);
        let cache = cache.build();
        cache.start().unwrap();
        let options = InformerOptions::new().transform(|secret: &mut Secret| {
            match secret.metadata.name.as_deref() {
                Some("s6") => Err(TransformError::new("as the test wants")),
                Some("s7") => panic!("{WORD}, as the test wants"),
                _ => Ok(()),
            }
        });
        said.debug(&options);
        let secrets = cache.informer_with::<SecretInformer>(options).unwrap();
        secrets.wait_for_sync(SOON).await.unwrap();
        everything(&said, &sim, &cache, &secrets).await;
        failures(&said, &sim, &secrets).await;
        if let Err(error) = cache.shutdown(SOON).await {
            said.error(&error);
        }
    }
    let logged = log.text();
    assert!(logged.contains("was not stored") && logged.contains("a handler panicked"));
    assert!(logged.contains("a/s1") && logged.contains("the server answered 500"));
    assert_silent("the log", &logged);
    let said = said.0.lock().unwrap();
    assert!(said.contains("Tombstone") && said.contains("(400)") || said.contains("400"));
    assert_silent("Debug and Display", &said);
}

/// Shows every public type that stands near an object.
async fn everything(said: &Said, sim: &Sim, cache: &Cache, secrets: &SecretInformer) {
    let handler = {
        let said = said.clone();
        Funcs::new().on_add(move |seen, _| {
            said.debug(&seen);
            panic!("{WORD}, as the test wants")
        })
    };
    said.debug(&handler);
    let options = HandlerOptions::default().name("panics");
    let registration = secrets.inner().add_handler_with(handler, options).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    let mut events = secrets.events(HandlerOptions::default()).unwrap();
    let labels = json!({"metadata": {"labels": {"word": format!("{WORD}-2")}}});
    sim.patch("secrets", "a", "s0", &labels).unwrap();
    sim.patch("secrets", "a", "s1", &labels).unwrap();
    sim.delete_now("secrets", "a", "s8").unwrap();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_secs(1), events.next()).await {
        said.debug(&event);
        if let Event::Update { old, new } = &event {
            said.debug(&(old, new));
        }
        said.debug(&event.clone());
    }
    let index = secrets
        .add_index(computed(|secret: &Secret| secret.type_.clone()))
        .unwrap();
    let (store, lister) = (secrets.store(), secrets.lister());
    said.debug(&(cache, secrets, secrets.inner(), &store, &lister, &events));
    said.debug(&(
        store.snapshot(),
        lister.list().unwrap(),
        lister.namespace("a"),
    ));
    said.debug(&(secrets.indexer(), index.get("Opaque").unwrap(), &index));
    said.debug(&(registration.clone(), registration.stats()));
    let raw = RawBuffer::new(secret("raw").to_string()).unwrap();
    said.debug(&raw);
    said.debug(&raw.raw());
    said.error(&raw.raw().decode::<Vec<u8>>().unwrap_err());
    said.error(&lister.get(&"a/absent".parse().unwrap()).unwrap_err());
}

/// Fails requests in every way that carries words of the server.
async fn failures(said: &Said, sim: &Sim, secrets: &SecretInformer) {
    for code in [500, 502, 503, 504] {
        for fault in [
            Fault::status(quoting(code)),
            Fault::error_event(0, quoting(code)).on(Verb::Watch),
        ] {
            let fault = sim.faults().add(fault);
            sim.disconnect();
            tokio::time::sleep(SOON).await;
            if let Some(last) = secrets.health().last_error {
                said.error(&*last.error);
            }
            said.debug(&secrets.health());
            sim.faults().remove(fault);
            tokio::time::sleep(SOON * 4).await;
        }
    }
    let mut large = secret("large");
    large["data"]["password"] = json!(CODED.repeat(3000));
    sim.create(large).unwrap();
    tokio::time::sleep(SOON).await;
    let health = secrets.health();
    let error = health.last_error.as_ref().unwrap();
    assert!(
        error.error.to_string().contains("\"a/large\""),
        "{}",
        error.error
    );
    said.error(&*error.error);
    said.debug(&health);
    sim.delete_now("secrets", "a", "large").unwrap();
    tokio::time::sleep(SOON * 2).await;
    let fault = sim.faults().add(Fault::status(Status::new(
        400,
        "BadRequest",
        "field label not supported: x",
    )));
    sim.disconnect();
    tokio::time::sleep(SOON).await;
    let error = secrets.health().last_error.unwrap().error;
    assert!(
        error.to_string().contains("field label not supported"),
        "{error}"
    );
    said.error(&*error);
    sim.faults().remove(fault);
    tokio::time::sleep(SOON * 4).await;
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_words_can_be_asked_for() {
    let sim = cluster([]);
    sim.faults().add(Fault::status(quoting(500)));
    for (show, options) in [
        (false, ReflectorOptions::default()),
        (true, ReflectorOptions::default().show_server_messages(true)),
    ] {
        let options = InformerOptions::new().reflector(options);
        let secrets = SecretInformer::new(client(&sim), options).unwrap();
        tokio::time::sleep(SOON).await;
        let text = secrets.health().last_error.unwrap().error.to_string();
        assert!(text.contains("500 InternalError"), "{text}");
        assert_eq!(text.contains(WORD), show, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn objects_with_too_many_labels_are_named_with_the_limit_and_harm_no_other() {
    let mut many = secret("many");
    for number in 0..11 {
        many["metadata"]["annotations"][format!("n{number}")] = json!("x");
    }
    let sim = cluster([secret("few"), many]);
    let options = ReflectorOptions::default().max_labels(10);
    let secrets =
        SecretInformer::new(client(&sim), InformerOptions::new().reflector(options)).unwrap();
    secrets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(secrets.store().len(), 1);
    let failure = secrets.health().last_decode_failure.unwrap();
    assert_eq!(failure.key.unwrap().to_string(), "a/many");
    assert_eq!(
        failure.error,
        "the object has 12 labels or annotations, more than the limit of 10 (`ReflectorOptions::max_labels` raises it)"
    );
}

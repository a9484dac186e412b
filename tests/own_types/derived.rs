//! A type of kube's derive, from the first listing to a relist.

use std::sync::{Arc, Mutex};

use kube::CustomResource;
use larder::{
    Cache, Cached, Funcs, InformerOptions, Keys, ReflectorOptions, Seen, Tombstone, TransformError,
    field, labels,
};
use larder_sim::{Fault, Kind, Sim, Verb};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::object;
use super::support::{SOON, client, listings, settle, until};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gadget",
    namespaced,
    status = "GadgetStatus"
)]
#[serde(rename_all = "camelCase")]
struct GadgetSpec {
    size: i64,
    owner_team: Option<String>,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize, Serialize, Clone, Debug, JsonSchema)]
struct Part {
    name: String,
}

#[derive(Deserialize, Serialize, Clone, Debug, JsonSchema)]
struct GadgetStatus {
    phase: Option<String>,
}

fn sim() -> Sim {
    let sim = Sim::new();
    sim.add_kind(Kind::new("example.com", "v1", "Gadget", "gadgets").custom());
    sim
}

fn gadget(name: &str, size: i64, team: &str) -> Value {
    let parts = json!([{"name": "wheel"}, {"name": name}]);
    object(
        "Gadget",
        name,
        &json!({"size": size, "ownerTeam": team, "parts": parts}),
    )
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn say(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl GadgetEventHandler for Heard {
    fn on_add(&self, gadget: &Seen<gadget::Full>, initial: bool) {
        let size = gadget.object().spec.size;
        self.say(format!("{} of size {size}, {initial}", gadget.key()));
    }

    fn on_update(&self, old: &Seen<gadget::Full>, new: &Seen<gadget::Full>) {
        let phase = |gadget: &Seen<gadget::Full>| gadget.object().status.as_ref()?.phase.clone();
        self.say(format!(
            "{} from {:?} to {:?}",
            new.key(),
            phase(old),
            phase(new)
        ));
    }

    fn on_delete(&self, gadget: &Tombstone<gadget::Full>) {
        let last = gadget.last_known();
        self.say(format!("{} of size {} went", gadget.key(), last.spec.size));
    }
}

async fn cached(sim: &Sim, options: ReflectorOptions) -> (Cache, GadgetInformer) {
    let cache = Cache::builder(client(sim)).reflector(options).build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    (cache, gadgets)
}

#[tokio::test(start_paused = true)]
async fn c024_c131_it_is_listed_watched_indexed_and_told() {
    for (listing, options) in listings() {
        let sim = sim();
        sim.load([gadget("a", 1, "blue"), gadget("b", 2, "red")])
            .unwrap();
        let (cache, gadgets) = cached(&sim, options).await;
        let by_team = gadgets.add_index(field!(Gadget, spec.ownerTeam)).unwrap();
        let by_part = gadgets
            .add_index(field!(Gadget, spec.parts[].name))
            .unwrap();
        let heard = Arc::new(Heard::default());
        gadgets.add_handler(Arc::clone(&heard)).unwrap();
        gadgets.add_handler(Funcs::<gadget::Full>::new()).unwrap();
        gadgets.add_handler(Keys::new(|_key| {})).unwrap();
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        settle().await;
        let mut initial = heard.taken();
        initial.sort();
        let expected = ["web/a of size 1, true", "web/b of size 2, true"];
        assert_eq!(initial, expected, "{listing}");

        sim.create(gadget("c", 3, "blue")).unwrap();
        let phase = json!({"status": {"phase": "Ready"}});
        sim.patch("gadgets.example.com", "web", "a", &phase)
            .unwrap();
        sim.delete_now("gadgets.example.com", "web", "b").unwrap();
        settle().await;
        let expected = [
            "web/c of size 3, false",
            "web/a from None to Some(\"Ready\")",
            "web/b of size 2 went",
        ];
        assert_eq!(heard.taken(), expected, "{listing}");
        assert_eq!(by_team.get("blue").unwrap().count(), 2, "{listing}");
        assert_eq!(by_part.get("wheel").unwrap().count(), 2, "{listing}");

        let lister = gadgets.lister();
        let large = field!(Gadget, spec.size).eq(3);
        assert_eq!(lister.select(large).unwrap().count(), 1, "{listing}");
        assert_eq!(lister.matching(&labels!("app=a")).unwrap().count(), 1);
        let in_web = lister.namespace("web");
        assert_eq!(in_web.get("c").unwrap().spec.parts.len(), 2);
        assert_eq!(gadgets.indexer().by_namespace("web").unwrap().count(), 2);
        assert_eq!(gadgets.indexer().by_metadata_name("a").unwrap().count(), 1);

        // What nobody saw happen is found by a relist.
        sim.change_unseen(|sim| {
            sim.delete_now("gadgets.example.com", "web", "a").unwrap();
            sim.create(gadget("d", 4, "red")).unwrap();
        });
        sim.compact();
        let gone = Fault::gone().on(Verb::Watch).except_streaming_lists();
        let gone = sim.faults().add(gone);
        sim.disconnect();
        until("a relist", || gadgets.health().relists > 0).await;
        assert!(sim.faults().remove(gone));
        until("the new one", || in_web.get("d").is_ok()).await;
        let mut told = heard.taken();
        told.sort();
        let expected = ["web/a of size 1 went", "web/d of size 4, false"];
        assert_eq!(told, expected, "{listing}");
        assert_eq!(by_team.get("red").unwrap().count(), 1, "{listing}");
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn its_metadata_alone_is_what_is_asked_for() {
    let sim = sim();
    sim.load([gadget("a", 1, "blue")]).unwrap();
    let metadata = GadgetMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    metadata.wait_for_sync(SOON).await.unwrap();
    let one = metadata.lister().namespace("web").get("a").unwrap();
    assert_eq!(one.metadata.name.as_deref(), Some("a"));
    assert_eq!(one.kind(), &GadgetInformer::KIND);
}

/// What a cache is told of one kind, and of all.
#[tokio::test(start_paused = true)]
async fn c050_it_takes_the_options_of_a_cache_and_transforms() {
    let sim = sim();
    sim.load([gadget("a", 1, "blue"), gadget("b", 2, "red")])
        .unwrap();
    let options =
        InformerOptions::new()
            .label_selector("app=a")
            .transform(|gadget: &mut Gadget| {
                gadget.spec.parts.clear();
                gadget.metadata.labels = None;
                Ok(())
            });
    let builder = Cache::builder(client(&sim));
    let cache = builder.kind::<GadgetInformer>(options).build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    let all: Vec<_> = gadgets.lister().list().unwrap().collect();
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0].spec.parts.len(), &all[0].metadata.labels),
        (0, &None)
    );

    // One for every kind reaches the metadata of this one, too.
    let builder = Cache::builder(client(&sim)).transform(|metadata| {
        metadata.labels = None;
        Ok(())
    });
    let cache = builder.build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert!(
        gadgets
            .lister()
            .list()
            .unwrap()
            .all(|gadget| gadget.metadata.labels.is_none())
    );
}

/// An object that the type refuses is counted, and hides no other; so is one that a transform refuses.
#[tokio::test(start_paused = true)]
async fn c054_an_object_that_does_not_decode_hides_no_other() {
    let sim = sim();
    sim.load([
        gadget("a", 1, "blue"),
        object("Gadget", "broken", &json!({"size": "secret"})),
    ])
    .unwrap();
    let options = InformerOptions::new().transform(|gadget: &mut Gadget| match gadget.spec.size {
        9 => Err(TransformError::new("not this one")),
        _ => Ok(()),
    });
    let gadgets = GadgetInformer::new(client(&sim), options).unwrap();
    gadgets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(gadgets.store().len(), 1);
    let failure = gadgets.health().last_decode_failure.unwrap();
    assert_eq!(failure.key.unwrap().to_string(), "web/broken");
    assert!(
        failure.error.contains("spec.size") && !failure.error.contains("secret"),
        "{}",
        failure.error
    );
    sim.create(gadget("c", 9, "blue")).unwrap();
    until("the refusal", || gadgets.health().decode_failures == 2).await;
    assert_eq!(gadgets.store().len(), 1);
}

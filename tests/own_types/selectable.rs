//! Fields that a definition declares selectable: what they are, the compiler knows.

use kube::CustomResource;
use larder::{Cached, InformerOptions, field};
use larder_sim::{Kind, Sim};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::object;
use super::support::{SOON, client};

#[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Shirt",
    namespaced,
    status = "ShirtStatus",
    selectable = ".spec.color",
    selectable = "spec.pocketCount",
    selectable = ".spec.striped",
    selectable = ".spec.fit",
    selectable = ".spec.maker.code",
    selectable = ".spec.kind",
    selectable = ".status.phase"
)]
#[larder(selectable = ".spec.maker.code as id")]
#[serde(rename_all = "camelCase")]
struct ShirtSpec {
    color: Option<String>,
    pocket_count: Option<i64>,
    #[serde(default)]
    striped: bool,
    fit: Option<Fit>,
    maker: Option<Maker>,
    #[serde(rename = "kind")]
    sort: Option<String>,
}

/// It is no key of an index.
#[derive(Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Fit {
    Regular,
    ExtraSlim,
}

#[derive(Deserialize, Serialize, Clone, Debug, JsonSchema)]
struct Maker {
    #[serde(rename = "code")]
    id: u32,
}

#[derive(Deserialize, Serialize, Clone, Debug, JsonSchema)]
struct ShirtStatus {
    phase: String,
}

fn sim() -> Sim {
    let sim = Sim::new();
    let mut kind = Kind::new("example.com", "v1", "Shirt", "shirts").custom();
    for field in shirt::selectable::ALL {
        if field.path().starts_with("s") {
            kind = kind.selectable(field.path());
        }
    }
    sim.add_kind(kind);
    let shirt = |name: &str, spec: &Value| object("Shirt", name, spec);
    let blue = json!({"color": "blue", "pocketCount": 2, "striped": true, "fit": "extra-slim", "maker": {"code": 7}, "kind": "polo"});
    sim.load([shirt("blue", &blue), shirt("plain", &json!({}))])
        .unwrap();
    let phase = json!({"status": {"phase": "Sold"}});
    sim.patch("shirts.example.com", "web", "blue", &phase)
        .unwrap();
    sim
}

#[tokio::test(start_paused = true)]
async fn each_is_a_constant_an_index_and_a_word_of_texts() {
    use shirt::selectable::{
        ALL, METADATA_NAME, SPEC_COLOR, SPEC_FIT, SPEC_KIND, SPEC_MAKER_CODE, SPEC_POCKET_COUNT,
        SPEC_STRIPED, STATUS_PHASE,
    };
    assert_eq!(ALL.len(), 9);
    let sim = sim();
    let shirts = ShirtInformer::new(client(&sim), InformerOptions::new()).unwrap();
    shirts.wait_for_sync(SOON).await.unwrap();
    let lister = shirts.lister();
    let names = |list: larder::List<shirt::Full>| {
        let mut names: Vec<String> = list.keys().map(|key| key.name().to_owned()).collect();
        names.sort();
        names
    };
    for (selector, text) in [
        (SPEC_COLOR.eq("blue"), "spec.color=blue"),
        (SPEC_POCKET_COUNT.eq(2), "spec.pocketCount=2"),
        (SPEC_STRIPED.eq(true), "spec.striped=true"),
        (SPEC_FIT.eq("extra-slim"), "spec.fit=extra-slim"),
        (SPEC_MAKER_CODE.eq(7), "spec.maker.code=7"),
        (SPEC_KIND.eq("polo"), "spec.kind=polo"),
        (STATUS_PHASE.eq("Sold"), "status.phase=Sold"),
        (SPEC_COLOR.ne(""), "spec.color!="),
        (SPEC_FIT.ne(""), "spec.fit!="),
        (METADATA_NAME.eq("blue"), "metadata.name=blue"),
    ] {
        assert_eq!(selector.to_string(), text);
        // The server, the local evaluation of the constant, and the same as a text.
        let options = InformerOptions::new().fields(selector.clone());
        let selected = ShirtInformer::new(client(&sim), options).unwrap();
        selected.wait_for_sync(SOON).await.unwrap();
        let local = names(lister.select(selector).unwrap());
        assert_eq!(local, ["blue"], "{text}");
        assert_eq!(names(selected.lister().list().unwrap()), local, "{text}");
        let read = lister.fields(text).unwrap();
        assert_eq!(names(lister.select(read).unwrap()), local, "{text}");
    }
    let indexer = shirts.indexer();
    assert_eq!(names(indexer.by_spec_color("blue").unwrap()), ["blue"]);
    assert_eq!(names(indexer.by_spec_pocket_count(2).unwrap()), ["blue"]);
    assert_eq!(names(indexer.by_spec_pocket_count("02").unwrap()), [""; 0]);
    assert_eq!(names(indexer.by_spec_striped(false).unwrap()), ["plain"]);
    assert_eq!(names(indexer.by_spec_fit("extra-slim").unwrap()), ["blue"]);
    assert_eq!(names(indexer.by_spec_fit("").unwrap()), [""; 0]);
    assert_eq!(names(indexer.by_spec_maker_code(7).unwrap()), ["blue"]);
    assert_eq!(names(indexer.by_spec_kind("polo").unwrap()), ["blue"]);
    assert_eq!(names(indexer.by_status_phase("Sold").unwrap()), ["blue"]);
}

/// Those of texts, booleans and integers are gone through the indexes of the same paths.
#[tokio::test(start_paused = true)]
async fn queries_find_the_indexes_of_such_fields() {
    let sim = sim();
    let shirts = ShirtInformer::new(client(&sim), InformerOptions::new()).unwrap();
    let by_color = shirts.add_index(field!(Shirt, spec.color)).unwrap();
    shirts.wait_for_sync(SOON).await.unwrap();
    assert_eq!(by_color.get("blue").unwrap().count(), 1);
    let lister = shirts.lister();
    let blue = shirt::selectable::SPEC_COLOR.eq("blue");
    assert_eq!(lister.explain(blue).unwrap().candidates(), 1);
    let striped = shirt::selectable::SPEC_STRIPED.eq(true);
    assert_eq!(lister.explain(striped.clone()).unwrap().candidates(), 2);
    assert_eq!(shirts.indexer().by_spec_striped(true).unwrap().count(), 1);
    assert_eq!(lister.explain(striped).unwrap().candidates(), 1);
}

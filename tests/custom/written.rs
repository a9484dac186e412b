//! One object of each kind and version of the fixtures, and what is written of it: `LARDER_BLESS=1` writes that anew. Then objects of
//! later definitions.

use std::fmt::Debug;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::golden::odd_example_com::v1::Quirk;
use super::golden::shop_example_com::{v1, v1beta1, v2};
use super::names::std::v1 as named;

/// What every emitted type can do.
trait Emitted: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned {}

impl<T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned> Emitted for T {}

type Written = fn(&Value) -> Value;

/// What is written of what was read, which reads as the same again.
fn written<T: Emitted>(given: &Value) -> Value {
    let text = given.to_string();
    let decoded: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_value(&decoded).unwrap();
    // A decoder gives names as borrowed or as owned text.
    let from_value: T = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(from_value, decoded);
    let from_text: T = serde_json::from_str(&written.to_string()).unwrap();
    assert_eq!(from_text, decoded);
    assert_eq!(decoded.clone(), decoded);
    written
}

fn file(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/custom/objects");
    folder.join(format!("{name}.json"))
}

fn object(name: &str) -> Value {
    let text = std::fs::read_to_string(file(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_kind_and_version_is_written_as_reviewed() {
    let kinds: [(&str, Written); 10] = [
        ("gadget_v1", written::<v1::Gadget>),
        ("gadget_v1beta1", written::<v1beta1::Gadget>),
        ("lamp_v1beta1", written::<v1beta1::Lamp>),
        ("lamp_v1", written::<v1::Lamp>),
        ("lamp_v2", written::<v2::Lamp>),
        ("lock_v1", written::<v1::Lock>),
        ("lock_v2", written::<v2::Lock>),
        ("option_v1", written::<named::Option>),
        ("quirk_v1", written::<Quirk>),
        ("r_v1", written::<named::RKind>),
    ];
    for (name, written) in kinds {
        let reviewed = format!("{name}.written");
        let written = written(&object(name));
        if std::env::var_os("LARDER_BLESS").is_some() {
            let text = serde_json::to_string_pretty(&written).unwrap() + "\n";
            std::fs::write(file(&reviewed), text).unwrap();
        }
        assert_eq!(
            written,
            object(&reviewed),
            "{name} differs: review it, then LARDER_BLESS=1"
        );
    }
}

/// What a program meets that was built with an older definition: `object` as it is served in that version now.
fn as_of(version: &str, mut object: Value) -> Value {
    object["apiVersion"] = json!(version);
    object
}

#[test]
fn objects_of_later_versions_decode() {
    let old: v1beta1::Lamp =
        serde_json::from_value(as_of("shop.example.com/v1beta1", object("lamp_v1"))).unwrap();
    assert_eq!(old.spec.watts, 7);
    // A value that is new.
    let mode = old.spec.mode.unwrap();
    assert_eq!(mode, v1beta1::lamp::spec::Mode::Other("dim".into()));
    // A null that may be one now, where a default was.
    assert_eq!(old.spec.room, "hall");
    // A field that has to be there no more, and a value that is new in one that is there.
    let sockets: Vec<&str> = old
        .spec
        .bulbs
        .as_ref()
        .unwrap()
        .iter()
        .map(|bulb| bulb.socket.as_str())
        .collect();
    assert_eq!(sockets, ["", "GU10", ""]);
    assert_eq!(old.status.unwrap().lit, Some(true));

    // Of the version after that nothing is left but metadata and defaults.
    let of_next: v1::Lamp =
        serde_json::from_value(as_of("shop.example.com/v1", object("lamp_v2"))).unwrap();
    assert_eq!(of_next.metadata.name.as_deref(), Some("l"));
    assert_eq!(
        (of_next.spec.watts, of_next.spec.room.as_deref()),
        (0, Some("hall"))
    );
    let phase = of_next.status.unwrap().phase.unwrap();
    assert_eq!(phase, v1::lamp::status::Phase::On);
}

/// Any field of an object may be null one day: it reads as if it were not there.
#[test]
fn null_is_no_error_where_there_was_none() {
    let nulls = json!({
        "metadata": {"name": "g"},
        "spec": {
            "color": null, "size": null, "serialNumber": null, "replicas": null, "selector": null,
            "parts": [{"name": null, "weight": null}],
        },
        "status": {"conditions": null, "replicas": null, "selector": null, "delivered": null},
    });
    let gadget: v1::Gadget = serde_json::from_value(nulls).unwrap();
    let parts = Some(vec![v1::gadget::spec::Parts::default()]);
    let expected = v1::gadget::Spec {
        parts,
        ..Default::default()
    };
    assert_eq!(
        (gadget.spec, gadget.status),
        (expected, Some(Default::default()))
    );
    for name in ["spec", "status"] {
        let gadget: v1::Gadget = serde_json::from_value(json!({name: null})).unwrap();
        assert_eq!(gadget, v1::Gadget::default());
    }
}

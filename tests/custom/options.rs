//! Types made with options of single paths: see `codegen/tests/options`.

use std::collections::BTreeMap;

use larder::field;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::golden::post_example_com::v1::{Parcel, parcel};

#[allow(missing_docs, reason = "as in a user's crate")]
mod golden {
    include!("../../codegen/tests/golden/options.rs");
}

/// A type of the user's, for an object of which the definition says nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Template {
    image: String,
}

/// A type of the user's, for the items of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, u32>", into = "BTreeMap<String, u32>")]
pub(crate) struct Weight(u32);

impl From<BTreeMap<String, u32>> for Weight {
    fn from(members: BTreeMap<String, u32>) -> Self {
        Self(members.get("grams").copied().unwrap_or_default())
    }
}

impl From<Weight> for BTreeMap<String, u32> {
    fn from(Weight(grams): Weight) -> Self {
        Self::from([("grams".to_owned(), grams)])
    }
}

fn parcel(spec: &Value) -> Parcel {
    serde_json::from_value(json!({"metadata": {"name": "p"}, "spec": spec})).unwrap()
}

#[test]
fn each_option_makes_the_type_that_it_says() {
    let read = parcel(&json!({
        "address": {"city": "Bonn"}, "template": {"image": "i"}, "weights": [{"grams": 5}, {}],
        "options": {"express": {"until": [9, 12]}}, "insurance": {"note": {"text": "t"}}, "history": ["lost"],
        "open": {"known": "k", "more": 1},
    }));
    let expected = parcel::Spec {
        address: Box::new(parcel::spec::Address {
            city: Some("Bonn".to_owned()),
        }),
        template: Some(Template {
            image: "i".to_owned(),
        }),
        weights: Some(vec![Weight(5), Weight(0)]),
        options: Some(parcel::spec::Options {
            express: Some(json!({"until": [9, 12]})),
        }),
        insurance: Box::new(parcel::spec::Insurance {
            limit: None,
            note: Some(Box::new(parcel::spec::insurance::Note {
                text: Some("t".to_owned()),
            })),
        }),
        open: Some(parcel::spec::Open {
            known: Some("k".to_owned()),
        }),
    };
    assert_eq!(read.spec, expected);
    assert_eq!(
        serde_json::to_value(&read).unwrap()["spec"],
        json!({
            "address": {"city": "Bonn"}, "template": {"image": "i"}, "weights": [{"grams": 5}, {"grams": 0}],
            "options": {"express": {"until": [9, 12]}}, "insurance": {"note": {"text": "t"}}, "open": {"known": "k"},
        })
    );
}

#[test]
fn a_box_keeps_default_and_selection() {
    let read = parcel(&json!({"address": {"city": "Bonn"}}));
    assert_eq!(read.spec.insurance.limit, Some(100));
    assert_eq!(field!(Parcel, spec.address.city).keys(&read), ["Bonn"]);
    let bonn = parcel::selectable::SPEC_ADDRESS_CITY.eq("Bonn");
    assert!(bonn.matches(&read) && !bonn.matches(&Parcel::default()));
}

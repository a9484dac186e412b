//! Objects, questions about them, and the evaluator that knows neither queries nor indexes: an object is a map from the name of a field to its
//! values, all of them texts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::Deserialize;
use serde_json::json;

use crate::decode::{RawBuffer, RawObject};
use crate::field::{Field, FieldKey, IntOrStringKey};
use crate::kept::{Kept, KeptFields, KeptLabels, StoreError, Transform, labels_of, store_decoded};
use crate::query::Query;
use crate::selector::{LabelSelector, Reads, Selectable};

#[derive(Deserialize)]
pub(super) struct Thing {
    pub(super) metadata: ObjectMeta,
    #[serde(default)]
    pub(super) spec: Spec,
}

#[derive(Deserialize, Default)]
pub(super) struct Spec {
    node: Option<String>,
    ready: Option<bool>,
    size: Option<i64>,
    images: Option<Vec<String>>,
    port: Option<IntOrString>,
}

/// Keeps things.
pub(super) enum Things {}

impl Kept for Things {
    type Object = Thing;
    type Stored = Arc<Thing>;
    type Read = Arc<Thing>;

    fn store(raw: &RawObject<'_>, transform: &Transform<Thing>) -> Result<Arc<Thing>, StoreError> {
        store_decoded(raw, transform)
    }

    fn read(stored: &Arc<Thing>) -> Arc<Thing> {
        Arc::clone(stored)
    }
}

impl KeptLabels for Things {
    fn labels(stored: &Arc<Thing>) -> Cow<'_, BTreeMap<String, String>> {
        labels_of(&stored.metadata)
    }
}

impl KeptFields for Things {
    const FIELDS: &'static [Selectable<Thing>] = &[
        Selectable::__new("spec.node", Reads::Text(NODE)),
        Selectable::__new("spec.ready", Reads::Bool(READY)),
    ];
}

pub(super) const NODE: Field<Thing, String> = crate::field!(Thing, spec.node);
pub(super) const READY: Field<Thing, bool> = crate::field!(Thing, spec.ready);
pub(super) const SIZE: Field<Thing, i64> = crate::field!(Thing, spec.size);
pub(super) const IMAGE: Field<Thing, String> = crate::field!(Thing, spec.images[]);
pub(super) const PORT: Field<Thing, IntOrString> = crate::field!(Thing, spec.port);
pub(super) const APP: Field<Thing, String> = crate::field!(Thing, metadata.labels["app"]);
const TIER: Field<Thing, String> = crate::field!(Thing, metadata.labels["tier"]);
const RANK: Field<Thing, String> = crate::field!(Thing, metadata.labels["rank"]);
pub(super) const NAMESPACE: Field<Thing, String> = crate::field!(Thing, metadata.namespace);

/// One object, as the evaluator sees it.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) version: u64,
    labels: BTreeMap<String, String>,
    fields: BTreeMap<&'static str, Vec<String>>,
}

/// The fields with the values that they may have.
const FIELDS: [(&str, &[&str]); 5] = [
    (
        "spec.node",
        &["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", ""],
    ),
    ("spec.ready", &["true", "false"]),
    ("spec.size", &["0", "1", "2", "30", "-4"]),
    ("spec.images[]", &["a", "b", "c", "d"]),
    ("spec.port", &["80", "81", "http"]),
];

const LABELS: [(&str, &[&str]); 3] = [
    ("app", &["web", "api", "db"]),
    ("tier", &["front", "back"]),
    ("rank", &["1", "7", "x", ""]),
];

const NAMESPACES: [&str; 4] = ["a", "b", "c", "d"];

fn one<'a>(random: &mut Rng, of: &[&'a str]) -> &'a str {
    of[random.usize(..of.len())]
}

fn some(random: &mut Rng, of: &[&str], most: usize) -> Vec<String> {
    let count = random.usize(..=most);
    (0..count).map(|_| one(random, of).to_owned()).collect()
}

impl Plain {
    pub(super) fn random(random: &mut Rng, version: u64) -> Self {
        let mut labels = BTreeMap::new();
        for (key, values) in LABELS {
            if random.bool() {
                labels.insert(key.to_owned(), one(random, values).to_owned());
            }
        }
        let mut fields = BTreeMap::new();
        for (field, values) in FIELDS {
            let most = if field.ends_with("[]") { 3 } else { 1 };
            fields.insert(field, some(random, values, most));
        }
        Self {
            namespace: one(random, &NAMESPACES).to_owned(),
            name: format!("x{}", random.u32(..60)),
            version,
            labels,
            fields,
        }
    }

    /// One that has these labels and these fields alone.
    pub(super) fn new(
        key: &str,
        labels: impl IntoIterator<Item = (&'static str, &'static str)>,
        fields: impl IntoIterator<Item = (&'static str, Vec<String>)>,
    ) -> Self {
        let (namespace, name) = key.split_once('/').unwrap();
        let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let mut all: BTreeMap<_, _> = FIELDS.map(|(field, _)| (field, Vec::new())).into();
        all.extend(fields);
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            version: 1,
            labels: labels.into_iter().map(text).collect(),
            fields: all,
        }
    }

    pub(super) fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    pub(super) fn json(&self) -> RawBuffer {
        let text = |field| self.fields[field].first();
        let number = |field| text(field).map(|text| text.parse::<i64>().unwrap());
        let port = text("spec.port").map(|port| match port.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => json!(port),
        });
        let object = json!({
            "metadata": {
                "namespace": self.namespace, "name": self.name, "uid": self.key(), "resourceVersion": self.version.to_string(),
                "labels": self.labels,
            },
            "spec": {
                "node": text("spec.node"), "ready": text("spec.ready").map(|text| text == "true"), "size": number("spec.size"),
                "images": self.fields["spec.images[]"], "port": port,
            },
        });
        RawBuffer::new(object.to_string()).unwrap()
    }
}

/// A question, from which a query is made and which the evaluator answers by itself.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    Field(&'static str, Op, Vec<String>),
    Label(&'static str, Op, Vec<String>),
    /// The same by a path.
    LabelField(&'static str, Op, Vec<String>),
    /// As the server reads it; of a custom resource.
    Server(&'static str, bool, bool, String),
    /// A number that the label `rank` is greater than.
    Rank(i64),
    Name(bool, String),
    /// As a test of the key, or of the field.
    Namespace(bool, bool, String),
    Namespaces(Vec<String>),
    All(Vec<Ask>),
    Any(Vec<Ask>),
    Not(Box<Ask>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Op {
    In,
    NotIn,
    Exists,
    Absent,
}

impl Op {
    fn random(random: &mut Rng) -> Self {
        [Self::In, Self::In, Self::NotIn, Self::Exists, Self::Absent][random.usize(..5)]
    }

    fn holds(self, wanted: &[String], has: &[String]) -> bool {
        let common = has.iter().any(|value| wanted.contains(value));
        match self {
            Self::In => common,
            Self::NotIn => !common,
            Self::Exists => !has.is_empty(),
            Self::Absent => has.is_empty(),
        }
    }
}

impl Ask {
    pub(super) fn random(random: &mut Rng, depth: u32) -> Self {
        let inner = |random: &mut Rng| {
            let count = random.usize(..4);
            (0..count)
                .map(|_| Self::random(random, depth - 1))
                .collect()
        };
        match random.u32(..if depth == 0 { 9 } else { 15 }) {
            0..4 => {
                let (field, values) = FIELDS[random.usize(..FIELDS.len())];
                Self::Field(field, Op::random(random), some(random, values, 3))
            }
            4 | 5 => {
                let (key, values) = LABELS[random.usize(..LABELS.len())];
                let mut wanted = some(random, values, 2);
                wanted.push(one(random, values).to_owned());
                let op = Op::random(random);
                match random.bool() {
                    true => Self::Label(key, op, wanted),
                    false => Self::LabelField(key, op, wanted),
                }
            }
            6 if random.bool() => Self::Rank(random.i64(0..9)),
            6 => Self::Name(random.bool(), format!("x{}", random.u32(..60))),
            7 if random.bool() => Self::Namespaces(some(random, &NAMESPACES, 3)),
            7 => Self::Namespace(
                random.bool(),
                random.u8(..4) > 0,
                one(random, &NAMESPACES).to_owned(),
            ),
            8 => {
                let (field, values) = FIELDS[random.usize(..3)];
                let value = one(random, &[values, &["", "0", "false", "01"]].concat()).to_owned();
                Self::Server(field, random.bool(), random.u8(..4) > 0, value)
            }
            9..12 => Self::All(inner(random)),
            12..14 => Self::Any(inner(random)),
            _ => Self::Not(Box::new(Self::random(random, depth - 1))),
        }
    }

    /// Requirements that a text can say, and the text: of fields that the server selects by, of those that have these indexes, of keys.
    pub(super) fn random_text(random: &mut Rng, indexes: &[&'static str]) -> (Self, String) {
        let mut asks = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..random.usize(..4) {
            let equal = random.u8(..3) > 0;
            let op = if equal { Op::In } else { Op::NotIn };
            let (field, values) = FIELDS[random.usize(..FIELDS.len())];
            let value = one(random, values).to_owned();
            let (ask, field, value) = match random.u8(..8) {
                0 => {
                    let name = format!("x{}", random.u32(..60));
                    (Self::Name(equal, name.clone()), "metadata.name", name)
                }
                _ if ["spec.node", "spec.ready"].contains(&field) => (
                    Self::Server(field, false, equal, value.clone()),
                    field,
                    value,
                ),
                _ if indexes.contains(&field) => {
                    (Self::Field(field, op, vec![value.clone()]), field, value)
                }
                _ => continue,
            };
            let operator = ["=", "=="][random.usize(..2)];
            let operator = if equal { operator } else { "!=" };
            texts.push(format!("{field}{operator}{value}"));
            asks.push(ask);
        }
        (Self::All(asks), texts.join(","))
    }

    pub(super) fn holds(&self, object: &Plain) -> bool {
        match self {
            Self::Field(field, op, values) => op.holds(values, &object.fields[field]),
            Self::Label(key, op, values) | Self::LabelField(key, op, values) => {
                let has: Vec<String> = object.labels.get(*key).cloned().into_iter().collect();
                op.holds(values, &has)
            }
            Self::Server(field, custom, equal, value) => {
                let absent = match *field {
                    "spec.ready" if !custom => "false",
                    "spec.size" if !custom => "0",
                    _ => "",
                };
                let has = object.fields[field].first().map_or(absent, String::as_str);
                (has == value) == *equal
            }
            Self::Rank(bound) => {
                let rank = object
                    .labels
                    .get("rank")
                    .and_then(|rank| rank.parse::<i64>().ok());
                rank.is_some_and(|rank| rank > *bound)
            }
            Self::Name(equal, name) => (object.name == *name) == *equal,
            Self::Namespace(_, equal, name) => (object.namespace == *name) == *equal,
            Self::Namespaces(names) => names.contains(&object.namespace),
            Self::All(parts) => parts.iter().all(|part| part.holds(object)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(object)),
            Self::Not(part) => !part.holds(object),
        }
    }

    pub(super) fn query(&self) -> Query<Thing> {
        match self {
            Self::Field(field, op, values) => match *field {
                "spec.node" => test(NODE, *op, values, String::clone),
                "spec.ready" => test(READY, *op, values, |text| text == "true"),
                "spec.size" => test(SIZE, *op, values, |text| text.parse::<i64>().unwrap()),
                "spec.images[]" => test(IMAGE, *op, values, String::clone),
                _ => test(PORT, *op, values, |text| {
                    text.parse()
                        .map_or_else(|_| text.as_str().into(), IntOrStringKey::Int)
                }),
            },
            Self::Label(key, op, values) => {
                let values = values.join(",");
                let text = match op {
                    Op::In => format!("{key} in ({values})"),
                    Op::NotIn => format!("{key} notin ({values})"),
                    Op::Exists => (*key).to_owned(),
                    Op::Absent => format!("!{key}"),
                };
                text.parse::<LabelSelector>().unwrap().into()
            }
            Self::LabelField(key, op, values) => {
                let field = match *key {
                    "app" => APP,
                    "tier" => TIER,
                    _ => RANK,
                };
                test(field, *op, values, String::clone)
            }
            Self::Server(field, custom, equal, value) => {
                let reads = match *field {
                    "spec.node" => Reads::Text(NODE),
                    "spec.ready" => Reads::Bool(READY),
                    _ => Reads::I64(SIZE),
                };
                let selectable = match custom {
                    true => Selectable::__custom(field, reads),
                    false => Selectable::__new(field, reads),
                };
                match equal {
                    true => selectable.eq(value).into(),
                    false => selectable.ne(value).into(),
                }
            }
            Self::Rank(bound) => format!("rank>{bound}")
                .parse::<LabelSelector>()
                .unwrap()
                .into(),
            Self::Name(equal, name) => keyed("metadata.name", *equal, name),
            Self::Namespace(true, equal, name) => keyed("metadata.namespace", *equal, name),
            Self::Namespace(false, true, name) => NAMESPACE.eq(name.as_str()),
            Self::Namespace(false, false, name) => NAMESPACE.ne(name.as_str()),
            Self::Namespaces(names) => NAMESPACE.is_in(names.iter().map(String::as_str)),
            Self::All(parts) => parts
                .iter()
                .fold(Query::everything(), |all, part| all.and(part.query())),
            Self::Any(parts) => {
                let mut parts = parts.iter();
                // What no parts say is nothing, and there is no public word for that alone.
                let first = parts
                    .next()
                    .map_or_else(|| NODE.is_in([""; 0]), Self::query);
                parts.fold(first, |any, part| any.or(part.query()))
            }
            Self::Not(part) => !part.query(),
        }
    }
}

fn keyed(field: &str, equal: bool, value: &str) -> Query<Thing> {
    let operator = if equal { "==" } else { "!=" };
    super::text::parse(&format!("{field}{operator}{value}")).unwrap()
}

/// By the operator for one value where there is one.
fn test<L: FieldKey + 'static>(
    field: Field<Thing, L>,
    op: Op,
    values: &[String],
    key: impl Fn(&String) -> L::Key,
) -> Query<Thing> {
    match (op, values) {
        (Op::In, [only]) => field.eq(key(only)),
        (Op::NotIn, [only]) => field.ne(key(only)),
        (Op::In, values) => field.is_in(values.iter().map(key)),
        (Op::NotIn, values) => field.not_in(values.iter().map(key)),
        (Op::Exists, _) => field.exists(),
        (Op::Absent, _) => field.absent(),
    }
}

//! A type that uses every method of serde's `Deserializer`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use fastrand::Rng;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
pub(super) struct Zoo<'a> {
    flag: bool,
    small: (i8, u8, i16, u16),
    big: (i32, u32, i64, u64),
    wide: Option<(i128, u128)>,
    floats: Vec<f64>,
    single: f32,
    letter: Option<char>,
    text: String,
    #[serde(borrow)]
    borrowed: Cow<'a, str>,
    unit: (),
    marker: Option<Marker>,
    wrapped: Option<Wrapped>,
    pair: Option<Pair>,
    options: Vec<Option<u8>>,
    nested: Option<Option<u8>>,
    shapes: Vec<Shape>,
    tagged: Vec<Tagged>,
    adjacent: Vec<Adjacent>,
    untagged: Vec<Untagged>,
    by_number: BTreeMap<i16, u8>,
    by_flag: BTreeMap<bool, u8>,
    by_name: HashMap<String, Vec<String>>,
    by_variant: BTreeMap<Plain, u8>,
    by_wide: BTreeMap<u128, Wrapped>,
    strict: Option<Box<Strict>>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Marker;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u16);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pair(String, bool);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    New(u8),
    Tuple(u8, String),
    Struct { a: u8, b: Option<String> },
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Plain {
    One,
    Two,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    A { x: i32 },
    B { y: Vec<u8>, z: Option<Pair> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A,
    B(Vec<i64>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    List(Vec<f32>),
    Map(BTreeMap<String, bool>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    needed: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<Vec<u8>>,
}

fn some<T>(rng: &mut Rng, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    rng.bool().then(|| make(rng))
}

fn many<T>(rng: &mut Rng, make: impl Fn(&mut Rng) -> T) -> Vec<T> {
    (0..rng.usize(..4)).map(|_| make(rng)).collect()
}

fn text(rng: &mut Rng) -> String {
    let letters = ['a', '"', '\\', '\n', '\u{1}', 'é', '😀', 'x', '0', '/'];
    (0..rng.usize(..20))
        .map(|_| *rng.choice(&letters).unwrap())
        .collect()
}

fn shape(rng: &mut Rng) -> Shape {
    match rng.u32(..4) {
        0 => Shape::Unit,
        1 => Shape::New(rng.u8(..)),
        2 => Shape::Tuple(rng.u8(..), text(rng)),
        _ => Shape::Struct {
            a: rng.u8(..),
            b: some(rng, text),
        },
    }
}

fn untagged(rng: &mut Rng) -> Untagged {
    match rng.u32(..4) {
        0 => Untagged::Number(rng.i64(..)),
        1 => Untagged::Text(text(rng)),
        2 => Untagged::List(many(rng, |rng| rng.i8(..).into())),
        _ => Untagged::Map(
            many(rng, |rng| (text(rng), rng.bool()))
                .into_iter()
                .collect(),
        ),
    }
}

impl Zoo<'_> {
    pub(super) fn random(rng: &mut Rng) -> Self {
        Self {
            flag: rng.bool(),
            small: (rng.i8(..), rng.u8(..), rng.i16(..), rng.u16(..)),
            big: (rng.i32(..), rng.u32(..), rng.i64(..), rng.u64(..)),
            wide: some(rng, |rng| (rng.i128(..), rng.u128(..))),
            floats: many(rng, |rng| f64::from(rng.i32(..)) / 8.0),
            single: f32::from(rng.i16(..)) / 4.0,
            letter: some(rng, |rng| rng.char(..)),
            text: text(rng),
            borrowed: Cow::Owned(text(rng)),
            unit: (),
            marker: some(rng, |_| Marker),
            wrapped: some(rng, |rng| Wrapped(rng.u16(..))),
            pair: some(rng, |rng| Pair(text(rng), rng.bool())),
            options: many(rng, |rng| some(rng, |rng| rng.u8(..))),
            nested: some(rng, |rng| Some(rng.u8(..))),
            shapes: many(rng, shape),
            tagged: many(rng, |rng| match rng.bool() {
                true => Tagged::A { x: rng.i32(..) },
                false => Tagged::B {
                    y: many(rng, |rng| rng.u8(..)),
                    z: some(rng, |rng| Pair(text(rng), true)),
                },
            }),
            adjacent: many(rng, |rng| match rng.bool() {
                true => Adjacent::A,
                false => Adjacent::B(many(rng, |rng| rng.i64(..))),
            }),
            untagged: many(rng, untagged),
            by_number: many(rng, |rng| (rng.i16(..), 1)).into_iter().collect(),
            by_flag: many(rng, |rng| (rng.bool(), 2)).into_iter().collect(),
            by_name: many(rng, |rng| (text(rng), many(rng, text)))
                .into_iter()
                .collect(),
            by_variant: BTreeMap::from([(Plain::One, 1), (Plain::Two, 2)]),
            by_wide: many(rng, |rng| (rng.u128(..), Wrapped(3)))
                .into_iter()
                .collect(),
            strict: some(rng, |rng| {
                Box::new(Strict {
                    needed: 1,
                    bytes: some(rng, |rng| many(rng, |rng| rng.u8(..))),
                })
            }),
            rest: many(rng, |rng| {
                (
                    format!("extra-{}", text(rng)),
                    serde_json::json!([1, {"a": [null]}]),
                )
            })
            .into_iter()
            .collect(),
        }
    }
}

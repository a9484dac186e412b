//! Our decoder and `serde_json` accept the same bytes and make the same of them.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::random::{alike, damage, json, seeded};
use super::zoo::Zoo;
use super::*;

fn assert_same_value(bytes: &[u8]) -> bool {
    let ours = decode_bytes::<Value>(bytes);
    let theirs = serde_json::from_slice::<Value>(bytes);
    match (&ours, &theirs) {
        (Ok(a), Ok(b)) => assert!(alike(a, b), "{}: {a} {b}", bytes.escape_ascii()),
        (Err(_), Err(_)) => {}
        _ => panic!("{}: {ours:?}, serde_json {theirs:?}", bytes.escape_ascii()),
    }
    if std::str::from_utf8(bytes).is_ok() {
        let ours = decode_bytes::<IgnoredAny>(bytes);
        let theirs = serde_json::from_slice::<IgnoredAny>(bytes);
        assert_eq!(
            ours.is_ok(),
            theirs.is_ok(),
            "{}: {ours:?} {theirs:?}",
            bytes.escape_ascii()
        );
    }
    ours.is_ok()
}

#[test]
fn random_values_decode_as_serde_json_decodes_them() {
    let mut rng = seeded();
    for _ in 0..3_000 {
        let text = json(&mut rng, 5);
        assert!(assert_same_value(text.as_bytes()), "{text}");
    }
}

#[test]
fn damaged_values_are_refused_where_serde_json_refuses_them() {
    let mut rng = seeded();
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut bytes = json(&mut rng, 4).into_bytes();
        damage(&mut rng, &mut bytes);
        accepted += usize::from(assert_same_value(&bytes));
    }
    assert!(
        accepted > 100,
        "damage left too little to compare: {accepted}"
    );
}

#[test]
fn every_beginning_of_a_value_is_refused() {
    let text = r#" {"a\n":[1.5e-3,-0,true,false,null,"\ud83d\ude00é",{},[]], "b" : {"c":"d"}} "#;
    for end in 0..text.len() {
        let complete = assert_same_value(text.as_bytes().get(..end).unwrap());
        assert_eq!(complete, end == text.len() - 1, "{end}");
    }
}

#[test]
fn every_kind_of_rust_type_decodes_as_with_serde_json() {
    let mut rng = seeded();
    let mut accepted = 0;
    for round in 0..4_000 {
        let zoo = Zoo::random(&mut rng);
        let mut bytes = if rng.bool() {
            serde_json::to_vec(&zoo).unwrap()
        } else {
            serde_json::to_vec_pretty(&zoo).unwrap()
        };
        if round % 4 != 0 {
            damage(&mut rng, &mut bytes);
        }
        if std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        let ours = decode_bytes::<Zoo<'_>>(&bytes);
        let theirs = serde_json::from_slice::<Zoo<'_>>(&bytes);
        match (ours, theirs) {
            (Ok(a), Ok(b)) => {
                accepted += 1;
                let tree = |zoo| serde_json::to_value(zoo).unwrap();
                let same = a == b || alike(&tree(&a), &tree(&b));
                assert!(same, "{}\n{a:?}\n{b:?}", bytes.escape_ascii());
            }
            (Err(_), Err(_)) => assert_ne!(round % 4, 0, "undamaged"),
            (a, b) => panic!("{}: {a:?}, serde_json {b:?}", bytes.escape_ascii()),
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}

fn same<T: DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) {
    let ours = decode_bytes::<T>(text.as_bytes()).map_err(|_| ());
    let theirs = serde_json::from_slice::<T>(text.as_bytes()).map_err(|_| ());
    assert_eq!(ours, theirs, "{text} as {}", std::any::type_name::<T>());
}

#[test]
fn edges_of_numbers_and_keys_are_those_of_serde_json() {
    let numbers = [
        "0",
        "-0",
        "-0.0",
        "00",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1.5",
        "1e2",
        "1E+2",
        "1e",
        "127",
        "128",
        "-128",
        "-129",
        "255",
        "256",
        "2147483648",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "170141183460469231731687303715884105728",
        "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456",
        "1e400",
        "-1e400",
        "1e-400",
        "0x1",
        "NaN",
        "Infinity",
        "1 2",
        "\"1\"",
        "null",
    ];
    for number in numbers {
        same::<u8>(number);
        same::<i8>(number);
        same::<i32>(number);
        same::<u64>(number);
        same::<i64>(number);
        same::<u128>(number);
        same::<i128>(number);
        same::<f32>(number);
        same::<f64>(number);
        same::<Option<u16>>(number);
        same::<Value>(number);
        for quoted in [
            format!("{{\"{number}\":1}}"),
            format!("{{\" {number}\":1}}"),
            format!("{{\"{number} \":1}}"),
        ] {
            same::<std::collections::BTreeMap<i8, u8>>(&quoted);
            same::<std::collections::BTreeMap<u128, u8>>(&quoted);
            same::<std::collections::BTreeMap<Option<i64>, u8>>(&quoted);
        }
    }
    for text in [
        "{\"true\":1}",
        "{\"false\":1}",
        "{\"tru\":1}",
        "{\"true \":1}",
        "{true:1}",
        "{\"\\u0074rue\":1}",
    ] {
        same::<std::collections::BTreeMap<bool, u8>>(text);
    }
    for text in [
        "null",
        "[]",
        "{}",
        "\"\"",
        "\"ab\"",
        "\"\\u00e9\"",
        "[1,2]",
        "[1,2,3]",
        "[1]",
        "[1,]",
        "[,1]",
    ] {
        same::<()>(text);
        same::<char>(text);
        same::<String>(text);
        same::<(u8, u8)>(text);
        same::<Vec<u8>>(text);
        same::<std::collections::BTreeMap<String, u8>>(text);
    }
}

#[test]
fn strings_without_escapes_are_borrowed() {
    let bytes = br#"["abc","d\n"]"#;
    assert!(
        decode_bytes::<Vec<&str>>(bytes).is_err(),
        "an escape cannot be borrowed"
    );
    assert_eq!(
        decode_bytes::<Vec<&str>>(br#"["abc",""]"#).unwrap(),
        ["abc", ""]
    );
    let blob: Vec<serde_bytes_like::Bytes<'_>> = decode_bytes(br#"["abc","d\n",[1,2]]"#).unwrap();
    assert_eq!(
        blob.iter().map(|b| b.0.as_ref()).collect::<Vec<_>>(),
        [&b"abc"[..], b"d\n", &[1, 2]]
    );
}

/// What the `serde_bytes` crate does.
mod serde_bytes_like {
    use std::borrow::Cow;

    use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

    pub(super) struct Bytes<'a>(pub(super) Cow<'a, [u8]>);

    impl<'de> Deserialize<'de> for Bytes<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_bytes(BytesVisitor)
        }
    }

    struct BytesVisitor;

    impl<'de> Visitor<'de> for BytesVisitor {
        type Value = Bytes<'de>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
            Ok(Bytes(Cow::Borrowed(bytes)))
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(Bytes(Cow::Owned(bytes.to_vec())))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = seq.next_element()? {
                bytes.push(byte);
            }
            Ok(Bytes(Cow::Owned(bytes)))
        }
    }
}

//! Random JSON, and random damage to it.

use fastrand::Rng;

/// A generator whose seed is printed, and taken from `LARDER_SEED` if that is set.
pub(super) fn seeded() -> Rng {
    let seed = std::env::var("LARDER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("LARDER_SEED={seed}");
    Rng::with_seed(seed)
}

/// Any JSON value, written in any of the ways that JSON allows.
pub(super) fn json(rng: &mut Rng, depth: usize) -> String {
    let mut out = String::new();
    value(rng, depth, &mut out);
    out
}

fn value(rng: &mut Rng, depth: usize, out: &mut String) {
    white(rng, out);
    match rng.u32(..if depth == 0 { 6 } else { 10 }) {
        0 => out.push_str("null"),
        1 => out.push_str(if rng.bool() { "true" } else { "false" }),
        2 | 3 => number(rng, out),
        4 | 5 => string(rng, out),
        6 | 7 => {
            out.push('[');
            for at in 0..rng.u32(..5) {
                if at > 0 {
                    out.push(',');
                }
                value(rng, depth - 1, out);
            }
            white(rng, out);
            out.push(']');
        }
        _ => {
            out.push('{');
            for at in 0..rng.u32(..5) {
                if at > 0 {
                    out.push(',');
                }
                white(rng, out);
                string(rng, out);
                white(rng, out);
                out.push(':');
                value(rng, depth - 1, out);
            }
            white(rng, out);
            out.push('}');
        }
    }
    white(rng, out);
}

fn white(rng: &mut Rng, out: &mut String) {
    if rng.u32(..8) == 0 {
        for _ in 0..rng.u32(1..12) {
            out.push(*rng.choice(&[' ', '\t', '\n', '\r']).unwrap());
        }
    }
}

fn number(rng: &mut Rng, out: &mut String) {
    let fixed = [
        "0",
        "-0",
        "1",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "1e308",
        "-0.0",
        "0e99999",
        "1E-2",
        "123456789012345678901234567890",
    ];
    match rng.u32(..4) {
        0 => out.push_str(rng.choice(&fixed).unwrap()),
        1 => out.push_str(&rng.u64(..).to_string()),
        2 => out.push_str(&rng.i32(-1000..1000).to_string()),
        _ => out.push_str(&format!(
            "{}.{}e{}",
            rng.i32(-99..99),
            rng.u32(..1000),
            rng.i32(-20..20)
        )),
    }
}

fn string(rng: &mut Rng, out: &mut String) {
    let parts = [
        "a",
        "name",
        "\u{e9}",
        "\u{1f600}",
        "\\n",
        "\\\"",
        "\\\\",
        "\\u0041",
        "\\ud83d\\ude00",
        "\u{7f}",
        "]",
        "}",
        "{",
        "[",
        ":",
        ",",
        " ",
        "/",
        "\\/",
        "0123456789abcdef",
        "0123456789abcdef0123456789abcdef",
    ];
    out.push('"');
    for _ in 0..rng.u32(..6) {
        out.push_str(rng.choice(&parts).unwrap());
    }
    out.push('"');
}

/// Damages bytes here and there; most results are no JSON any more, some are.
pub(super) fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let tokens: [&[u8]; 22] = [
        b"\"", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b".", b"e", b"null", b"true",
        b"\n", b"\0", b"\xff", b"\\ud800", b"\xc3", b" ", b"1e999", b"[]",
    ];
    for _ in 0..rng.u32(1..4) {
        let at = rng.usize(..=bytes.len());
        let to = (at + rng.usize(..4)).min(bytes.len());
        match rng.u32(..4) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => drop(bytes.splice(at..at, rng.choice(&tokens).unwrap().iter().copied())),
            _ => drop(bytes.splice(at..to, rng.choice(&tokens).unwrap().iter().copied())),
        }
    }
}

/// Equal but for the last digits of floats, which `serde_json` does not always get right.
pub(super) fn alike(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (Number(a), Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs().max(b.abs()) * 1e-15 || a.abs().max(b.abs()) < 1e-300
        }
        _ => a == b,
    }
}

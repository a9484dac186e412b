//! Tests of the way from bytes to an object as a whole.

mod differential;
mod errors;
mod kinds;
mod limits;
mod lists;
mod managed_fields;
mod noted;
mod random;
mod watches;
mod zoo;

use super::split_types::SplitError;
use super::{DecodeError, DecodeErrorKind, RawBuffer, ValueKind, decode_bytes};
use super::{EventType, Item, ListEnd, SplitOptions, Splitter};

/// What a splitter yielded, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Got {
    Object(Option<EventType>, String),
    Error(String),
}

impl Got {
    fn of(item: Result<Item<'_>, SplitError>) -> Self {
        match item {
            Ok(Item { event, object }) => {
                Self::Object(event, String::from_utf8_lossy(object.bytes()).into_owned())
            }
            Err(error) => Self::Error(error.to_string()),
        }
    }
}

/// Feeds chunks and collects everything.
fn split<'c>(
    mut splitter: Splitter,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> (Vec<Got>, Result<ListEnd, String>) {
    let mut got = Vec::new();
    for chunk in chunks {
        splitter.push(chunk);
        while let Some(item) = splitter.next() {
            got.push(Got::of(item));
        }
    }
    (got, splitter.finish().map_err(|error| error.to_string()))
}

/// The result for the whole body at once, after checking that each cut in two and single bytes give the same.
fn split_everywhere(
    make: impl Fn() -> Splitter,
    body: &[u8],
) -> (Vec<Got>, Result<ListEnd, String>) {
    let whole = split(make(), [body]);
    for at in 0..=body.len() {
        let (before, after) = body.split_at(at);
        assert_eq!(
            split(make(), [before, after]),
            whole,
            "cut at {at}: {}",
            body.escape_ascii()
        );
    }
    assert_eq!(
        split(make(), body.chunks(1)),
        whole,
        "byte by byte: {}",
        body.escape_ascii()
    );
    whole
}

fn list(body: &str) -> (Vec<Got>, Result<ListEnd, String>) {
    split_everywhere(|| Splitter::list(SplitOptions::default()), body.as_bytes())
}

fn watch(body: &str) -> (Vec<Got>, Result<ListEnd, String>) {
    split_everywhere(|| Splitter::watch(SplitOptions::default()), body.as_bytes())
}

/// A pod of a real cluster's shape, with managedFields.
const POD: &str = include_str!("../../../benches/pod.json");

/// An event of an added object.
fn added(object: &str) -> Got {
    Got::Object(Some(EventType::Added), object.to_owned())
}

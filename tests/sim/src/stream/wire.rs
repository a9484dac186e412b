//! Writes objects and events into chunks, and damages them if a fault says so.

use super::plan::{Broken, End, StreamPlan};
use crate::{kind::Kind, object::Stored, status::Status};
use bytes::{BufMut, Bytes, BytesMut};
use serde_json::Value;

/// How much of an object is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Full,
    /// `PartialObjectMetadata`.
    Metadata,
}

const METADATA_HEAD: &[u8] =
    br#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":"#;

/// A buffer that objects are written into, until it is full or the response has ended.
pub(crate) struct Wire {
    out: BytesMut,
    chunk: usize,
    shape: Shape,
    plan: Option<Box<StreamPlan>>,
    written: usize,
    end: Option<End>,
}

impl Wire {
    pub(crate) fn new(chunk: usize, shape: Shape, plan: Option<Box<StreamPlan>>) -> Self {
        let end_at_once = plan
            .as_ref()
            .and_then(|plan| plan.end)
            .filter(|&(after, half, _)| after == 0 && !half);
        let mut wire = Self {
            out: BytesMut::new(),
            chunk,
            shape,
            plan,
            written: 0,
            end: None,
        };
        wire.end = end_at_once.map(|(_, _, end)| end);
        wire.fail_if_due();
        wire
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn plan(&self) -> Option<&StreamPlan> {
        self.plan.as_deref()
    }

    /// Whether what was written should be sent before more is.
    pub(crate) fn is_full(&self) -> bool {
        let paced = self.plan.as_ref().is_some_and(|plan| plan.pace.is_some());
        self.end.is_some() || self.out.len() >= if paced { 1 } else { self.chunk }
    }

    /// How the response ends, once a fault or [`finish`](Self::finish) said so.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Ends the response, unless a fault already did.
    pub(crate) fn finish(&mut self) {
        self.end.get_or_insert(End::Clean);
    }

    /// What was written since the last call, if anything.
    pub(crate) fn take(&mut self) -> Option<Bytes> {
        (!self.out.is_empty()).then(|| self.out.split().freeze())
    }

    pub(crate) fn text(&mut self, text: &str) {
        if self.end.is_none() {
            self.put(text.as_bytes());
        }
    }

    /// One object and nothing around it.
    pub(crate) fn whole(&mut self, object: &Stored) {
        self.object(|wire| match wire.shape {
            Shape::Metadata => wire.partial(object),
            Shape::Full => wire.full(object),
        });
    }

    /// An item of a list.
    pub(crate) fn item(&mut self, kind: &Kind, object: &Stored, is_first: bool) {
        self.object(|wire| {
            if !is_first {
                wire.put(b",");
            }
            match wire.shape {
                Shape::Metadata => wire.partial(object),
                Shape::Full if kind.custom => wire.full(object),
                Shape::Full => {
                    let start = wire.out.len();
                    wire.put(b"{");
                    wire.put(object.body());
                    wire.damage(object, start);
                }
            }
        });
    }

    /// A watch event about an object.
    pub(crate) fn event(&mut self, name: &str, object: &Stored) {
        let times = if self.plan.as_ref().is_some_and(|plan| plan.duplicate) {
            2
        } else {
            1
        };
        for _ in 0..times {
            self.object(|wire| {
                wire.put(b"{\"type\":\"");
                wire.put(name.as_bytes());
                wire.put(b"\",\"object\":");
                match wire.shape {
                    Shape::Metadata => wire.partial(object),
                    Shape::Full => wire.full(object),
                }
                wire.put(b"}\n");
            });
        }
        self.fail_if_due();
    }

    /// A bookmark, which carries a version and nothing else.
    pub(crate) fn bookmark(&mut self, kind: &Kind, version: u64, ends_initial_events: bool) {
        if self.end.is_some() {
            return;
        }
        let (name, api_version) = match self.shape {
            Shape::Full => (kind.kind.clone(), kind.api_version()),
            Shape::Metadata => (
                "PartialObjectMetadata".to_owned(),
                "meta.k8s.io/v1".to_owned(),
            ),
        };
        let annotations = if ends_initial_events {
            r#","annotations":{"k8s.io/initial-events-end":"true"}"#
        } else {
            ""
        };
        let event = format!(
            "{{\"type\":\"BOOKMARK\",\"object\":{{\"kind\":\"{name}\",\"apiVersion\":\"{api_version}\",\
             \"metadata\":{{\"resourceVersion\":\"{version}\"{annotations}}}}}}}\n"
        );
        self.put(event.as_bytes());
    }

    /// An `ERROR` event, after which the watch ends.
    pub(crate) fn error(&mut self, status: &Status) {
        if self.end.is_some() {
            return;
        }
        self.put(b"{\"type\":\"ERROR\",\"object\":");
        self.put(&status.to_json());
        self.put(b"}\n");
        self.end = Some(End::Clean);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    fn full(&mut self, object: &Stored) {
        let start = self.out.len();
        self.put(object.json());
        self.damage(object, start);
    }

    fn partial(&mut self, object: &Stored) {
        let start = self.out.len();
        self.put(METADATA_HEAD);
        self.put(object.metadata());
        self.put(b"}");
        self.damage(object, start);
    }

    /// Writes one object, and cuts it if the response is to end within it or after it.
    fn object(&mut self, write: impl FnOnce(&mut Self)) {
        if self.end.is_some() {
            return;
        }
        let start = self.out.len();
        write(self);
        self.written += 1;
        let Some((after, half, end)) = self.plan.as_ref().and_then(|plan| plan.end) else {
            return;
        };
        if half && self.written == after + 1 {
            self.out.truncate(start + (self.out.len() - start) / 2);
            self.end = Some(end);
        } else if !half && self.written == after {
            self.end = Some(end);
        }
    }

    /// Sends the `ERROR` event of the plan once enough events went out.
    fn fail_if_due(&mut self) {
        let due = self.plan.as_ref().and_then(|plan| plan.error.as_ref());
        if let Some((_, status)) = due.filter(|&&(after, _)| after <= self.written).cloned() {
            self.error(&status);
        }
    }

    /// Replaces what was written from `start` on, if the plan wants this object damaged.
    fn damage(&mut self, object: &Stored, start: usize) {
        let broken = self.plan.as_ref().and_then(|plan| plan.broken.as_ref());
        let Some((_, how)) = broken.filter(|(name, _)| name == object.name()).cloned() else {
            return;
        };
        let whole = self.out.split_off(start);
        match how {
            Broken::Syntax => {
                // A stray letter after the first brace: nesting stays balanced, yet it is no JSON.
                self.put(b"{x");
                self.put(whole.get(1..).unwrap_or_default());
            }
            Broken::Value(pointer, replacement) => {
                let mut value = serde_json::from_slice(&whole).unwrap_or_default();
                set(&mut value, &pointer, &replacement);
                self.put(&serde_json::to_vec(&value).unwrap_or_default());
            }
        }
    }
}

/// Sets a member at a JSON pointer; parents that are missing are made.
fn set(value: &mut Value, pointer: &str, replacement: &[u8]) {
    let mut slot = value;
    for name in pointer.split('/').skip(1) {
        if !slot.is_object() {
            *slot = Value::Object(serde_json::Map::new());
        }
        let Value::Object(members) = slot else { return };
        slot = members.entry(name.to_owned()).or_insert(Value::Null);
    }
    *slot = serde_json::from_slice(replacement).unwrap_or_default();
}

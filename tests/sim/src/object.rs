//! One version of one object: its JSON, serialised once, and what the server needs to know without parsing it.

use crate::kind::Kind;
use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Map, Value};
use std::{ops::Range, sync::Arc};

/// The order in which a built-in object's metadata goes over the wire: that of the Go struct.
const METADATA_ORDER: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// An immutable version of an object. Lists and watches share its bytes.
#[derive(Debug)]
pub(crate) struct Stored {
    /// `namespace/name`, or `name` if cluster-scoped; the server's order of objects is that of these strings.
    pub(crate) key: Arc<str>,
    pub(crate) version: u64,
    pub(crate) labels: Vec<(Box<str>, Box<str>)>,
    /// Values of the kind's selectable fields, in their order.
    pub(crate) fields: Vec<Box<str>>,
    json: Bytes,
    /// Where the members after `kind` and `apiVersion` begin.
    body_at: usize,
    metadata_at: Range<usize>,
    /// Where the digits of the version stand.
    version_at: Range<usize>,
}

impl Stored {
    /// Serialises `object`, whose metadata must be complete; `version` is written into it.
    pub(crate) fn new(
        kind: &Kind,
        key: Arc<str>,
        version: u64,
        object: &Map<String, Value>,
    ) -> Self {
        let mut writer = Writer {
            out: BytesMut::with_capacity(1024).writer(),
            version_at: 0..0,
        };
        writer.text("{");
        let mut types = [
            ("kind", kind.kind.clone()),
            ("apiVersion", kind.api_version()),
        ];
        if kind.custom {
            types.reverse();
        }
        for (name, value) in types {
            writer.json(&name);
            writer.text(":");
            writer.json(&value);
            writer.text(",");
        }
        let body_at = writer.len();
        writer.text("\"metadata\":");
        let metadata_from = writer.len();
        let empty = Map::new();
        let metadata = object
            .get("metadata")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        writer.metadata(kind, metadata, version);
        let metadata_at = metadata_from..writer.len();
        for (name, value) in object {
            if !matches!(name.as_str(), "kind" | "apiVersion" | "metadata") {
                writer.text(",");
                writer.member(name, value);
            }
        }
        writer.text("}");
        Self {
            key,
            version,
            labels: labels_of(metadata),
            fields: fields_of(kind, object),
            body_at,
            metadata_at,
            version_at: writer.version_at,
            json: writer.out.into_inner().freeze(),
        }
    }

    /// The namespace; empty if cluster-scoped.
    pub(crate) fn namespace(&self) -> &str {
        self.key
            .rsplit_once('/')
            .map_or("", |(namespace, _)| namespace)
    }

    pub(crate) fn name(&self) -> &str {
        self.key
            .rsplit_once('/')
            .map_or(&*self.key, |(_, name)| name)
    }

    /// The whole object.
    pub(crate) fn json(&self) -> &Bytes {
        &self.json
    }

    /// The members after `kind` and `apiVersion`, with the closing brace.
    pub(crate) fn body(&self) -> &[u8] {
        self.json.get(self.body_at..).unwrap_or_default()
    }

    /// The value of `metadata`.
    pub(crate) fn metadata(&self) -> &[u8] {
        self.json.get(self.metadata_at.clone()).unwrap_or_default()
    }

    /// The object, parsed. Costs a parse of its JSON.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.json).unwrap_or_default()
    }

    /// The same object at another version, as the server sends an object that left a selector.
    pub(crate) fn at_version(&self, version: u64) -> Self {
        let digits = version.to_string();
        let (from, to) = (self.version_at.start, self.version_at.end);
        let mut json = BytesMut::with_capacity(self.json.len() + digits.len());
        json.put_slice(self.json.get(..from).unwrap_or_default());
        json.put_slice(digits.as_bytes());
        json.put_slice(self.json.get(to..).unwrap_or_default());
        let grown = |position: usize| (position + digits.len()).saturating_sub(to - from);
        Self {
            key: Arc::clone(&self.key),
            version,
            labels: self.labels.clone(),
            fields: self.fields.clone(),
            json: json.freeze(),
            body_at: self.body_at,
            metadata_at: self.metadata_at.start..grown(self.metadata_at.end),
            version_at: from..from + digits.len(),
        }
    }
}

fn labels_of(metadata: &Map<String, Value>) -> Vec<(Box<str>, Box<str>)> {
    let labels = metadata.get("labels").and_then(Value::as_object);
    let pairs = labels.into_iter().flatten();
    pairs
        .filter_map(|(name, value)| Some((name.as_str().into(), value.as_str()?.into())))
        .collect()
}

fn fields_of(kind: &Kind, object: &Map<String, Value>) -> Vec<Box<str>> {
    kind.selectable
        .iter()
        .map(|field| field.value_in(object))
        .collect()
}

struct Writer {
    out: bytes::buf::Writer<BytesMut>,
    version_at: Range<usize>,
}

impl Writer {
    fn len(&self) -> usize {
        self.out.get_ref().len()
    }

    fn text(&mut self, text: &str) {
        self.out.get_mut().put_slice(text.as_bytes());
    }

    fn json<T: serde::Serialize>(&mut self, value: &T) {
        // Values have string keys only and memory grows as needed: this cannot fail.
        let written = serde_json::to_writer(&mut self.out, value);
        debug_assert!(written.is_ok());
    }

    fn member(&mut self, name: &str, value: &Value) {
        self.json(&name);
        self.text(":");
        self.json(value);
    }

    fn metadata(&mut self, kind: &Kind, metadata: &Map<String, Value>, version: u64) {
        self.text("{");
        let mut first = true;
        let known: &[&str] = if kind.custom { &[] } else { METADATA_ORDER };
        for &name in known {
            self.metadata_member(name, metadata.get(name), version, &mut first);
        }
        for (name, value) in metadata {
            if !known.contains(&name.as_str()) {
                self.metadata_member(name, Some(value), version, &mut first);
            }
        }
        self.text("}");
    }

    fn metadata_member(
        &mut self,
        name: &str,
        value: Option<&Value>,
        version: u64,
        first: &mut bool,
    ) {
        let Some(value) = value else { return };
        if !std::mem::take(first) {
            self.text(",");
        }
        if name == "resourceVersion" {
            self.text("\"resourceVersion\":\"");
            let from = self.len();
            self.text(&version.to_string());
            self.version_at = from..self.len();
            self.text("\"");
        } else {
            self.member(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stored;
    use crate::kind::Kind;
    use serde_json::{Value, json};

    fn stored(kind: &Kind, object: &Value) -> Stored {
        let empty = serde_json::Map::new();
        Stored::new(
            kind,
            "web/a".into(),
            7,
            object.as_object().unwrap_or(&empty),
        )
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn built_in_objects_have_the_order_of_the_go_structs() {
        let object = json!({
            "apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n"},
            "metadata": {"annotations": {"k": "v"}, "labels": {"app": "x"}, "name": "a", "namespace": "web",
                "resourceVersion": "", "zz": 1},
        });
        let stored = stored(&Kind::new("", "v1", "Pod", "pods"), &object);
        assert_eq!(
            text(stored.json()),
            r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web","resourceVersion":"7","labels":{"app":"x"},"annotations":{"k":"v"},"zz":1},"spec":{"nodeName":"n"}}"#
        );
        assert!(text(stored.body()).starts_with(r#""metadata":{"name""#));
        assert!(text(stored.metadata()).ends_with(r#""zz":1}"#));
        assert_eq!((stored.namespace(), stored.name()), ("web", "a"));
    }

    #[test]
    fn custom_objects_are_sorted() {
        let object =
            json!({"metadata": {"name": "a", "labels": {}, "resourceVersion": ""}, "alpha": true});
        let stored = stored(
            &Kind::new("x.io", "v1", "Widget", "widgets").custom(),
            &object,
        );
        assert_eq!(
            text(stored.json()),
            r#"{"apiVersion":"x.io/v1","kind":"Widget","metadata":{"labels":{},"name":"a","resourceVersion":"7"},"alpha":true}"#
        );
    }

    #[test]
    fn another_version_changes_nothing_else() {
        let object =
            json!({"metadata": {"name": "a", "resourceVersion": "", "uid": "u"}, "spec": {}});
        let before = stored(&Kind::new("", "v1", "Pod", "pods"), &object);
        let after = before.at_version(123_456);
        assert_eq!(
            after.value().pointer("/metadata/resourceVersion"),
            Some(&json!("123456"))
        );
        assert_eq!(
            text(after.metadata()),
            r#"{"name":"a","uid":"u","resourceVersion":"123456"}"#
        );
        let back = after.at_version(7);
        assert_eq!(text(back.json()), text(before.json()));
        assert_eq!(text(back.body()), text(before.body()));
    }
}

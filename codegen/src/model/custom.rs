//! A kind that a definition of custom resources describes, and the shape of its objects.

use std::hash::{Hash, Hasher};

use serde_json::Value;

use super::{Kind, KindId, Origin, Scope, Verb};
use crate::error::Place;
use crate::warning::Warning;

/// One version of a custom resource.
#[derive(Debug, Clone)]
pub(crate) struct CustomKind {
    pub(crate) id: KindId,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) scope: Scope,
    /// The server's warning, where the version is deprecated.
    pub(crate) deprecated: Option<String>,
    pub(crate) has_status: bool,
    pub(crate) scale: Option<Scale>,
    pub(crate) printer_columns: Vec<PrinterColumn>,
    /// The paths that the server can select by, as `spec.color`, beside those of the metadata; in the order of the definition.
    pub(crate) selectable: Vec<String>,
    /// The object without `apiVersion`, `kind` and `metadata`.
    pub(crate) object: Object,
    pub(crate) docs: Docs,
    /// Where the version stands in its definition.
    pub(crate) place: Place,
    /// What of it was passed over while it was read.
    pub(crate) warnings: Vec<Warning>,
    /// The kind as a cluster's document has it; `None` for one of a definition of custom resources, which says more of
    /// the kind and nothing of its verbs.
    pub(crate) document: Option<Kind>,
}

impl CustomKind {
    /// The definition of its objects in the document that it is from.
    pub(crate) fn definition(&self) -> Option<&str> {
        self.document.as_ref()?.type_name.as_deref()
    }

    /// Whether its objects are written by a Go server that is not held to a schema: it has null for a list without items, and an
    /// empty text for one that is absent.
    pub(crate) fn is_aggregated(&self) -> bool {
        let document = self.document.as_ref();
        document.is_some_and(|kind| kind.origin == Origin::Aggregated)
    }

    /// The kind as the server serves it: a custom resource with every verb.
    pub(crate) fn kind(&self) -> Kind {
        if let Some(kind) = &self.document {
            return kind.clone();
        }
        let scale = self.scale.as_ref().map(|_| "scale");
        let status = self.has_status.then_some("status");
        Kind {
            id: self.id.clone(),
            plural: self.plural.clone(),
            scope: self.scope,
            verbs: Verb::WORDS.iter().map(|(_, verb)| *verb).collect(),
            subresources: scale.into_iter().chain(status).map(str::to_owned).collect(),
            type_name: None,
            list_type: None,
            origin: Origin::CustomResource,
            watch_unknown: false,
        }
    }
}

/// Where a scale subresource finds its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) spec_replicas: String,
    pub(crate) status_replicas: String,
    pub(crate) label_selector: Option<String>,
}

/// A column that `kubectl get` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrinterColumn {
    pub(crate) name: String,
    pub(crate) of_type: String,
    pub(crate) format: String,
    pub(crate) description: Docs,
    pub(crate) priority: i32,
    pub(crate) json_path: String,
}

/// The shape of a value. Two are equal if they hold the same values, whatever is said about them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    Boolean,
    I32,
    I64,
    Number,
    Text,
    DateTime,
    IntOrString,
    /// One of some strings, or another one that a later version adds; as they stand.
    Choice(Vec<String>),
    List(Box<Member>),
    Map(Box<Member>),
    Object(Object),
    /// The metadata of an object.
    ObjectMeta,
    /// What a definition of the document describes, by its name.
    Definition(String),
    /// A type of the user's.
    Foreign(String),
}

/// A value that may be null.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    pub(crate) shape: Shape,
    pub(crate) nullable: bool,
    pub(crate) docs: Docs,
}

impl Member {
    pub(crate) fn any() -> Self {
        Self {
            shape: Shape::Any,
            nullable: false,
            docs: Docs::default(),
        }
    }
}

/// An object with named properties, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) properties: Vec<Property>,
    /// What the members are that no property names; `None` where the server keeps no others.
    pub(crate) rest: Option<Box<Member>>,
}

impl Object {
    /// Drops what keeps fields that no property names, here and below.
    pub(crate) fn forget_unknown_fields(&mut self) {
        self.rest = None;
        for property in &mut self.properties {
            property.member.forget_unknown_fields();
        }
    }
}

impl Member {
    pub(crate) fn forget_unknown_fields(&mut self) {
        match &mut self.shape {
            Shape::Object(object) => object.forget_unknown_fields(),
            Shape::List(inner) | Shape::Map(inner) => inner.forget_unknown_fields(),
            _ => {}
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    /// Whether the value is to lie behind a pointer.
    pub(crate) boxed: bool,
    pub(crate) member: Member,
}

/// What is said about something. No part of what it is: all are equal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Docs(String);

impl Docs {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl PartialEq for Docs {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Docs {}

impl Hash for Docs {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

//! The fields that the API server can select a kind's objects by, and how it reads them.

use std::borrow::Cow;
use std::fmt::{self, Display};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::FieldSelector;
use crate::field::Field;
use crate::object::{DynamicObject, PartialObjectMetadata};

/// A field that the API server can select objects of type `T` by. Generated for each kind, as `pod::selectable::SPEC_NODE_NAME`.
///
/// Source: the API concepts page "Field Selectors", which says that the fields differ by kind; which they are, stands in the server's
/// code alone. An object without the field reads as `""`, `false` or `0`, as the field's type is; of a custom resource always as `""`.
pub struct Selectable<T> {
    path: &'static str,
    reads: Reads<T>,
    /// What is absent reads as `""` whatever its type, as apiextensions-apiserver has it (`tableconvertor` and `SelectableFields`).
    custom: bool,
}

/// Where a field's value comes from. Generated code makes it, and the planner of queries looks for an index over the same path.
#[doc(hidden)]
pub enum Reads<T> {
    /// A text; absent, it is `""`.
    Text(Field<T, String>),
    /// A boolean; absent, it is `false`.
    Bool(Field<T, bool>),
    /// A number; absent, it is `0`.
    I32(Field<T, i32>),
    /// A number; absent, it is `0`.
    I64(Field<T, i64>),
    /// The first of two texts that is not empty.
    FirstOf(Field<T, String>, Field<T, String>),
    /// A text in the metadata.
    Metadata(fn(&T) -> &ObjectMeta, Field<ObjectMeta, String>),
    /// What stands at the path in a JSON value.
    Json(fn(&T) -> &Value),
    /// Whatever the function makes of the object.
    Computed(for<'a> fn(&'a T) -> Cow<'a, str>),
}

/// What a [`Selectable`] field of a custom resource may be: a text, a boolean, an integer.
pub trait SelectableValue: sealed::Sealed + Sized {
    /// Where it comes from.
    #[doc(hidden)]
    fn reads<T>(field: Field<T, Self>) -> Reads<T>;
}

mod sealed {
    use super::ObjectMeta;

    pub trait Sealed {}

    pub trait AnyKind {
        fn metadata(&self) -> &ObjectMeta;
    }
}

/// What has metadata in one place, whatever its kind is: what objects of every kind are kept as: metadata, metadata with the kind, and dynamic objects.
pub trait AnyKind: sealed::AnyKind {}

macro_rules! any_kind {
    ($($object:ty: $this:ident => $metadata:expr),*) => {$(
        impl sealed::AnyKind for $object {
            fn metadata(&$this) -> &ObjectMeta {
                $metadata
            }
        }

        impl AnyKind for $object {}
    )*};
}

any_kind!(ObjectMeta: self => self, PartialObjectMetadata: self => &self.metadata, DynamicObject: self => &self.metadata);

macro_rules! values {
    ($($value:ty => $reads:ident),*) => {$(
        impl sealed::Sealed for $value {}

        impl SelectableValue for $value {
            fn reads<T>(field: Field<T, Self>) -> Reads<T> {
                Reads::$reads(field)
            }
        }
    )*};
}

values!(String => Text, bool => Bool, i32 => I32, i64 => I64);

impl<T> Selectable<T> {
    /// Made by generated code alone, which knows what the server can do.
    #[doc(hidden)]
    #[must_use]
    pub const fn __new(path: &'static str, reads: Reads<T>) -> Self {
        Self {
            path,
            reads,
            custom: false,
        }
    }

    /// As [`__new`](Self::__new), for a field that the definition of a custom resource declares.
    #[doc(hidden)]
    #[must_use]
    pub const fn __custom(path: &'static str, reads: Reads<T>) -> Self {
        Self {
            path,
            reads,
            custom: true,
        }
    }

    /// A field that the CustomResourceDefinition of a hand-written type lists in `selectableFields`.
    ///
    /// That it is listed there nothing can check here; where it is not, the server answers 400, which is the informer's last error.
    /// Types that Larder generates have constants instead.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use larder::{Selectable, field};
    ///
    /// struct Shirt { spec: ShirtSpec }
    /// struct ShirtSpec { color: String, pockets: Option<i64> }
    ///
    /// let color = Selectable::of_custom_resource(field!(Shirt, spec.color));
    /// let pockets = Selectable::of_custom_resource(field!(Shirt, spec.pockets));
    /// let selector = color.eq("blue").and(pockets.eq(""));
    /// assert_eq!(selector.to_string(), "spec.color=blue,spec.pockets=");
    /// assert!(selector.matches(&Shirt { spec: ShirtSpec { color: "blue".into(), pockets: None } }));
    /// ```
    #[must_use]
    pub fn of_custom_resource<L: SelectableValue>(field: Field<T, L>) -> Self {
        Self::__custom(field.path(), L::reads(field))
    }

    /// The path that the server knows it by. What is read may stand elsewhere in the object: `status.successful` of jobs reads
    /// `status.succeeded`.
    #[must_use]
    pub const fn path(self) -> &'static str {
        self.path
    }

    /// Objects whose field has this value: a text, a number, a boolean.
    #[must_use]
    pub fn eq(self, value: impl Display) -> FieldSelector<T> {
        FieldSelector::one(self, true, value)
    }

    /// Objects whose field has another value, or none.
    ///
    /// An absent field has the value `""`, `false` or `0`: `ne("")` selects the objects that have the field.
    #[must_use]
    pub fn ne(self, value: impl Display) -> FieldSelector<T> {
        FieldSelector::one(self, false, value)
    }

    /// The text that the server compares with: the value of the field, and where it is absent `""`, `false` or `0`.
    #[must_use]
    pub fn value(self, object: &T) -> Cow<'_, str> {
        let shown = |value: Option<String>| value.map_or(self.absent().into(), Cow::Owned);
        match self.reads {
            Reads::Text(field) => text(field.first(object)),
            Reads::Bool(field) => shown(field.first(object).map(bool::to_string)),
            Reads::I32(field) => shown(field.first(object).map(i32::to_string)),
            Reads::I64(field) => shown(field.first(object).map(i64::to_string)),
            Reads::FirstOf(first, second) => {
                let first = first.first(object).filter(|text| !text.is_empty());
                text(first.or_else(|| second.first(object)))
            }
            Reads::Metadata(metadata, field) => text(field.first(metadata(object))),
            Reads::Json(data) => at_path(data(object), self.path),
            Reads::Computed(value) => value(object),
        }
    }

    /// What an absent value reads as.
    pub(crate) const fn absent(self) -> &'static str {
        match self.reads {
            _ if self.custom => "",
            Reads::Bool(_) => "false",
            Reads::I32(_) | Reads::I64(_) => "0",
            Reads::Text(_)
            | Reads::FirstOf(..)
            | Reads::Metadata(..)
            | Reads::Json(_)
            | Reads::Computed(_) => "",
        }
    }

    /// Where the value comes from.
    pub(crate) const fn reads(self) -> Reads<T> {
        self.reads
    }
}

/// Objects that are metadata, or have it in one place whatever their kind is.
impl<T: AnyKind> Selectable<T> {
    /// The name. Every kind can be selected by it.
    ///
    /// For options that are not about one kind, as a cache's default for metadata alone; a kind's own constants stand in its module.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use larder::{InformerOptions, Metadata, Selectable};
    ///
    /// let options = InformerOptions::<Metadata>::new().fields(Selectable::METADATA_NAME.ne("kube-root-ca.crt"));
    /// ```
    pub const METADATA_NAME: Self = Self::__new(
        "metadata.name",
        Reads::Metadata(<T as sealed::AnyKind>::metadata, NAME),
    );

    /// The namespace. Namespaced kinds can be selected by it, but for `PodCertificateRequest`; of kinds of the cluster some.
    pub const METADATA_NAMESPACE: Self = Self::__new(
        "metadata.namespace",
        Reads::Metadata(<T as sealed::AnyKind>::metadata, NAMESPACE),
    );
}

impl<T: k8s_openapi::Metadata<Ty = ObjectMeta>> Selectable<T> {
    /// The name, of a kind with a type of its own.
    #[doc(hidden)]
    pub const __NAME: Self = Self::__new("metadata.name", Reads::Metadata(T::metadata, NAME));

    /// The namespace, of a kind with a type of its own.
    #[doc(hidden)]
    pub const __NAMESPACE: Self = Self::__new(
        "metadata.namespace",
        Reads::Metadata(T::metadata, NAMESPACE),
    );
}

impl Selectable<DynamicObject> {
    /// A field that a CustomResourceDefinition lists in `selectableFields`, by its path without the leading dot.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use larder::{Dynamic, InformerOptions, Selectable};
    ///
    /// let color = Selectable::of_dynamic("spec.color");
    /// let options = InformerOptions::<Dynamic>::new().fields(color.eq("blue"));
    /// ```
    #[must_use]
    pub const fn of_dynamic(path: &'static str) -> Self {
        Self::__custom(path, Reads::Json(|object| &object.data))
    }
}

const NAME: Field<ObjectMeta, String> = crate::field!(ObjectMeta, name);
const NAMESPACE: Field<ObjectMeta, String> = crate::field!(ObjectMeta, namespace);

fn text(value: Option<&String>) -> Cow<'_, str> {
    Cow::Borrowed(value.map_or("", String::as_str))
}

/// The scalar at a path of names with dots between, as text; `""` for all else.
fn at_path<'a>(data: &'a Value, path: &str) -> Cow<'a, str> {
    let value = path
        .split('.')
        .try_fold(data, |value, name| value.get(name));
    match value {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Cow::Owned(value.to_string()),
        _ => Cow::Borrowed(""),
    }
}

impl<T> Clone for Reads<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Reads<T> {}

impl<T> Clone for Selectable<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Selectable<T> {}

impl<T> fmt::Debug for Selectable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Selectable").field(&self.path).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::batch::v1::Job;
    use k8s_openapi::api::core::v1::{Event, Node, Pod};
    use serde_json::json;

    use super::*;
    use crate::{Dynamic, Kept, Kind, Metadata, RawBuffer, Scope, Transform, field};

    #[test]
    fn values_read_as_the_server_reads_them() {
        let successful: Selectable<Job> = Selectable::__new(
            "status.successful",
            Reads::I32(field!(Job, status.succeeded)),
        );
        let mut job = Job::default();
        assert_eq!(successful.value(&job), "0");
        assert!(successful.eq(0).matches(&job));
        job.status = Some(serde_json::from_value(json!({"succeeded": 3})).unwrap());
        assert_eq!(successful.value(&job), "3");
        assert_eq!(successful.ne(2).to_string(), "status.successful!=2");

        let unschedulable: Selectable<Node> = Selectable::__new(
            "spec.unschedulable",
            Reads::Bool(field!(Node, spec.unschedulable)),
        );
        let mut node = Node::default();
        assert!(unschedulable.eq(false).matches(&node));
        node.spec = Some(serde_json::from_value(json!({"unschedulable": true})).unwrap());
        assert!(unschedulable.eq(true).matches(&node));
    }

    #[test]
    fn the_second_text_counts_where_the_first_is_absent_or_empty() {
        let source: Selectable<Event> = Selectable::__new(
            "source",
            Reads::FirstOf(
                field!(Event, source.component),
                field!(Event, reportingComponent),
            ),
        );
        for (event, expected) in [
            (json!({}), ""),
            (json!({"reportingComponent": "a"}), "a"),
            (
                json!({"reportingComponent": "a", "source": {"component": ""}}),
                "a",
            ),
            (
                json!({"reportingComponent": "a", "source": {"component": "b"}}),
                "b",
            ),
        ] {
            let mut event = event;
            event["metadata"] = json!({});
            event["involvedObject"] = json!({});
            let event: Event = serde_json::from_value(event).unwrap();
            assert_eq!(source.value(&event), expected);
        }
    }

    #[test]
    fn objects_of_any_kind_have_a_name_and_a_namespace() {
        let mut metadata = ObjectMeta::default();
        assert_eq!(Selectable::METADATA_NAMESPACE.value(&metadata), "");
        metadata.name = Some("a".into());
        assert!(Selectable::METADATA_NAME.eq("a").matches(&metadata));
        let pod = Pod {
            metadata,
            ..Default::default()
        };
        assert_eq!(Selectable::__NAME.value(&pod), "a");

        let json = r#"{"metadata":{"name":"a","namespace":"b"},"spec":{}}"#;
        let kind = Kind::new("example.com", "v1", "Shirt", "shirts", Scope::Namespaced);
        let raw = RawBuffer::new(json).unwrap().of_kind(kind);
        let metadata = Metadata::store(&raw.raw(), &Transform::none()).unwrap();
        assert_eq!(Selectable::METADATA_NAMESPACE.value(&*metadata), "b");
        let object = Dynamic::store(&raw.raw(), &Transform::none()).unwrap();
        assert_eq!(Selectable::METADATA_NAME.value(&*object), "a");
    }

    fn shirt(spec: &Value) -> Arc<DynamicObject> {
        let json = json!({"metadata": {"name": "a"}, "spec": spec}).to_string();
        let kind = Kind::new("example.com", "v1", "Shirt", "shirts", Scope::Namespaced);
        let raw = RawBuffer::new(json).unwrap().of_kind(kind);
        Dynamic::store(&raw.raw(), &Transform::none()).unwrap()
    }

    #[test]
    fn what_a_custom_resource_lacks_reads_as_nothing_whatever_its_type() {
        struct Shirt {
            color: Option<String>,
            pockets: Option<i64>,
            iron: Option<bool>,
        }
        let fields = [
            Selectable::of_custom_resource(field!(Shirt, color)),
            Selectable::of_custom_resource(field!(Shirt, pockets)),
            Selectable::of_custom_resource(field!(Shirt, iron)),
        ];
        let values = |shirt: &Shirt| fields.map(|field| field.value(shirt).into_owned());
        let mut some = Shirt {
            color: None,
            pockets: None,
            iron: None,
        };
        assert_eq!(values(&some), ["", "", ""]);
        (some.color, some.pockets, some.iron) = (Some("red".into()), Some(0), Some(false));
        assert_eq!(values(&some), ["red", "0", "false"]);

        let value = |path, spec| {
            Selectable::of_dynamic(path)
                .value(&shirt(&spec))
                .into_owned()
        };
        assert_eq!(value("spec.color", json!({})), "");
        assert_eq!(value("spec.color", json!({"color": "red"})), "red");
        assert_eq!(
            value("spec.fit.wide", json!({"fit": {"wide": false}})),
            "false"
        );
        assert_eq!(value("spec.pockets", json!({"pockets": 2})), "2");
        assert_eq!(value("spec.pockets", json!({"pockets": null})), "");
        assert_eq!(value("spec.fit", json!({"fit": {"wide": true}})), "");
    }
}

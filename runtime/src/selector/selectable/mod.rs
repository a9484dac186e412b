//! The fields that the API server can select a kind's objects by, and how it reads them.

mod leaf;
mod reads;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::{self, Display};

pub(crate) use leaf::Texts;
pub use leaf::{Leaf, OfAnyType, OfKnownType, shown};
pub(crate) use reads::parsed;
pub use reads::{FirstOf, Reads, SelectableValue};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

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

mod sealed {
    use super::ObjectMeta;

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

    /// As [`__custom`](Self::__custom), of a type that the generator did not make, whose field it does not know the type of.
    #[doc(hidden)]
    #[must_use]
    pub const fn __of(path: &'static str, reads: fn() -> Reads<T>) -> Self {
        Self::__custom(path, Reads::Of(reads))
    }

    /// The name, of a type whose metadata this function gives.
    #[doc(hidden)]
    #[must_use]
    pub const fn __name_of(metadata: fn(&T) -> &ObjectMeta) -> Self {
        Self::__new("metadata.name", Reads::Metadata(metadata, NAME))
    }

    /// The namespace, of a type whose metadata this function gives.
    #[doc(hidden)]
    #[must_use]
    pub const fn __namespace_of(metadata: fn(&T) -> &ObjectMeta) -> Self {
        Self::__new("metadata.namespace", Reads::Metadata(metadata, NAMESPACE))
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
        let value = self.reads().value(object, self.path);
        value.unwrap_or(Cow::Borrowed(self.absent()))
    }

    /// What an absent value reads as.
    pub(crate) const fn absent(self) -> &'static str {
        match self.custom {
            true => "",
            false => self.reads.absent(),
        }
    }

    /// Whether there can be an object of which the server reads this.
    pub(crate) fn can_be(self, value: &str) -> bool {
        value == self.absent() || self.reads().can_be(value)
    }

    /// Where the value comes from.
    pub(crate) fn reads(self) -> Reads<T> {
        match self.reads {
            Reads::Of(reads) => reads(),
            reads => reads,
        }
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

//! Decodes an object as its metadata and the rest.

use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

/// The members that every object has; also where an error's path may name them.
pub(super) const FIELDS: &[&str] = &["apiVersion", "kind", "metadata"];

/// What becomes of the members that only some objects have.
pub(super) trait Rest: Default {
    /// A member's name.
    type Name;
    fn name(text: &str) -> Self::Name;
    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        name: Self::Name,
        members: &mut A,
    ) -> Result<(), A::Error>;
}

/// They are skipped, and cost nothing.
impl Rest for () {
    type Name = ();

    fn name(_: &str) {}

    fn take<'de, A: MapAccess<'de>>(&mut self, (): (), members: &mut A) -> Result<(), A::Error> {
        members.next_value::<IgnoredAny>().map(drop)
    }
}

/// An object without `apiVersion` and `kind`, which its informer knows better.
pub(super) struct Parts<D> {
    pub(super) metadata: ObjectMeta,
    pub(super) rest: D,
}

impl<'de, D: Rest> Deserialize<'de> for Parts<D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        deserializer.deserialize_struct("Object", FIELDS, Members(PhantomData))
    }
}

struct Members<D>(PhantomData<D>);

impl<'de, D: Rest> Visitor<'de> for Members<D> {
    type Value = Parts<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Parts<D>, A::Error> {
        let mut metadata = None;
        let mut rest = D::default();
        while let Some(name) = members.next_key::<Name<D>>()? {
            match name {
                Name::Types => drop(members.next_value::<IgnoredAny>()?),
                Name::Metadata if metadata.is_some() => {
                    return Err(A::Error::duplicate_field("metadata"));
                }
                Name::Metadata => metadata = Some(members.next_value()?),
                Name::Other(name) => rest.take(name, &mut members)?,
            }
        }
        let metadata = metadata.ok_or_else(|| A::Error::missing_field("metadata"))?;
        Ok(Parts { metadata, rest })
    }
}

enum Name<D: Rest> {
    Types,
    Metadata,
    Other(D::Name),
}

impl<'de, D: Rest> Deserialize<'de> for Name<D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        deserializer.deserialize_identifier(Names(PhantomData))
    }
}

struct Names<D>(PhantomData<D>);

impl<D: Rest> Visitor<'_> for Names<D> {
    type Value = Name<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<D>, E> {
        Ok(match name {
            "apiVersion" | "kind" => Name::Types,
            "metadata" => Name::Metadata,
            other => Name::Other(D::name(other)),
        })
    }
}

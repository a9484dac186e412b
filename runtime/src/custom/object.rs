//! Objects with named fields, read and written by less code than a derive makes: for each field one arm of a match. Custom
//! resources have thousands, and they are what a crate with them takes long to compile for.

use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, Visitor};

/// The number of a name among these, which are sorted; their count where it is none of them.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Known(pub &'static [&'static str]);

impl Known {
    fn number(self, name: &str) -> Option<usize> {
        self.0.binary_search(&name).ok()
    }
}

impl<'de> DeserializeSeed<'de> for Known {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Known {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        Ok(self.number(name).unwrap_or(self.0.len()))
    }
}

/// As [`Known`], but with the name where it is none of them.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct KnownOr(pub &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for KnownOr {
    type Value = (usize, String);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KnownOr {
    type Value = (usize, String);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Known(self.0).expecting(f)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(match Known(self.0).number(name) {
            Some(number) => (number, String::new()),
            None => (self.0.len(), name.to_owned()),
        })
    }
}

/// `Serialize` and `Deserialize` of an emitted struct:
/// `object!(Spec, ["color", "note", "tags"], {0 color "color"} {1 note "note"} {2 tags "tags"}, rest);`.
///
/// After the names in JSON, which are sorted, come the fields by their numbers among these, in three groups, so that the expansion of
/// a group is one repetition: fields that are no `Option`; an `Option` whose `None` is written as null; one whose `None` is left out.
/// What is absent keeps its default. In the first group null is as good as nothing: a later version of the definition may have it. With
/// another part, that field has what no other is for. `as Numbers` behind a name writes the field through `Numbers`. `of Kind` in
/// front is for the object itself, with the numbers of `apiVersion`,
/// `kind` and `metadata`, of which the first two are checked.
///
/// The names of type parameters are such as no emitted type has.
#[doc(hidden)]
#[macro_export]
macro_rules! __object {
    (
        $name:ident, [$($json:literal),*],
        {$($at:literal $field:ident $key:literal $(as $as:ident)?),*}
        {$($null_at:literal $null_field:ident $null_key:literal $(as $null_as:ident)?),*}
        {$($skip_at:literal $skip_field:ident $skip_key:literal $(as $skip_as:ident)?),*} $(, $rest:ident)?
    ) => {
        $crate::__object!(@read $name, [$($json),*], object, map, {
            $($at => if let ::core::option::Option::Some(value) = map.next_value()? {
                object.$field = value;
            },)*
            $($null_at => object.$null_field = map.next_value()?,)*
            $($skip_at => object.$skip_field = map.next_value()?,)*
        }, $($rest)?);

        $crate::__object!(@write $name, self, map, {
            $($crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $key, $(&$crate::__private::$as)?(&self.$field))?;)*
            $($crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $null_key, $(&$crate::__private::$null_as)?(&self.$null_field))?;)*
            $(if let ::core::option::Option::Some(value) = &self.$skip_field {
                $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $skip_key, $(&$crate::__private::$skip_as)?(value))?;
            })*
            $(for (name, value) in &self.$rest {
                $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, name, value)?;
            })?
        });
    };
    (
        of $name:ident, $api_version:literal, $kind:literal, $metadata:literal, [$($json:literal),*],
        {$($at:literal $field:ident $key:literal $(as $as:ident)?),*}
        {$($null_at:literal $null_field:ident $null_key:literal $(as $null_as:ident)?),*}
        {$($skip_at:literal $skip_field:ident $skip_key:literal $(as $skip_as:ident)?),*} $(, $rest:ident)?
    ) => {
        $crate::__object!(@read $name, [$($json),*], object, map, {
            $api_version => $crate::__private::check_api_version::<$name, __A::Error>(&map.next_value()?)?,
            $kind => $crate::__private::check_kind::<$name, __A::Error>(&map.next_value()?)?,
            $metadata => object.metadata = map.next_value()?,
            $($at => if let ::core::option::Option::Some(value) = map.next_value()? {
                object.$field = value;
            },)*
            $($null_at => object.$null_field = map.next_value()?,)*
            $($skip_at => object.$skip_field = map.next_value()?,)*
        }, $($rest)?);

        $crate::__object!(@write $name, self, map, {
            let (api_version, kind) = $crate::__private::names::<$name>();
            $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, "apiVersion", api_version)?;
            $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, "kind", kind)?;
            $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, "metadata", &self.metadata)?;
            $($crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $key, $(&$crate::__private::$as)?(&self.$field))?;)*
            $($crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $null_key, $(&$crate::__private::$null_as)?(&self.$null_field))?;)*
            $(if let ::core::option::Option::Some(value) = &self.$skip_field {
                $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, $skip_key, $(&$crate::__private::$skip_as)?(value))?;
            })*
            $(for (name, value) in &self.$rest {
                $crate::__private::serde::ser::SerializeMap::serialize_entry(&mut map, name, value)?;
            })?
        });
    };
    (@write $name:ident, $self:ident, $map:ident, {$($entries:tt)*}) => {
        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S: $crate::__private::serde::Serializer>(
                &$self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #[allow(unused_mut)]
                let mut $map = serializer.serialize_map(::core::option::Option::None)?;
                $($entries)*
                $crate::__private::serde::ser::SerializeMap::end($map)
            }
        }
    };
    (@read $name:ident, [$($json:literal),*], $object:ident, $map:ident, {$($arms:tt)*}, $($rest:ident)?) => {
        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                struct __Visitor;

                impl<'de> $crate::__private::serde::de::Visitor<'de> for __Visitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<__A: $crate::__private::serde::de::MapAccess<'de>>(
                        self,
                        mut $map: __A,
                    ) -> ::core::result::Result<$name, __A::Error> {
                        #[allow(unused_mut)]
                        let mut $object = <$name as ::core::default::Default>::default();
                        $crate::__object!(@fields $object, $map, [$($json),*], {$($arms)*}, $($rest)?);
                        ::core::result::Result::Ok($object)
                    }
                }

                deserializer.deserialize_map(__Visitor)
            }
        }
    };
    (@fields $object:ident, $map:ident, [$($json:literal),*], {$($arms:tt)*},) => {
        while let ::core::option::Option::Some(name) =
            $map.next_key_seed($crate::__private::Known(&[$($json),*]))?
        {
            match name {
                $($arms)*
                _ => {
                    $map.next_value::<$crate::__private::serde::de::IgnoredAny>()?;
                }
            }
        }
    };
    (@fields $object:ident, $map:ident, [$($json:literal),*], {$($arms:tt)*}, $rest:ident) => {
        while let ::core::option::Option::Some((number, name)) =
            $map.next_key_seed($crate::__private::KnownOr(&[$($json),*]))?
        {
            match number {
                $($arms)*
                _ => {
                    let value = $map.next_value()?;
                    $object.$rest.insert(name, value);
                }
            }
        }
    };
}

/// Which property each field of an emitted struct is, for `field!`: the hash of the field's name, and a type that is called as the
/// property.
#[doc(hidden)]
#[macro_export]
macro_rules! __spelt {
    ($name:ident, {$($properties:tt)*}, $($field:literal $property:ident),*) => {
        const _: () = {
            #[allow(unused_imports)]
            use $($properties)* as __properties;

            $(impl $crate::__private::Spells<$field> for $name {
                type Property = __properties::$property;
            })*
        };
    };
}

/// The types that `__spelt` names, with the hash of the property's name.
#[doc(hidden)]
#[macro_export]
macro_rules! __properties {
    ($($property:ident $name:literal),*) => {
        $(
            #[allow(non_camel_case_types)]
            pub enum $property {}

            impl $crate::__private::Property<$name> for $property {}
        )*
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq)]
    struct Closed {
        first: Option<i32>,
        second: Vec<String>,
    }

    __object!(Closed, ["1st", "second"], {1 second "second"} {} {0 first "1st"});

    #[derive(Debug, Default, PartialEq)]
    struct Open {
        inner: Option<Closed>,
        rest: BTreeMap<String, i32>,
    }

    __object!(Open, ["inner"], {} {0 inner "inner"} {}, rest);

    #[derive(Debug, Default, PartialEq)]
    struct Nothing {}

    __object!(Nothing, [], {} {} {});

    #[test]
    fn fields_are_read_and_written_by_their_names() {
        for (json, written) in [
            (r#"{"1st":1,"second":["a"]}"#, r#"{"second":["a"],"1st":1}"#),
            (
                r#"{"first":{"a":[]},"second":[],"zzz":1}"#,
                r#"{"second":[]}"#,
            ),
            (r#"{"1st":null,"second":null}"#, r#"{"second":[]}"#),
        ] {
            let read: Closed = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
        }
        let json = r#"{"inner":null,"a":1,"b":2}"#;
        let read: Open = serde_json::from_str(json).unwrap();
        assert_eq!(
            read.rest,
            BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)])
        );
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        assert_eq!(
            serde_json::to_string(&serde_json::from_str::<Nothing>(r#"{"a":1}"#).unwrap()).unwrap(),
            "{}"
        );
        for json in ["[]", "null", "1", r#"{"1st":"a"}"#] {
            assert!(serde_json::from_str::<Closed>(json).is_err(), "{json}");
        }
    }
}

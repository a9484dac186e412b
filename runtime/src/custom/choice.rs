//! Enums of texts that keep a text which they do not know.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{self, Visitor};

/// What can be made of any text.
#[doc(hidden)]
pub trait Text: for<'a> From<&'a str> + From<String> {}

impl<T: for<'a> From<&'a str> + From<String>> Text for T {}

/// Reads a text; one that the type knows is not copied.
///
/// # Errors
///
/// Where there is no text.
#[doc(hidden)]
pub fn read_text<'de, T: Text, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_string(TextVisitor(PhantomData))
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: Text> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<T, E> {
        Ok(T::from(text))
    }
}

/// The rest of an emitted enum: `open_enum!(Mode, Other, Fast = "fast", Slow = "slow",);`.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    ($name:ident, $other:ident, $($variant:ident = $value:literal,)*) => {
        impl $name {
            /// The values of the definition, as they stand in JSON.
            pub const VALUES: &'static [&'static str] = &[$($value),*];

            /// The value as it stands in JSON.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::$other(text) => text,
                }
            }

            fn known(text: &str) -> ::core::option::Option<Self> {
                match text {
                    $($value => ::core::option::Option::Some(Self::$variant),)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        /// The variant of this value, where there is one.
        impl ::core::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::known(text).unwrap_or_else(|| Self::$other(::std::string::String::from(text)))
            }
        }

        /// The variant of this value, where there is one.
        impl ::core::convert::From<::std::string::String> for $name {
            fn from(text: ::std::string::String) -> Self {
                Self::known(&text).unwrap_or(Self::$other(text))
            }
        }

        /// The empty text, as of a string.
        impl ::core::default::Default for $name {
            fn default() -> Self {
                <Self as ::core::convert::From<&str>>::from("")
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::cmp::PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl ::core::cmp::PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        /// Found by its text, as if it were a string.
        impl $crate::FieldKey for $name {
            type Key = ::std::string::String;

            fn to_key(&self) -> Self::Key {
                ::std::string::String::from(self.as_str())
            }

            fn cmp_key(&self, key: &Self::Key) -> ::core::cmp::Ordering {
                self.as_str().cmp(key.as_str())
            }

            fn from_text(text: &str) -> ::core::option::Option<Self::Key> {
                ::core::option::Option::Some(::std::string::String::from(text))
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S: $crate::__private::serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                $crate::__private::read_text(deserializer)
            }
        }
    };
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "emitted types are public")]
mod tests {
    use crate::FieldKey;

    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    enum Mode {
        Fast,
        Empty,
        Other(String),
    }

    __open_enum!(Mode, Other, Fast = "fast", Empty = "",);

    #[test]
    fn a_value_that_is_not_known_is_kept() {
        for (text, mode) in [
            ("fast", Mode::Fast),
            ("", Mode::Empty),
            ("FAST", Mode::Other("FAST".into())),
        ] {
            let json = serde_json::to_string(text).unwrap();
            let read: Mode = serde_json::from_str(&json).unwrap();
            assert_eq!(read, mode);
            assert_eq!(Mode::from(text.to_owned()), mode);
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
            assert_eq!(
                (read.to_key(), read.to_string()),
                (text.into(), text.into())
            );
            assert!(read == *text && read == text);
        }
        assert_eq!(Mode::default(), Mode::Empty);
        assert_eq!(Mode::VALUES, ["fast", ""]);
        assert!(serde_json::from_str::<Mode>("1").is_err());
    }
}

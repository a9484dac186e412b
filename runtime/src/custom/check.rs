//! An object's own word on what it is.

use std::borrow::Cow;

use k8s_openapi::Resource;
use serde::de;

/// `apiVersion` and `kind` of a type.
#[doc(hidden)]
#[must_use]
pub fn names<T: Resource>() -> (&'static str, &'static str) {
    (T::API_VERSION, T::KIND)
}

/// Refuses what says that it is something else; items of a list often say nothing.
///
/// # Errors
///
/// Where another one is given than `T`'s. The error says what was expected, not what was found.
#[doc(hidden)]
pub fn check_api_version<T: Resource, E: de::Error>(given: &Option<Cow<'_, str>>) -> Result<(), E> {
    check("apiVersion", T::API_VERSION, given.as_deref())
}

/// As [`check_api_version`], of the kind.
///
/// # Errors
///
/// As there.
#[doc(hidden)]
pub fn check_kind<T: Resource, E: de::Error>(given: &Option<Cow<'_, str>>) -> Result<(), E> {
    check("kind", T::KIND, given.as_deref())
}

fn check<E: de::Error>(name: &str, expected: &str, given: Option<&str>) -> Result<(), E> {
    match given {
        Some(given) if given != expected => {
            Err(E::custom(format_args!("`{name}` is not {expected:?}")))
        }
        _ => Ok(()),
    }
}

//! An object's own word on what it is.

use k8s_openapi::Resource;
use serde::de;

/// Refuses what says that it is something else. Items of a list often say nothing.
///
/// # Errors
///
/// Where one is given and is another than `T`'s. The error says what was expected, not what was found.
#[doc(hidden)]
pub fn check_kind<T: Resource, E: de::Error>(
    api_version: Option<&str>,
    kind: Option<&str>,
) -> Result<(), E> {
    if api_version.is_some_and(|given| given != T::API_VERSION) {
        let expected = T::API_VERSION;
        return Err(E::custom(format_args!("`apiVersion` is not {expected:?}")));
    }
    if kind.is_some_and(|given| given != T::KIND) {
        return Err(E::custom(format_args!("`kind` is not {:?}", T::KIND)));
    }
    Ok(())
}

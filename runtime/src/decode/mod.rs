//! Decode.

/// Why bytes did not decode.
#[derive(Debug, Clone, thiserror::Error)]
#[error("placeholder")]
pub struct DecodeError(());

/// One object's bytes.
#[derive(Clone, Copy)]
pub struct RawObject<'a> {
    bytes: &'a [u8],
}

impl<'a> RawObject<'a> {
    /// x
    pub fn name(&self) -> Option<std::borrow::Cow<'a, str>> {
        None
    }
    /// x
    pub fn namespace(&self) -> Option<std::borrow::Cow<'a, str>> {
        None
    }
    /// x
    pub fn uid(&self) -> Option<std::borrow::Cow<'a, str>> {
        None
    }
    /// x
    pub fn resource_version(&self) -> Option<std::borrow::Cow<'a, str>> {
        None
    }
    /// Decodes.
    ///
    /// # Errors
    ///
    /// When it does not decode.
    pub fn decode<T: serde::Deserialize<'a>>(&self) -> Result<T, DecodeError> {
        let _ = self.bytes;
        Err(DecodeError(()))
    }
}

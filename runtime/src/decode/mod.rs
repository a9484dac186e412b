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

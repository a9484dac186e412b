//! One object's bytes, scanned and not yet decoded.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::content_type::ContentType;
use super::de;
use super::error::DecodeError;
use super::index::{Index, MAX_BYTES, Noted};
use super::notes::is_white;
use super::scanner::Scanner;
use super::text::unescape;
use crate::kind::Kind;

/// One object as the server sent it, without `metadata.managedFields` unless they are kept.
///
/// What identifies the object was noted while its bytes arrived, so asking for it costs no parsing, and it can be
/// asked even of an object that does not decode. A copy is a few words.
#[derive(Clone, Copy)]
pub struct RawObject<'a> {
    content_type: ContentType,
    bytes: &'a [u8],
    index: &'a Index,
    kind: Option<&'a Arc<Kind>>,
}

impl<'a> RawObject<'a> {
    pub(super) fn new(content_type: ContentType, bytes: &'a [u8], index: &'a Index) -> Self {
        Self {
            content_type,
            bytes,
            index,
            kind: None,
        }
    }

    /// The same object, as one of this kind.
    pub(crate) fn of_kind(self, kind: &'a Arc<Kind>) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    /// The kind whose informer received the object, whatever the object says that it is.
    ///
    /// `None` only for an object of a [`RawBuffer`] that was not [given one](RawBuffer::of_kind).
    #[must_use]
    pub fn informer_kind(&self) -> Option<&'a Arc<Kind>> {
        self.kind
    }

    /// `metadata.name`, if it is a string.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::Name)
    }

    /// `metadata.namespace`; `None` for cluster-scoped objects, whether absent or empty.
    #[must_use]
    pub fn namespace(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::Namespace)
            .filter(|namespace| !namespace.is_empty())
    }

    /// `metadata.uid`, if it is a string.
    #[must_use]
    pub fn uid(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::Uid)
    }

    /// `metadata.resourceVersion`, if it is a string.
    #[must_use]
    pub fn resource_version(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::ResourceVersion)
    }

    /// `apiVersion`, if it is a string. Items of a list may have none on the wire, and that of metadata alone is not
    /// the kind's own: see [`informer_kind`](Self::informer_kind).
    #[must_use]
    pub fn api_version(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::ApiVersion)
    }

    /// `kind`, if it is a string. See [`api_version`](Self::api_version) for what it is worth.
    #[must_use]
    pub fn kind(&self) -> Option<Cow<'a, str>> {
        self.noted(Noted::Kind)
    }

    /// The value of one annotation. Parses all annotations up to it.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<Cow<'a, str>> {
        let annotations = self.index.get(Noted::Annotations)?.of(self.bytes)?;
        de::find_string(annotations, key)
    }

    /// How many labels or annotations it has, whichever are more.
    pub(crate) fn most_labels(&self) -> usize {
        self.index.most_labels
    }

    /// The object's bytes, encoded as [`content_type`](Self::content_type) says.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How the bytes are encoded.
    #[must_use]
    pub fn content_type(&self) -> ContentType {
        self.content_type
    }

    /// Decodes the object.
    ///
    /// Each array of up to 1 MiB (serde reserves no more beforehand) is allocated once and at its exact length.
    ///
    /// # Errors
    ///
    /// When the bytes are malformed or are no `T`: what is wrong and where, but nothing out of the bytes.
    pub fn decode<T: serde::Deserialize<'a>>(&self) -> Result<T, DecodeError> {
        match self.content_type {
            ContentType::Json => de::from_bytes(self.bytes, &self.index.tape),
        }
    }

    fn noted(&self, what: Noted) -> Option<Cow<'a, str>> {
        unescape(self.index.get(what)?.of(self.bytes)?)
    }
}

/// Says which object it is and how large, never what is in it.
impl fmt::Debug for RawObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawObject")
            .field("namespace", &self.namespace())
            .field("name", &self.name())
            .field("content_type", &self.content_type)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// An object's bytes with what scanning them found: makes a [`RawObject`] without a server.
///
/// For tests of a [`Kept`](crate::Kept) of one's own, and for bytes that were stored and are to be asked as an
/// object again. To decode stored bytes, [`decode_bytes`](crate::decode_bytes) is shorter.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::RawBuffer;
///
/// let buffer = RawBuffer::new(br#"{"metadata":{"name":"a","managedFields":[]}}"#.to_vec())?;
/// assert_eq!(buffer.raw().name().as_deref(), Some("a"));
/// assert_eq!(buffer.raw().bytes(), br#"{"metadata":{"name":"a"}}"#);
/// # Ok::<(), larder::DecodeError>(())
/// ```
pub struct RawBuffer {
    bytes: Vec<u8>,
    start: usize,
    index: Index,
    kind: Option<Arc<Kind>>,
}

impl RawBuffer {
    /// Scans the JSON of one object and drops its `metadata.managedFields`, as an informer does by default.
    ///
    /// # Errors
    ///
    /// When strings or brackets do not end, or when anything but white space follows the object. Whether it
    /// decodes is found out by [`RawObject::decode`].
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, DecodeError> {
        let mut bytes = bytes.into();
        let lead = bytes.iter().take_while(|byte| is_white(**byte)).count();
        let mut scanner = Scanner::new(true, false);
        let value = bytes.get(lead..).unwrap_or_default();
        let end = match scanner.advance(value) {
            Ok(Some(length)) if length <= MAX_BYTES => lead + length,
            _ => return Err(de::why_not(&bytes)),
        };
        if bytes.iter().skip(end).any(|byte| !is_white(*byte)) {
            return Err(de::why_not(&bytes));
        }
        bytes.truncate(end);
        let object = bytes.get_mut(lead..).unwrap_or_default();
        let start = lead + scanner.cut_managed_fields(object);
        Ok(Self {
            bytes,
            start,
            index: scanner.into_index(),
            kind: None,
        })
    }

    /// The same object, as an informer of this kind would receive it.
    #[must_use]
    pub fn of_kind(mut self, kind: impl Into<Arc<Kind>>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// The object.
    #[must_use]
    pub fn raw(&self) -> RawObject<'_> {
        let bytes = self.bytes.get(self.start..).unwrap_or_default();
        RawObject {
            kind: self.kind.as_ref(),
            ..RawObject::new(ContentType::Json, bytes, &self.index)
        }
    }
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RawBuffer").field(&self.raw()).finish()
    }
}

//! Why an object does not decode, said without a word out of it.

use std::fmt;

use serde::de::{Expected, Unexpected};

/// Why bytes did not decode as a type: what is wrong, where in the type and where in the bytes.
///
/// Holds nothing out of the bytes, since an object may be a Secret: names in the path are those that the Rust type
/// declares, every other key is `[*]`, and the messages of `Deserialize` implementations, which quote values, are
/// dropped.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let error = larder::decode_bytes::<Pod>(br#"{"spec":{"nodeName":7}}"#).unwrap_err();
/// assert_eq!(error.to_string(), "spec.nodeName: expected a string, found a number (at byte 20)");
/// ```
#[derive(Clone, thiserror::Error)]
#[error("{path}{separator}{kind} (at byte {position})",
    path = self.path(),
    separator = if self.0.path.is_empty() { "" } else { ": " },
    kind = self.0.kind,
    position = self.position())]
pub struct DecodeError(Box<Failure>);

#[derive(Clone)]
struct Failure {
    kind: DecodeErrorKind,
    position: Option<usize>,
    /// Innermost first: it is built on the way out.
    path: Vec<Segment>,
}

/// One step of a path.
#[derive(Clone, Copy)]
pub(super) enum Segment {
    /// A field or variant that the Rust type declares.
    Field(&'static str),
    /// An element of an array.
    Index(usize),
    /// A key that comes from the bytes.
    Key,
}

/// What is wrong with the bytes, or with what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes are not JSON; the reason says what was expected.
    Syntax {
        /// What the decoder was looking for.
        reason: &'static str,
    },
    /// A value of another type than the Rust type asks for.
    UnexpectedType {
        /// What the Rust type asks for.
        expected: ValueKind,
        /// What the bytes hold.
        found: ValueKind,
    },
    /// A field that the Rust type requires is absent; the path ends with its name.
    MissingField,
    /// A field that the Rust type accepts once is there twice; the path ends with its name.
    DuplicateField,
    /// A field that the Rust type does not accept.
    UnknownField,
    /// A variant that the Rust type does not have.
    UnknownVariant,
    /// A value of the right type that the Rust type does not accept.
    InvalidValue,
    /// An array or object with more or fewer elements than the Rust type accepts.
    InvalidLength,
    /// A number that does not fit the Rust type.
    NumberOutOfRange,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// Arrays and objects stand inside each other too deeply.
    DepthLimit,
    /// The Rust type's own code refused the value.
    Other,
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax { reason } => return write!(f, "malformed JSON, expected {reason}"),
            Self::UnexpectedType { expected, found } => {
                return write!(f, "expected {expected}, found {found}");
            }
            Self::MissingField => "the field is required and missing",
            Self::DuplicateField => "the field is there twice",
            Self::UnknownField => "the type does not accept this field",
            Self::UnknownVariant => "the type has no such variant",
            Self::InvalidValue => "the type does not accept this value",
            Self::InvalidLength => "wrong number of elements",
            Self::NumberOutOfRange => "the number is out of the type's range",
            Self::InvalidUtf8 => "the bytes are not UTF-8",
            Self::DepthLimit => "nested deeper than the limit of 128",
            Self::Other => "the type refused the value",
        })
    }
}

/// A kind of value, as JSON and serde know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without fraction and exponent.
    Integer,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// The name of a variant, or an object with the name of a variant as its only key.
    Variant,
    /// A value of a kind that depends on the type.
    Any,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Variant => "a variant",
            Self::Any => "a value of another kind",
        })
    }
}

impl DecodeError {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.kind
    }

    /// Where in the type, such as `spec.containers[1].ports[0].containerPort`; empty for the object itself.
    ///
    /// Keys that the Rust type does not declare as fields are `[*]`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in self.0.path.iter().rev() {
            match segment {
                Segment::Field(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Segment::Index(index) => path.push_str(&format!("[{index}]")),
                Segment::Key => path.push_str("[*]"),
            }
        }
        path
    }

    /// The offset of the offending value, or of the byte where the syntax breaks, in the decoded bytes.
    #[must_use]
    pub fn position(&self) -> usize {
        self.0.position.unwrap_or_default()
    }

    #[cold]
    pub(super) fn new(kind: DecodeErrorKind, position: usize) -> Self {
        Self(Box::new(Failure {
            kind,
            position: Some(position),
            path: Vec::new(),
        }))
    }

    #[cold]
    fn unlocated(kind: DecodeErrorKind) -> Self {
        Self(Box::new(Failure {
            kind,
            position: None,
            path: Vec::new(),
        }))
    }

    #[cold]
    fn about_field(kind: DecodeErrorKind, field: &'static str) -> Self {
        let mut error = Self::unlocated(kind);
        error.0.path.push(Segment::Field(field));
        error
    }

    /// Completes an error that a `Deserialize` implementation made, which knows neither place nor wish.
    #[cold]
    pub(super) fn locate(&mut self, position: usize, wanted: ValueKind) {
        if self.0.position.is_some() {
            return;
        }
        self.0.position = Some(position);
        if let DecodeErrorKind::UnexpectedType { expected, .. } = &mut self.0.kind {
            *expected = wanted;
        }
    }

    /// Turns a refusal of a number's form into one of its size, where the number was a too long integer.
    #[cold]
    pub(super) fn number_was_too_long(&mut self) {
        if matches!(self.0.kind, DecodeErrorKind::UnexpectedType { .. }) {
            self.0.kind = DecodeErrorKind::NumberOutOfRange;
        }
    }

    /// Puts a step before the path.
    #[cold]
    pub(super) fn within(&mut self, segment: Segment) {
        self.0.path.push(segment);
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("kind", &self.0.kind)
            .field("path", &self.path())
            .field("position", &self.position())
            .finish()
    }
}

/// Every message of serde may quote a value, so none is formatted: only its category is taken.
impl serde::de::Error for DecodeError {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::unlocated(DecodeErrorKind::Other)
    }

    fn invalid_type(found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        Self::unlocated(DecodeErrorKind::UnexpectedType {
            expected: ValueKind::Any,
            found: kind_of(&found),
        })
    }

    fn invalid_value(found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        Self::unlocated(match kind_of(&found) {
            ValueKind::Integer | ValueKind::Number => DecodeErrorKind::NumberOutOfRange,
            _ => DecodeErrorKind::InvalidValue,
        })
    }

    fn invalid_length(_length: usize, _expected: &dyn Expected) -> Self {
        Self::unlocated(DecodeErrorKind::InvalidLength)
    }

    fn unknown_variant(_variant: &str, _expected: &'static [&'static str]) -> Self {
        Self::unlocated(DecodeErrorKind::UnknownVariant)
    }

    fn unknown_field(_field: &str, _expected: &'static [&'static str]) -> Self {
        Self::unlocated(DecodeErrorKind::UnknownField)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::about_field(DecodeErrorKind::MissingField, field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::about_field(DecodeErrorKind::DuplicateField, field)
    }
}

fn kind_of(found: &Unexpected<'_>) -> ValueKind {
    match found {
        Unexpected::Bool(_) => ValueKind::Bool,
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => ValueKind::Integer,
        Unexpected::Float(_) => ValueKind::Number,
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => ValueKind::String,
        Unexpected::Unit | Unexpected::Option => ValueKind::Null,
        Unexpected::Seq => ValueKind::Array,
        Unexpected::Map => ValueKind::Object,
        Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant => ValueKind::Variant,
        Unexpected::NewtypeStruct | Unexpected::Other(_) => ValueKind::Any,
    }
}

//! Refusals of single fields.

use super::Cause;
use std::fmt;

/// One refused field of an object or of the query parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    field: String,
    reason: &'static str,
    body: String,
}

impl FieldError {
    /// A value that is not allowed in principle.
    pub fn invalid(field: impl Into<String>, value: &str, why: &str) -> Self {
        Self {
            field: field.into(),
            reason: "FieldValueInvalid",
            body: format!("Invalid value: {value:?}: {why}"),
        }
    }

    /// A value that is no string and not allowed; `json` is how it reads.
    pub fn invalid_value(field: impl Into<String>, json: &str, why: &str) -> Self {
        Self {
            field: field.into(),
            reason: "FieldValueInvalid",
            body: format!("Invalid value: {json}: {why}"),
        }
    }

    /// A field that must not be set under the circumstances.
    pub fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self {
            field: field.into(),
            reason: "FieldValueForbidden",
            body: format!("Forbidden: {why}"),
        }
    }

    /// A field that must be set.
    pub fn required(field: impl Into<String>, why: &str) -> Self {
        let body = if why.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {why}")
        };
        Self {
            field: field.into(),
            reason: "FieldValueRequired",
            body,
        }
    }

    /// A value outside an enumeration.
    pub fn not_supported(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        Self {
            field: field.into(),
            reason: "FieldValueNotSupported",
            body: format!(
                "Unsupported value: {value:?}: supported values: {}",
                supported.join(", ")
            ),
        }
    }

    pub(super) fn cause(&self) -> Cause {
        Cause {
            reason: self.reason.to_owned(),
            message: self.body.clone(),
            field: self.field.clone(),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body)
    }
}

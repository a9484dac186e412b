//! `Status`: how the API server says that something went wrong.
//!
//! The constructors hold the words of the server, [`field`] those for single fields, [`wire`] the JSON.

mod field;
mod wire;

pub use field::FieldError;

use serde::Serialize;
use std::fmt;

/// An error as the API server words it: the `Status` object of a failed request or of an `ERROR` watch event.
///
/// It is also the error type of the direct calls of [`Sim`](crate::Sim), so that a test sees the same words by
/// either way. The fields are those of `Status` in `meta/v1`; messages are those of Kubernetes 1.37.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason such as `NotFound`; empty if the server gives none.
    pub reason: String,
    /// What went wrong, for people.
    pub message: String,
    /// What it is about.
    pub details: Option<Box<Details>>,
    /// A token to go on with, which the server offers when a continue token has expired.
    pub continue_token: Option<String>,
}

/// What a [`Status`] is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Details {
    /// Name of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// API group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Plural resource name, or the kind in a validation error.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Uid of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The single causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Seconds after which the client may try again; 0 for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

/// One cause in [`Details`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// Machine-readable reason such as `FieldValueInvalid`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Path of the field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {})", self.message, self.code, self.reason)
    }
}

impl std::error::Error for Status {}

impl Status {
    /// A failure with nothing but a code, a reason and a message.
    pub fn new(code: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: None,
            continue_token: None,
        }
    }

    /// 400 `BadRequest`.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 401 `Unauthorized`, as the server answers a request without valid credentials.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 404 `NotFound` for an object.
    #[must_use]
    pub fn not_found(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", qualified(plural, group));
        Self::new(404, "NotFound", message).about(group, plural, name)
    }

    /// 404 `NotFound` for a resource that a known group-version does not have.
    #[must_use]
    pub fn no_such_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message).with_empty_details()
    }

    /// 409 `AlreadyExists`.
    #[must_use]
    pub fn already_exists(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", qualified(plural, group));
        Self::new(409, "AlreadyExists", message).about(group, plural, name)
    }

    /// 409 `Conflict`.
    #[must_use]
    pub fn conflict(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": {why}",
            qualified(plural, group)
        );
        Self::new(409, "Conflict", message).about(group, plural, name)
    }

    /// 405 `MethodNotAllowed` for a verb that the resource does not have.
    #[must_use]
    pub fn method_not_supported(group: &str, plural: &str, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind \"{}\"",
            qualified(plural, group)
        );
        Self::new(405, "MethodNotAllowed", message).about(group, plural, "")
    }

    /// 405 `MethodNotAllowed` for a method that the path does not have.
    #[must_use]
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with_empty_details()
    }

    /// 410 `Expired`: the requested version is gone. `message` is what the server says, see
    /// [`Status::too_old_version`].
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 410 `Expired` with the words of the watch cache.
    #[must_use]
    pub fn too_old_version(requested: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {requested} ({oldest})"))
    }

    /// 410 `Gone`, the reason that servers before `Expired` gave and that some aggregated servers still give.
    pub fn gone(message: impl Into<String>) -> Self {
        Self::new(410, "Gone", message)
    }

    /// 415 `UnsupportedMediaType`.
    #[must_use]
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let accepted = accepted.join(", ");
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 406 `NotAcceptable`.
    #[must_use]
    pub fn not_acceptable(accepted: &[&str]) -> Self {
        let message = format!(
            "only the following media types are accepted: {}",
            accepted.join(", ")
        );
        Self::new(406, "NotAcceptable", message)
    }

    /// 429 `TooManyRequests` with `retryAfterSeconds`, also sent as the header `Retry-After`.
    #[must_use]
    pub fn too_many_requests(retry_after_seconds: u32) -> Self {
        let message =
            "The server has received too many requests and has asked us to try again later";
        Self::new(429, "TooManyRequests", message).retry_after(retry_after_seconds)
    }

    /// 500 `InternalError`.
    #[must_use]
    pub fn internal(why: &str) -> Self {
        let mut status = Self::new(
            500,
            "InternalError",
            format!("Internal error occurred: {why}"),
        );
        let cause = Cause {
            message: why.to_owned(),
            ..Cause::default()
        };
        status.details = Some(Box::new(Details {
            causes: vec![cause],
            ..Details::default()
        }));
        status
    }

    /// 503 `ServiceUnavailable`.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(503, "ServiceUnavailable", message)
    }

    /// 504 `Timeout`.
    #[must_use]
    pub fn timeout(message: &str, retry_after_seconds: u32) -> Self {
        Self::new(504, "Timeout", format!("Timeout: {message}")).retry_after(retry_after_seconds)
    }

    /// 504 `Timeout` with the cause `ResourceVersionTooLarge`: the requested version is in the future.
    #[must_use]
    pub fn version_too_large(requested: u64, current: u64, retry_after_seconds: u32) -> Self {
        let message = format!("Too large resource version: {requested}, current: {current}");
        let mut status = Self::timeout(&message, retry_after_seconds);
        if let Some(details) = &mut status.details {
            details.causes = vec![Cause {
                reason: "ResourceVersionTooLarge".to_owned(),
                message: "Too large resource version".to_owned(),
                field: String::new(),
            }];
        }
        status
    }

    /// 422 `Invalid` from the errors of single fields. `kind` is the kind, or `ListOptions` of group
    /// `meta.k8s.io` for query parameters.
    #[must_use]
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let all = match lines.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let message = format!("{} \"{name}\" is invalid: {all}", qualified(kind, group));
        let mut status = Self::new(422, "Invalid", message).about(group, kind, name);
        if let Some(details) = &mut status.details {
            details.causes = errors.iter().map(FieldError::cause).collect();
        }
        status
    }

    /// Sets `retryAfterSeconds`.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// With details that say nothing, as the server's router sends them.
    pub(crate) fn with_empty_details(mut self) -> Self {
        self.details = Some(Box::default());
        self
    }

    pub(crate) fn about(mut self, group: &str, plural: &str, name: &str) -> Self {
        let details = self.details.get_or_insert_default();
        details.group = group.to_owned();
        details.kind = plural.to_owned();
        details.name = name.to_owned();
        self
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldError, Status};

    fn text(status: &Status) -> String {
        String::from_utf8(status.to_json().to_vec()).unwrap_or_default()
    }

    #[test]
    fn statuses_read_as_the_real_ones() {
        let table = [
            (
                Status::not_found("apps", "deployments", "web"),
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","details":{"name":"web","group":"apps","kind":"deployments"},"code":404}"#,
            ),
            (
                Status::unauthorized(),
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}"#,
            ),
            (
                Status::no_such_resource(),
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}"#,
            ),
            (
                Status::version_too_large(900, 12, 1),
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 900, current: 12","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}"#,
            ),
            (
                Status::too_old_version(3, 9),
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 3 (9)","reason":"Expired","code":410}"#,
            ),
        ];
        for (status, expected) in table {
            assert_eq!(text(&status), expected);
        }
    }

    #[test]
    fn an_invalid_status_lists_its_fields() {
        let errors = [
            FieldError::forbidden(
                "sendInitialEvents",
                "sendInitialEvents is forbidden for list",
            ),
            FieldError::not_supported(
                "resourceVersionMatch",
                "Never",
                &["Exact", "NotOlderThan", ""],
            ),
        ];
        let status = Status::invalid("meta.k8s.io", "ListOptions", "", &errors);
        assert_eq!(
            status.message,
            "ListOptions.meta.k8s.io \"\" is invalid: [sendInitialEvents: Forbidden: sendInitialEvents is forbidden for \
             list, resourceVersionMatch: Unsupported value: \"Never\": supported values: \"Exact\", \"NotOlderThan\", \"\"]"
        );
        assert_eq!(status.details.map(|details| details.causes.len()), Some(2));
    }
}

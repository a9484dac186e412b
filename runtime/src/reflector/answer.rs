//! What an answer other than success means, as the response's status or as an error event of a watch.

use std::time::Duration;

use futures_util::StreamExt as _;
use http::header::{HeaderMap, RETRY_AFTER};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, StatusDetails};

use super::deadline::Deadline;
use super::error::{Awaited, ReflectorFailure};
use super::step::Cause;
use crate::decode::{RawBuffer, RawObject};
use crate::transport::BodyStream;

/// As much of an error's body is read, and not more.
const MAX_BODY: usize = 64 * 1024;
/// As much of a `Status`'s message is kept, in characters.
const MAX_MESSAGE: usize = 1024;

/// Why a request ended: for the machine, and for whoever reads about it.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) cause: Cause,
    pub(super) failure: ReflectorFailure,
}

/// The meaning of a response whose status is not success.
pub(super) async fn of_response(
    code: u16,
    headers: &HeaderMap,
    body: BodyStream,
    deadline: &Deadline,
) -> Stop {
    let retry_after = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map(Duration::from_secs);
    // Whatever keeps the body from arriving is of no interest: the code says most of it.
    let body = deadline.guard(Awaited::Data, read(body)).await;
    let status = body
        .ok()
        .and_then(|body| RawBuffer::new(body).ok())
        .and_then(|buffer| status(&buffer.raw()));
    of_status(code, retry_after, status)
}

/// The meaning of an error event.
pub(super) fn of_event(object: &RawObject<'_>) -> Stop {
    let status = status(object);
    let code = status
        .as_ref()
        .and_then(|status| u16::try_from(status.code?).ok())
        .unwrap_or(500);
    of_status(code, None, status)
}

async fn read(mut body: BodyStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        let room = MAX_BODY - bytes.len();
        bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if bytes.len() == MAX_BODY {
            break;
        }
    }
    bytes
}

fn status(object: &RawObject<'_>) -> Option<Status> {
    // Anything else may quote what it likes, so none of it is taken.
    if object.kind().as_deref() != Some("Status") {
        return None;
    }
    object.decode().ok()
}

fn of_status(code: u16, retry_after: Option<Duration>, status: Option<Status>) -> Stop {
    let status = status.unwrap_or_default();
    let retry_after = retry_after.or_else(|| {
        let seconds = status.details.as_ref()?.retry_after_seconds?;
        Some(Duration::from_secs(u64::try_from(seconds).ok()?))
    });
    let expired = code == 410 || matches!(status.reason.as_deref(), Some("Expired" | "Gone"));
    if expired {
        return Stop {
            cause: Cause::Expired,
            failure: ReflectorFailure::Expired,
        };
    }
    if is_too_large(&status) {
        return Stop {
            cause: Cause::TooLarge,
            failure: ReflectorFailure::TooLargeResourceVersion,
        };
    }
    if code == 429 || (500..600).contains(&code) && retry_after.is_some() {
        return Stop {
            cause: Cause::Throttled { retry_after },
            failure: ReflectorFailure::Throttled { code, retry_after },
        };
    }
    let cause = match code {
        400 | 422 => Cause::Refused,
        404 => Cause::NotFound,
        _ => Cause::Status,
    };
    Stop {
        cause,
        failure: other_failure(code, status),
    }
}

fn other_failure(code: u16, status: Status) -> ReflectorFailure {
    let message = status
        .message
        .filter(|message| !message.is_empty())
        .map(|message| message.chars().take(MAX_MESSAGE).collect());
    match code {
        401 => ReflectorFailure::Unauthorized { message },
        403 => ReflectorFailure::Forbidden { message },
        404 => ReflectorFailure::NotFound,
        400 if message.as_deref().is_some_and(is_about_a_field) => {
            ReflectorFailure::UnselectableField { message }
        }
        _ => ReflectorFailure::Status {
            code,
            reason: status.reason.filter(|reason| !reason.is_empty()),
            message,
        },
    }
}

/// The server's words for a field that it does not select by. Source: the field label conversions of `pkg/apis/*/*/conversion.go`, in
/// all their variants, those of custom resources, and `DefaultMetaV1FieldSelectorConversion` of apimachinery for all other kinds.
fn is_about_a_field(message: &str) -> bool {
    message.contains("field label ") && message.contains("not supported")
        || message.contains("is not a known field selector")
}

/// `apierrors.NewTimeoutError` with the cause `ResourceVersionTooLarge`; servers before 1.19 only had the message.
fn is_too_large(status: &Status) -> bool {
    const MESSAGE: &str = "Too large resource version";
    let says =
        |message: &Option<String>| message.as_ref().is_some_and(|text| text.contains(MESSAGE));
    let causes = status
        .details
        .as_ref()
        .and_then(|details: &StatusDetails| details.causes.as_deref())
        .unwrap_or_default();
    says(&status.message)
        || causes.iter().any(|cause| {
            cause.reason.as_deref() == Some("ResourceVersionTooLarge") || says(&cause.message)
        })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;

    use super::*;

    async fn answer(code: u16, retry_after: Option<&str>, body: impl Into<Bytes>) -> Stop {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(RETRY_AFTER, value.parse().unwrap());
        }
        let body = stream::iter([Ok(body.into())]).boxed();
        of_response(
            code,
            &headers,
            body,
            &Deadline::each(Duration::from_secs(60)),
        )
        .await
    }

    fn body(fields: &str) -> String {
        format!(
            r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure",{fields}}}"#
        )
    }

    fn throttled(seconds: Option<u64>) -> Cause {
        Cause::Throttled {
            retry_after: seconds.map(Duration::from_secs),
        }
    }

    #[tokio::test]
    async fn a_field_that_is_not_selectable_is_told_from_other_bad_requests() {
        for (message, is_field) in [
            ("field label not supported: spec.x", true),
            ("field label \\\"spec.x\\\" not supported for Job", true),
            (
                "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool.name",
                true,
            ),
            (
                "\\\"data.x\\\" is not a known field selector: only \\\"metadata.name\\\", \\\"metadata.namespace\\\"",
                true,
            ),
            (
                "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
                false,
            ),
            ("continue key is not valid", false),
        ] {
            let body = body(&format!(
                r#""reason":"BadRequest","code":400,"message":"{message}""#
            ));
            let stop = answer(400, None, body).await;
            assert!(matches!(stop.cause, Cause::Refused), "{message}");
            let text = stop.failure.to_string();
            let found = matches!(stop.failure, ReflectorFailure::UnselectableField { .. });
            assert_eq!(found, is_field, "{text}");
            assert!(
                text.contains("400") && text.contains(&message.replace('\\', "")),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn each_shape_of_an_error_has_its_meaning() {
        let too_large = body(
            r#""message":"Timeout: Too large resource version: 9, current: 7","reason":"Timeout","code":504,
            "details":{"retryAfterSeconds":1,"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}"#,
        );
        let old_too_large = body(
            r#""reason":"Timeout","details":{"causes":[{"message":"Too large resource version: 9, current: 7"}]}"#,
        );
        let told = body(r#""reason":"TooManyRequests","details":{"retryAfterSeconds":7}"#);
        let rows = [
            (410, None, "gone".to_owned(), Cause::Expired),
            (
                410,
                Some("1"),
                body(r#""reason":"Expired""#),
                Cause::Expired,
            ),
            (500, None, body(r#""reason":"Expired""#), Cause::Expired),
            (504, Some("1"), too_large, Cause::TooLarge),
            (504, None, old_too_large, Cause::TooLarge),
            (504, None, "upstream timed out".to_owned(), Cause::Status),
            (429, Some("5"), String::new(), throttled(Some(5))),
            (429, Some("5"), told.clone(), throttled(Some(5))),
            (429, None, told, throttled(Some(7))),
            (
                429,
                Some("Wed, 21 Oct 2015 07:28:00 GMT"),
                String::new(),
                throttled(None),
            ),
            (429, None, String::new(), throttled(None)),
            (
                429,
                None,
                body(r#""details":{"retryAfterSeconds":-7}"#),
                throttled(None),
            ),
            (503, Some("2"), "busy".to_owned(), throttled(Some(2))),
            (503, None, "busy".to_owned(), Cause::Status),
            (400, None, String::new(), Cause::Refused),
            (422, None, body(r#""reason":"Invalid""#), Cause::Refused),
            (401, None, String::new(), Cause::Status),
            (403, None, String::new(), Cause::Status),
            (
                404,
                None,
                "404 page not found\n".to_owned(),
                Cause::NotFound,
            ),
            (302, None, String::new(), Cause::Status),
        ];
        for (code, retry_after, body, cause) in rows {
            let stop = answer(code, retry_after, body.clone()).await;
            assert_eq!(stop.cause, cause, "{code} {retry_after:?} {body}");
        }
        let absent = answer(404, None, "404 page not found\n").await.failure;
        assert!(matches!(absent, ReflectorFailure::NotFound));
        let forbidden = answer(403, None, body(r#""message":"pods is forbidden""#))
            .await
            .failure;
        assert!(
            forbidden.to_string().ends_with("(403): pods is forbidden"),
            "{forbidden}"
        );
    }

    #[tokio::test]
    async fn c150_a_body_that_is_no_status_is_never_quoted() {
        for secret in [
            "hunter2".to_owned(),
            r#"{"kind":"Secret","message":"hunter2","reason":"hunter2"}"#.to_owned(),
            r#"{"kind":"Status","message":"hunter2""#.to_owned(),
            format!("{}hunter2", " ".repeat(2 * MAX_BODY)),
        ] {
            let failure = answer(500, None, secret).await.failure;
            assert!(
                !format!("{failure} {failure:?}").contains("hunter2"),
                "{failure:?}"
            );
        }
        let long = body(&format!(r#""message":"{}""#, "é".repeat(5000)));
        assert!(answer(500, None, long).await.failure.to_string().len() < 3 * MAX_MESSAGE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_comes_does_not_hold_up_the_answer() {
        let deadline = Deadline::each(Duration::from_secs(60));
        let stop = of_response(410, &HeaderMap::new(), stream::pending().boxed(), &deadline).await;
        assert_eq!(stop.cause, Cause::Expired);
    }

    #[test]
    fn c084_an_error_event_says_the_same_in_its_object() {
        let event = |fields: &str| {
            let buffer = RawBuffer::new(body(fields)).unwrap();
            of_event(&buffer.raw()).cause
        };
        assert_eq!(event(r#""code":410"#), Cause::Expired);
        assert_eq!(event(r#""reason":"Expired""#), Cause::Expired);
        assert_eq!(
            event(r#""code":429,"details":{"retryAfterSeconds":3}"#),
            throttled(Some(3))
        );
        assert_eq!(event(r#""message":"odd""#), Cause::Status);
    }
}

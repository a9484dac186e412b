//! Responses.

use crate::{kind::Kind, status::Status, stream::ResponseBody};
use bytes::{BufMut, Bytes, BytesMut};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use std::sync::Arc;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Why a request gets no object.
#[derive(Debug)]
pub(crate) enum Refusal {
    Status(Status),
    /// 404 in plain text: nothing of the server knows the path.
    UnknownPath,
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl Refusal {
    /// Of a version or resource that a group does not have. A built-in group answers for itself; custom ones and
    /// unknown ones have nobody who does.
    pub(crate) fn of_absent<'a>(
        group: &str,
        kinds: impl IntoIterator<Item = &'a Arc<Kind>>,
    ) -> Self {
        let mut kinds = kinds.into_iter();
        if kinds.any(|kind| kind.group == group && !kind.custom) {
            Status::no_such_resource().into()
        } else {
            Self::UnknownPath
        }
    }

    pub(crate) fn response(&self) -> Response<ResponseBody> {
        match self {
            Self::Status(status) => status_response(status),
            Self::UnknownPath => plain(404, "404 page not found\n"),
        }
    }
}

/// A response with a JSON body.
pub(crate) fn json(code: u16, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// A response with a JSON body that is there as a whole, and the line end after it that Go writes.
pub(crate) fn json_bytes(code: u16, body: impl AsRef<[u8]>) -> Response<ResponseBody> {
    let body = body.as_ref();
    let mut line = BytesMut::with_capacity(body.len() + 1);
    line.put_slice(body);
    line.put_u8(b'\n');
    json(code, ResponseBody::whole(line))
}

/// A response in plain text.
pub(crate) fn plain(code: u16, body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = json(code, ResponseBody::whole(body));
    response.headers_mut().insert(CONTENT_TYPE, PLAIN);
    response
}

/// A failure, with `Retry-After` if the status says when to try again.
pub(crate) fn status_response(status: &Status) -> Response<ResponseBody> {
    let seconds = status
        .details
        .as_ref()
        .map_or(0, |details| details.retry_after_seconds);
    retry_after_header(json_bytes(status.code, status.to_json()), seconds)
}

/// Adds `Retry-After`, unless it is 0.
pub(crate) fn retry_after_header(
    mut response: Response<ResponseBody>,
    seconds: u32,
) -> Response<ResponseBody> {
    if seconds > 0 {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

//! One document of discovery: a request, its deadline, its bytes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use http::Request;
use http::header::ACCEPT;
use tokio::time::timeout;

use super::document::Document;
use crate::decode::{ContentType, DecodeError, RawBuffer, UnsupportedContentType};
use crate::transport::{BodyStream, Transport, TransportError};

/// Far above a cluster of thousands of CRDs, whose document has about 1 KB for each.
const MAX_BODY: usize = 64 << 20;

/// A document of the server's discovery that could not be read.
#[derive(Debug, Clone)]
pub struct DocumentError {
    path: String,
    failure: Arc<DocumentFailure>,
}

impl DocumentError {
    pub(super) fn new(path: &str, failure: DocumentFailure) -> Self {
        Self {
            path: path.to_owned(),
            failure: Arc::new(failure),
        }
    }

    /// The document's path, as `/apis/example.com/v1`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Why.
    #[must_use]
    pub fn failure(&self) -> &DocumentFailure {
        &self.failure
    }

    /// The status code of the answer, where it was not success.
    pub(super) fn code(&self) -> Option<u16> {
        match *self.failure {
            DocumentFailure::Status { code } => Some(code),
            _ => None,
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {}: {}", self.path, self.failure)
    }
}

impl std::error::Error for DocumentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.failure)
    }
}

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentFailure {
    /// The answer is not success.
    #[error("the server answered {code}")]
    Status {
        /// The status code.
        code: u16,
    },
    /// The answer did not arrive in time.
    #[error("no complete answer within {after:?}")]
    Timeout {
        /// The deadline.
        after: Duration,
    },
    /// The request or its answer failed on the way.
    #[error(transparent)]
    Transport(TransportError),
    /// The answer is not in an encoding that can be read, often the page of a proxy.
    #[error(transparent)]
    ContentType(UnsupportedContentType),
    /// The answer does not decode.
    #[error("the answer does not decode")]
    Decode(#[source] DecodeError),
    /// The answer is some other document.
    #[error("the answer is no {expected}")]
    Unexpected {
        /// The kind of document that was expected.
        expected: &'static str,
    },
    /// The answer is too long.
    #[error("the answer is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The server itself says that what it knows of this version is out of date.
    #[error(
        "the server says that this is out of date: whoever serves it does not answer the server"
    )]
    Stale,
    /// A name in the path is not valid in a URI.
    #[error("the request's URI is not valid")]
    Request(#[source] http::Error),
}

/// Reads the document at `path`, head and body within `deadline`.
pub(super) async fn document(
    transport: &dyn Transport,
    path: &str,
    accept: &'static str,
    deadline: Duration,
) -> Result<Document, DocumentError> {
    let read = timeout(deadline, read(transport, path, accept));
    let after = deadline;
    let timed_out = |_| Err(DocumentFailure::Timeout { after });
    let document = read.await.unwrap_or_else(timed_out);
    document.map_err(|failure| DocumentError::new(path, failure))
}

async fn read(
    transport: &dyn Transport,
    path: &str,
    accept: &'static str,
) -> Result<Document, DocumentFailure> {
    let request = Request::get(path).header(ACCEPT, accept);
    let request = request
        .body(Bytes::new())
        .map_err(DocumentFailure::Request)?;
    let response = transport.send(request).await;
    let (head, body) = response.map_err(DocumentFailure::Transport)?.into_parts();
    if !head.status.is_success() {
        let code = head.status.as_u16();
        return Err(DocumentFailure::Status { code });
    }
    if let Some(value) = head.headers.get(http::header::CONTENT_TYPE) {
        let value = String::from_utf8_lossy(value.as_bytes());
        ContentType::from_header(&value).map_err(DocumentFailure::ContentType)?;
    }
    let bytes = collect(body).await?;
    let buffer = RawBuffer::new(bytes).map_err(DocumentFailure::Decode)?;
    buffer.raw().decode().map_err(DocumentFailure::Decode)
}

async fn collect(mut body: BodyStream) -> Result<Vec<u8>, DocumentFailure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk.map_err(DocumentFailure::Transport)?);
        if bytes.len() > MAX_BODY {
            return Err(DocumentFailure::TooLong { limit: MAX_BODY });
        }
    }
    Ok(bytes)
}

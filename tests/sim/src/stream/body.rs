//! The body of a response.

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Body, Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Why a response ended before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// A fault cut the connection, or the test disconnected it. Over a socket the connection is closed.
    #[error("the connection was cut while the response was read")]
    Cut,
}

/// The body of a response of the simulated server.
pub struct ResponseBody(Content);

/// The end of a stream whose connection is cut. Without the pause in between, the socket would be closed before what
/// was written last had left.
pub(super) async fn cut() -> Option<Result<Bytes, BodyError>> {
    tokio::task::yield_now().await;
    Some(Err(BodyError::Cut))
}

enum Content {
    Whole(Option<Bytes>),
    Streamed(Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>),
}

impl ResponseBody {
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Content::Whole(
            Some(bytes.into()).filter(|bytes| !bytes.is_empty()),
        ))
    }

    pub(crate) fn streamed(
        stream: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Self(Content::Streamed(Box::pin(stream)))
    }
}

impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Content::Whole(_) => "ResponseBody(whole)",
            Content::Streamed(_) => "ResponseBody(streamed)",
        })
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let item = match &mut self.0 {
            Content::Whole(bytes) => {
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
            Content::Streamed(stream) => ready!(stream.as_mut().poll_next(cx)),
        };
        if !matches!(item, Some(Ok(_))) {
            // Clients may ask again after the end, and what the stream holds is not needed any more.
            self.0 = Content::Whole(None);
        }
        Poll::Ready(item.map(|bytes| bytes.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Streamed(_) => SizeHint::default(),
        }
    }
}

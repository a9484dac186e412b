//! The body of an open watch, as one line an event.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use http_body_util::BodyExt as _;
use kube::client::Body;

type Chunks = dyn Stream<Item = Result<Vec<u8>, kube::Error>> + Send;

/// What a wait for the next event came to.
pub(super) enum Next {
    /// One event's line, or one chunk of a compressed body.
    Line(Vec<u8>),
    /// The server ended the body in good order.
    End,
    /// The body broke off.
    Broken(String),
    /// Nothing came in time.
    Nothing,
}

/// An open watch.
pub(super) struct Watch {
    chunks: Pin<Box<Chunks>>,
    buffer: Vec<u8>,
    pub(super) compressed: bool,
}

impl Watch {
    pub(super) fn new(body: Body, compressed: bool) -> Watch {
        let chunks = body.into_data_stream().map(|chunk| chunk.map(Vec::from));
        Watch {
            chunks: Box::pin(chunks),
            buffer: Vec::new(),
            compressed,
        }
    }

    /// The next event, if it comes within `limit`. Nothing is lost when it does not.
    pub(super) async fn next(&mut self, limit: Duration) -> Next {
        tokio::time::timeout(limit, self.line())
            .await
            .unwrap_or(Next::Nothing)
    }

    async fn line(&mut self) -> Next {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.drain(..=end).collect();
                return Next::Line(line);
            }
            match self.chunks.next().await {
                Some(Ok(chunk)) if self.compressed => return Next::Line(chunk),
                Some(Ok(chunk)) => self.buffer.extend(chunk),
                Some(Err(error)) => return Next::Broken(error.to_string()),
                None if self.buffer.is_empty() => return Next::End,
                None => return Next::Broken("the body ends within an event".to_owned()),
            }
        }
    }
}

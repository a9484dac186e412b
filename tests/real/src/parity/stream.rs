//! The body of an open watch, as one line an event.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::Value;

type Chunks = dyn Stream<Item = Result<Vec<u8>, kube::Error>> + Send;

/// What a wait for the next event came to.
pub(super) enum Next {
    /// An event.
    Event(Value),
    /// A chunk of a compressed body.
    Compressed,
    /// A line that is no JSON.
    NoJson(String),
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
    compressed: bool,
    /// Whether bookmarks other than the mark of a streaming list are passed over.
    pub(super) pass_bookmarks: bool,
}

impl Watch {
    pub(super) fn new(body: Body, compressed: bool) -> Watch {
        let chunks = body.into_data_stream().map(|chunk| chunk.map(Vec::from));
        Watch {
            chunks: Box::pin(chunks),
            buffer: Vec::new(),
            compressed,
            pass_bookmarks: true,
        }
    }

    /// The next event, if it comes within `limit`. Nothing is lost when it does not.
    pub(super) async fn next(&mut self, limit: Duration) -> Next {
        tokio::time::timeout(limit, self.counting())
            .await
            .unwrap_or(Next::Nothing)
    }

    async fn counting(&mut self) -> Next {
        loop {
            match self.any().await {
                Next::Event(event) if self.pass_bookmarks && is_plain_bookmark(&event) => {}
                other => return other,
            }
        }
    }

    async fn any(&mut self) -> Next {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let event = serde_json::from_slice(&line);
                return event.map_or_else(
                    |_| Next::NoJson(String::from_utf8_lossy(&line).trim().to_owned()),
                    Next::Event,
                );
            }
            match self.chunks.next().await {
                Some(Ok(_)) if self.compressed => return Next::Compressed,
                Some(Ok(chunk)) => self.buffer.extend(chunk),
                Some(Err(error)) => return Next::Broken(error.to_string()),
                None if self.buffer.is_empty() => return Next::End,
                None => return Next::Broken("the body ends within an event".to_owned()),
            }
        }
    }
}

fn is_plain_bookmark(event: &Value) -> bool {
    event["type"] == "BOOKMARK" && event["object"]["metadata"]["annotations"].is_null()
}

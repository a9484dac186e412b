//! A server that answers one watch with what was recorded.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{self, StreamExt as _};
use http::{Request, Response};
use larder::{BodyStream, Transport, TransportError};
use tokio::sync::mpsc::UnboundedReceiver;

/// Answers the first request with its events, and any other with silence.
pub(super) struct Recorded(Mutex<Option<Watch>>);

struct Watch {
    initial: Vec<Bytes>,
    updates: UnboundedReceiver<Bytes>,
}

impl Recorded {
    /// What is there, and the events that follow as they come.
    pub(super) fn new(initial: Vec<Bytes>, updates: UnboundedReceiver<Bytes>) -> Self {
        Self(Mutex::new(Some(Watch { initial, updates })))
    }
}

impl Transport for Recorded {
    fn send(
        &self,
        _: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let body: BodyStream = match watch {
            Some(Watch { initial, updates }) => {
                let updates = stream::unfold(updates, async |mut updates| {
                    let update = updates.recv().await?;
                    Some((update, updates))
                });
                stream::iter(initial).chain(updates).map(Ok).boxed()
            }
            None => stream::pending().boxed(),
        };
        async { Ok(Response::new(body)) }.boxed()
    }
}

//! The server as a tower service.

use super::handle::{ConnectionRefused, answer};
use crate::{server::Shared, stream::ResponseBody};
use http::{Request, Response};
use http_body::Body;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower::Service;

/// The server as a [`tower::Service`], to be handed to a client in place of a connection.
///
/// No socket and no task is involved, so it works under tokio's paused clock. Each clone is another handle to the
/// same server.
#[derive(Clone)]
pub struct SimService {
    shared: Arc<Shared>,
}

impl SimService {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}

impl fmt::Debug for SimService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimService")
    }
}

impl<B> Service<Request<B>> for SimService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Response<ResponseBody>;
    type Error = ConnectionRefused;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        Box::pin(answer(Arc::clone(&self.shared), request))
    }
}

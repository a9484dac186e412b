//! How requests reach an API server: one object-safe trait over requests and byte streams.
//!
//! Authentication, TLS, proxies and the server's address belong to the implementor; status codes, deadlines, retries
//! and the meaning of bodies belong to the reflector. With feature `kube` this is implemented for `kube::Client`, and
//! that file is the only one here that may name kube's types.

#[cfg(feature = "kube")]
mod kube;

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use futures_core::future::BoxFuture;
use http::{Request, Response};

#[cfg(feature = "kube")]
pub use self::kube::{ClientError, client_from_config};

/// A response's body as it arrives. Ends with `None` when the body is complete and with an error when it was cut.
pub type BodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, TransportError>> + Send>>;

/// Sends requests to one API server.
///
/// - The URI of a request is a path and a query; the implementor adds scheme, host and what authenticates it.
/// - `send` answers with the response's head as soon as that is there, whatever its status; it follows no
///   redirects and does not retry, as the reflector does so itself and honours `Retry-After`.
/// - The body is not collected: a watch's body lives for minutes, and each chunk is handed on when it arrives.
/// - Dropping the future or the body aborts the request.
/// - No deadlines: whoever calls sets them.
///
/// # Example
///
/// A transport that answers every request alike:
///
/// ```
/// # extern crate larder_runtime as larder;
/// use bytes::Bytes;
/// use futures_util::future::{BoxFuture, FutureExt};
/// use futures_util::stream::{self, StreamExt};
/// use larder::{BodyStream, Transport, TransportError};
///
/// struct Canned(&'static str);
///
/// impl Transport for Canned {
///     fn send(
///         &self,
///         _request: http::Request<Bytes>,
///     ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
///         let body = stream::iter([Ok(Bytes::from_static(self.0.as_bytes()))]).boxed();
///         async { Ok(http::Response::new(body)) }.boxed()
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transport to an API server",
    note = "`kube::Client` is one with the feature `kube`, if it is the client of the same version of kube"
)]
pub trait Transport: Send + Sync + 'static {
    /// Sends `request` and answers with the response's head and its body as a stream.
    ///
    /// # Errors
    ///
    /// When no response's head arrives; the future's error says why.
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>>;
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    #[inline]
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        (**self).send(request)
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a request got no answer, or an answer was cut.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No response arrived: the connection was refused or lost, a name did not resolve, a handshake or the
    /// authentication failed.
    #[error("the request got no response")]
    Request(#[source] BoxError),
    /// The response's body broke off before its end.
    #[error("the response broke off")]
    Body(#[source] BoxError),
}

impl TransportError {
    /// No response arrived, for the given cause.
    pub fn request(cause: impl Into<BoxError>) -> Self {
        Self::Request(cause.into())
    }

    /// The response's body broke off, for the given cause.
    pub fn body(cause: impl Into<BoxError>) -> Self {
        Self::Body(cause.into())
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use futures_util::FutureExt as _;
    use futures_util::stream::{self, StreamExt as _};

    use super::*;

    struct Echo;

    impl Transport for Echo {
        fn send(
            &self,
            request: Request<Bytes>,
        ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
            let path = Bytes::from(request.uri().to_string());
            async { Ok(Response::new(stream::iter([Ok(path)]).boxed())) }.boxed()
        }
    }

    #[tokio::test]
    async fn is_object_safe_and_shared() {
        let transport: Arc<dyn Transport> = Arc::new(Arc::new(Echo));
        let request = Request::get("/api/v1/pods?limit=1")
            .body(Bytes::new())
            .unwrap();
        let mut body = transport.send(request).await.unwrap().into_body();
        assert_eq!(body.next().await.unwrap().unwrap(), "/api/v1/pods?limit=1");
    }

    #[test]
    fn errors_keep_their_cause() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = TransportError::request(refused);
        assert_eq!(error.source().unwrap().to_string(), "connection refused");
    }
}

//! [`Transport`] for `kube::Client`.

use ::kube::Client;
use ::kube::client::Body;
use bytes::Bytes;
use futures_core::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use http::{Request, Response};
use http_body_util::BodyExt as _;

use super::{BodyStream, Transport, TransportError};

/// Any client will do, but one from [`client_from_config`] is told at once what the server answers.
///
/// A client that was made in kube's own way (`Client::try_default`, `Client::try_from`) has a retry layer beneath:
/// it repeats a request that was answered with 429, 503 or 504 up to 15 times before anyone above hears of it. With
/// such a client a reflector still works, as its deadlines for a response's head bound the wait, but an overloaded
/// server shows as a timeout instead of its own answer, and a streaming list that the server wants to come back later
/// may be taken for a silent one.
///
/// A `read_timeout` in the client's `Config` also cuts healthy watches that are quiet for longer; leave it unset (kube's default).
impl Transport for Client {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        async move {
            let response = Client::send(self, request.map(Body::from))
                .await
                .map_err(TransportError::request)?;
            Ok(response.map(|body| {
                body.into_data_stream()
                    .map_err(TransportError::body)
                    .boxed()
            }))
        }
        .boxed()
    }
}

/// No client could be made from a configuration.
#[derive(Debug, thiserror::Error)]
#[error("no client can be made from this configuration")]
pub struct ClientError(#[source] Box<::kube::Error>);

/// A client for reflectors: as `kube::Client::try_from`, but without kube's retry layer.
///
/// Reflectors retry by themselves, honour `Retry-After`, and report each failure; kube's layer would hide up to 15
/// of them in a row. The client is an ordinary one and may be used for other requests too, which then are not
/// retried either.
///
/// # Errors
///
/// When kube cannot build a client from `config`, such as for a certificate that does not parse.
///
/// # Panics
///
/// Outside a tokio runtime, as `kube::Client::try_from` does.
///
/// # Example
///
/// ```no_run
/// # extern crate larder_runtime as larder;
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = larder::client_from_config(kube::Config::infer().await?)?;
/// # Ok(()) }
/// ```
pub fn client_from_config(mut config: ::kube::Config) -> Result<Client, ClientError> {
    config.default_retry = false;
    Client::try_from(config).map_err(|error| ClientError(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// A server that answers each connection with `response` and counts them.
    async fn server(response: &'static str) -> (http::Uri, Arc<AtomicUsize>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = requests.clone();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut buffer = [0; 4096];
                if socket.read(&mut buffer).await.is_ok_and(|n| n > 0) {
                    counter.fetch_add(1, Ordering::SeqCst);
                    socket.write_all(response.as_bytes()).await.unwrap();
                }
            }
        });
        (format!("http://{address}").parse().unwrap(), requests)
    }

    fn get(path: &str) -> Request<Bytes> {
        Request::get(path).body(Bytes::new()).unwrap()
    }

    #[tokio::test]
    async fn a_client_from_config_shows_a_503_at_once() {
        let response = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let (uri, requests) = server(response).await;
        let client = client_from_config(::kube::Config::new(uri)).unwrap();
        let answer = Transport::send(&client, get("/api/v1/pods")).await.unwrap();
        assert_eq!(answer.status(), 503);
        assert_eq!(requests.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_body_cut_short_is_an_error_and_not_its_end() {
        let response = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nhalf";
        let (uri, _) = server(response).await;
        let client = client_from_config(::kube::Config::new(uri)).unwrap();
        let answer = Transport::send(&client, get("/api/v1/pods")).await.unwrap();
        let chunks: Vec<_> = answer.into_body().collect().await;
        assert_eq!(chunks.first().unwrap().as_ref().unwrap(), "half");
        assert!(matches!(chunks.last(), Some(Err(TransportError::Body(_)))));
    }

    #[tokio::test]
    async fn a_refused_connection_is_an_error_of_the_request() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri: http::Uri = format!("http://{}", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        drop(listener);
        let client = client_from_config(::kube::Config::new(uri)).unwrap();
        let error = Transport::send(&client, get("/")).await.err().unwrap();
        assert!(matches!(error, TransportError::Request(_)));
    }
}

//! The server behind a socket.

use super::service::SimService;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use std::{io, net::SocketAddr};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A server that listens on a socket of the loopback interface, until this is dropped.
#[derive(Debug)]
#[must_use = "the server stops listening when this is dropped"]
pub struct Listening {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Listening {
    pub(crate) async fn start(service: SimService) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(accept(listener, service));
        Ok(Self { address, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to give to a client, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Ends the connections too: they belong to a set that the task owns.
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, service: SimService) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // An error concerns the one connection that could not be accepted.
                if let Ok((stream, _)) = accepted {
                    connections.spawn(serve(stream, service.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves HTTP/1.1, or HTTP/2 to a client that starts with it.
async fn serve(stream: TcpStream, service: SimService) {
    // Watch events are small and should not wait for more.
    drop(stream.set_nodelay(true));
    let builder = auto::Builder::new(TokioExecutor::new());
    let connection =
        builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    // An error means that the client went away, or that a fault broke the connection.
    drop(connection.await);
}

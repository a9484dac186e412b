//! A TCP relay that can be cut: connections break, and new ones are refused, until it is mended.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Relays connections to one address until it is dropped.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    open: Arc<watch::Sender<bool>>,
    task: JoinHandle<()>,
}

impl Relay {
    pub(crate) async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free loopback port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let open = Arc::new(watch::Sender::new(true));
        let task = tokio::spawn(accept(listener, target, Arc::clone(&open)));
        Self { address, open, task }
    }

    /// Breaks all connections and every new one.
    pub(crate) fn cut(&self) {
        self.open.send_replace(false);
    }

    pub(crate) fn mend(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, open: Arc<watch::Sender<bool>>) {
    while let Ok((client, _)) = listener.accept().await {
        let mut open = open.subscribe();
        if *open.borrow() {
            tokio::spawn(async move {
                tokio::select! {
                    _ = relay(client, target) => {}
                    _ = open.wait_for(|open| !open) => {}
                }
            });
        }
    }
}

async fn relay(mut client: TcpStream, target: SocketAddr) -> std::io::Result<()> {
    let mut server = TcpStream::connect(target).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

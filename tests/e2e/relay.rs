//! A TCP relay that can be cut: connections break, and new ones are refused, until it is mended.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Relays connections to one address until it is dropped.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    state: watch::Sender<State>,
    task: JoinHandle<()>,
}

#[derive(Clone, Copy)]
struct State {
    open: bool,
    /// A connection ends with the next cut, also when the relay is mended at once.
    cuts: usize,
}

impl Relay {
    pub(crate) async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free loopback port");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let state = watch::Sender::new(State {
            open: true,
            cuts: 0,
        });
        let task = tokio::spawn(accept(listener, target, state.clone()));
        Self {
            address,
            state,
            task,
        }
    }

    /// Breaks all connections and every new one.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| {
            *state = State {
                open: false,
                cuts: state.cuts + 1,
            }
        });
    }

    pub(crate) fn mend(&self) {
        self.state.send_modify(|state| state.open = true);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, state: watch::Sender<State>) {
    while let Ok((client, _)) = listener.accept().await {
        let mut state = state.subscribe();
        let State { open, cuts } = *state.borrow();
        if open {
            tokio::spawn(async move {
                tokio::select! {
                    _ = relay(client, target) => {}
                    _ = state.wait_for(|state| state.cuts != cuts) => {}
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

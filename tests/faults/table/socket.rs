//! The rows without a body to speak of, over a real socket and in real time, with a client made of a `kube::Config`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use larder::core::v1::PodInformer;
use larder::{ExponentialBackoff, InformerOptions, ReflectorOptions};
use larder_sim::Sim;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::rows::{Row, heads};
use super::seen::last_error;
use super::wire::{End, Reply, Wire};
use crate::support::SOON;

/// A server that gives every request the same answer; counts them.
async fn serve(reply: Reply) -> (String, Arc<AtomicUsize>, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            answer(socket, &reply, &count).await;
        }
    });
    (url, requests, task)
}

async fn answer(mut socket: TcpStream, reply: &Reply, count: &AtomicUsize) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => request.push(byte),
            Err(_) => return,
        }
    }
    count.fetch_add(1, Ordering::Relaxed);
    let Reply::Answer {
        code,
        headers,
        body,
        ..
    } = reply
    else {
        // Refused: the connection ends without an answer.
        return;
    };
    let mut head = format!(
        "HTTP/1.1 {code} Reason\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = socket
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .await;
    let _ = socket.shutdown().await;
}

/// The error that shows first.
async fn seen(what: &str, pods: &PodInformer) -> String {
    let seen = async {
        loop {
            if let Some(error) = last_error(pods) {
                return error;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let seen = tokio::time::timeout(SOON, seen).await;
    seen.unwrap_or_else(|_| panic!("{what}: nothing is seen"))
}

#[tokio::test]
async fn c084_each_answer_is_seen_at_once_and_no_layer_below_repeats_the_request() {
    let rows = heads()
        .into_iter()
        .filter(|row| !matches!(row.reply, Reply::Never));
    for Row { what, reply } in rows {
        let ends = matches!(
            reply,
            Reply::Answer {
                end: End::Clean,
                ..
            } | Reply::Refuse
        );
        assert!(ends, "{what}");
        let (url, requests, server) = serve(reply.clone()).await;
        let client = larder::client_from_config(kube::Config::new(url.parse().unwrap())).unwrap();
        let options = ReflectorOptions::default()
            .streaming_list(false)
            .backoff(|| {
                let minute = Duration::from_secs(60);
                ExponentialBackoff::new(minute, minute)
            });
        let options = || InformerOptions::new().reflector(options.clone());
        let pods = PodInformer::new(client, options()).unwrap();
        let over_the_socket = seen(&what, &pods).await;
        let wire = Wire::to(&Sim::new());
        wire.arm("list", reply.clone(), usize::MAX);
        let in_the_table = seen(&what, &PodInformer::new(wire, options()).unwrap()).await;
        if !matches!(reply, Reply::Refuse) {
            assert_eq!(over_the_socket, in_the_table, "{what}");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Some answers lead to a list of the latest state at once, before the backoff; 404 to a look at discovery, in all its forms.
        let asked = requests.load(Ordering::Relaxed);
        let most = if what.starts_with("404") { 8 } else { 2 };
        assert!((1..=most).contains(&asked), "{what}: {asked} requests");
        pods.stop(SOON).await.unwrap();
        server.abort();
    }
}

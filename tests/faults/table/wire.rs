//! A way to the simulator on which one answer is another than the server's.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use http::{Request, Response};
use larder::{BodyStream, Transport, TransportError};
use larder_sim::Sim;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::support::client;

/// A request for what is served.
const DISCOVERY: &str = "discovery";

/// How a body ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Clean,
    Cut,
    Silence,
}

/// What comes instead of the server's answer.
#[derive(Clone)]
pub(crate) enum Reply {
    Refuse,
    Never,
    Answer {
        code: u16,
        headers: Vec<(&'static str, &'static str)>,
        body: String,
        end: End,
    },
}

impl Reply {
    /// Success in JSON, whose body is this and ends so.
    pub(crate) fn body(body: impl Into<String>, end: End) -> Self {
        Self::Answer {
            code: 200,
            headers: vec![("content-type", "application/json")],
            body: body.into(),
            end,
        }
    }
}

/// A request as it was sent: `list 0`, `page`, `stream`, `watch 7`, and when.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) short: String,
    pub(crate) at: Instant,
}

#[derive(Clone)]
pub(crate) struct Wire {
    client: kube::Client,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    sent: Vec<Sent>,
    /// Which requests are answered otherwise, how, and how often still.
    armed: Option<(&'static str, Reply, usize)>,
    /// Where the first of them is among those that were sent.
    hit: Option<usize>,
    /// Ends what is silent, when it goes.
    silence: Option<watch::Sender<()>>,
}

impl Wire {
    pub(crate) fn to(sim: &Sim) -> Self {
        Self {
            client: client(sim),
            state: Arc::default(),
        }
    }

    /// Answers the next `times` requests of this sort with `reply`.
    pub(crate) fn arm(&self, request: &'static str, reply: Reply, times: usize) {
        let mut state = self.state.lock().unwrap();
        state.armed = Some((request, reply, times));
        state.hit = None;
    }

    /// The server is itself again: what is silent breaks.
    pub(crate) fn disarm(&self) {
        let mut state = self.state.lock().unwrap();
        state.armed = None;
        state.silence = None;
    }

    /// The first request that was answered otherwise.
    pub(crate) fn hit(&self) -> Option<Sent> {
        let state = self.state.lock().unwrap();
        Some(state.sent[state.hit?].clone())
    }

    /// The request after that one, apart from discovery, and whether discovery was asked before it.
    pub(crate) fn next(&self) -> Option<(Sent, bool)> {
        let state = self.state.lock().unwrap();
        let after = &state.sent[state.hit? + 1..];
        let at = after.iter().position(|sent| sent.short != DISCOVERY)?;
        Some((after[at].clone(), at > 0))
    }

    /// The requests so far.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.state.lock().unwrap().sent.clone()
    }

    /// Ends when the server is itself again.
    fn silence(&self) -> impl Future<Output = TransportError> + Send + use<> {
        let mut state = self.state.lock().unwrap();
        let silence = state.silence.get_or_insert_with(|| watch::Sender::new(()));
        let mut ended = silence.subscribe();
        async move {
            let _ = ended.changed().await;
            reset()
        }
    }

    fn reply(&self, request: &Request<Bytes>) -> Option<Reply> {
        let query = request.uri().query().unwrap_or_default();
        let param = |name: &str| {
            let mut params = query.split('&').filter_map(|param| param.split_once('='));
            params.find_map(|(param, value)| (param == name).then_some(value))
        };
        let sort = match (
            param("watch"),
            param("sendInitialEvents"),
            param("continue"),
        ) {
            _ if !request.uri().path().ends_with("/pods") => DISCOVERY,
            (Some(_), Some(_), _) => "stream",
            (Some(_), None, _) => "watch",
            (None, _, Some(_)) => "page",
            (None, _, None) => "list",
        };
        let short = match param("resourceVersion") {
            Some(version) => format!("{sort} {version}"),
            None => sort.to_owned(),
        };
        let mut state = self.state.lock().unwrap();
        let at = Instant::now();
        state.sent.push(Sent { short, at });
        let (armed, reply, times) = state.armed.as_mut()?;
        if *armed != sort || *times == 0 {
            return None;
        }
        *times -= 1;
        let reply = reply.clone();
        state.hit = state.hit.or(Some(state.sent.len() - 1));
        Some(reply)
    }
}

impl Transport for Wire {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        match self.reply(&request) {
            None => Transport::send(&self.client, request),
            Some(Reply::Refuse) => {
                let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
                async { Err(TransportError::request(std::io::Error::other(refused))) }.boxed()
            }
            Some(Reply::Never) => self.silence().map(Err).boxed(),
            Some(Reply::Answer {
                code,
                headers,
                body,
                end,
            }) => {
                let mut response = Response::builder().status(code);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                let body = stream::iter((!body.is_empty()).then(|| Ok(Bytes::from(body))));
                let body: BodyStream = match end {
                    End::Clean => body.boxed(),
                    End::Silence => body.chain(self.silence().map(Err).into_stream()).boxed(),
                    End::Cut => body.chain(stream::iter([Err(reset())])).boxed(),
                };
                let response = response.body(body);
                async move { response.map_err(TransportError::request) }.boxed()
            }
        }
    }
}

fn reset() -> TransportError {
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    TransportError::body(std::io::Error::other(reset))
}

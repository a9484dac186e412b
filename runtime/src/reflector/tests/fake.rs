//! A server that answers as the test says, and a sink that records what it is given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use http::{HeaderMap, Request, Response};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::decode::RawObject;
use crate::identity::ResourceVersion;
use crate::kind::{Kind, Scope};
use crate::reflector::status::SourceSnapshot;
use crate::reflector::{Accept, Backoff, OnAbsence, ReflectorOptions, SourceStatus, Target, run};
use crate::sink::Sink;
use crate::sync::watch;
use crate::transport::{BodyStream, Transport, TransportError};

pub(super) const PODS: Kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);

type Answer = Result<Response<BodyStream>, TransportError>;
type Chunk = Result<Bytes, TransportError>;

pub(super) struct FakeTransport(pub(super) mpsc::UnboundedSender<Exchange>);

impl Transport for FakeTransport {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Answer> {
        let (reply, answer) = oneshot::channel();
        let exchange = Exchange::new(&request, reply);
        async move {
            self.0
                .send(exchange)
                .map_err(|_| TransportError::request("the test is over"))?;
            answer
                .await
                .unwrap_or_else(|_| Err(TransportError::request("refused")))
        }
        .boxed()
    }
}

/// A request, waiting for its answer. Dropped, the connection is refused.
pub(super) struct Exchange {
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    pub(super) headers: HeaderMap,
    pub(super) at: Instant,
    reply: oneshot::Sender<Answer>,
}

impl Exchange {
    fn new(request: &Request<Bytes>, reply: oneshot::Sender<Answer>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        Self {
            path: request.uri().path().to_owned(),
            query: query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            headers: request.headers().clone(),
            at: Instant::now(),
            reply,
        }
    }

    pub(super) fn parameter(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// In words: `list 0 limit 500`, `page t limit 500`, `watch 7`, `stream 7`; no version is `''`.
    pub(super) fn shown(&self) -> String {
        let version = match self.parameter("resourceVersion") {
            "" => "''",
            version => version,
        };
        let limit = match self.parameter("limit") {
            "" => String::new(),
            limit => format!(" limit {limit}"),
        };
        match (self.parameter("sendInitialEvents"), self.parameter("watch")) {
            ("true", _) => format!("stream {version}"),
            (_, "true") => format!("watch {version}"),
            _ if self.query.contains_key("continue") => {
                assert_eq!(version, "''", "only the first page has a version");
                format!("page {}{limit}", self.parameter("continue"))
            }
            _ => format!("list {version}{limit}"),
        }
    }

    pub(super) fn is_aborted(&self) -> bool {
        self.reply.is_closed()
    }

    pub(super) fn refuse(self) {
        drop(self);
    }

    pub(super) fn body(self, code: u16, headers: &[(&str, &str)], body: BodyStream) {
        let mut response = Response::builder().status(code);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let _ = self.reply.send(Ok(response.body(body).unwrap()));
    }

    pub(super) fn answer(self, code: u16, headers: &[(&str, &str)], body: &str) {
        let chunk = Ok(Bytes::from(body.to_owned()));
        self.body(code, headers, stream::iter([chunk]).boxed());
    }

    /// A `Status`, with further fields such as `,"reason":"Expired"`.
    pub(super) fn status(self, code: u16, fields: &str) {
        self.answer(
            code,
            &[("content-type", "application/json")],
            &status(code, fields),
        );
    }

    /// 404 as of a path that nothing serves.
    pub(super) fn not_found(self) {
        let plain = [("content-type", "text/plain; charset=utf-8")];
        self.answer(404, &plain, "404 page not found\n");
    }

    /// A complete list, or a page of one.
    pub(super) fn list(self, version: u64, objects: &[(&str, u64)], next: &str) {
        let body = list(version, objects, next);
        self.answer(200, &[("content-type", "application/json")], &body);
    }

    /// A stream that the test feeds.
    pub(super) fn stream(self) -> Feed {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let body = stream::poll_fn(move |context| receiver.poll_recv(context)).boxed();
        self.body(
            200,
            &[("content-type", "application/json;stream=watch")],
            body,
        );
        Feed(sender)
    }
}

pub(super) fn object(name: &str, version: u64) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"ns","uid":"uid-{name}","resourceVersion":"{version}"}}}}"#
    )
}

pub(super) fn list(version: u64, objects: &[(&str, u64)], next: &str) -> String {
    let items: Vec<_> = objects
        .iter()
        .map(|(name, version)| object(name, *version))
        .collect();
    format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}","continue":"{next}"}},"items":[{}]}}"#,
        items.join(",")
    )
}

pub(super) fn status(code: u16, fields: &str) -> String {
    format!(
        r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","code":{code}{fields}}}"#
    )
}

pub(super) const TOO_LARGE: &str = r#","message":"Too large resource version","reason":"Timeout","details":{"retryAfterSeconds":1,"causes":[{"reason":"ResourceVersionTooLarge"}]}"#;

/// The server's end of a stream. Dropped, the stream ends as it should.
#[derive(Clone)]
pub(super) struct Feed(mpsc::UnboundedSender<Chunk>);

impl Feed {
    pub(super) fn raw(&self, text: impl Into<String>) -> &Self {
        let _ = self.0.send(Ok(Bytes::from(text.into())));
        self
    }

    pub(super) fn event(&self, event: &str, name: &str, version: u64) -> &Self {
        self.raw(event_text(event, name, version))
    }

    pub(super) fn bookmark(&self, version: u64) -> &Self {
        self.raw(bookmark_text(version, ""))
    }

    /// The bookmark that ends the initial state.
    pub(super) fn synced(&self, version: u64) -> &Self {
        self.raw(bookmark_text(
            version,
            r#","annotations":{"k8s.io/initial-events-end":"true"}"#,
        ))
    }

    pub(super) fn error(&self, code: u16, fields: &str) -> &Self {
        self.raw(format!(
            r#"{{"type":"ERROR","object":{}}}{}"#,
            status(code, fields),
            "\n"
        ))
    }

    pub(super) fn cut(self) {
        let _ = self.0.send(Err(TransportError::body("reset")));
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

pub(super) fn event_text(event: &str, name: &str, version: u64) -> String {
    format!(
        "{{\"type\":\"{event}\",\"object\":{}}}\n",
        object(name, version)
    )
}

pub(super) fn bookmark_text(version: u64, metadata: &str) -> String {
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{version}\"{metadata}}}}}}}\n"
    )
}

/// What a sink was given: objects by name, with their versions.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) published: BTreeMap<String, String>,
    pub(super) log: Vec<String>,
    pub(super) version: Option<ResourceVersion>,
    staged: Option<BTreeMap<String, String>>,
    pending: Vec<(String, Option<String>)>,
}

#[derive(Clone, Default)]
pub(super) struct Recorder(pub(super) Arc<Mutex<Recorded>>);

impl Recorder {
    fn with(&self, entry: String, change: impl FnOnce(&mut Recorded)) {
        let mut recorded = self.0.lock().unwrap();
        recorded.log.push(entry);
        change(&mut recorded);
    }
}

fn named(object: &RawObject<'_>) -> (String, String) {
    let version = object.resource_version().unwrap_or_default();
    (object.name().unwrap().into_owned(), version.into_owned())
}

impl Sink for Recorder {
    fn begin(&mut self) {
        self.with("begin".into(), |recorded| {
            assert!(recorded.pending.is_empty(), "events await a flush");
            recorded.staged = Some(BTreeMap::new());
        });
    }

    fn stage(&mut self, object: &RawObject<'_>) {
        let (name, version) = named(object);
        self.with(format!("stage {name}@{version}"), |recorded| {
            recorded.staged.as_mut().unwrap().insert(name, version);
        });
    }

    fn unstage(&mut self, object: &RawObject<'_>) {
        let (name, version) = named(object);
        self.with(format!("unstage {name}@{version}"), |recorded| {
            recorded.staged.as_mut().unwrap().remove(&name);
        });
    }

    fn commit(&mut self, version: ResourceVersion) {
        self.with(format!("commit {version}"), |recorded| {
            recorded.published = recorded.staged.take().unwrap();
            recorded.version = Some(version);
        });
    }

    fn abandon(&mut self) {
        self.with("abandon".into(), |recorded| recorded.staged = None);
    }

    fn upsert(&mut self, object: &RawObject<'_>) {
        let (name, version) = named(object);
        self.with(format!("upsert {name}@{version}"), |recorded| {
            recorded.pending.push((name, Some(version)));
        });
    }

    fn delete(&mut self, object: &RawObject<'_>) {
        let (name, version) = named(object);
        self.with(format!("delete {name}@{version}"), |recorded| {
            recorded.pending.push((name, None));
        });
    }

    fn bookmark(&mut self, version: ResourceVersion) {
        self.with(format!("bookmark {version}"), |recorded| {
            recorded.version = Some(version);
        });
    }

    fn vanish(&mut self) {
        self.with("vanish".into(), |recorded| {
            recorded.staged = None;
            recorded.published.clear();
        });
    }

    fn flush(&mut self) {
        self.with("flush".into(), |recorded| {
            for (name, version) in std::mem::take(&mut recorded.pending) {
                match version {
                    Some(version) => recorded.published.insert(name, version),
                    None => recorded.published.remove(&name),
                };
            }
        });
    }
}

/// Delays of 1 s, 2 s, 4 s and so on.
struct Doubling(Duration);

impl Backoff for Doubling {
    fn next(&mut self) -> Duration {
        let delay = self.0;
        self.0 = delay * 2;
        delay
    }

    fn reset(&mut self) {
        self.0 = Duration::from_secs(1);
    }
}

/// A running reflector and the server that it talks to.
pub(super) struct Harness {
    pub(super) server: mpsc::UnboundedReceiver<Exchange>,
    pub(super) recorder: Recorder,
    pub(super) status: Arc<SourceStatus>,
    pub(super) cancel: CancellationToken,
    pub(super) task: JoinHandle<()>,
}

pub(super) fn doubling() -> ReflectorOptions {
    ReflectorOptions::default().backoff(|| Doubling(Duration::from_secs(1)))
}

impl Harness {
    /// Lists first.
    pub(super) fn listing() -> Self {
        Self::start(doubling().streaming_list(false))
    }

    /// Streams first.
    pub(super) fn streaming() -> Self {
        Self::start(doubling())
    }

    pub(super) fn start(options: ReflectorOptions) -> Self {
        Self::start_with(options, CancellationToken::new())
    }

    pub(super) fn start_with(options: ReflectorOptions, cancel: CancellationToken) -> Self {
        let target = Target {
            kind: PODS,
            namespace: Some("ns".into()),
            label_selector: None,
            field_selector: None,
            accept: Accept::JSON,
        };
        Self::start_at(target, options, cancel)
    }

    pub(super) fn start_at(
        target: Target,
        options: ReflectorOptions,
        cancel: CancellationToken,
    ) -> Self {
        let (requests, server) = mpsc::unbounded_channel();
        let recorder = Recorder::default();
        let observed = crate::observe::Observed::alone(&target.kind).source(target.namespace());
        let status = Arc::new(SourceStatus::new(watch::Sender::new(()), None, observed));
        let task = tokio::spawn(run(
            Arc::new(FakeTransport(requests)),
            target,
            Box::new(recorder.clone()),
            Arc::new(options),
            status.clone(),
            OnAbsence::default(),
            cancel.clone(),
        ));
        Self {
            server,
            recorder,
            status,
            cancel,
            task,
        }
    }

    /// The next request, which must be the one that `shown` describes.
    pub(super) async fn expect(&mut self, shown: &str) -> Exchange {
        let exchange = self.request().await;
        assert_eq!(exchange.shown(), shown);
        exchange
    }

    /// The next request, which must be one for this path.
    pub(super) async fn expect_path(&mut self, path: &str) -> Exchange {
        let exchange = self.request().await;
        assert_eq!(exchange.path, path);
        exchange
    }

    pub(super) async fn request(&mut self) -> Exchange {
        tokio::time::timeout(Duration::from_secs(7200), self.server.recv())
            .await
            .expect("no request within two hours")
            .expect("the reflector has ended")
    }

    /// Lets the reflector take what is there, without letting time pass.
    pub(super) async fn settle(&self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn published(&self) -> String {
        self.settle().await;
        let recorded = self.recorder.0.lock().unwrap();
        let objects: Vec<_> = recorded
            .published
            .iter()
            .map(|(name, version)| format!("{name}@{version}"))
            .collect();
        objects.join(" ")
    }

    /// What the sink was given since this was last asked.
    pub(super) async fn log(&self) -> String {
        self.settle().await;
        let log = std::mem::take(&mut self.recorder.0.lock().unwrap().log);
        log.join(", ")
    }

    pub(super) fn snapshot(&self) -> SourceSnapshot {
        self.status.snapshot()
    }

    /// The text of the last error.
    pub(super) fn last_error(&self) -> String {
        self.snapshot()
            .last_error
            .map_or_else(String::new, |(error, _)| error.to_string())
    }

    /// Answers a first list with `a@1` at version 7 and hands out the watch that follows.
    pub(super) async fn listed(&mut self) -> Exchange {
        self.expect("list 0 limit 500")
            .await
            .list(7, &[("a", 1)], "");
        self.expect("watch 7").await
    }
}

pub(super) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

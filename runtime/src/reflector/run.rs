//! The driver: carries out what the machine says, and feeds the sink.

use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use http::{Response, StatusCode};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Stop};
use super::confirm::OnAbsence;
use super::deadline::Deadline;
use super::error::{Awaited, ReflectorError, ReflectorFailure, ReflectorRequest};
use super::machine::Machine;
use super::options::ReflectorOptions;
use super::request::{Ask, Requests, Target};
use super::status::{Phase, SourceStatus};
use super::step::{Action, Cause, End, Outcome, Start};
use crate::decode::{ContentType, SplitOptions};
use crate::observe::Say;
use crate::sink::Sink;
use crate::time::later;
use crate::transport::{BodyStream, Transport, TransportError};
use crate::turn::{Turn, yield_to_others};

/// Keeps `sink` equal to what `target` names, until `cancel` is cancelled.
///
/// Cancelling aborts a request in flight and closes an open stream at once; if it was cancelled before, no request is sent. What was
/// received and not yet flushed is then lost. Ends by itself only if no request can be written for the target
/// (see [`ReflectorFailure::Request`]), or if the kind is absent and `on_absence` says so. However it ends, dropping and panics of the sink included, `status` shows it.
pub(crate) async fn run(
    transport: Arc<dyn Transport>,
    target: Target,
    sink: Box<dyn Sink>,
    options: Arc<ReflectorOptions>,
    status: Arc<SourceStatus>,
    on_absence: OnAbsence,
    cancel: CancellationToken,
) {
    let _stopped = Stopped::watching(&status, target.namespace());
    let machine = Machine::new(
        options.streaming_list,
        options.page_size,
        options.bookmark_interval,
        options.make_backoff(),
    );
    let mut driver = Driver {
        requests: Requests::new(&target),
        transport,
        target,
        sink,
        options,
        status,
        machine,
        on_absence,
        served: Vec::new(),
        random: fastrand::Rng::new(),
        listing_since: None,
        unflushed: false,
        turn: Turn::default(),
    };
    if let Err(error) = driver.requests.list(&Start::Latest, None) {
        return driver.never(error);
    }
    let gone = driver.on_absence.gone.clone();
    tokio::select! {
        biased;
        () = cancel.cancelled() => return,
        () = gone.cancelled() => {}
        () = driver.drive() => return gone.cancel(),
    }
    driver.vanish();
}

/// Shows the begin and the end of a reflector's task, whatever ends it.
struct Stopped {
    status: Arc<SourceStatus>,
    namespace: Option<String>,
}

impl Stopped {
    fn watching(status: &Arc<SourceStatus>, namespace: Option<&str>) -> Self {
        status.observed.started();
        let informer = status.observed.informer();
        tracing::debug!(kind = %informer.kind(), informer = %informer.name(), namespace, "reflector started");
        Self {
            status: Arc::clone(status),
            namespace: namespace.map(str::to_owned),
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let informer = self.status.observed.informer();
        let (kind, informer) = (informer.kind(), informer.name());
        let namespace = self.namespace.as_deref();
        if std::thread::panicking() {
            // The message of the panic goes to the panic hook alone: it may quote an object.
            tracing::error!(%kind, %informer, namespace, "a reflector panicked; its objects stay as they are");
        } else {
            tracing::debug!(%kind, %informer, namespace, "reflector stopped");
        }
        self.status.stopped();
    }
}

/// What one reflector's task holds.
pub(super) struct Driver {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) requests: Requests,
    pub(super) target: Target,
    pub(super) sink: Box<dyn Sink>,
    pub(super) options: Arc<ReflectorOptions>,
    pub(super) status: Arc<SourceStatus>,
    pub(super) machine: Machine,
    pub(super) on_absence: OnAbsence,
    /// The versions of the kind's group that were served when the kind was not.
    pub(super) served: Vec<String>,
    random: fastrand::Rng,
    /// When the listing under way began, failed attempts included.
    pub(super) listing_since: Option<Instant>,
    /// Whether the sink was given something that it has not published.
    pub(super) unflushed: bool,
    turn: Turn,
}

/// How long a request was alive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Life {
    /// When it was answered with success, if it was.
    pub(super) accepted: Option<Instant>,
    /// When the server last gave a sign of life.
    pub(super) last_sign: Instant,
}

impl Life {
    /// Before a request is sent.
    pub(super) fn unborn() -> Self {
        Self {
            accepted: None,
            last_sign: Instant::now(),
        }
    }
}

/// A response with success.
pub(super) struct Opened {
    pub(super) body: BodyStream,
    pub(super) split: SplitOptions,
}

impl Driver {
    /// Ends if the kind is absent and nobody waits for it.
    async fn drive(&mut self) {
        loop {
            match self.machine.next() {
                Action::Confirm => self.confirm().await,
                Action::Vanish => {
                    self.vanish();
                    if self.on_absence.stop {
                        return;
                    }
                }
                Action::Wait { delay } => {
                    self.phase(Phase::BackingOff);
                    tokio::time::sleep(delay).await;
                    self.machine.on(Outcome::Waited);
                }
                Action::List { start, limit } => {
                    self.begin();
                    self.list(&|requests| requests.list(&start, limit), None)
                        .await;
                }
                Action::ListPage { token, limit } => {
                    self.status.phase(Phase::Listing);
                    self.list(&|requests| requests.page(&token, limit), Some(&token))
                        .await;
                }
                Action::StreamList { start } => {
                    self.begin();
                    // The stream is a list first, for as long as the cap allows, and then a watch.
                    let watch = self.options.draw_watch_timeout(&mut self.random);
                    let timeout = watch.saturating_add(self.options.streaming_list_cap);
                    let ask: Ask<'_> = &|requests| requests.stream_list(&start, timeout);
                    self.follow(ask, timeout, true).await;
                }
                Action::Watch { version } => {
                    self.status.phase(Phase::Watching);
                    let timeout = self.options.draw_watch_timeout(&mut self.random);
                    let ask: Ask<'_> = &|requests| requests.watch(&version, timeout);
                    self.follow(ask, timeout, false).await;
                }
            }
        }
    }

    /// No request for this target can be written, so none is sent.
    fn never(&mut self, error: http::Error) {
        let stop = Stop {
            cause: Cause::Status,
            failure: ReflectorFailure::Request(error),
        };
        self.ended(ReflectorRequest::List, stop, Life::unborn());
    }

    fn begin(&mut self) {
        self.phase(Phase::Listing);
        self.listing_since.get_or_insert_with(Instant::now);
        self.sink.begin();
    }

    /// While the kind is absent, that is what it is doing: looking for it.
    fn phase(&self, phase: Phase) {
        let absent = self.machine.is_absent();
        self.status
            .phase(if absent { Phase::Absent } else { phase });
    }

    /// Sends a request and takes the answer's head, by the deadline.
    pub(super) async fn open(
        &mut self,
        what: ReflectorRequest,
        ask: Ask<'_>,
        deadline: &Deadline,
    ) -> Result<Opened, Stop> {
        self.requests.exclude(&self.sink.excluded());
        let mut response = self.send(what, ask, deadline).await?;
        if response.status() == StatusCode::BAD_REQUEST && self.requests.excludes() {
            // A few kinds have no rule for `metadata.namespace`. If that was it, the same without it is no bad request.
            self.requests.exclusion_refused(true);
            response = self.send(what, ask, deadline).await?;
            let refused = response.status() != StatusCode::BAD_REQUEST;
            self.requests.exclusion_refused(refused);
        }
        let (head, body) = response.into_parts();
        if !head.status.is_success() {
            let deadline = Deadline::each(self.options.response_timeout);
            return Err(
                answer::of_response(head.status.as_u16(), &head.headers, body, &deadline).await,
            );
        }
        let content_type = content_type(&head.headers).map_err(|failure| Stop {
            cause: Cause::Status,
            failure,
        })?;
        let split = SplitOptions {
            content_type,
            keep_managed_fields: self.options.keep_managed_fields,
            max_object_bytes: self.options.max_object_bytes,
        };
        Ok(Opened { body, split })
    }

    async fn send(
        &mut self,
        what: ReflectorRequest,
        ask: Ask<'_>,
        deadline: &Deadline,
    ) -> Result<Response<BodyStream>, Stop> {
        let request = ask(&self.requests).map_err(|error| Stop {
            cause: Cause::Status,
            failure: ReflectorFailure::Request(error),
        })?;
        self.status.observed.requested(what);
        tracing::debug!(
            kind = %self.target.kind,
            informer = %self.informer(),
            namespace = self.target.namespace(),
            request = %what,
            "request started"
        );
        let head = head(
            self.transport.send(request),
            &self.status,
            self.options.response_timeout,
        );
        deadline
            .guard(Awaited::Response, head)
            .await
            .map_err(|failure| Stop {
                cause: Cause::Silent,
                failure,
            })?
            .map_err(|error| Stop {
                cause: Cause::Unreachable,
                failure: ReflectorFailure::Transport(error),
            })
    }

    /// Tells the machine, the status and the log that a request is over.
    pub(super) fn ended(&mut self, request: ReflectorRequest, stop: Stop, life: Life) {
        let lived = life.accepted.map_or(Duration::ZERO, |at| at.elapsed());
        let cause = stop.cause.name();
        self.status.observed.request_ended(request, cause);
        self.machine.on(Outcome::Ended(End {
            cause: stop.cause,
            accepted: life.accepted.is_some(),
            lived,
        }));
        let mut failure = stop.failure;
        if !self.options.show_server_messages {
            failure = failure.without_server_message();
        }
        let mut expected = is_expected(request, stop.cause);
        if stop.cause == Cause::NotFound && self.machine.seems_absent() {
            failure = self.absent();
            expected = self.machine.is_absent();
        }
        if request == ReflectorRequest::Watch && stop.cause == Cause::Complete {
            match self.machine.next() {
                Action::Watch { .. } => return self.log_end(request, cause),
                Action::Wait { .. } => {}
                _ => {
                    failure = ReflectorFailure::Unheard { after: lived };
                    expected = false;
                }
            }
        }
        let namespace = self.target.namespace();
        let error = ReflectorError::new(
            request,
            self.target.kind.clone(),
            namespace.map(str::to_owned),
            failure,
        );
        self.log_failure(cause, &error, expected);
        self.status.failed(Arc::new(error), life.last_sign);
    }

    /// The informer's name for logs.
    pub(super) fn informer(&self) -> &Arc<str> {
        self.status.observed.informer().name()
    }

    fn log_end(&self, request: ReflectorRequest, cause: &str) {
        let (kind, informer) = (&self.target.kind, self.informer());
        let namespace = self.target.namespace();
        tracing::debug!(%kind, %informer, namespace, %request, cause, "request ended");
    }

    /// A server that is away fails the requests of every source again and again: an informer says so aloud only so often.
    fn log_failure(&self, cause: &str, error: &ReflectorError, expected: bool) {
        let (kind, informer) = (&self.target.kind, self.informer());
        let (namespace, request) = (self.target.namespace(), error.request());
        if expected {
            tracing::debug!(%kind, %informer, namespace, %request, cause, %error, "request ended");
            return;
        }
        match self.status.observed.informer().failures().next() {
            Say::Aloud { withheld } => tracing::warn!(
                %kind, %informer, namespace, %request, cause, %error, withheld,
                "request failed"
            ),
            Say::Quietly => tracing::debug!(
                %kind, %informer, namespace, %request, cause, %error,
                "request failed once more"
            ),
        }
    }

    /// Publishes what the sink was given since it last did.
    pub(super) fn flush(&mut self) {
        if std::mem::take(&mut self.unflushed) {
            self.sink.flush();
            self.status.reached(self.machine.version());
        }
    }

    /// Lets other tasks run when this one has had its share.
    pub(super) async fn cooperate(&mut self) {
        if self.turn.step() {
            self.flush();
            yield_to_others().await;
        }
    }
}

/// A response's head. While one takes longer than a list's may, which a watch's may behind some proxies, what the store
/// holds counts as stale.
async fn head(
    mut response: BoxFuture<'_, Result<Response<BodyStream>, TransportError>>,
    status: &SourceStatus,
    usual: Duration,
) -> Result<Response<BodyStream>, TransportError> {
    let sent = Instant::now();
    if let Ok(head) = tokio::time::timeout_at(later(sent, usual), &mut response).await {
        return head;
    }
    status.unsure(sent);
    response.await
}

/// Whether a healthy server ends requests like this, so that nobody need be warned.
fn is_expected(request: ReflectorRequest, cause: Cause) -> bool {
    match cause {
        Cause::Expired
        | Cause::TooLarge
        | Cause::Throttled { .. }
        | Cause::Cut
        | Cause::Complete => true,
        Cause::Refused => request == ReflectorRequest::StreamingList,
        Cause::NotFound | Cause::Status | Cause::Unreachable | Cause::Broken | Cause::Silent => {
            false
        }
    }
}

fn content_type(headers: &http::HeaderMap) -> Result<ContentType, ReflectorFailure> {
    let text = |name| {
        headers
            .get(name)
            .map(|value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()))
    };
    if let Some(encoding) =
        text(http::header::CONTENT_ENCODING).filter(|text| !text.eq_ignore_ascii_case("identity"))
    {
        let encoding = encoding.chars().take(40).collect();
        return Err(ReflectorFailure::ContentEncoding { encoding });
    }
    match text(http::header::CONTENT_TYPE) {
        Some(value) => ContentType::from_header(&value).map_err(ReflectorFailure::ContentType),
        // RFC 9110, section 8.3: the recipient may guess.
        None => Ok(ContentType::Json),
    }
}

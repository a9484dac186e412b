//! What goes wrong, and with which requests.

use crate::{
    requests::Request,
    serve::Verb,
    status::{FieldError, Status},
    stream::{Broken, End, StreamPlan},
};
use bytes::Bytes;
use serde_json::Value;
use std::{fmt, sync::Arc, time::Duration};

/// A condition that a test made up.
type Condition = Arc<dyn Fn(&Request) -> bool + Send + Sync>;

/// What a fault does to a request.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Refuse,
    NeverAnswer,
    Delay(Duration),
    Status(Status),
    /// 403 in the words of RBAC, which name the request.
    Forbidden,
    /// Code, text, seconds of `Retry-After`.
    Plain(u16, &'static str, u32),
    Stream(Box<StreamPlan>),
}

/// Something that goes wrong with some requests.
///
/// The constructors say what goes wrong, the methods with which requests: all of them unless narrowed. A fault hits
/// every request that it matches, until it is removed; [`skip`](Self::skip) and [`times`](Self::times) count.
///
/// ```
/// use larder_sim::{Fault, Sim, Verb};
///
/// let sim = Sim::new();
/// // The third and fourth list of pods in one namespace are answered with 503.
/// let fault = Fault::unavailable().on(Verb::List).resource("pods").namespace("web").skip(2).times(2);
/// let id = sim.faults().add(fault);
/// assert_eq!(sim.faults().hits(id), 0);
/// ```
#[derive(Clone)]
#[must_use = "a fault does nothing until it is added to a server"]
pub struct Fault {
    pub(super) action: Action,
    pub(super) skip: usize,
    pub(super) times: usize,
    verbs: Vec<Verb>,
    resource: Option<String>,
    namespace: Option<String>,
    streaming_lists: Option<bool>,
    continued: bool,
    condition: Option<Condition>,
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Fault");
        out.field("action", &self.action)
            .field("verbs", &self.verbs);
        out.field("resource", &self.resource)
            .field("namespace", &self.namespace);
        out.field("skip", &self.skip)
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}

/// What goes wrong before there is a response, or in place of one.
impl Fault {
    fn new(action: Action) -> Self {
        Self {
            action,
            skip: 0,
            times: usize::MAX,
            verbs: Vec::new(),
            resource: None,
            namespace: None,
            streaming_lists: None,
            continued: false,
            condition: None,
        }
    }

    /// The connection breaks before there is a response.
    pub fn refuse() -> Self {
        Self::new(Action::Refuse)
    }

    /// No response comes, not even headers, until [`Sim::disconnect`](crate::Sim::disconnect).
    pub fn never_answer() -> Self {
        Self::new(Action::NeverAnswer)
    }

    /// The request is served after a delay. Other faults still apply then.
    pub fn delay(delay: Duration) -> Self {
        Self::new(Action::Delay(delay))
    }

    /// The request is answered with this status.
    pub fn status(status: Status) -> Self {
        Self::new(Action::Status(status))
    }

    /// 410 `Expired` as HTTP status: of a list, a page or the start of a watch.
    pub fn gone() -> Self {
        Self::status(Status::expired(
            "The resourceVersion for the provided list is too old.",
        ))
    }

    /// 429 with `Retry-After`, as a status.
    pub fn too_many_requests(retry_after_seconds: u32) -> Self {
        Self::status(Status::too_many_requests(retry_after_seconds))
    }

    /// 429 with `Retry-After` in plain text, as the filter of an overloaded server answers.
    pub fn overloaded(retry_after_seconds: u32) -> Self {
        let text = "Too many requests, please try again later.\n";
        Self::new(Action::Plain(429, text, retry_after_seconds))
    }

    /// 500 `InternalError`.
    pub fn internal_error() -> Self {
        Self::status(Status::internal("a fault was injected"))
    }

    /// 503 `ServiceUnavailable`.
    pub fn unavailable() -> Self {
        Self::status(Status::unavailable(
            "the server is currently unable to handle the request",
        ))
    }

    /// 504 `Timeout`, not about versions.
    pub fn gateway_timeout() -> Self {
        let message = "request did not complete within the allotted timeout";
        Self::status(Status::timeout(message, 0))
    }

    /// 401 `Unauthorized`.
    pub fn unauthorized() -> Self {
        Self::status(Status::unauthorized())
    }

    /// 403 `Forbidden` with the message of RBAC for the request.
    pub fn forbidden() -> Self {
        Self::new(Action::Forbidden)
    }

    /// 404 in plain text, as for a group that is not served.
    pub fn not_served() -> Self {
        Self::new(Action::Plain(404, "404 page not found\n", 0))
    }

    /// 422 on streaming lists, as from a server whose feature gate `WatchList` is off.
    pub fn without_watch_list() -> Self {
        let why =
            "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
        let error = FieldError::forbidden("sendInitialEvents", why);
        let status = Status::invalid("meta.k8s.io", "ListOptions", "", &[error]);
        Self::status(status).only_streaming_lists()
    }
}

/// What goes wrong while the response is read.
impl Fault {
    fn stream(plan: StreamPlan) -> Self {
        Self::new(Action::Stream(Box::new(plan)))
    }

    fn end(after: usize, half: bool, end: End) -> Self {
        Self::stream(StreamPlan {
            end: Some((after, half, end)),
            ..StreamPlan::default()
        })
    }

    /// 200 with an empty body.
    pub fn close_at_once() -> Self {
        Self::end(0, false, End::Clean)
    }

    /// The connection breaks after `objects` objects of a list or events of a watch.
    pub fn cut_after(objects: usize) -> Self {
        Self::end(objects, false, End::Cut)
    }

    /// The connection breaks in the middle of the object that follows `objects` whole ones.
    pub fn cut_within(objects: usize) -> Self {
        Self::end(objects, true, End::Cut)
    }

    /// The body ends as if it were complete, after `objects` objects. A list lacks its end then.
    pub fn end_after(objects: usize) -> Self {
        Self::end(objects, false, End::Clean)
    }

    /// The body ends as if it were complete, in the middle of the object that follows `objects` whole ones.
    pub fn end_within(objects: usize) -> Self {
        Self::end(objects, true, End::Clean)
    }

    /// Nothing more comes after `objects` objects, neither bookmarks nor an end, until
    /// [`Sim::disconnect`](crate::Sim::disconnect).
    pub fn silence_after(objects: usize) -> Self {
        Self::end(objects, false, End::Silence)
    }

    /// Nothing more comes in the middle of the object that follows `objects` whole ones.
    pub fn silence_within(objects: usize) -> Self {
        Self::end(objects, true, End::Silence)
    }

    /// Each event of a watch is sent twice.
    pub fn duplicate_events() -> Self {
        Self::stream(StreamPlan {
            duplicate: true,
            ..StreamPlan::default()
        })
    }

    /// Each event of a watch, or each chunk of a list, comes after a pause.
    pub fn slow(pause: Duration) -> Self {
        Self::stream(StreamPlan {
            pace: Some(pause),
            ..StreamPlan::default()
        })
    }

    /// An `ERROR` event follows after `events` events, and the watch ends.
    pub fn error_event(events: usize, status: Status) -> Self {
        Self::stream(StreamPlan {
            error: Some((events, status)),
            ..StreamPlan::default()
        })
    }

    /// A watch ends cleanly after this time, whatever `timeoutSeconds` says.
    pub fn short_watch(lifetime: Duration) -> Self {
        Self::stream(StreamPlan {
            lifetime: Some(lifetime),
            ..StreamPlan::default()
        })
    }

    /// No bookmarks come, not even the one that ends the initial events.
    pub fn no_bookmarks() -> Self {
        Self::stream(StreamPlan {
            no_bookmarks: true,
            ..StreamPlan::default()
        })
    }

    /// The bookmark after the initial events lacks the annotation that says so.
    pub fn no_initial_events_end() -> Self {
        Self::stream(StreamPlan {
            no_initial_end: true,
            ..StreamPlan::default()
        })
    }

    /// Objects of this name are not valid JSON, though brackets and quotes are balanced.
    pub fn broken_json(name: impl Into<String>) -> Self {
        Self::stream(StreamPlan {
            broken: Some((name.into(), Broken::Syntax)),
            ..StreamPlan::default()
        })
    }

    /// Objects of this name carry `value` at a JSON pointer such as `/spec/nodeName`, where a typed decoder
    /// expects something else.
    pub fn broken_field(
        name: impl Into<String>,
        pointer: impl Into<String>,
        value: &Value,
    ) -> Self {
        let json = Bytes::from(value.to_string());
        let broken = Some((name.into(), Broken::Value(pointer.into(), json)));
        Self::stream(StreamPlan {
            broken,
            ..StreamPlan::default()
        })
    }
}

/// Which requests are hit.
impl Fault {
    /// Hits requests of this verb; called again, of either verb.
    pub fn on(mut self, verb: Verb) -> Self {
        self.verbs.push(verb);
        self
    }

    /// Hits requests for this resource, such as `pods` or `deployments.apps`.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Hits requests whose path names this namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Hits requests whose path names no namespace.
    pub fn all_namespaces(self) -> Self {
        self.namespace("")
    }

    /// Hits streaming lists only: watches with `sendInitialEvents=true`.
    pub fn only_streaming_lists(mut self) -> Self {
        self.streaming_lists = Some(true);
        self
    }

    /// Hits anything but streaming lists.
    pub fn except_streaming_lists(mut self) -> Self {
        self.streaming_lists = Some(false);
        self
    }

    /// Hits the second and later pages of lists only.
    pub fn only_continued(mut self) -> Self {
        self.continued = true;
        self
    }

    /// Hits requests that satisfy a condition of the test.
    pub fn matching(
        mut self,
        condition: impl Fn(&Request) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.condition = Some(Arc::new(condition));
        self
    }

    /// Lets the first `requests` matching requests pass.
    pub fn skip(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// Hits so many requests and no more.
    pub fn times(mut self, requests: usize) -> Self {
        self.times = requests;
        self
    }

    pub(super) fn matches(&self, request: &Request) -> bool {
        // Discovery and documents are not what faults are about, unless one asks for them.
        let verb_fits = if self.verbs.is_empty() {
            request.verb != Verb::Other
        } else {
            self.verbs.contains(&request.verb)
        };
        verb_fits
            && self
                .resource
                .as_ref()
                .is_none_or(|resource| *resource == request.resource)
            && self
                .namespace
                .as_ref()
                .is_none_or(|namespace| *namespace == request.namespace)
            && self
                .streaming_lists
                .is_none_or(|wanted| wanted == request.is_streaming_list())
            && (!self.continued
                || request
                    .param("continue")
                    .is_some_and(|token| !token.is_empty()))
            && self
                .condition
                .as_ref()
                .is_none_or(|condition| condition(request))
    }
}

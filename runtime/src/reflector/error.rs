//! What went wrong with a request, for health reports and logs.

use std::fmt;
use std::time::Duration;

use crate::decode::UnsupportedContentType;
use crate::kind::Kind;
use crate::transport::TransportError;

/// The kinds of requests that a reflector makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReflectorRequest {
    /// A list, or a page of one.
    List,
    /// A watch that sends the initial state first, before that is complete.
    StreamingList,
    /// A watch, or a streaming list once the initial state is complete.
    Watch,
}

impl fmt::Display for ReflectorRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::List => "list",
            Self::StreamingList => "streaming list",
            Self::Watch => "watch",
        })
    }
}

/// A failed request of a reflector: which one, of what, and why.
///
/// Its text is complete in itself; [`source`](std::error::Error::source) leads to the cause beneath. It never holds a
/// body or a part of one, except the `message` of a Kubernetes `Status`; for other codes than 4xx not even that, unless
/// [`ReflectorOptions::show_server_messages`](crate::ReflectorOptions::show_server_messages) is set.
#[derive(Debug)]
pub struct ReflectorError {
    request: ReflectorRequest,
    kind: Kind,
    namespace: Option<String>,
    failure: ReflectorFailure,
}

impl ReflectorError {
    pub(super) fn new(
        request: ReflectorRequest,
        kind: Kind,
        namespace: Option<String>,
        failure: ReflectorFailure,
    ) -> Self {
        Self {
            request,
            kind,
            namespace,
            failure,
        }
    }

    /// Which request failed.
    #[must_use]
    pub fn request(&self) -> ReflectorRequest {
        self.request
    }

    /// Of which kind.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// In which namespace; `None` for all of them and for cluster-scoped kinds.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Why.
    #[must_use]
    pub fn failure(&self) -> &ReflectorFailure {
        &self.failure
    }
}

impl fmt::Display for ReflectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.request, self.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, " in namespace {namespace}")?;
        }
        write!(f, ": {}", self.failure)
    }
}

impl std::error::Error for ReflectorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.failure.source()
    }
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorFailure {
    /// The server does not serve the kind in this version: the answer was 404, and its discovery says the same. Its
    /// CustomResourceDefinition or APIService is not there, not yet, or not any more.
    #[error("{}", NotServed { api_version, plural, served })]
    Absent {
        /// Group and version, as `example.com/v1`.
        api_version: String,
        /// The resource's plural name.
        plural: String,
        /// The versions of the group that are served, best first, where discovery says so.
        served: Vec<String>,
    },
    /// The answer was 404, by the server or by something in its place, and its discovery does not (yet) say that the
    /// kind is not served: what is cached stays. It is asked again.
    #[error("not found (404); the server's discovery does not confirm that the kind is absent")]
    NotFound,
    /// The server does not accept the credentials (401).
    #[error("the server does not accept the credentials (401){}", Message(.message))]
    Unauthorized {
        /// The message of the server's `Status`, if the answer was one.
        message: Option<String>,
    },
    /// The credentials do not allow the request (403). Both verbs, list and watch, are needed.
    #[error("the credentials do not allow this (403){}", Message(.message))]
    Forbidden {
        /// The message of the server's `Status`, if the answer was one.
        message: Option<String>,
    },
    /// The version or continue token is too old for the server (410); a listing follows.
    #[error("the resource version is too old (410)")]
    Expired,
    /// The version is newer than what the server has; a listing from its current state follows.
    #[error("the resource version is newer than the server's")]
    TooLargeResourceVersion,
    /// The server asks to come later (429, or 5xx with `Retry-After`).
    #[error("the server asks to come later ({code})")]
    Throttled {
        /// The status code.
        code: u16,
        /// When to come again, if the server said so.
        retry_after: Option<Duration>,
    },
    /// The server cannot select objects of this kind by a field of the field selector (400): the field is misspelt or not selectable, or
    /// the server is older than the Kubernetes version that the kind's [`Selectable`](crate::Selectable) constants were generated for.
    /// It is asked again, as it may be upgraded.
    #[error(
        "the server cannot select by a field of the field selector (400){}; which fields it can select by depends on the kind and on \
         the server's version",
        Message(.message)
    )]
    UnselectableField {
        /// The message of the server's `Status`, which names the field.
        message: Option<String>,
    },
    /// Any other answer that is not success, as the response's status or as an error event of a watch.
    #[error("the server answered {code}{}{}", Reason(.reason), Message(.message))]
    Status {
        /// The status code.
        code: u16,
        /// The reason of the server's `Status`, if the answer was one.
        reason: Option<String>,
        /// The message of the server's `Status`, if the answer was one. It is there for 4xx alone, unless
        /// [`ReflectorOptions::show_server_messages`](crate::ReflectorOptions::show_server_messages) is set.
        message: Option<String>,
    },
    /// A deadline passed.
    #[error("{what} within {after:?}")]
    Timeout {
        /// What was waited for.
        what: Awaited,
        /// The deadline that passed.
        after: Duration,
    },
    /// The request or its response failed on the way.
    #[error("{error}{cause}", error = .0, cause = Cause(.0))]
    Transport(#[source] TransportError),
    /// The response's body is no list and no series of watch events, or an object in it is too large.
    #[error("the response is malformed: {0}")]
    Malformed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The response is not in an encoding that can be read, often the page of a proxy.
    #[error("{0}")]
    ContentType(#[source] UnsupportedContentType),
    /// The response is compressed although that was declined.
    #[error("the response is compressed ({encoding}), which the transport must undo")]
    ContentEncoding {
        /// What the `Content-Encoding` header says.
        encoding: String,
    },
    /// The response ended too early: a list before it was complete, a watch soon after it began.
    #[error("the response ended after {after:?}")]
    Ended {
        /// How long it lasted.
        after: Duration,
    },
    /// A whole watch passed without an event or a bookmark, although the server sends bookmarks: it may have been set
    /// back in time. A listing from its current state follows.
    #[error("neither event nor bookmark in a watch of {after:?}")]
    Unheard {
        /// How long the watch lasted.
        after: Duration,
    },
    /// The request cannot be written, as a name in it is not valid in a URI. It is not sent, ever.
    #[error("the request's URI is not valid")]
    Request(#[source] http::Error),
}

impl ReflectorFailure {
    /// Without what the server said in its own words, unless that is about the request: a 5xx may quote what is stored, as
    /// the answer of a failing conversion webhook does.
    pub(super) fn without_server_message(self) -> Self {
        match self {
            Self::Status { code, reason, .. } if !(400..500).contains(&code) => Self::Status {
                code,
                reason: reason.filter(|reason| is_reason(reason)),
                message: None,
            },
            other => other,
        }
    }

    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self)
    }
}

/// Whether it is a word such as `InternalError`, as all reasons of Kubernetes are.
fn is_reason(text: &str) -> bool {
    text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What a deadline was for. Its text says that it did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Awaited {
    /// The head of the response did not arrive.
    Response,
    /// No data arrived.
    Data,
    /// A streaming list sent neither an object nor its end.
    InitialState,
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Response => "no response",
            Self::Data => "no data",
            Self::InitialState => "no end of the initial state",
        })
    }
}

struct NotServed<'a> {
    api_version: &'a str,
    plural: &'a str,
    served: &'a [String],
}

impl fmt::Display for NotServed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            api_version,
            plural,
            served,
        } = self;
        write!(f, "the server does not serve {plural} in {api_version}")?;
        if !served.is_empty() {
            write!(f, ", only {} of this group", served.join(", "))?;
        }
        f.write_str(
            "; install its CustomResourceDefinition or APIService, or use a version that is served",
        )
    }
}

struct Reason<'a>(&'a Option<String>);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .as_ref()
            .map_or(Ok(()), |reason| write!(f, " {reason}"))
    }
}

struct Message<'a>(&'a Option<String>);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .as_ref()
            .map_or(Ok(()), |message| write!(f, ": {message}"))
    }
}

/// The innermost cause, which is what a reader of one line needs: "connection refused".
struct Cause<'a>(&'a TransportError);

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cause = std::error::Error::source(self.0);
        while let Some(inner) = cause.and_then(std::error::Error::source) {
            cause = Some(inner);
        }
        cause.map_or(Ok(()), |cause| write!(f, ": {cause}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Scope;

    const PODS: Kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);

    fn text(namespace: Option<&str>, failure: ReflectorFailure) -> String {
        let namespace = namespace.map(str::to_owned);
        ReflectorError::new(ReflectorRequest::Watch, PODS, namespace, failure).to_string()
    }

    #[test]
    fn errors_say_which_request_of_what_failed_and_why() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let nested = std::io::Error::other(refused);
        assert_eq!(
            text(
                Some("web"),
                ReflectorFailure::Transport(TransportError::request(nested))
            ),
            "watch of pods in namespace web: the request got no response: connection refused"
        );
        let forbidden = ReflectorFailure::Forbidden {
            message: Some("pods is forbidden".into()),
        };
        assert_eq!(
            text(None, forbidden),
            "watch of pods: the credentials do not allow this (403): pods is forbidden"
        );
        let status = ReflectorFailure::Status {
            code: 500,
            reason: Some("InternalError".into()),
            message: None,
        };
        assert_eq!(
            text(None, status),
            "watch of pods: the server answered 500 InternalError"
        );
        let timeout = ReflectorFailure::Timeout {
            what: Awaited::Data,
            after: Duration::from_secs(150),
        };
        assert_eq!(text(None, timeout), "watch of pods: no data within 150s");
    }
}

//! The log of requests: what clients asked, when, in order.

use crate::{bell::Bell, serve::Verb};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// When there are so many requests, the older half is forgotten.
const KEPT: usize = 100_000;

/// A request that reached the server, including those that a fault then refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// When it came, by tokio's clock.
    pub at: Instant,
    /// HTTP method, such as `GET`.
    pub method: String,
    /// Path, as sent.
    pub path: String,
    /// Query without the question mark, as sent.
    pub query: String,
    /// What is asked of the API.
    pub verb: Verb,
    /// `pods` or `deployments.apps`; empty if the path is none of a resource.
    pub resource: String,
    /// Namespace in the path; empty if there is none.
    pub namespace: String,
    /// Name in the path; empty if there is none.
    pub name: String,
    /// Media types that the client accepts, as sent.
    pub accept: String,
}

impl Request {
    /// The decoded value of a query parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<String> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.into_owned())
    }

    /// Whether it is this verb on this resource, written as `pods` or `deployments.apps`.
    #[must_use]
    pub fn is(&self, verb: Verb, resource: &str) -> bool {
        self.verb == verb && self.resource == resource
    }

    /// Whether it asks for a streaming list: a watch with `sendInitialEvents=true`.
    #[must_use]
    pub fn is_streaming_list(&self) -> bool {
        self.verb == Verb::Watch
            && self
                .param("sendInitialEvents")
                .is_some_and(|value| value == "true")
    }
}

/// All requests of a server, and a bell for those who wait for one.
#[derive(Debug)]
pub(crate) struct RequestLog {
    /// Copied only if a request comes while somebody looks at the ones before.
    requests: Mutex<Arc<Vec<Request>>>,
    bell: Bell<u64>,
}

impl RequestLog {
    pub(crate) fn new() -> Self {
        Self {
            requests: Mutex::default(),
            bell: Bell::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Vec<Request>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, request: Request) {
        let mut guard = self.lock();
        let requests = Arc::make_mut(&mut guard);
        if requests.len() >= KEPT {
            requests.drain(..KEPT / 2);
        }
        requests.push(request);
        drop(guard);
        self.bell.change(|count| *count += 1);
    }

    /// The requests so far. The log is not locked while they are looked at.
    pub(crate) fn all(&self) -> Arc<Vec<Request>> {
        Arc::clone(&self.lock())
    }

    pub(crate) fn clear(&self) {
        *self.lock() = Arc::default();
    }

    /// Waits until the log satisfies a condition, which is asked now and after each request.
    pub(crate) async fn wait_for(&self, mut condition: impl FnMut(&[Request]) -> bool) {
        let mut bell = self.bell.listen();
        loop {
            bell.hear();
            // The sender lives as long as this log, so that the bell cannot fail.
            if condition(&self.all()) || bell.changed().await.is_err() {
                return;
            }
        }
    }
}

//! The cache's way to the server, with what it asks noted, and changed where a test wants to.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response, Uri, header};
use larder::{BodyStream, Transport, TransportError};

/// A client whose requests are noted. A clone notes in the same list.
#[derive(Clone)]
pub(crate) struct Wire {
    client: kube::Client,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    changes: Vec<Change>,
}

/// A parameter that is sent otherwise, once, in the next request that the name fits.
struct Change {
    request: &'static str,
    param: &'static str,
    to: String,
}

/// A request as the cache made it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    query: Vec<(String, String)>,
    pub(crate) accept_encoding: String,
}

impl Asked {
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(param, _)| param == name);
        found.map(|(_, value)| value.as_str())
    }

    /// `list`, `page`, `stream` or `watch`.
    pub(crate) fn request(&self) -> &'static str {
        match (
            self.param("watch"),
            self.param("sendInitialEvents"),
            self.param("continue"),
        ) {
            (Some(_), Some(_), _) => "stream",
            (Some(_), None, _) => "watch",
            (None, _, Some(_)) => "page",
            (None, _, None) => "list",
        }
    }

    /// The request and, where it has one, its version: `list 0`, `stream`, `page`.
    fn short(&self) -> String {
        match self.param("resourceVersion") {
            Some(version) => format!("{} {version}", self.request()),
            None => self.request().to_owned(),
        }
    }
}

impl Wire {
    pub(crate) fn new(client: kube::Client) -> Self {
        Self {
            client,
            state: Arc::default(),
        }
    }

    /// Sends `param` with another value in the next request of this name; an empty one leaves it out.
    pub(crate) fn change(&self, request: &'static str, param: &'static str, to: impl Into<String>) {
        let to = to.into();
        self.state
            .lock()
            .unwrap()
            .changes
            .push(Change { request, param, to });
    }

    /// Makes the next list one at the latest version, which is paged: at "0" a server that has everything in memory ignores the limit.
    pub(crate) fn page_the_first_list(&self) {
        self.change("list", "resourceVersion", "");
        self.change("list", "resourceVersionMatch", "");
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    pub(crate) fn short(&self) -> Vec<String> {
        self.asked().iter().map(Asked::short).collect()
    }

    pub(crate) fn clear(&self) {
        self.state.lock().unwrap().asked.clear();
    }

    /// Notes a request as it came, and changes it.
    fn pass(&self, request: &mut Request<Bytes>) {
        let uri = request.uri();
        let query = uri.query().unwrap_or_default().as_bytes();
        let mut query: Vec<(String, String)> = form_urlencoded::parse(query).into_owned().collect();
        let encoding = request.headers().get(header::ACCEPT_ENCODING);
        let asked = Asked {
            query: query.clone(),
            accept_encoding: encoding
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_owned(),
        };
        let name = asked.request();
        let mut state = self.state.lock().unwrap();
        state.asked.push(asked);
        let changes = std::mem::take(&mut state.changes);
        let (now, later): (Vec<_>, _) = changes
            .into_iter()
            .partition(|change| change.request == name);
        state.changes = later;
        if now.is_empty() {
            return;
        }
        for change in now {
            query.retain(|(param, _)| param != change.param);
            if !change.to.is_empty() {
                query.push((change.param.to_owned(), change.to));
            }
        }
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(query)
            .finish();
        let changed: Result<Uri, _> = format!("{}?{query}", uri.path()).parse();
        *request.uri_mut() = changed.expect("a path and an encoded query make a URI");
    }
}

impl Transport for Wire {
    fn send(
        &self,
        mut request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        self.pass(&mut request);
        Transport::send(&self.client, request)
    }
}

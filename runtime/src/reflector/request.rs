//! The requests of a reflector, as paths and queries.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, ACCEPT_ENCODING};

use super::step::Start;
use crate::identity::ResourceVersion;
use crate::kept::Representation;
use crate::kind::Kind;

/// What a reflector follows: one kind, in one namespace or all, in full or selected.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// `None` for all namespaces; ignored for cluster-scoped kinds.
    pub(crate) namespace: Option<String>,
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) accept: Accept,
}

impl Target {
    /// Where the objects are: the namespace, unless the kind has none.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace
            .as_deref()
            .filter(|_| self.kind.is_namespaced())
    }
}

/// The representation that is asked for, which differs between lists and watches for metadata-only objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accept {
    pub(crate) list: &'static str,
    pub(crate) watch: &'static str,
}

impl Accept {
    /// Whole objects as JSON.
    pub(crate) const JSON: Self = Self {
        list: "application/json",
        watch: "application/json",
    };

    /// Metadata alone, as JSON. A list is asked for by the kind of the list; with that of an object it is refused. A watch,
    /// the streaming list among them, is asked for by the kind of its events' objects.
    pub(crate) const METADATA: Self = Self {
        list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    };

    pub(crate) fn of(representation: Representation) -> Self {
        match representation {
            Representation::Whole => Self::JSON,
            Representation::Metadata => Self::METADATA,
        }
    }
}

/// Builds the requests for one target.
#[derive(Debug)]
pub(super) struct Requests {
    path: String,
    label_selector: Option<String>,
    field_selector: Option<String>,
    /// What the server is asked to leave out, as field selectors.
    exclusion: String,
    /// Whether the server refuses to select by namespace, so that it is not asked to.
    refused: bool,
    accept: Accept,
}

pub(super) type Built = Result<Request<Bytes>, http::Error>;

/// Which request to send, as often as it needs to be.
pub(super) type Ask<'a> = &'a (dyn Fn(&Requests) -> Built + Send + Sync);

/// How long the selectors that leave namespaces out may get, in bytes: proxies commonly refuse a request line of 8 KiB. What
/// finds no room is sent by the server and dropped here.
const MOST_EXCLUSION: usize = 4096;

impl Requests {
    pub(super) fn new(target: &Target) -> Self {
        let namespace = target.namespace().map(encode);
        let set = |selector: &Option<String>| selector.clone().filter(|text| !text.is_empty());
        Self {
            path: target.kind.collection_path(namespace.as_deref()),
            label_selector: set(&target.label_selector),
            field_selector: set(&target.field_selector),
            exclusion: String::new(),
            refused: false,
            accept: target.accept,
        }
    }

    /// Asks the server from now on to leave these namespaces out, if it can.
    pub(super) fn exclude(&mut self, namespaces: &[Arc<str>]) {
        self.exclusion.clear();
        for namespace in namespaces.iter().filter(|_| !self.refused) {
            let start = self.exclusion.len();
            let comma = if start == 0 { "" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(self.exclusion, "{comma}metadata.namespace!={namespace}");
            if self.exclusion.len() > MOST_EXCLUSION {
                self.exclusion.truncate(start);
                return;
            }
        }
    }

    /// Whether the server is asked to leave namespaces out.
    pub(super) fn excludes(&self) -> bool {
        !self.exclusion.is_empty()
    }

    /// The server cannot select by namespace: it is not asked to any more.
    pub(super) fn exclusion_refused(&mut self, refused: bool) {
        self.refused = refused;
        self.exclusion.clear();
    }

    fn selectors(&self) -> String {
        let mut query = String::new();
        if let Some(selector) = &self.label_selector {
            parameter(&mut query, "labelSelector", selector);
        }
        let exclusion = Some(&self.exclusion).filter(|_| self.excludes());
        match (exclusion, &self.field_selector) {
            (None, None) => {}
            (Some(one), None) | (None, Some(one)) => parameter(&mut query, "fieldSelector", one),
            (Some(exclusion), Some(own)) => {
                parameter(&mut query, "fieldSelector", &format!("{exclusion},{own}"));
            }
        }
        query
    }

    /// A list, or its first page.
    pub(super) fn list(&self, start: &Start, limit: Option<u32>) -> Built {
        let mut query = String::new();
        let version = match start {
            Start::Any => Some("0".to_owned()),
            Start::AtLeast(version) => Some(version.to_string()),
            Start::Latest => None,
        };
        // A match without a version is refused.
        if let Some(version) = version {
            parameter(&mut query, "resourceVersion", &version);
            parameter(&mut query, "resourceVersionMatch", "NotOlderThan");
        }
        self.limit(&mut query, limit);
        self.get(query, false)
    }

    /// A later page. Version and match belong to the first page only: the token holds them.
    pub(super) fn page(&self, token: &str, limit: Option<u32>) -> Built {
        let mut query = String::new();
        parameter(&mut query, "continue", token);
        self.limit(&mut query, limit);
        self.get(query, false)
    }

    /// A watch.
    pub(super) fn watch(&self, version: &ResourceVersion, timeout: Duration) -> Built {
        let mut query = watch_query(timeout);
        parameter(&mut query, "resourceVersion", &version.to_string());
        self.get(query, true)
    }

    /// A watch that sends the initial state first.
    pub(super) fn stream_list(&self, start: &Start, timeout: Duration) -> Built {
        let mut query = watch_query(timeout);
        parameter(&mut query, "sendInitialEvents", "true");
        parameter(&mut query, "resourceVersionMatch", "NotOlderThan");
        if let Start::AtLeast(version) = start {
            parameter(&mut query, "resourceVersion", &version.to_string());
        }
        self.get(query, true)
    }

    fn limit(&self, query: &mut String, limit: Option<u32>) {
        if let Some(limit) = limit {
            parameter(query, "limit", &limit.to_string());
        }
    }

    fn get(&self, mut query: String, watch: bool) -> Built {
        query.push_str(&self.selectors());
        let separator = if query.is_empty() { "" } else { "?" };
        let query = query.trim_start_matches('&');
        let request = Request::get(format!("{}{separator}{query}", self.path));
        let request = if watch {
            // Servers from 1.37 on compress watches, which then reach us event by event only if every proxy on the way
            // flushes; lists are compressed if the transport knows how to.
            request
                .header(ACCEPT, self.accept.watch)
                .header(ACCEPT_ENCODING, "identity")
        } else {
            request.header(ACCEPT, self.accept.list)
        };
        request.body(Bytes::new())
    }
}

fn watch_query(timeout: Duration) -> String {
    format!(
        "&watch=true&allowWatchBookmarks=true&timeoutSeconds={}",
        timeout.as_secs()
    )
}

fn parameter(query: &mut String, name: &str, value: &str) {
    query.push('&');
    query.push_str(name);
    query.push('=');
    query.push_str(&encode(value));
}

/// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Scope;

    fn target() -> Target {
        Target {
            kind: Kind::from_static("apps", "v1", "Deployment", "deployments", Scope::Namespaced),
            namespace: None,
            label_selector: None,
            field_selector: None,
            accept: Accept::JSON,
        }
    }

    fn uri(request: Built) -> String {
        request.unwrap().uri().to_string()
    }

    #[test]
    fn c070_c074_c075_lists_say_where_they_start_on_their_first_page_alone() {
        let requests = Requests::new(&target());
        let at = Start::AtLeast(ResourceVersion::new("7"));
        let path = "/apis/apps/v1/deployments";
        assert_eq!(
            uri(requests.list(&Start::Any, Some(500))),
            format!("{path}?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=500")
        );
        assert_eq!(
            uri(requests.list(&at, None)),
            format!("{path}?resourceVersion=7&resourceVersionMatch=NotOlderThan")
        );
        assert_eq!(uri(requests.list(&Start::Latest, None)), path);
        assert_eq!(
            uri(requests.page("a=/+b", Some(2))),
            format!("{path}?continue=a%3D%2F%2Bb&limit=2")
        );
    }

    #[test]
    fn c092_streaming_lists_and_c160_watches_say_what_they_need() {
        let requests = Requests::new(&target());
        let timeout = Duration::from_secs(300);
        let common =
            "/apis/apps/v1/deployments?watch=true&allowWatchBookmarks=true&timeoutSeconds=300";
        let streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        let version = ResourceVersion::new("7");
        let at = Start::AtLeast(version.clone());
        assert_eq!(
            uri(requests.watch(&version, timeout)),
            format!("{common}&resourceVersion=7")
        );
        assert_eq!(
            uri(requests.stream_list(&at, timeout)),
            format!("{common}{streaming}&resourceVersion=7")
        );
        for start in [Start::Any, Start::Latest] {
            let request = requests.stream_list(&start, timeout).unwrap();
            assert_eq!(request.headers()["accept-encoding"], "identity");
            assert_eq!(request.headers()["accept"], "application/json");
            assert_eq!(request.uri().to_string(), format!("{common}{streaming}"));
        }
        let list = requests.list(&Start::Any, None).unwrap();
        assert!(!list.headers().contains_key("accept-encoding"));
    }

    #[test]
    fn metadata_alone_is_asked_for_in_every_list_and_watch() {
        let metadata = Target {
            accept: Accept::of(Representation::Metadata),
            ..target()
        };
        let requests = Requests::new(&metadata);
        let accept = |request: Built| request.unwrap().headers()["accept"].clone();
        let start = Start::Latest;
        for list in [requests.list(&start, Some(2)), requests.page("t", Some(2))] {
            assert_eq!(accept(list), Accept::METADATA.list);
        }
        let timeout = Duration::from_secs(300);
        let version = ResourceVersion::new("7");
        for watch in [
            requests.watch(&version, timeout),
            requests.stream_list(&start, timeout),
        ] {
            assert_eq!(accept(watch), Accept::METADATA.watch);
        }
        assert_eq!(Accept::of(Representation::Whole).list, Accept::JSON.list);
    }

    #[test]
    fn c039_excluded_namespaces_are_merged_with_the_targets_own_selector() {
        let mut target = target();
        let excluded = ["a".into(), "b".into()];
        let page = |requests: &Requests| uri(requests.page("t", None));
        let path = "/apis/apps/v1/deployments?continue=t";
        let fields = |text: &str| format!("{path}&fieldSelector={}", encode(text));
        let mut requests = Requests::new(&target);
        assert!(!requests.excludes());
        assert_eq!(page(&requests), path);
        requests.exclude(&excluded);
        let both = "metadata.namespace!=a,metadata.namespace!=b";
        assert_eq!(page(&requests), fields(both));

        target.field_selector = Some("metadata.name!=x".into());
        let mut requests = Requests::new(&target);
        requests.exclude(&excluded);
        assert!(requests.excludes());
        assert_eq!(page(&requests), fields(&format!("{both},metadata.name!=x")));

        requests.exclusion_refused(true);
        requests.exclude(&excluded);
        assert!(!requests.excludes());
        assert_eq!(page(&requests), fields("metadata.name!=x"));
        requests.exclusion_refused(false);
        requests.exclude(&excluded);
        assert!(requests.excludes());
    }

    #[test]
    fn c039_no_request_gets_too_long_for_a_proxy() {
        let mut requests = Requests::new(&target());
        let many: Vec<Arc<str>> = (0..1000).map(|n| format!("{n:060}").into()).collect();
        requests.exclude(&many);
        let asked = uri(requests.list(&Start::Any, Some(500)));
        assert!((4000..8000).contains(&asked.len()), "{}", asked.len());
        assert!(asked.ends_with(char::is_numeric), "{asked}");
    }

    #[test]
    fn names_and_selectors_cannot_change_the_request() {
        let mut target = target();
        target.namespace = Some("a/../b?c".into());
        target.label_selector = Some("app in (a,b),x!=y&z".into());
        target.field_selector = Some("metadata.name=ü".into());
        assert_eq!(
            uri(Requests::new(&target).page("t", None)),
            "/apis/apps/v1/namespaces/a%2F..%2Fb%3Fc/deployments?continue=t\
             &labelSelector=app%20in%20%28a%2Cb%29%2Cx%21%3Dy%26z&fieldSelector=metadata.name%3D%C3%BC"
        );
        target.kind = Kind::new("", "v1", "X", "a b", Scope::Cluster);
        assert!(Requests::new(&target).list(&Start::Any, None).is_err());
        assert_eq!(target.namespace(), None);
    }
}

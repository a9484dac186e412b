//! The mapper from names to kinds.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use larder::{
    BodyStream, Cache, Discovery, DiscoveryError, DocumentFailure, Kind, Scope, Sought, Transport,
    TransportError,
};
use larder_sim::{Fault, Kind as Served, Sim, SimBuilder, Verb};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::bench::{MINUTE, WidgetInformer, install, kind, phases, uninstall};
use crate::support::{SOON, client, settle, until};
use larder::{InformerOptions, Phase, TypedInformer as _};

/// Longer than the shortest time between two refreshes.
const LATER: Duration = Duration::from_secs(6);

/// Aggregated documents and plain ones.
fn both() -> [SimBuilder; 2] {
    [
        Sim::builder(),
        Sim::builder().without_aggregated_discovery(),
    ]
}

fn full(kind: &Kind) -> String {
    let scope = match kind.scope() {
        Scope::Namespaced => "namespaced",
        Scope::Cluster => "cluster",
    };
    format!(
        "{} {} {} {scope}",
        kind.api_version(),
        kind.kind(),
        kind.plural()
    )
}

#[tokio::test(start_paused = true)]
async fn every_name_of_a_kind_leads_to_it() {
    let widgets = "example.com/v1 Widget widgets namespaced";
    let rows = [
        (Sought::from("widgets"), widgets),
        (Sought::from("widget"), widgets),
        (Sought::from("wd"), widgets),
        (Sought::from("Widget"), widgets),
        (Sought::from("widgets.example.com"), widgets),
        (Sought::from("Widget.example.com"), widgets),
        (Sought::from("wd.v1.example.com"), widgets),
        (Sought::from("example.com/v1/Widget"), widgets),
        (
            Sought::from("widgets.v1beta1.example.com"),
            "example.com/v1beta1 Widget widgets namespaced",
        ),
        (
            Sought::kind("Gadget").group("example.com"),
            "example.com/v1beta1 Gadget gadgets cluster",
        ),
        (Sought::from("pods"), "v1 Pod pods namespaced"),
        (Sought::from("po"), "v1 Pod pods namespaced"),
        (Sought::from("v1/Pod"), "v1 Pod pods namespaced"),
        (Sought::from("nodes."), "v1 Node nodes cluster"),
        (
            Sought::kind("Deployment"),
            "apps/v1 Deployment deployments namespaced",
        ),
        (
            Sought::resource("clusterroles"),
            "rbac.authorization.k8s.io/v1 ClusterRole clusterroles cluster",
        ),
        (
            Sought::resource("events").group(""),
            "v1 Event events namespaced",
        ),
    ];
    for builder in both() {
        let sim = builder
            .kind(kind())
            .kind(
                Served::new("example.com", "v1beta1", "Gadget", "gadgets")
                    .custom()
                    .cluster_scoped(),
            )
            .kind(Served::new("example.com", "v1beta1", "Widget", "widgets").custom())
            // What cannot be watched does not stand in the way of what can.
            .kind(Served::new("metrics.k8s.io", "v1beta1", "PodMetrics", "pods").unwatchable())
            .build();
        let discovery = Discovery::new(client(&sim));
        for (sought, expected) in &rows {
            let found = discovery.kind(sought.clone()).await.unwrap();
            assert_eq!(full(&found), *expected, "{sought}");
        }
        for sought in [
            Sought::kind("widgets"),
            Sought::resource("Widget"),
            Sought::kind("Pod").group("apps"),
            Sought::from("widgets.v2.example.com"),
            Sought::from("pods/status"),
            Sought::from(""),
        ] {
            let error = discovery.kind(sought.clone()).await.unwrap_err();
            assert!(
                matches!(error, DiscoveryError::NotFound { .. }),
                "{sought}: {error}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_refresh_is_two_requests_where_the_server_aggregates() {
    let sim = Sim::new();
    let discovery = Discovery::new(client(&sim));
    assert_eq!(sim.requests().len(), 0, "none before it is asked");
    discovery.kind("pods").await.unwrap();
    discovery.kind("deployments").await.unwrap();
    assert_eq!(sim.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_found_says_what_was_sought_and_what_may_be_meant() {
    let sim = Sim::builder().kind(kind()).build();
    let discovery = Discovery::new(client(&sim));
    for (sought, near) in [
        (
            "widgts",
            "; did you mean widgets.example.com (Widget in example.com/v1)?",
        ),
        (
            "widgets.example.org",
            "; did you mean widgets.example.com (Widget in example.com/v1)?",
        ),
        (
            "widgets.v2.example.com",
            "; did you mean widgets.example.com (Widget in example.com/v1)?",
        ),
        (
            "deploymnet",
            "; did you mean deployments.apps (Deployment in apps/v1)?",
        ),
        ("xylophones", ""),
    ] {
        let error = discovery.kind(sought).await.unwrap_err().to_string();
        let expected = format!("the server has no {}{near}", Sought::from(sought));
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_name_lists_its_candidates() {
    let sim = Sim::builder()
        .kind(kind())
        .kind(Served::new("example.org", "v1", "Widget", "widgets").custom())
        .build();
    let discovery = Discovery::new(client(&sim));
    for name in ["widgets", "Widget"] {
        let error = discovery.kind(name).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{name} is ambiguous: widgets.example.com (Widget in example.com/v1), \
                 widgets.example.org (Widget in example.org/v1)"
            )
        );
    }
    let requests = sim.requests().len();
    assert_eq!(requests, 2, "it is no miss");
    assert!(discovery.kind("widgets.example.org").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_watched_cannot_be_cached() {
    let discovery = Discovery::new(client(&Sim::new()));
    let error = discovery.kind("componentstatuses").await.unwrap_err();
    assert!(
        matches!(error, DiscoveryError::NotWatchable { .. }),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_kind_is_found_and_a_removed_one_forgotten() {
    for builder in both() {
        let sim = builder.build();
        let cache = Cache::builder(client(&sim)).build();
        let discovery = cache.discovery().clone();
        assert!(discovery.kind("widgets").await.is_err());
        install(&sim, &["one"]);
        let error = discovery.kind("widgets").await.unwrap_err();
        assert!(
            matches!(error, DiscoveryError::NotFound { age, .. } if age < SOON),
            "{error}"
        );
        tokio::time::sleep(LATER).await;
        assert_eq!(
            discovery.kind("widgets").await.unwrap(),
            WidgetInformer::KIND
        );

        cache.start().unwrap();
        let widgets = cache.informer::<WidgetInformer>().unwrap();
        widgets.inner().wait_for_sync(SOON).await.unwrap();
        uninstall(&sim);
        assert!(
            discovery.kind("widgets").await.is_ok(),
            "nobody has noticed"
        );
        until("the absence", || phases(widgets.inner()) == [Phase::Absent]).await;
        let error = discovery.kind("widgets").await.unwrap_err();
        assert!(matches!(error, DiscoveryError::NotFound { .. }), "{error}");
        install(&sim, &[]);
        tokio::time::sleep(LATER).await;
        assert!(discovery.kind("widgets").await.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn many_who_wait_share_one_refresh_and_a_loop_does_not_hammer() {
    let sim = Sim::new();
    let pause = Duration::from_secs(2);
    sim.faults().add(Fault::delay(pause).on(Verb::Other));
    let discovery = Discovery::new(client(&sim));
    let asked: Vec<_> = (0..1000)
        .map(|number| {
            let discovery = discovery.clone();
            tokio::spawn(async move { discovery.kind(format!("absent{number}")).await })
        })
        .collect();
    for asked in asked {
        assert!(asked.await.unwrap().is_err());
    }
    assert_eq!(sim.requests().len(), 2);

    let start = Instant::now();
    while start.elapsed() < MINUTE * 10 {
        assert!(discovery.kind("absent").await.is_err());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let refreshes = sim.requests().len() / 2;
    assert!((70..=101).contains(&refreshes), "{refreshes}");
}

#[tokio::test(start_paused = true)]
async fn one_who_gives_up_does_not_take_the_refresh_from_the_others() {
    let sim = Sim::builder().kind(kind()).build();
    sim.faults().add(Fault::delay(SOON / 3).on(Verb::Other));
    let discovery = Discovery::new(client(&sim));
    let first = tokio::spawn({
        let discovery = discovery.clone();
        async move { discovery.kind("widgets").await }
    });
    settle().await;
    let second = tokio::spawn(async move { discovery.kind("widgets").await });
    settle().await;
    first.abort();
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_down_hides_no_other_and_loses_nothing() {
    let sim = Sim::builder()
        .without_aggregated_discovery()
        .kind(kind())
        .kind(Served::new("example.org", "v1", "Gadget", "gadgets").custom())
        .build();
    let discovery = Discovery::new(client(&sim));
    let is_down = |request: &larder_sim::Request| request.path == "/apis/example.com/v1";
    let down = Fault::unavailable().on(Verb::Other).matching(is_down);
    let down = sim.faults().add(down);
    assert!(discovery.kind("gadgets").await.is_ok());
    let error = discovery.kind("widgets.example.com").await.unwrap_err();
    let DiscoveryError::Unread { unread, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(
        unread[0].failure(),
        DocumentFailure::Status { code: 503 }
    ));
    assert_eq!(
        error.to_string(),
        "whether the server has widgets in group example.com cannot be told; \
         unread: GET /apis/example.com/v1: the server answered 503"
    );
    let error = discovery.kind("widgets").await.unwrap_err().to_string();
    let unread = "; unread: GET /apis/example.com/v1: the server answered 503";
    assert!(
        error.starts_with("the server has no widgets") && error.contains(unread),
        "{error}"
    );
    let elsewhere = discovery.kind("widgets.example.org").await.unwrap_err();
    assert!(
        matches!(elsewhere, DiscoveryError::NotFound { .. }),
        "{elsewhere}"
    );

    sim.faults().remove(down);
    tokio::time::sleep(LATER).await;
    assert_eq!(discovery.refresh().await.unwrap().len(), 0);
    assert!(discovery.kind("widgets").await.is_ok());
    let down = Fault::unavailable().on(Verb::Other).matching(is_down);
    sim.faults().add(down);
    for _ in 0..3 {
        tokio::time::sleep(LATER).await;
        let unread = discovery.refresh().await.unwrap();
        assert_eq!(unread[0].path(), "/apis/example.com/v1");
        assert!(
            discovery.kind("widgets").await.is_ok(),
            "what was known stays known"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_cannot_be_read_leaves_it_open_what_it_serves() {
    let rows = [
        (Fault::not_served(), "the server answered 404"),
        (Fault::forbidden(), "the server answered 403"),
        (Fault::refuse(), "the request got no response"),
        (Fault::never_answer(), "no complete answer within 30s"),
    ];
    for (fault, text) in rows {
        let sim = Sim::new();
        let discovery = Discovery::new(client(&sim));
        sim.faults().add(fault.on(Verb::Other));
        let start = Instant::now();
        let error = discovery.kind("pods").await.unwrap_err();
        assert!(start.elapsed() <= Discovery::REQUEST_DEADLINE);
        assert!(matches!(error, DiscoveryError::Unread { .. }), "{error}");
        let error = error.to_string();
        assert!(
            error.contains("GET /api: ") && error.contains(text),
            "{error}"
        );
        sim.faults().clear();
        tokio::time::sleep(LATER).await;
        assert!(discovery.kind("pods").await.is_ok());
        sim.faults().add(Fault::not_served().on(Verb::Other));
        tokio::time::sleep(LATER).await;
        assert!(discovery.refresh().await.is_err());
        assert!(
            discovery.kind("pods").await.is_ok(),
            "what was known stays known"
        );
    }
}

/// A server with these documents, and 404 for the rest.
struct Canned(HashMap<&'static str, (&'static str, String)>);

impl Canned {
    fn new(documents: &[(&'static str, Value)]) -> Self {
        let json =
            |(path, body): &(&'static str, Value)| (*path, ("application/json", body.to_string()));
        Self(documents.iter().map(json).collect())
    }
}

impl Transport for Canned {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
        let (code, content_type, body) = match self.0.get(request.uri().path()) {
            Some((content_type, body)) => (200, *content_type, body.clone()),
            None => (404, "text/plain", "404 page not found\n".into()),
        };
        let body = futures_util::stream::iter([Ok(Bytes::from(body))]).boxed();
        let response = http::Response::builder()
            .status(code)
            .header("content-type", content_type)
            .body(body);
        Box::pin(async move { Ok(response.unwrap()) })
    }
}

fn aggregated(group: &str, freshness: &str, resources: &Value) -> Value {
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [{
        "metadata": {"name": group},
        "versions": [{"version": "v1", "freshness": freshness, "resources": resources}],
    }]})
}

#[tokio::test(start_paused = true)]
async fn what_the_server_calls_stale_is_used_and_reported() {
    let widgets = json!([
        {"resource": "widgets", "responseKind": {"kind": "Widget"}, "scope": "Namespaced", "verbs": ["list", "watch"]},
        {"resource": "only-subresources", "subresources": []},
    ]);
    let core = json!({"kind": "APIVersions", "versions": null});
    let canned = Canned::new(&[
        ("/api", core.clone()),
        ("/apis", aggregated("example.com", "Stale", &widgets)),
    ]);
    let discovery = Discovery::new(canned);
    assert_eq!(
        discovery.kind("widgets").await.unwrap(),
        WidgetInformer::KIND
    );
    let error = discovery.kind("gadgets.example.com").await.unwrap_err();
    let DiscoveryError::Unread { unread, .. } = error else {
        panic!("{error}");
    };
    assert!(matches!(unread[0].failure(), DocumentFailure::Stale));
    assert_eq!(unread[0].path(), "/apis/example.com/v1");

    let canned = Canned::new(&[
        ("/api", core),
        ("/apis", aggregated("example.com", "Stale", &json!(null))),
    ]);
    let discovery = Discovery::new(canned);
    let error = discovery.kind("widgets.example.com").await.unwrap_err();
    assert!(error.to_string().contains("out of date"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_discovery_is_an_error_that_quotes_nothing() {
    for (content_type, body) in [
        ("text/html", "<html>hunter2</html>"),
        ("application/json", "hunter2"),
        (
            "application/json",
            r#"{"kind":"Secret","data":{"password":"hunter2"}}"#,
        ),
        (
            "application/json",
            r#"{"kind":"APIGroupList","groups":"hunter2"}"#,
        ),
        (
            "application/json",
            r#"{"kind":"APIGroupDiscoveryList","items":[{"versions":[{"resources":[{"verbs":"hunter2"}]}]}]}"#,
        ),
        ("application/json", ""),
    ] {
        let canned = Canned(HashMap::from([
            ("/api", (content_type, body.to_owned())),
            ("/apis", (content_type, body.to_owned())),
        ]));
        let error = Discovery::new(canned).kind("pods").await.unwrap_err();
        assert!(
            matches!(error, DiscoveryError::Unread { .. }),
            "{body}: {error}"
        );
        assert!(
            !format!("{error} {error:?}").contains("hunter2"),
            "{error:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_runs_over_a_kind_that_was_found() {
    let sim = Sim::new();
    install(&sim, &["one"]);
    let discovery = Discovery::new(client(&sim));
    let kind = discovery.kind("wd").await.unwrap();
    let options = InformerOptions::<crate::bench::Full>::new();
    let widgets = larder::Informer::spawn(client(&sim), kind, options).unwrap();
    widgets.wait_for_sync(SOON).await.unwrap();
    assert_eq!(widgets.store().len(), 2);
}

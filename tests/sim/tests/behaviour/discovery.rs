//! Discovery, documents, health, and the log of requests.

use crate::common::{Outcome, Watch, get, get_as, pod};
use larder_sim::{Kind, OpenApiError, Sim, Verb, kinds_from_openapi};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn groups_versions_and_resources() -> Outcome {
    let sim = Sim::builder()
        .kinds([
            Kind::new("", "v1", "Pod", "pods").short_names(["po"]),
            Kind::new("x.io", "v2", "Widget", "widgets")
                .custom()
                .cluster_scoped()
                .without_status(),
            Kind::new("x.io", "v1", "Widget", "widgets")
                .custom()
                .cluster_scoped()
                .without_status(),
        ])
        .build();
    assert_eq!(get(&sim, "/api").await?.at("/versions"), json!(["v1"]));
    let versions = json!([{"groupVersion": "x.io/v2", "version": "v2"}, {"groupVersion": "x.io/v1", "version": "v1"}]);
    let group = json!({"name": "x.io", "preferredVersion": versions[0], "versions": versions});
    assert_eq!(
        get(&sim, "/apis").await?.json(),
        json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]})
    );
    assert_eq!(
        get(&sim, "/apis/x.io").await?.at("/kind"),
        json!("APIGroup")
    );
    let all = json!([
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch"
    ]);
    assert_eq!(
        get(&sim, "/api/v1").await?.json(),
        json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": all, "shortNames": ["po"]},
            {"name": "pods/status", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get", "patch", "update"]},
        ]})
    );
    assert_eq!(get(&sim, "/apis/x.io/v3").await?.code, 404);
    let accept =
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    let aggregated = get_as(&sim, "/apis", accept).await?;
    assert_eq!(aggregated.at("/kind"), json!("APIGroupDiscoveryList"));
    assert_eq!(
        aggregated.at("/items/0/versions/1/resources/0/scope"),
        json!("Cluster")
    );
    assert!(
        aggregated
            .headers
            .get("content-type")
            .is_some_and(|value| value.as_bytes().ends_with(b"as=APIGroupDiscoveryList"))
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_older_server_does_not_aggregate() -> Outcome {
    let sim = Sim::builder().without_aggregated_discovery().build();
    let accept =
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    for (path, kind) in [("/api", "APIVersions"), ("/apis", "APIGroupList")] {
        assert_eq!(get_as(&sim, path, accept).await?.at("/kind"), json!(kind));
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn built_in_kinds_leave_their_group_to_the_place() -> Outcome {
    let widget = Kind::new("x.io", "v1", "Widget", "widgets").custom();
    let task = Kind::new("x.io", "v1", "Task", "tasks").categories(["all"]);
    let sim = Sim::builder().kinds([widget, task]).build();
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let resources = get_as(&sim, "/apis", accept)
        .await?
        .at("/items/0/versions/0/resources");
    assert_eq!(
        (&resources[0]["responseKind"], &resources[1]["responseKind"]),
        (
            &json!({"group": "x.io", "version": "v1", "kind": "Widget"}),
            &json!({"group": "", "version": "", "kind": "Task"})
        )
    );
    assert_eq!(
        (&resources[0]["categories"], &resources[1]["categories"]),
        (&Value::Null, &json!(["all"]))
    );
    let index = get(&sim, "/openapi/v3").await?;
    assert!(
        index
            .headers
            .get("content-type")
            .is_some_and(|value| value == "text/plain; charset=utf-8")
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn kubes_discovery_understands_it() -> Outcome {
    let sim = Sim::new();
    let client = kube::Client::new(sim.service(), "default");
    let discovery = kube::Discovery::new(client.clone()).run().await?;
    let kinds: usize = discovery
        .groups()
        .map(|group| group.recommended_resources().len())
        .sum();
    assert_eq!(kinds, Kind::builtin().len());
    assert_eq!(client.apiserver_version().await?.minor, "37");
    let aggregated = kube::Discovery::new(client).run_aggregated().await?;
    assert!(aggregated.has_group("apps"));
    Ok(())
}

fn document(is_v2: bool) -> Value {
    let gvk = |kind: &str| json!({"group": "batch", "version": "v1", "kind": kind});
    let list = |kind: &str| json!({"get": {"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk(kind)}});
    let create = json!({"post": {"x-kubernetes-action": "post", "x-kubernetes-group-version-kind": gvk("Review")}});
    let mut document = json!({"paths": {
        "/apis/batch/v1/": {"get": {}},
        "/apis/batch/v1/tasks": list("Task"),
        "/apis/batch/v1/namespaces/{namespace}/tasks": list("Task"),
        "/apis/batch/v1/namespaces/{namespace}/tasks/{name}": {"get": {"x-kubernetes-action": "get"}},
        "/apis/batch/v1/namespaces/{namespace}/tasks/{name}/status": {"get": {"x-kubernetes-action": "get"}},
        "/apis/batch/v1/watch/tasks": {"get": {"x-kubernetes-action": "watchlist"}},
        "/apis/batch/v1/parts": list("Part"),
        "/apis/batch/v1/reviews": create,
        "/version/": {"get": {}},
    }});
    let version = if is_v2 { "swagger" } else { "openapi" };
    document[version] = json!(if is_v2 { "2.0" } else { "3.0.0" });
    document
}

#[test]
fn kinds_come_from_either_document() -> Outcome {
    for is_v2 in [false, true] {
        let kinds = kinds_from_openapi(&document(is_v2))?;
        let facts: Vec<_> = kinds
            .iter()
            .map(|kind| {
                (
                    kind.kind.as_str(),
                    kind.namespaced,
                    kind.watchable,
                    kind.has_status,
                    kind.custom,
                )
            })
            .collect();
        assert_eq!(
            facts,
            [
                ("Part", false, false, false, false),
                ("Task", true, true, true, false)
            ]
        );
    }
    assert!(matches!(
        kinds_from_openapi(&json!({})),
        Err(OpenApiError::NoPaths)
    ));
    for (paths, count) in [
        (json!({"/version": {}}), 1),
        (json!({"/apis/a/b/{x}": 5, "/api": null}), 2),
    ] {
        let refused = kinds_from_openapi(&json!({"paths": paths}));
        assert!(
            matches!(refused, Err(OpenApiError::NoKinds { paths }) if paths == count),
            "{refused:?}"
        );
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn documents_are_served() -> Outcome {
    let sim = Sim::new();
    assert_eq!(get(&sim, "/openapi/v2").await?.code, 404);
    sim.serve_openapi("apis/batch/v1", &document(false))?;
    sim.serve_openapi("", &document(true))?;
    let index = get(&sim, "/openapi/v3").await?;
    let url = index.at("/paths/apis~1batch~1v1/serverRelativeURL");
    assert_eq!(
        get(&sim, url.as_str().unwrap_or_default()).await?.json(),
        document(false)
    );
    assert_eq!(get(&sim, "/openapi/v2").await?.json(), document(true));
    assert_eq!(get(&sim, "/openapi/v3/apis/none/v1").await?.code, 404);
    assert_eq!(
        get(&sim, "/apis/batch/v1/tasks").await?.at("/kind"),
        json!("TaskList")
    );
    assert!(sim.serve_openapi("x", &json!({})).is_err());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_directory_of_documents_is_served() -> Outcome {
    let directory = std::env::temp_dir().join(format!("larder-sim-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let file = directory.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(&directory))?;
        std::fs::write(file, text)
    };
    let sim = Sim::new();
    let refusal = |sim: &Sim| {
        sim.serve_openapi_directory(&directory)
            .map_err(|error| error.to_string())
    };
    assert!(refusal(&sim).is_err_and(|text| text.ends_with(": cannot be read")));
    write("index.json", "{}")?;
    assert!(refusal(&sim).is_err_and(|text| text.contains("holds no document")));
    write("apis__batch__v1_openapi.json", &document(false).to_string())?;
    write("apis/x.io/v1.json", r#"{"paths": {}}"#)?;
    assert_eq!(refusal(&sim), Ok(()));
    assert_eq!(
        get(&sim, "/apis/batch/v1/parts").await?.at("/kind"),
        json!("PartList")
    );
    for path in ["/openapi/v3/apis/batch/v1", "/openapi/v3/apis/x.io/v1"] {
        assert_eq!(get(&sim, path).await?.code, 200);
    }
    write("api/v1.json", "{")?;
    assert!(refusal(&sim).is_err_and(|text| text.ends_with("v1.json: not JSON")));
    std::fs::remove_dir_all(directory)?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn health_and_version() -> Outcome {
    let sim = Sim::builder().kubernetes_version(1, 33).build();
    for path in ["/readyz", "/livez", "/healthz"] {
        assert_eq!(get(&sim, path).await?.body, "ok");
    }
    assert_eq!(get(&sim, "/version").await?.at("/minor"), json!("33"));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn requests_are_logged_and_waited_for() -> Outcome {
    let sim = Sim::new();
    let waiting = {
        let sim = sim.clone();
        tokio::spawn(async move {
            sim.wait_for(|log| {
                log.iter()
                    .filter(|request| request.is(Verb::List, "pods"))
                    .count()
                    == 2
            })
            .await;
        })
    };
    get(
        &sim,
        "/api/v1/namespaces/web/pods?limit=5&labelSelector=a%3Db",
    )
    .await?;
    get(&sim, "/apis/apps/v1/deployments").await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    get(&sim, "/api/v1/pods").await?;
    tokio::time::timeout(Duration::from_secs(5), waiting).await??;
    let log = sim.requests();
    assert_eq!(log.len(), 3);
    let first = &log[0];
    assert_eq!(
        (
            first.method.as_str(),
            first.path.as_str(),
            first.namespace.as_str()
        ),
        ("GET", "/api/v1/namespaces/web/pods", "web")
    );
    assert_eq!(
        (first.param("labelSelector").as_deref(), first.param("none")),
        (Some("a=b"), None)
    );
    assert!(log[2].at - first.at >= Duration::from_secs(1));
    assert_eq!(
        (
            sim.request_count(Verb::List, "pods"),
            sim.request_count(Verb::List, "deployments.apps")
        ),
        (2, 1)
    );
    // The condition may look at the server too.
    sim.wait_for(|log| log.len() == 3 && sim.requests().len() == 3)
        .await;
    sim.clear_requests();
    assert!(sim.requests().is_empty());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn watchers_are_counted_and_waited_for() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let waiting = {
        let sim = sim.clone();
        tokio::spawn(async move { sim.wait_for_watchers("pods", 2).await })
    };
    let one = Watch::open(&sim, "/api/v1/pods?watch=1").await?;
    let nodes = Watch::open(&sim, "/api/v1/nodes?watch=1").await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    let two = Watch::open(&sim, "/api/v1/pods?watch=1").await?;
    tokio::time::timeout(Duration::from_secs(5), waiting).await??;
    assert_eq!(
        (
            sim.watchers(),
            sim.watchers_of("pods"),
            sim.watchers_of("things")
        ),
        (3, 2, 0)
    );
    drop((one, two, nodes));
    assert_eq!(sim.watchers(), 0);
    assert!(sim.advance_version(10) == 12 && sim.current_version() == 12);
    Ok(())
}

//! Create, update, patch, delete.

use crate::common::{Next, Outcome, Watch, get, pod, send, send_as};
use http::Method;
use larder_sim::{Kind, Sim};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const PODS: &str = "/api/v1/namespaces/web/pods";
const POD_A: &str = "/api/v1/namespaces/web/pods/a";

fn config(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "web"}, "data": {"k": "v"}})
}

#[tokio::test(start_paused = true)]
async fn create_fills_the_system_fields_in() -> Outcome {
    let sim = Sim::builder().time(SystemTime::UNIX_EPOCH).build();
    tokio::time::advance(Duration::from_secs(61)).await;
    let body = json!({"metadata": {"name": "a", "uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z"},
        "spec": {}, "status": {"phase": "Running"}});
    let created = send(&sim, Method::POST, PODS, &body).await?;
    assert_eq!(created.code, 201, "{}", created.status());
    let uid = created.at("/metadata/uid");
    assert!(
        uid.as_str()
            .is_some_and(|uid| uid.len() == 36 && uid.as_bytes()[14] == b'4'),
        "{uid}"
    );
    assert_eq!(
        created.json(),
        json!({"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Pending"}, "spec": {"restartPolicy": "Always",
            "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30}, "metadata": {"name": "a", "namespace": "web", "uid": uid,
            "resourceVersion": "2", "generation": 1, "creationTimestamp": "1970-01-01T00:01:01Z"}})
    );
    assert_eq!(sim.get("pods", "web", "a")?, Some(created.json()));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn create_is_refused() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let named = |name: &str| json!({"metadata": {"name": name}});
    for (uri, body, expected) in [
        (
            PODS,
            named("a"),
            "409 AlreadyExists: pods \"a\" already exists",
        ),
        (
            PODS,
            json!({}),
            "422 Invalid: Pod \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
        (
            PODS,
            pod("db", "b"),
            "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            PODS,
            json!({"apiVersion": "v2", "kind": "Pod"}),
            "400 BadRequest: the API version in the data (v2) does not match the expected API version (v1)",
        ),
        (
            PODS,
            json!({"metadata": {"name": "b", "resourceVersion": "7"}}),
            "500 : resourceVersion should not be set on objects to be created",
        ),
        (
            PODS,
            json!({"metadata": {"name": 5}}),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal number into Go struct \
             field ObjectMeta.metadata.name of type string",
        ),
        (
            PODS,
            json!({"metadata": {"name": "b", "labels": {"x": true}}}),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal bool into Go struct \
             field ObjectMeta.metadata.labels of type string",
        ),
        (
            PODS,
            Value::Null,
            "400 BadRequest: the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json \
             parse error: unexpected end of JSON input (<empty>)",
        ),
        (
            PODS,
            json!([]),
            "400 BadRequest: the body of the request must be a JSON object",
        ),
        (
            "/api/v1/pods",
            named("b"),
            "422 Invalid: Pod \"b\" is invalid: metadata.namespace: Required value",
        ),
        (
            POD_A,
            named("a"),
            "405 MethodNotAllowed: the server does not allow this method on the requested resource",
        ),
        (
            "/api/v1/namespaces/web/pods?dryRun=Some",
            named("b"),
            "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: \"Some\": supported values: \
             \"All\"",
        ),
        (
            "/api/v1/namespaces/web/things",
            named("b"),
            "404 NotFound: the server could not find the requested resource",
        ),
    ] {
        assert_eq!(
            send(&sim, Method::POST, uri, &body).await?.status(),
            expected
        );
    }
    let mismatch = send(&sim, Method::POST, PODS, &config("b")).await?;
    assert_eq!(
        mismatch.status(),
        "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a Pod: converting (v1.ConfigMap) to (core.Pod): \
         unknown conversion"
    );
    for (media, accepted) in [
        (
            "application/yaml",
            "application/json (the simulated server reads no other)",
        ),
        (
            "text/csv",
            "application/json, application/yaml, application/vnd.kubernetes.protobuf",
        ),
    ] {
        let refused = send_as(&sim, Method::POST, PODS, media, &named("b")).await?;
        assert_eq!(
            refused.status(),
            format!(
                "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types \
                 include: {accepted}"
            )
        );
    }
    assert_eq!(sim.count("pods")?, 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn new_objects_get_what_controllers_read_and_select_by() -> Outcome {
    let sim = Sim::new();
    let namespace =
        sim.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}}))?;
    assert_eq!(
        (
            &namespace["metadata"]["labels"],
            &namespace["spec"],
            &namespace["status"]
        ),
        (
            &json!({"kubernetes.io/metadata.name": "web"}),
            &json!({"finalizers": ["kubernetes"]}),
            &json!({"phase": "Active"})
        )
    );
    sim.create(pod("web", "a"))?;
    let pending = format!("{PODS}?fieldSelector=status.phase%3DPending");
    assert_eq!(get(&sim, &pending).await?.names(), ["a"]);
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}, "metadata": {"name": "d"}});
    let created = sim.create(deployment)?;
    assert_eq!(
        (&created["spec"], &created["status"]),
        (&json!({"replicas": 1}), &json!({}))
    );
    let mut given = pod("web", "b");
    given["spec"]["terminationGracePeriodSeconds"] = json!(5);
    given["status"] = json!({"phase": "Running"});
    let created = sim.create(given)?;
    assert_eq!(created["spec"]["terminationGracePeriodSeconds"], json!(5));
    assert_eq!(
        created["status"],
        json!({"phase": "Running"}),
        "what is there stays"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn kinds_without_a_generation_keep_what_they_are_given() -> Outcome {
    let sim = Sim::new();
    let metadata = json!({"name": "a", "generation": 7, "selfLink": "/mine"});
    let maps = "/api/v1/namespaces/web/configmaps";
    let map = send(&sim, Method::POST, maps, &json!({"metadata": metadata})).await?;
    assert_eq!(map.at("/metadata/generation"), json!(7));
    assert_eq!(map.at("/metadata/selfLink"), Value::Null);
    let pod = json!({"metadata": metadata, "spec": {}});
    let pod = send(&sim, Method::POST, PODS, &pod).await?;
    assert_eq!(pod.at("/metadata/generation"), json!(1));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn generated_names_are_the_base_and_five_letters() -> Outcome {
    let (one, other) = (
        Sim::builder().seed(5).build(),
        Sim::builder().seed(5).build(),
    );
    let body = json!({"metadata": {"generateName": "web-"}});
    let mut names = Vec::new();
    for sim in [&one, &other] {
        let created = send(sim, Method::POST, PODS, &body).await?;
        names.push(
            created
                .at("/metadata/name")
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    assert!(
        names[0].starts_with("web-") && names[0].len() == 9,
        "{names:?}"
    );
    assert_eq!(names[0], names[1], "the same seed");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn update_checks_what_it_replaces() -> Outcome {
    let sim = Sim::new();
    let old = sim.create(pod("web", "a"))?;
    let mut new = old.clone();
    new["metadata"]["labels"] = json!({"x": "y"});
    assert_eq!(
        send(&sim, Method::PUT, POD_A, &new)
            .await?
            .at("/metadata/resourceVersion"),
        json!("3")
    );
    let stale = send(&sim, Method::PUT, POD_A, &new).await?;
    assert_eq!(
        stale.status(),
        "409 Conflict: Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes \
         to the latest version and try again"
    );
    assert_eq!(stale.at("/details"), json!({"name": "a", "kind": "pods"}));
    new["metadata"]["resourceVersion"] = json!("3");
    new["metadata"]["uid"] = json!("another");
    let other = send(&sim, Method::PUT, POD_A, &new).await?;
    assert!(
        other.code == 409
            && other
                .status()
                .contains("Precondition failed: UID in precondition: another")
    );
    let missing = send(&sim, Method::PUT, &format!("{PODS}/b"), &pod("web", "b")).await?;
    assert_eq!(missing.status(), "404 NotFound: pods \"b\" not found");
    let renamed = send(&sim, Method::PUT, POD_A, &pod("web", "b")).await?;
    assert_eq!(
        renamed.status(),
        "400 BadRequest: the name of the object (b) does not match the name on the URL (a)"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn update_leaves_system_fields_and_the_status_alone() -> Outcome {
    let sim = Sim::new();
    let mut old = pod("web", "a");
    old["status"] = json!({"phase": "Pending"});
    let old = sim.create(old)?;
    let body = json!({"metadata": {"name": "a", "generation": 77}, "spec": {"nodeName": "n2"}, "status": {"phase": "Running"}});
    let main = send(&sim, Method::PUT, POD_A, &body).await?;
    for pointer in ["/metadata/uid", "/metadata/creationTimestamp", "/status"] {
        assert_eq!(Some(&main.at(pointer)), old.pointer(pointer), "{pointer}");
    }
    assert_eq!(
        main.at("/metadata/generation"),
        json!(2),
        "the spec has changed"
    );
    let status = send(&sim, Method::PUT, &format!("{POD_A}/status"), &body).await?;
    assert_eq!(
        (
            status.at("/status/phase"),
            status.at("/metadata/generation")
        ),
        (json!("Running"), json!(2))
    );
    let refused = send(
        &sim,
        Method::PUT,
        "/api/v1/namespaces/web/configmaps/a/status",
        &body,
    )
    .await?;
    assert_eq!(refused.code, 404);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_write_that_changes_nothing_makes_no_event() -> Outcome {
    let sim = Sim::new();
    let object = sim.create(config("a"))?;
    let mut watch = Watch::open(&sim, "/api/v1/configmaps?watch=1&resourceVersion=2").await?;
    let same = send(
        &sim,
        Method::PUT,
        "/api/v1/namespaces/web/configmaps/a",
        &object,
    )
    .await?;
    assert_eq!(same.json(), object);
    sim.patch("configmaps", "web", "a", &json!({"data": {"k": "v"}}))?;
    assert_eq!(
        (
            sim.current_version(),
            watch.next_within(Duration::from_secs(5)).await
        ),
        (2, Next::Silence)
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn custom_objects_need_a_version_to_be_updated() -> Outcome {
    let sim = Sim::builder()
        .kind(Kind::new("x.io", "v1", "Widget", "widgets").custom())
        .build();
    sim.create(json!({"apiVersion": "x.io/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "web"}}))?;
    let refused = send(
        &sim,
        Method::PUT,
        "/apis/x.io/v1/namespaces/web/widgets/a",
        &json!({"metadata": {"name": "a"}}),
    )
    .await?;
    assert!(
        refused.status().ends_with(
            "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
        )
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn leases_need_a_version_to_be_updated() -> Outcome {
    let sim = Sim::new();
    sim.create(json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", "namespace": "web"}}))?;
    let uri = "/apis/coordination.k8s.io/v1/namespaces/web/leases/a";
    let refused = send(&sim, Method::PUT, uri, &json!({"metadata": {"name": "a"}})).await?;
    assert_eq!(
        refused.status(),
        "422 Invalid: leases.coordination.k8s.io \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be \
         specified for an update"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn loaded_objects_stay_as_they_are() -> Outcome {
    let sim = Sim::new();
    let object = json!({"apiVersion": "v1", "kind": "Pod", "spec": {}, "status": {"phase": "Running"},
        "metadata": {"name": "a", "uid": "u-1", "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 9,
            "managedFields": [{"manager": "m"}]}});
    assert_eq!(sim.load([object.clone()])?, 2);
    let mut expected = object;
    expected["metadata"]["namespace"] = json!("default");
    expected["metadata"]["resourceVersion"] = json!("2");
    assert_eq!(sim.get("po", "default", "a")?, Some(expected));
    let unknown = sim
        .create(json!({"apiVersion": "x.io/v1", "kind": "Widget"}))
        .map_err(|status| status.message);
    assert_eq!(
        unknown,
        Err("the server does not serve kind \"Widget\" of apiVersion \"x.io/v1\": `add_kind` has it do so".to_owned())
    );
    assert_eq!(
        sim.get("things", "", "a").map_err(|status| status.code),
        Err(404)
    );
    assert_eq!(
        sim.load([json!({"apiVersion": "v1", "kind": "Pod", "metadata": 5})])
            .map_err(|status| status.code),
        Err(400)
    );
    assert_eq!(
        get(&sim, "/api/v1/namespaces/default/pods/a")
            .await?
            .at("/metadata/uid"),
        json!("u-1")
    );
    Ok(())
}

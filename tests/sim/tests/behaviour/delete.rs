//! Delete: what goes, what stays, and until when.

use crate::common::{Next, Outcome, Watch, pod, send, send_as};
use http::Method;
use larder_sim::Sim;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const PODS: &str = "/api/v1/namespaces/web/pods";
const POD_A: &str = "/api/v1/namespaces/web/pods/a";
const MERGE: &str = "application/merge-patch+json";

fn config(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "web"}, "data": {"k": "v"}})
}

#[tokio::test(start_paused = true)]
async fn some_kinds_return_what_was_deleted() -> Outcome {
    let sim = Sim::new();
    sim.create(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "web"}}))?;
    let deleted = send(
        &sim,
        Method::DELETE,
        "/api/v1/namespaces/web/services/a",
        &Value::Null,
    )
    .await?;
    assert_eq!(
        (deleted.at("/kind"), deleted.at("/metadata/name")),
        (json!("Service"), json!("a"))
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn delete_says_what_is_gone() -> Outcome {
    let sim = Sim::new();
    let object = sim.create(config("a"))?;
    let uri = "/api/v1/namespaces/web/configmaps/a";
    let wrong = json!({"preconditions": {"uid": "other"}});
    let refused = send(&sim, Method::DELETE, uri, &wrong).await?;
    assert!(
        refused.status().starts_with(
            "409 Conflict: Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (other) does not \
             match"
        ),
        "{}",
        refused.status()
    );
    let wrong = json!({"preconditions": {"resourceVersion": "1"}});
    assert_eq!(send(&sim, Method::DELETE, uri, &wrong).await?.code, 409);
    let right =
        json!({"preconditions": {"uid": object["metadata"]["uid"], "resourceVersion": "2"}});
    let deleted = send(&sim, Method::DELETE, uri, &right).await?;
    assert_eq!(
        deleted.json(),
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": {"name": "a", "kind": "configmaps", "uid": object["metadata"]["uid"]}})
    );
    assert_eq!(
        send(&sim, Method::DELETE, uri, &Value::Null)
            .await?
            .status(),
        "404 NotFound: configmaps \"a\" not found"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn finalizers_hold_an_object() -> Outcome {
    let sim = Sim::new();
    let mut held = config("a");
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    sim.create(held)?;
    let mut watch = Watch::open(&sim, "/api/v1/configmaps?watch=1&resourceVersion=2").await?;
    let uri = "/api/v1/namespaces/web/configmaps/a";
    let deleting = send(&sim, Method::DELETE, uri, &Value::Null).await?;
    assert!(
        deleting.at("/metadata/deletionTimestamp").is_string()
            && deleting.at("/kind") == json!("ConfigMap")
    );
    let more = json!({"metadata": {"finalizers": ["x.io/hold", "x.io/more"]}});
    let refused = send_as(&sim, Method::PATCH, uri, MERGE, &more).await?;
    assert!(
        refused
            .status()
            .contains("no new finalizers can be added if the object is being deleted"),
        "{}",
        refused.status()
    );
    send(&sim, Method::DELETE, uri, &Value::Null).await?;
    assert_eq!(sim.count("configmaps")?, 1);
    let released = json!({"metadata": {"finalizers": null}});
    assert_eq!(
        send_as(&sim, Method::PATCH, uri, MERGE, &released)
            .await?
            .code,
        200
    );
    assert_eq!(sim.count("configmaps")?, 0);
    assert_eq!(watch.short().await, "~a");
    let Next::Event(gone) = watch.next().await else {
        return Err("no event".into());
    };
    assert_eq!(gone["type"], json!("DELETED"));
    assert_eq!(
        gone["object"]["metadata"]["finalizers"],
        json!(["x.io/hold"]),
        "the last state that was stored"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn pods_get_a_grace_period() -> Outcome {
    let sim = Sim::builder().time(SystemTime::UNIX_EPOCH).build();
    let mut running = pod("web", "a");
    running["spec"]["terminationGracePeriodSeconds"] = json!(30);
    sim.create(running)?;
    let mut watch = Watch::open(&sim, &format!("{PODS}?watch=1&resourceVersion=2")).await?;
    let deleting = send(&sim, Method::DELETE, POD_A, &Value::Null).await?;
    assert_eq!(
        deleting.at("/metadata/deletionGracePeriodSeconds"),
        json!(30)
    );
    assert_eq!(
        deleting.at("/metadata/deletionTimestamp"),
        json!("1970-01-01T00:00:30Z")
    );
    assert_eq!(deleting.at("/metadata/generation"), json!(2));
    let longer = send(
        &sim,
        Method::DELETE,
        POD_A,
        &json!({"gracePeriodSeconds": 60}),
    )
    .await?;
    assert_eq!(
        longer.json(),
        deleting.json(),
        "only a shorter period counts"
    );
    tokio::time::sleep(Duration::from_secs(29)).await;
    assert_eq!(sim.count("pods")?, 1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(sim.count("pods")?, 0);
    assert_eq!(watch.shorts(3).await, ["~a", "~a", "-a"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_grace_period_ends_at_once_on_demand_and_spares_a_successor() -> Outcome {
    let sim = Sim::new();
    let mut running = pod("web", "a");
    running["spec"]["terminationGracePeriodSeconds"] = json!(30);
    sim.create(running)?;
    sim.delete("pods", "web", "a")?;
    let now = send(
        &sim,
        Method::DELETE,
        POD_A,
        &json!({"gracePeriodSeconds": 0}),
    )
    .await?;
    assert_eq!((now.code, sim.count("pods")?), (200, 0));
    sim.create(pod("web", "a"))?;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(sim.count("pods")?, 1, "the timer was for the one before");
    let mut unscheduled = pod("web", "b");
    unscheduled["spec"] = json!({"terminationGracePeriodSeconds": 30});
    sim.create(unscheduled)?;
    sim.delete("pods", "web", "b")?;
    assert_eq!(sim.count("pods")?, 1, "what runs nowhere needs no grace");

    let alone = Sim::builder().without_kubelet().build();
    let mut running = pod("web", "a");
    running["spec"]["terminationGracePeriodSeconds"] = json!(5);
    alone.create(running)?;
    alone.delete("pods", "web", "a")?;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(alone.count("pods")?, 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_says_nothing_gets_thirty_seconds() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let deleting = sim.delete("pods", "web", "a")?;
    assert_eq!(
        deleting["metadata"]["deletionGracePeriodSeconds"],
        json!(30)
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_propagation_policy_sets_its_finalizer() -> Outcome {
    let sim = Sim::new();
    let uri = "/api/v1/namespaces/web/configmaps/a";
    let finalizers = |sim: &Sim| -> Result<Value, larder_sim::Status> {
        let object = sim.get("configmaps", "web", "a")?.unwrap_or_default();
        Ok(object["metadata"]["finalizers"].clone())
    };
    sim.create(config("a"))?;
    let in_query = format!("{uri}?propagationPolicy=Foreground");
    let waiting = send(&sim, Method::DELETE, &in_query, &Value::Null).await?;
    assert_eq!(
        (waiting.at("/kind"), waiting.at("/metadata/finalizers")),
        (json!("ConfigMap"), json!(["foregroundDeletion"]))
    );
    assert!(waiting.at("/metadata/deletionTimestamp").is_string());
    let orphan = json!({"propagationPolicy": "Orphan"});
    send(&sim, Method::DELETE, uri, &orphan).await?;
    assert_eq!(finalizers(&sim)?, json!(["orphan"]), "one policy at a time");
    let background = json!({"propagationPolicy": "Background"});
    let gone = send(&sim, Method::DELETE, uri, &background).await?;
    assert_eq!(gone.at("/status"), json!("Success"));

    let mut held = config("a");
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    sim.create(held)?;
    let old_words = json!({"orphanDependents": true});
    send(&sim, Method::DELETE, uri, &old_words).await?;
    assert_eq!(finalizers(&sim)?, json!(["x.io/hold", "orphan"]));
    for (options, expected) in [
        (
            json!({"propagationPolicy": "Never"}),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Never\"",
        ),
        (
            json!({"propagationPolicy": "Orphan", "orphanDependents": true}),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Forbidden",
        ),
    ] {
        let refused = send(&sim, Method::DELETE, uri, &options).await?;
        assert!(
            refused.status().starts_with(expected),
            "{}",
            refused.status()
        );
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn collections_and_namespaces_are_emptied() -> Outcome {
    let sim = Sim::new();
    sim.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}}))?;
    for name in ["a", "b", "c"] {
        let mut map = config(name);
        map["metadata"]["labels"] = json!({"app": name});
        sim.create(map)?;
    }
    sim.create(pod("web", "a"))?;
    sim.create(pod("db", "a"))?;
    let mut held = config("b2");
    held["metadata"]["labels"] = json!({"app": "b"});
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    sim.create(held)?;
    let uri = "/api/v1/namespaces/web/configmaps?labelSelector=app%20in%20(a,b)";
    let deleted = send(&sim, Method::DELETE, uri, &Value::Null).await?;
    assert_eq!(
        (deleted.at("/kind"), deleted.names().concat()),
        (json!("ConfigMapList"), "abb2".to_owned())
    );
    assert_eq!(
        deleted.at("/items/2/metadata/deletionTimestamp"),
        Value::Null,
        "the objects before the deletion"
    );
    assert_eq!(sim.count("configmaps")?, 2);
    let release = json!({"metadata": {"finalizers": null}});
    sim.patch("configmaps", "web", "b2", &release)?;
    assert_eq!(sim.count("configmaps")?, 1);
    sim.delete("namespaces", "", "web")?;
    assert_eq!(
        (
            sim.count("namespaces")?,
            sim.count("configmaps")?,
            sim.count("pods")?
        ),
        (0, 0, 1)
    );
    Ok(())
}

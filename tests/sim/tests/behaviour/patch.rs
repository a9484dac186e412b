//! The forms of patches, and dry runs.

use crate::common::{Answer, Failure, Outcome, Watch, pod, send, send_as};
use http::Method;
use larder_sim::{Kind, Sim};
use serde_json::{Value, json};
use std::time::Duration;

const MAP_A: &str = "/api/v1/namespaces/web/configmaps/a";
const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

fn config(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "web"}, "data": {"k": "v"}})
}

async fn patch(sim: &Sim, media: &str, patch: &Value) -> Result<Answer, Failure> {
    send_as(sim, Method::PATCH, MAP_A, media, patch).await
}

#[tokio::test(start_paused = true)]
async fn merge_patches() -> Outcome {
    let sim = Sim::new();
    sim.create(config("a"))?;
    let change = json!({"data": {"k": null, "n": "1"}, "metadata": {"labels": {"x": "y"}}});
    let patched = patch(&sim, MERGE, &change).await?;
    assert_eq!(
        (patched.at("/data"), patched.at("/metadata/labels/x")),
        (json!({"n": "1"}), json!("y"))
    );
    let stale = json!({"metadata": {"resourceVersion": "2"}, "data": {"n": "2"}});
    assert_eq!(patch(&sim, MERGE, &stale).await?.code, 409);
    let broken = patch(&sim, MERGE, &json!("text")).await?;
    assert_eq!(broken.status(), "400 BadRequest: invalid JSON patch");
    let missing = "/api/v1/namespaces/web/configmaps/b";
    let missing = send_as(&sim, Method::PATCH, missing, MERGE, &change).await?;
    assert_eq!(missing.status(), "404 NotFound: configmaps \"b\" not found");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn json_patches() -> Outcome {
    let sim = Sim::new();
    sim.create(config("a"))?;
    let change = json!([{"op": "test", "path": "/data/k", "value": "v"}, {"op": "add", "path": "/data/m", "value": "4"}]);
    let patched = patch(&sim, JSON_PATCH, &change).await?;
    assert_eq!(patched.at("/data"), json!({"k": "v", "m": "4"}));
    let failing = json!([{"op": "remove", "path": "/data/m"}, {"op": "test", "path": "/data/k", "value": "secret"}]);
    let refused = patch(&sim, JSON_PATCH, &failing).await?;
    assert_eq!(
        refused.status(),
        "422 Invalid: the server rejected our request due to an error in our request"
    );
    let unchanged = sim.get("configmaps", "web", "a")?.unwrap_or_default();
    assert_eq!(
        unchanged["data"],
        json!({"k": "v", "m": "4"}),
        "all or nothing"
    );
    let no_patch = patch(&sim, JSON_PATCH, &json!([{"op": "mend"}])).await?;
    assert_eq!(no_patch.code, 400);
    let no_object = patch(
        &sim,
        JSON_PATCH,
        &json!([{"op": "replace", "path": "", "value": 5}]),
    )
    .await?;
    assert_eq!(no_object.code, 400);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn strategic_merge_patches_without_lists_are_merged() -> Outcome {
    let sim = Sim::builder()
        .kind(Kind::new("x.io", "v1", "Widget", "widgets").custom())
        .build();
    sim.create(config("a"))?;
    let change = json!({"data": {"k": null, "n": "1"}});
    let patched = patch(&sim, STRATEGIC, &change).await?;
    assert_eq!(patched.at("/data"), json!({"n": "1"}));
    for change in [
        json!({"metadata": {"finalizers": ["x.io/a"]}}),
        json!({"data": {"$patch": "replace"}}),
    ] {
        let refused = patch(&sim, STRATEGIC, &change).await?;
        assert!(
            refused
                .status()
                .starts_with("400 BadRequest: the simulated server merges no lists"),
            "{}",
            refused.status()
        );
    }
    let widget = json!({"apiVersion": "x.io/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "web"}});
    sim.create(widget)?;
    let uri = "/apis/x.io/v1/namespaces/web/widgets/a";
    let refused = send_as(&sim, Method::PATCH, uri, STRATEGIC, &change).await?;
    assert_eq!(refused.code, 415, "custom kinds have no strategy");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn other_patches_are_refused() -> Outcome {
    let sim = Sim::new();
    sim.create(config("a"))?;
    let apply = patch(&sim, "application/apply-patch+yaml", &json!({})).await?;
    assert_eq!(
        apply.status(),
        "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: \
         application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json"
    );
    let plain = patch(&sim, "application/json", &json!({})).await?;
    assert_eq!(
        plain.status(),
        "415 UnsupportedMediaType: 415: Unsupported Media Type"
    );
    assert_eq!(plain.at("/details"), json!({}));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_answers_and_changes_nothing() -> Outcome {
    let sim = Sim::new();
    sim.create(config("a"))?;
    let before = sim.list("configmaps")?;
    let mut watch = Watch::open(&sim, "/api/v1/configmaps?watch=1&resourceVersion=2").await?;
    let maps = "/api/v1/namespaces/web/configmaps?dryRun=All";
    let created = send(&sim, Method::POST, maps, &config("b")).await?;
    assert_eq!(
        (created.code, created.at("/metadata/resourceVersion")),
        (201, Value::Null)
    );
    assert!(created.at("/metadata/uid").is_string());
    let dry = format!("{MAP_A}?dryRun=All");
    let change = json!({"data": {"n": "1"}});
    let patched = send_as(&sim, Method::PATCH, &dry, MERGE, &change).await?;
    assert_eq!(
        (patched.at("/data"), patched.at("/metadata/resourceVersion")),
        (json!({"k": "v", "n": "1"}), json!("2"))
    );
    let stale = json!({"metadata": {"name": "a", "resourceVersion": "1"}});
    assert_eq!(send(&sim, Method::PUT, &dry, &stale).await?.code, 409);
    let deleted = send(&sim, Method::DELETE, &dry, &Value::Null).await?;
    assert_eq!(deleted.at("/status"), json!("Success"));
    let options = json!({"dryRun": ["All"]});
    assert_eq!(send(&sim, Method::DELETE, MAP_A, &options).await?.code, 200);
    let all = send(&sim, Method::DELETE, maps, &Value::Null).await?;
    assert_eq!(all.names(), ["a"]);
    assert_eq!(sim.list("configmaps")?, before);
    sim.create(config("c"))?;
    assert_eq!(watch.short().await, "+c", "no event came before it");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_dry_delete_of_a_pod_starts_no_grace_period() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let uri = "/api/v1/namespaces/web/pods/a";
    let options = json!({"dryRun": ["All"], "gracePeriodSeconds": 5});
    let deleting = send(&sim, Method::DELETE, uri, &options).await?;
    assert_eq!(
        deleting.at("/metadata/deletionGracePeriodSeconds"),
        json!(5)
    );
    tokio::time::sleep(Duration::from_secs(60)).await;
    let pod = sim.get("pods", "web", "a")?.unwrap_or_default();
    assert_eq!(pod["metadata"]["deletionTimestamp"], Value::Null);
    let wrong = send(&sim, Method::DELETE, uri, &json!({"dryRun": ["Some"]})).await?;
    assert_eq!(wrong.code, 422);
    Ok(())
}

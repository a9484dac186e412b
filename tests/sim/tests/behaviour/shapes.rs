//! In which form things are answered, and how it is refused when there is none.

use crate::common::{Outcome, get, get_as, labelled};
use larder_sim::Sim;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PODS: &str = "/api/v1/pods";

#[tokio::test(start_paused = true)]
async fn metadata_alone() -> Outcome {
    let sim = Sim::new();
    sim.create(labelled("web", "a", "x"))?;
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let list = get_as(&sim, PODS, accept).await?;
    assert_eq!(
        (list.at("/kind"), list.at("/apiVersion")),
        (json!("PartialObjectMetadataList"), json!("meta.k8s.io/v1"))
    );
    let members: BTreeSet<String> = list
        .at("/items/0")
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(
        members,
        ["apiVersion", "kind", "metadata"].map(str::to_owned).into()
    );
    let one = get_as(
        &sim,
        "/api/v1/namespaces/web/pods/a",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    )
    .await?;
    assert_eq!(
        (
            one.at("/kind"),
            one.at("/metadata/labels/app"),
            one.at("/spec")
        ),
        (json!("PartialObjectMetadata"), json!("x"), Value::Null)
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_of_metadata_has_null_items() -> Outcome {
    let sim = Sim::new();
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let empty = get_as(&sim, PODS, accept).await?.json();
    assert_eq!(empty.get("items"), Some(&Value::Null));
    assert_eq!(get(&sim, PODS).await?.at("/items"), json!([]));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn forms_that_are_not_served() -> Outcome {
    let sim = Sim::new();
    sim.create(labelled("web", "a", "x"))?;
    let of_object = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let of_list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let pod = "/api/v1/namespaces/web/pods/a";
    let real = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for (uri, accept, expected) in [
        (
            PODS,
            of_object,
            "you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)".to_owned(),
        ),
        (
            pod,
            of_list,
            "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)".to_owned(),
        ),
        (
            pod,
            "application/json;as=Table;g=meta.k8s.io;v=v1",
            format!("only the following media types are accepted: {real}"),
        ),
        (
            pod,
            "application/yaml",
            "only the following media types are accepted: application/json (the simulated server has no other)".to_owned(),
        ),
        (
            pod,
            "text/csv",
            format!(
                "406: Not Acceptable\n\nAvailable representations: {real}, application/json;stream=watch, \
                 application/vnd.kubernetes.protobuf;stream=watch"
            ),
        ),
    ] {
        let refused = get_as(&sim, uri, accept).await?;
        assert_eq!(refused.status(), format!("406 NotAcceptable: {expected}"));
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn paths_that_lead_nowhere() -> Outcome {
    let sim = Sim::new();
    for (uri, code, text) in [
        ("/apis/none.io/v1/things", 404, "404 page not found\n"),
        ("/nowhere", 404, "404 page not found\n"),
        ("/apis/none.io/v1", 404, "404 page not found\n"),
    ] {
        let answer = get(&sim, uri).await?;
        assert_eq!(
            (answer.code, &answer.body[..]),
            (code, text.as_bytes()),
            "{uri}"
        );
        assert_eq!(
            answer
                .headers
                .get("content-type")
                .map(http::HeaderValue::as_bytes),
            Some(&b"text/plain; charset=utf-8"[..])
        );
    }
    for uri in [
        "/api/v1/things",
        "/apis/apps/v9/deployments",
        "/apis/apps/v9",
        "/api/v1/namespaces/web/nodes",
        "/api/v1/namespaces/web/pods/a/exec",
    ] {
        let answer = get(&sim, uri).await?;
        assert_eq!(
            answer.status(),
            "404 NotFound: the server could not find the requested resource",
            "{uri}"
        );
    }
    let answer = get(&sim, "/api/v1/namespaces/web/pods/a").await?;
    assert_eq!(answer.status(), "404 NotFound: pods \"a\" not found");
    assert!(
        sim.remove_kind("apps", "v1", "deployments")
            && !sim.remove_kind("apps", "v1", "deployments")
    );
    assert_eq!(get(&sim, "/apis/apps/v1/deployments").await?.code, 404);
    Ok(())
}

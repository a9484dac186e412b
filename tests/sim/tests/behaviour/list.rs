//! Get and list: versions, pages, selectors, representations.

use crate::common::{Failure, Outcome, get, labelled, pod};
use larder_sim::{Kind, Sim, fixtures::Fixtures};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const PODS: &str = "/api/v1/pods";

fn with_pods(names: &[&str]) -> Result<Sim, Failure> {
    let sim = Sim::new();
    for name in names {
        sim.create(pod("web", name))?;
    }
    Ok(sim)
}

#[tokio::test(start_paused = true)]
async fn a_list_of_built_in_objects_leaves_their_types_out() -> Outcome {
    let sim = with_pods(&["a"])?;
    let list = get(&sim, PODS).await?;
    let text = String::from_utf8(list.body.to_vec())?;
    assert!(text.starts_with(r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[{"metadata":{"name":"a""#), "{text}");
    let one = get(&sim, "/api/v1/namespaces/web/pods/a").await?;
    assert_eq!(
        (one.at("/kind"), one.at("/apiVersion")),
        (json!("Pod"), json!("v1"))
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_list_of_custom_objects_keeps_their_types() -> Outcome {
    let sim = Sim::builder()
        .kind(Kind::new("x.io", "v1", "Widget", "widgets").custom())
        .build();
    sim.create(json!({"apiVersion": "x.io/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "web"}}))?;
    let list = get(&sim, "/apis/x.io/v1/widgets").await?;
    assert_eq!(
        (list.at("/kind"), list.at("/items/0/kind")),
        (json!("WidgetList"), json!("Widget"))
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_has_items() -> Outcome {
    let list = get(&Sim::new(), PODS).await?;
    assert_eq!(
        list.json(),
        json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []})
    );
    Ok(())
}

/// Reads all pages and returns the names, the sizes of the pages and the remaining counts.
async fn pages(sim: &Sim, base: &str) -> Result<(Vec<String>, Vec<usize>, Vec<Value>), Failure> {
    let (mut names, mut sizes, mut remaining) = (Vec::new(), Vec::new(), Vec::new());
    let mut uri = base.to_owned();
    loop {
        let page = get(sim, &uri).await?;
        assert_eq!(page.code, 200, "{}", page.status());
        sizes.push(page.names().len());
        names.extend(page.names());
        remaining.push(page.at("/metadata/remainingItemCount"));
        match page.at("/metadata/continue") {
            Value::String(token) => uri = format!("{base}&continue={token}"),
            _ => return Ok((names, sizes, remaining)),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pages_add_up() -> Outcome {
    let sim = with_pods(&["a", "b", "c", "d", "e"])?;
    for (limit, expected) in [
        (1, &[1, 1, 1, 1, 1][..]),
        (2, &[2, 2, 1]),
        (5, &[5]),
        (6, &[5]),
        (0, &[5]),
    ] {
        let (names, sizes, _) = pages(&sim, &format!("{PODS}?limit={limit}")).await?;
        assert_eq!(
            (names.concat().as_str(), sizes.as_slice()),
            ("abcde", expected),
            "limit {limit}"
        );
    }
    let (_, _, remaining) = pages(&sim, &format!("{PODS}?limit=2")).await?;
    assert_eq!(remaining, [json!(3), json!(1), json!(null)]);
    let (_, _, remaining) = pages(&sim, &format!("{PODS}?limit=2&labelSelector=!x")).await?;
    assert_eq!(
        remaining,
        [json!(null), json!(null), json!(null)],
        "unknown with a selector"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn pages_are_of_one_state() -> Outcome {
    let sim = with_pods(&["a", "b", "d", "e"])?;
    let first = get(&sim, &format!("{PODS}?limit=2")).await?;
    sim.create(pod("web", "c"))?;
    sim.delete_now("pods", "web", "d")?;
    sim.patch(
        "pods",
        "web",
        "e",
        &json!({"metadata": {"labels": {"new": "yes"}}}),
    )?;
    let token = first
        .at("/metadata/continue")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let second = get(&sim, &format!("{PODS}?limit=2&continue={token}")).await?;
    assert_eq!(second.names(), ["d", "e"]);
    assert_eq!(second.at("/items/1/metadata/labels"), Value::Null);
    assert_eq!(
        second.at("/metadata/resourceVersion"),
        first.at("/metadata/resourceVersion")
    );

    let both = get(&sim, &format!("{PODS}?continue={token}&resourceVersion=3")).await?;
    assert_eq!(
        both.status(),
        "400 BadRequest: specifying resource version is not allowed when using continue"
    );
    let bad = get(&sim, &format!("{PODS}?continue=nonsense")).await?;
    assert_eq!(
        bad.status(),
        "400 BadRequest: invalid continue token: continue key is not valid"
    );

    sim.compact();
    let expired = get(&sim, &format!("{PODS}?limit=2&continue={token}")).await?;
    assert!(
        expired
            .status()
            .starts_with("410 Expired: The provided continue parameter is too old")
    );
    let token = expired
        .at("/metadata/continue")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let rest = get(&sim, &format!("{PODS}?continue={token}")).await?;
    assert_eq!(rest.names(), ["c", "e"], "the rest, inconsistently");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_watch_cache_ignores_the_limit_at_version_0() -> Outcome {
    let sim = with_pods(&["a", "b"])?;
    assert_eq!(
        get(&sim, &format!("{PODS}?limit=1&resourceVersion=0"))
            .await?
            .names(),
        ["a", "b"]
    );
    let sim = Sim::builder().without_watch_cache().build();
    sim.load([pod("web", "a"), pod("web", "b")])?;
    assert_eq!(
        get(&sim, &format!("{PODS}?limit=1&resourceVersion=0"))
            .await?
            .names(),
        ["a"]
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn versions_of_lists() -> Outcome {
    let sim = with_pods(&["a", "b", "c"])?;
    sim.delete_now("pods", "web", "a")?;
    let now = sim.current_version();
    for (query, expected, version) in [
        ("", "bc", now),
        ("resourceVersion=0", "bc", now),
        ("resourceVersion=2", "bc", now),
        (
            "resourceVersion=2&resourceVersionMatch=NotOlderThan",
            "bc",
            now,
        ),
        (
            "resourceVersion=2&resourceVersionMatch=NotOlderThan&limit=1",
            "b",
            now,
        ),
        ("resourceVersion=3&resourceVersionMatch=Exact", "ab", 3),
        ("resourceVersion=3&limit=9", "ab", 3),
        ("resourceVersion=1&limit=9", "", 1),
    ] {
        let list = get(&sim, &format!("{PODS}?{query}")).await?;
        let seen = (list.names().concat(), list.at("/metadata/resourceVersion"));
        assert_eq!(
            seen,
            (expected.to_owned(), json!(version.to_string())),
            "{query}"
        );
    }
    sim.compact();
    let expired = get(
        &sim,
        &format!("{PODS}?resourceVersion=3&resourceVersionMatch=Exact"),
    )
    .await?;
    assert_eq!(
        expired.status(),
        "410 Expired: The resourceVersion for the provided list is too old."
    );
    let bad = get(&sim, &format!("{PODS}?resourceVersion=abc")).await?;
    assert!(
        bad.status()
            .starts_with("400 BadRequest: invalid resource version"),
        "{}",
        bad.status()
    );
    let refused = get(&sim, &format!("{PODS}?resourceVersionMatch=Exact")).await?;
    assert!(refused.status().starts_with(
        "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden"
    ));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_future_version_is_waited_for_and_then_refused() -> Outcome {
    let sim = with_pods(&["a"])?;
    let started = Instant::now();
    let list = get(&sim, &format!("{PODS}?resourceVersion=900")).await?;
    assert_eq!(
        list.status(),
        "504 Timeout: Timeout: Too large resource version: 900, current: 2"
    );
    assert_eq!(
        list.at("/details/causes/0/reason"),
        json!("ResourceVersionTooLarge")
    );
    assert_eq!(list.at("/details/retryAfterSeconds"), json!(1));
    assert_eq!(
        list.headers
            .get("retry-after")
            .map(http::HeaderValue::as_bytes),
        Some(&b"1"[..])
    );
    assert_eq!(started.elapsed(), Duration::from_secs(3));

    let waiting = {
        let sim = sim.clone();
        tokio::spawn(async move {
            get(&sim, &format!("{PODS}?resourceVersion=3"))
                .await
                .map(|list| list.names())
                .ok()
        })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    sim.create(pod("web", "b"))?;
    assert_eq!(waiting.await?, Some(vec!["a".to_owned(), "b".to_owned()]));

    let sim = Sim::builder().without_watch_cache().build();
    let started = Instant::now();
    let list = get(&sim, &format!("{PODS}?resourceVersion=900")).await?;
    assert_eq!((list.code, started.elapsed()), (504, Duration::ZERO));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn selectors_and_namespaces() -> Outcome {
    let sim = Sim::new();
    sim.load([
        labelled("a", "1", "x"),
        labelled("a", "2", "y"),
        labelled("a-b", "3", "x"),
        labelled("b", "4", "x"),
    ])?;
    for (uri, expected) in [
        ("/api/v1/pods", "3124"),
        ("/api/v1/namespaces/a/pods", "12"),
        ("/api/v1/namespaces/a/pods?labelSelector=app%3Dx", "1"),
        ("/api/v1/pods?labelSelector=app%3Dx", "314"),
        ("/api/v1/pods?fieldSelector=metadata.namespace%21%3Da", "34"),
        (
            "/api/v1/pods?fieldSelector=metadata.name%3D4,metadata.namespace%3Db",
            "4",
        ),
        (
            "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&labelSelector=app%20in%20(y)",
            "2",
        ),
        ("/api/v1/namespaces/none/pods", ""),
    ] {
        assert_eq!(get(&sim, uri).await?.names().concat(), expected, "{uri}");
    }
    let refused = get(&sim, "/api/v1/pods?fieldSelector=spec.color%3Dred").await?;
    assert_eq!(
        refused.status(),
        "400 BadRequest: field label not supported: spec.color"
    );
    let refused = get(
        &sim,
        "/apis/certificates.k8s.io/v1/podcertificaterequests?fieldSelector=metadata.namespace%3Da",
    )
    .await?;
    assert_eq!(
        refused.status(),
        "400 BadRequest: field label not supported: metadata.namespace"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_large_list_comes_in_chunks() -> Outcome {
    use http_body_util::BodyExt;
    let sim = Sim::new();
    let fixtures = Fixtures::new(1);
    sim.load((0..100).map(|i| fixtures.pod(i)))?;
    let mut body = crate::common::open(&sim, http::Method::GET, PODS, &[], bytes::Bytes::new())
        .await?
        .into_body();
    let mut sizes = Vec::new();
    while let Some(frame) = body.frame().await {
        sizes.push(
            frame?
                .into_data()
                .map(|data| data.len())
                .unwrap_or_default(),
        );
    }
    assert!(
        sizes.len() > 10 && sizes.iter().all(|&size| size < 80 * 1024),
        "{sizes:?}"
    );
    let list = get(&sim, PODS).await?;
    assert_eq!(list.names().len(), 100);
    assert_eq!(list.body.len(), sizes.iter().sum::<usize>());
    Ok(())
}

//! Watches: where they start, what they send, when they end.

use crate::common::{Next, Outcome, Watch, get, labelled, pod};
use larder_sim::{Kind, Sim};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const WATCH: &str = "/api/v1/pods?watch=1";
const STREAMING: &str = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

#[tokio::test(start_paused = true)]
async fn events_after_a_version() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "old"))?;
    let mut watch = Watch::open(&sim, &format!("{WATCH}&resourceVersion=2")).await?;
    sim.create(pod("web", "a"))?;
    sim.patch(
        "pods",
        "web",
        "a",
        &json!({"metadata": {"labels": {"x": "y"}}}),
    )?;
    sim.delete_now("pods", "web", "old")?;
    assert_eq!(watch.shorts(3).await, ["+a", "~a", "~old"]);
    let Next::Event(deleted) = watch.next().await else {
        return Err("no event".into());
    };
    assert_eq!(
        (&deleted["type"], &deleted["object"]["kind"]),
        (&json!("DELETED"), &json!("Pod"))
    );
    assert_eq!(
        deleted["object"]["metadata"]["resourceVersion"],
        json!(sim.current_version().to_string())
    );
    // Those that came before can be watched again.
    let mut again = Watch::open(&sim, &format!("{WATCH}&resourceVersion=1")).await?;
    assert_eq!(again.shorts(5).await, ["+old", "+a", "~a", "~old", "-old"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn version_0_or_none_begins_with_the_state() -> Outcome {
    let sim = Sim::new();
    sim.load([pod("web", "b"), pod("web", "a")])?;
    for uri in [WATCH.to_owned(), format!("{WATCH}&resourceVersion=0")] {
        let mut watch = Watch::open(&sim, &format!("{uri}&timeoutSeconds=5")).await?;
        assert_eq!(watch.shorts(3).await, ["+a", "+b", "End"]);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_watch_at_version_0_is_a_streaming_list_where_these_are_served() -> Outcome {
    let uri = format!("{WATCH}&resourceVersion=0&allowWatchBookmarks=1&timeoutSeconds=1");
    for (sim, expected) in [
        (Sim::new(), &["+a", "=2!", "End"][..]),
        (Sim::builder().without_watch_list().build(), &["+a", "End"]),
    ] {
        sim.create(pod("web", "a"))?;
        let mut watch = Watch::open(&sim, &uri).await?;
        assert_eq!(watch.shorts(expected.len()).await, expected);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn initial_events_can_be_declined() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let mut watch = Watch::open(
        &sim,
        &STREAMING.replace("sendInitialEvents=true", "sendInitialEvents=false"),
    )
    .await?;
    sim.create(pod("web", "b"))?;
    assert_eq!(watch.shorts(2).await, ["+b", "=3"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn timeouts_end_a_watch_cleanly_and_on_time() -> Outcome {
    let sim = Sim::new();
    let started = Instant::now();
    let mut watch = Watch::open(
        &sim,
        &format!("{WATCH}&resourceVersion=1&timeoutSeconds=300"),
    )
    .await?;
    assert_eq!(sim.watchers(), 1);
    assert_eq!(watch.next().await, Next::End);
    assert_eq!(started.elapsed(), Duration::from_secs(300));
    drop(watch);
    assert_eq!(sim.watchers(), 0);
    let mut watch = Watch::open(&sim, &format!("{WATCH}&resourceVersion=1")).await?;
    assert_eq!(watch.next().await, Next::End);
    assert_eq!(started.elapsed(), Duration::from_secs(300 + 2700));
    let huge = Watch::open(&sim, &format!("{WATCH}&timeoutSeconds={}", i64::MAX)).await?;
    drop(huge);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn bookmarks_come_every_minute_and_before_the_end() -> Outcome {
    let sim = Sim::new();
    let started = Instant::now();
    let mut watch = Watch::open(
        &sim,
        &format!("{WATCH}&resourceVersion=1&timeoutSeconds=150&allowWatchBookmarks=1"),
    )
    .await?;
    let mut times = Vec::new();
    sim.create(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}))?;
    while let Next::Event(event) = watch.next().await {
        times.push((
            started.elapsed().as_secs(),
            event["object"]["metadata"]["resourceVersion"].clone(),
        ));
    }
    assert_eq!(
        times,
        [(60, json!("2")), (120, json!("2")), (148, json!("2"))]
    );
    let mut without = Watch::open(
        &sim,
        &format!("{WATCH}&resourceVersion=1&timeoutSeconds=150"),
    )
    .await?;
    assert_eq!(without.next().await, Next::End);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_ends_with_a_marked_bookmark() -> Outcome {
    let sim = Sim::new();
    let mut empty = Watch::open(&sim, STREAMING).await?;
    assert_eq!(empty.short().await, "=1!");
    sim.load([pod("web", "a"), pod("web", "b")])?;
    let mut watch = Watch::open(&sim, STREAMING).await?;
    assert_eq!(watch.shorts(3).await, ["+a", "+b", "=3!"]);
    sim.create(pod("web", "c"))?;
    assert_eq!(watch.shorts(2).await, ["+c", "=4"]);
    let mut at_last_seen = Watch::open(&sim, &format!("{STREAMING}&resourceVersion=2")).await?;
    assert_eq!(at_last_seen.shorts(4).await, ["+a", "+b", "+c", "=4!"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_change_during_the_initial_events_comes_after_them() -> Outcome {
    let sim = Sim::builder().chunk_size(1).build();
    sim.load([pod("web", "a"), pod("web", "b")])?;
    let mut watch = Watch::open(&sim, STREAMING).await?;
    assert_eq!(watch.short().await, "+a");
    sim.delete_now("pods", "web", "b")?;
    assert_eq!(watch.shorts(4).await, ["+b", "=3!", "~b", "-b"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn streaming_lists_are_checked() -> Outcome {
    let sim = Sim::new();
    let refusal = get(&sim, "/api/v1/pods?watch=1&sendInitialEvents=true").await?;
    assert!(
        refusal.status().starts_with("422 Invalid"),
        "{}",
        refusal.status()
    );
    let old = Sim::builder().without_watch_list().build();
    let refusal = get(&old, STREAMING).await?;
    assert!(
        refusal
            .status()
            .contains("unless the WatchList feature gate is enabled"),
        "{}",
        refusal.status()
    );
    let started = Instant::now();
    let mut future = Watch::open(&sim, &format!("{STREAMING}&resourceVersion=50")).await?;
    assert_eq!(future.shorts(2).await, ["!504", "End"]);
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn compaction_expires_old_versions_only() -> Outcome {
    let sim = Sim::new();
    let mut open = Watch::open(&sim, &format!("{WATCH}&resourceVersion=1")).await?;
    sim.create(pod("web", "a"))?;
    sim.create(pod("web", "b"))?;
    assert_eq!(sim.compact(), 3);
    let mut expired = Watch::open(&sim, &format!("{WATCH}&resourceVersion=2")).await?;
    let Next::Event(event) = expired.next().await else {
        return Err("no event".into());
    };
    assert_eq!(event["type"], json!("ERROR"));
    assert_eq!(
        event["object"],
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": "too old resource version: 2 (3)", "reason": "Expired", "code": 410})
    );
    assert_eq!(expired.next().await, Next::End);
    // What was open before goes on without a gap.
    assert_eq!(open.shorts(2).await, ["+a", "+b"]);
    let mut current = Watch::open(&sim, &format!("{WATCH}&resourceVersion=3")).await?;
    sim.create(pod("web", "c"))?;
    assert_eq!(
        (current.short().await, open.short().await),
        ("+c".to_owned(), "+c".to_owned())
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_watch_at_a_future_version_is_silent_until_then() -> Outcome {
    let sim = Sim::new();
    let mut watch = Watch::open(
        &sim,
        &format!("{WATCH}&resourceVersion=3&allowWatchBookmarks=1&timeoutSeconds=600"),
    )
    .await?;
    sim.create(pod("web", "a"))?;
    assert_eq!(
        watch.next_within(Duration::from_secs(300)).await,
        Next::Silence
    );
    sim.create(pod("web", "b"))?;
    sim.create(pod("web", "c"))?;
    assert_eq!(watch.shorts(2).await, ["+c", "=4"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn objects_enter_and_leave_a_selector() -> Outcome {
    let sim = Sim::new();
    sim.load([labelled("web", "a", "x"), labelled("web", "b", "y")])?;
    let uri = "/api/v1/namespaces/web/pods?watch=1&resourceVersion=3&labelSelector=app%3Dx";
    let mut watch = Watch::open(&sim, uri).await?;
    sim.create(labelled("other", "z", "x"))?;
    sim.patch(
        "pods",
        "web",
        "b",
        &json!({"metadata": {"labels": {"app": "x"}}}),
    )?;
    sim.patch(
        "pods",
        "web",
        "a",
        &json!({"metadata": {"labels": {"app": "y"}}}),
    )?;
    sim.delete_now("pods", "web", "a")?;
    sim.delete_now("pods", "web", "b")?;
    assert_eq!(watch.short().await, "+b");
    let Next::Event(left) = watch.next().await else {
        return Err("no event".into());
    };
    assert_eq!(left["type"], json!("DELETED"));
    assert_eq!(
        left["object"]["metadata"]["labels"]["app"],
        json!("x"),
        "the state that matched"
    );
    assert_eq!(
        left["object"]["metadata"]["resourceVersion"],
        json!("6"),
        "the version at which it left"
    );
    assert_eq!(watch.shorts(2).await, ["~b", "-b"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn one_object_can_be_watched() -> Outcome {
    let sim = Sim::new();
    sim.load([pod("web", "a"), pod("web", "b")])?;
    for uri in [
        "/api/v1/namespaces/web/pods?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da",
        "/api/v1/watch/namespaces/web/pods/a?timeoutSeconds=1",
    ] {
        let mut watch = Watch::open(&sim, uri).await?;
        assert_eq!(watch.shorts(2).await, ["+a", "End"], "{uri}");
    }
    let got = get(&sim, "/api/v1/namespaces/web/pods/a?watch=1").await?;
    assert_eq!(
        (got.at("/kind"), got.body.last()),
        (json!("Pod"), Some(&b'\n')),
        "the path of an object is a get whatever the parameter says"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn metadata_alone() -> Outcome {
    let sim = Sim::new();
    sim.create(labelled("web", "a", "x"))?;
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let mut watch = Watch::open_as(&sim, STREAMING, accept).await?;
    for expected in ["ADDED", "BOOKMARK"] {
        let Next::Event(event) = watch.next().await else {
            return Err("no event".into());
        };
        assert_eq!(event["type"], json!(expected));
        assert_eq!(event["object"]["kind"], json!("PartialObjectMetadata"));
        assert_eq!(event["object"]["spec"], Value::Null);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn kinds_that_cannot_be_watched_or_are_removed() -> Outcome {
    let sim = Sim::builder()
        .kind(Kind::new("x.io", "v1", "Widget", "widgets").custom())
        .build();
    let refused = get(&sim, "/api/v1/componentstatuses?watch=1").await?;
    assert_eq!(
        refused.status(),
        "405 MethodNotAllowed: watch is not supported on resources of kind \"componentstatuses\""
    );
    let mut watch = Watch::open(&sim, "/apis/x.io/v1/widgets?watch=1&resourceVersion=1").await?;
    assert!(sim.remove_kind("x.io", "v1", "widgets"));
    assert_eq!(watch.next().await, Next::End);
    assert_eq!(
        get(&sim, "/apis/x.io/v1/widgets").await?.body,
        "404 page not found\n"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_too_far_behind_is_closed() -> Outcome {
    let sim = Sim::builder().history(2).chunk_size(1).build();
    let mut watch = Watch::open(&sim, &format!("{WATCH}&resourceVersion=1")).await?;
    for name in ["a", "b", "c"] {
        sim.create(pod("web", name))?;
    }
    assert_eq!(watch.next().await, Next::End);
    let mut resumed = Watch::open(&sim, &format!("{WATCH}&resourceVersion=1")).await?;
    assert_eq!(resumed.short().await, "!410");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn without_a_watch_cache_there_are_no_bookmarks_but_the_marked_one() -> Outcome {
    let sim = Sim::builder().without_watch_cache().build();
    let mut watch = Watch::open(&sim, &format!("{STREAMING}&timeoutSeconds=300")).await?;
    assert_eq!(watch.shorts(2).await, ["=1!", "End"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn watches_can_be_ended_in_good_order() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(watch.short().await, "+a");
    sim.end_watches();
    assert_eq!(watch.next().await, Next::End);
    assert_eq!(sim.watchers(), 0);
    let mut next = Watch::open(&sim, WATCH).await?;
    assert_eq!(next.short().await, "+a", "only those that were open then");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn disconnecting_breaks_every_watch() -> Outcome {
    let sim = Sim::new();
    sim.create(pod("web", "a"))?;
    let mut watch = Watch::open(&sim, &format!("{WATCH}&resourceVersion=2")).await?;
    let deleted = sim.change_unseen(|sim| sim.delete_now("pods", "web", "a"))?;
    assert_eq!(deleted["metadata"]["name"], json!("a"));
    assert_eq!(watch.next().await, Next::Cut);
    let mut resumed = Watch::open(&sim, &format!("{WATCH}&resourceVersion=2")).await?;
    assert_eq!(resumed.short().await, "!410");
    Ok(())
}

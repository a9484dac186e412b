use super::fake::{Harness, TOO_LARGE, doubling, secs};
use crate::reflector::Phase;

#[tokio::test(start_paused = true)]
async fn c090_c091_c092_synced_by_the_annotated_bookmark_alone() {
    let mut harness = Harness::streaming();
    let request = harness.expect("stream ''").await;
    assert_eq!(request.parameter("resourceVersionMatch"), "NotOlderThan");
    assert_eq!(request.parameter("allowWatchBookmarks"), "true");
    let timeout: u64 = request.parameter("timeoutSeconds").parse().unwrap();
    assert!(
        (890..=1180).contains(&timeout),
        "the cap, and a watch's own"
    );
    assert_eq!(request.headers["accept-encoding"], "identity");

    let feed = request.stream();
    feed.event("ADDED", "a", 1)
        .event("ADDED", "b", 2)
        .event("MODIFIED", "a", 3)
        .event("DELETED", "b", 4)
        .bookmark(5)
        .raw(r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"false"}}}}"#);
    assert_eq!(
        harness.log().await,
        "begin, stage a@1, stage b@2, stage a@3, unstage b@4"
    );
    let snapshot = harness.snapshot();
    assert_eq!((snapshot.phase, snapshot.version), (Phase::Listing, None));

    feed.synced(9).event("ADDED", "c", 10);
    assert_eq!(harness.log().await, "commit 9, upsert c@10, flush");
    assert_eq!(harness.published().await, "a@3 c@10");
    assert_eq!(harness.snapshot().phase, Phase::Watching);
    drop(feed);
    harness.expect("watch 10").await;
}

#[tokio::test(start_paused = true)]
async fn c092_a_relist_streams_at_the_last_version_and_after_410_at_the_latest() {
    let mut harness = Harness::streaming();
    let feed = harness.expect("stream ''").await.stream();
    feed.synced(7).raw("{\"type\":\"ADDED\"}\n");
    let relist = harness.expect("stream 7").await.stream();
    relist.error(504, TOO_LARGE);
    let latest = harness.expect("stream ''").await.stream();
    latest.synced(3).error(410, "");
    harness.expect("stream ''").await;
    assert_eq!(harness.snapshot().relists, 1);
}

#[tokio::test(start_paused = true)]
async fn c093_a_refusal_falls_back_to_a_list_and_invalid_is_remembered() {
    for (code, next) in [
        (422, "list '' limit 500"),
        (400, "list '' limit 500"),
        (403, "stream ''"),
        (500, "stream ''"),
    ] {
        let mut harness = Harness::streaming();
        let streaming = harness.expect("stream ''").await;
        let at = streaming.at;
        streaming.status(code, "");
        let list = harness.expect("list 0 limit 500").await;
        assert_eq!(list.at, at, "{code}");
        list.list(7, &[("a", 1)], "");
        harness.expect("watch 7").await.status(410, "");
        harness.expect(next).await;
    }
}

#[tokio::test(start_paused = true)]
async fn c094_throttled_the_same_request_comes_again_when_told() {
    let mut harness = Harness::streaming();
    let first = harness.expect("stream ''").await;
    let at = first.at;
    first.answer(429, &[("retry-after", "4")], "");
    let second = harness.expect("stream ''").await;
    assert_eq!(second.at - at, secs(4));
    second
        .stream()
        .error(429, r#","details":{"retryAfterSeconds":6}"#);
    assert_eq!(harness.expect("stream ''").await.at - at, secs(10));
}

#[tokio::test(start_paused = true)]
async fn c095_a_streaming_list_without_an_end_becomes_a_list() {
    let mut harness = Harness::streaming();
    let request = harness.expect("stream ''").await;
    let (start, feed) = (request.at, request.stream());
    for version in 1..4 {
        tokio::time::sleep(secs(50)).await;
        feed.event("ADDED", "a", version);
    }
    let list = harness.expect("list 0 limit 500").await;
    assert_eq!(list.at - start, secs(150 + 60));
    assert!(feed.is_closed());
    assert!(
        harness
            .last_error()
            .contains("no end of the initial state within 60s")
    );
    list.list(7, &[], "");
    harness.expect("watch 7").await.status(410, "");
    harness.expect("list '' limit 500").await;
    assert!(
        harness
            .log()
            .await
            .starts_with("begin, stage a@1, stage a@2, stage a@3, abandon, begin")
    );
}

#[tokio::test(start_paused = true)]
async fn c095_bookmarks_and_a_slow_trickle_do_not_hold_off_the_deadlines() {
    let mut harness = Harness::streaming();
    let request = harness.expect("stream ''").await;
    let (start, feed) = (request.at, request.stream());
    let trickle = tokio::spawn(async move {
        for version in 1.. {
            tokio::time::sleep(secs(50)).await;
            feed.event("ADDED", "a", version);
            if feed.is_closed() {
                return;
            }
        }
    });
    assert_eq!(
        harness.expect("list 0 limit 500").await.at - start,
        secs(600)
    );
    trickle.await.unwrap();

    let mut harness = Harness::streaming();
    let request = harness.expect("stream ''").await;
    let (start, feed) = (request.at, request.stream());
    tokio::time::sleep(secs(50)).await;
    feed.bookmark(3);
    assert_eq!(
        harness.expect("list 0 limit 500").await.at - start,
        secs(60)
    );
}

#[tokio::test(start_paused = true)]
async fn c095_a_proxy_that_holds_the_head_of_a_stream_is_found_out_too() {
    let mut harness = Harness::streaming();
    let held = harness.expect("stream ''").await;
    let list = harness.expect("list 0 limit 500").await;
    assert_eq!(list.at - held.at, secs(60));
    assert!(held.is_aborted());
}

#[tokio::test(start_paused = true)]
async fn c076_cuts_and_ends_before_the_bookmark_publish_nothing() {
    for cut in [true, false] {
        let mut harness = Harness::streaming();
        let feed = harness.expect("stream ''").await.stream();
        feed.event("ADDED", "a", 1);
        harness.settle().await;
        if cut {
            feed.cut();
        } else {
            drop(feed);
        }
        harness
            .expect("list 0 limit 500")
            .await
            .list(7, &[("b", 2)], "");
        harness.expect("watch 7").await;
        assert_eq!(harness.published().await, "b@2");
    }
}

#[tokio::test(start_paused = true)]
async fn c083_a_refused_connection_is_tried_again_as_it_was() {
    let mut harness = Harness::start(doubling());
    let first = harness.expect("stream ''").await;
    let at = first.at;
    first.refuse();
    assert_eq!(harness.expect("stream ''").await.at - at, secs(1));
    assert!(
        harness
            .last_error()
            .ends_with("the request got no response: refused")
    );
}

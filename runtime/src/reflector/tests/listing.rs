use futures_util::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use super::fake::{Harness, TOO_LARGE, doubling, list, object, secs};
use crate::kind::{Kind, Scope};
use crate::reflector::{Accept, Phase, ReflectorFailure, ReflectorOptions, Target};

#[tokio::test(start_paused = true)]
async fn c070_the_first_list_is_at_0_with_a_limit_and_the_watch_starts_at_its_version() {
    let mut harness = Harness::listing();
    let first = harness.expect("list 0 limit 500").await;
    assert_eq!(first.path, "/api/v1/namespaces/ns/pods");
    assert_eq!(first.headers["accept"], "application/json");
    assert_eq!(harness.snapshot().phase, Phase::Listing);
    first.list(7, &[("a", 1), ("b", 2)], "");
    let watch = harness.expect("watch 7").await;
    assert_eq!(watch.parameter("allowWatchBookmarks"), "true");
    assert_eq!(harness.log().await, "begin, stage a@1, stage b@2, commit 7");
    let snapshot = harness.snapshot();
    assert_eq!(snapshot.phase, Phase::Watching);
    assert_eq!(snapshot.version.unwrap().to_string(), "7");
    assert!(snapshot.stale_since.is_none() && snapshot.last_error.is_none());
}

#[tokio::test(start_paused = true)]
async fn c074_pages_are_concatenated_whatever_their_number() {
    for pages in [
        &["" as &str][..],
        &["a"],
        &["a b"],
        &["a b", "c"],
        &["a b", "c d", "e"],
        &["a b", ""],
    ] {
        let mut harness = Harness::start(doubling().streaming_list(false).page_size(2));
        for (number, page) in pages.iter().enumerate() {
            let exchange = harness.request().await;
            let expected = match number {
                0 => "list 0 limit 2".to_owned(),
                _ => format!("page t{number} limit 2"),
            };
            assert_eq!(exchange.shown(), expected);
            let objects: Vec<_> = page.split_whitespace().map(|name| (name, 1)).collect();
            let last = number + 1 == pages.len();
            let next = if last {
                String::new()
            } else {
                format!("t{}", number + 1)
            };
            exchange.list(7, &objects, &next);
        }
        harness.expect("watch 7").await;
        let names: Vec<_> = pages
            .iter()
            .flat_map(|page| page.split_whitespace())
            .map(|name| format!("{name}@1"))
            .collect();
        assert_eq!(harness.published().await, names.join(" "));
    }
}

#[tokio::test(start_paused = true)]
async fn c071_c075_a_relist_is_unpaged_and_not_before_the_last_version() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    feed.event("ADDED", "b", 9).raw("{\"type\":\"MODIFIED\"}\n");
    harness.expect("list 9").await.list(10, &[("b", 9)], "");
    harness.expect("watch 10").await;
    assert_eq!(harness.published().await, "b@9");
    let snapshot = harness.snapshot();
    assert_eq!((snapshot.relists, snapshot.broken), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn c072_an_expired_list_at_the_last_version_is_followed_at_once_by_one_at_the_latest() {
    let mut harness = Harness::listing();
    harness
        .listed()
        .await
        .stream()
        .raw("{\"type\":\"MODIFIED\"}\n");
    let relist = harness.expect("list 7").await;
    let at = relist.at;
    relist.status(410, r#","reason":"Expired""#);
    let latest = harness.expect("list '' limit 500").await;
    assert_eq!(latest.at, at);
    latest.list(3, &[], "");
    harness.expect("watch 3").await;
    assert_eq!(harness.published().await, "");
}

#[tokio::test(start_paused = true)]
async fn c073_a_list_whose_version_is_too_large_starts_again_at_the_latest() {
    let mut harness = Harness::listing();
    harness
        .listed()
        .await
        .stream()
        .raw("{\"type\":\"MODIFIED\"}\n");
    harness.expect("list 7").await.status(504, TOO_LARGE);
    harness.expect("list '' limit 500").await.list(3, &[], "");
    harness.expect("watch 3").await;

    let mut gateway = Harness::listing();
    gateway
        .expect("list 0 limit 500")
        .await
        .answer(504, &[], "timed out");
    gateway.expect("list 0 limit 500").await;
}

#[tokio::test(start_paused = true)]
async fn c076_an_error_between_pages_starts_the_listing_over() {
    let mut harness = Harness::listing();
    harness
        .expect("list 0 limit 500")
        .await
        .list(7, &[("a", 1)], "t");
    harness.expect("page t limit 500").await.status(500, "");
    harness
        .expect("list 0 limit 500")
        .await
        .list(8, &[("b", 2)], "");
    harness.expect("watch 8").await;
    assert_eq!(
        harness.log().await,
        "begin, stage a@1, abandon, begin, stage b@2, commit 8"
    );
}

#[tokio::test(start_paused = true)]
async fn c076_a_page_that_breaks_off_is_not_committed() {
    let whole = list(7, &[("a", 1), ("b", 2)], "");
    for cut in [1, whole.len() / 2, whole.len() - 1] {
        let mut harness = Harness::listing();
        let first = harness.expect("list 0 limit 500").await;
        first.answer(200, &[], &whole[..cut]);
        let _held = harness.expect("list 0 limit 500").await;
        assert!(
            harness.log().await.ends_with("abandon, begin"),
            "cut at {cut}"
        );
        assert!(
            harness
                .last_error()
                .starts_with("list of pods in namespace ns: ")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c076_an_expired_token_is_answered_by_an_unpaged_list_at_the_requested_version() {
    let mut harness = Harness::listing();
    let first = harness.expect("list 0 limit 500").await;
    first.list(7, &[("a", 1)], "t");
    let fields = r#","reason":"Expired","metadata":{"continue":"inconsistent"}"#;
    harness.expect("page t limit 500").await.status(410, fields);
    harness
        .expect("list 0")
        .await
        .list(9, &[("a", 1), ("b", 2)], "");
    harness.expect("watch 9").await;
    assert_eq!(harness.published().await, "a@1 b@2");
}

#[tokio::test(start_paused = true)]
async fn c084_a_throttled_page_is_asked_for_again_and_what_was_listed_stays() {
    let mut harness = Harness::listing();
    harness
        .expect("list 0 limit 500")
        .await
        .list(7, &[("a", 1)], "t");
    let page = harness.expect("page t limit 500").await;
    let at = page.at;
    page.answer(429, &[("retry-after", "5")], "");
    let again = harness.expect("page t limit 500").await;
    assert_eq!(again.at - at, secs(5));
    again.list(7, &[("b", 2)], "");
    harness.expect("watch 7").await;
    assert_eq!(harness.log().await, "begin, stage a@1, stage b@2, commit 7");
}

#[tokio::test(start_paused = true)]
async fn c076_each_chunk_is_taken_before_the_next_is_asked_for() {
    let mut harness = Harness::listing();
    let recorder = harness.recorder.clone();
    let chunks = (0..200).map(move |number| {
        // Before object n is asked for, all up to n - 1 must have been staged.
        let staged = recorder.0.lock().unwrap().log.len();
        assert_eq!(
            staged,
            number + 1,
            "one entry for the begin and one an object"
        );
        let (before, after) = match number {
            0 => (
                r#"{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":["#,
                ",",
            ),
            199 => ("", "]}"),
            _ => ("", ","),
        };
        Ok(format!("{before}{}{after}", object(&format!("o{number}"), 1)).into())
    });
    let first = harness.expect("list 0 limit 500").await;
    first.body(200, &[], stream::iter(chunks).boxed());
    harness.expect("watch 7").await;
    assert_eq!(harness.recorder.0.lock().unwrap().published.len(), 200);
}

#[tokio::test(start_paused = true)]
async fn c081_cancelling_aborts_a_list_in_flight_and_one_whose_body_is_open() {
    let mut harness = Harness::listing();
    let list = harness.expect("list 0 limit 500").await;
    harness.cancel.cancel();
    harness.task.await.unwrap();
    assert!(list.is_aborted());
    assert_eq!(harness.status.snapshot().phase, Phase::Stopped);

    let mut harness = Harness::listing();
    let feed = harness.expect("list 0 limit 500").await.stream();
    feed.raw(r#"{"items":["#);
    harness.settle().await;
    harness.cancel.cancel();
    harness.task.await.unwrap();
    assert!(feed.is_closed());
}

#[tokio::test(start_paused = true)]
async fn c081_cancelled_before_nothing_is_sent() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let mut harness = Harness::start_with(doubling(), cancel);
    harness.task.await.unwrap();
    assert!(harness.server.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn c151_a_list_that_is_never_answered_or_stalls_is_given_up() {
    let mut harness = Harness::listing();
    let silent = harness.expect("list 0 limit 500").await;
    let (start, second) = (silent.at, harness.expect("list 0 limit 500").await);
    assert_eq!(second.at - start, secs(60 + 1));
    assert!(silent.is_aborted());
    assert!(harness.last_error().ends_with("no response within 60s"));

    let feed = second.stream();
    feed.raw(r#"{"items":["#);
    let third = harness.expect("list 0 limit 500").await;
    assert_eq!(third.at - start, secs(60 + 1 + 60 + 2));
    assert!(harness.last_error().ends_with("no data within 60s"));
}

#[tokio::test(start_paused = true)]
async fn c153_a_failing_list_backs_off_exponentially_and_recovers() {
    let mut harness = Harness::listing();
    let mut last = None;
    for attempt in 0..6 {
        let exchange = harness.expect("list 0 limit 500").await;
        if let Some(last) = last {
            assert_eq!(exchange.at - last, secs(1 << (attempt - 1)));
        }
        last = Some(exchange.at);
        match attempt % 3 {
            0 => exchange.refuse(),
            1 => exchange.status(500, ""),
            _ => exchange.status(403, r#","message":"no""#),
        }
    }
    harness.settle().await;
    assert_eq!(harness.snapshot().phase, Phase::BackingOff);
    harness.listed().await;
    assert!(harness.snapshot().stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_absent_kind_has_its_own_error_and_is_asked_for_again() {
    let mut harness = Harness::listing();
    let first = harness.expect("list 0 limit 500").await;
    first.not_found();
    harness.settle().await;
    assert_eq!(
        harness.last_error(),
        "list of pods in namespace ns: not found (404); the server's discovery does not confirm that the kind is absent"
    );
    let groups = r#"{"kind":"APIVersions","versions":["v0"]}"#;
    harness.expect_path("/api/v1").await.not_found();
    harness.expect_path("/api").await.answer(200, &[], groups);
    let (path, log) = ("/api/v1/namespaces/ns/pods", harness.log().await);
    assert_eq!(log, "begin, abandon");
    let (error, _) = harness.snapshot().last_error.unwrap();
    assert!(matches!(error.failure(), ReflectorFailure::Absent { .. }));
    assert_eq!(
        error.to_string(),
        "list of pods in namespace ns: the server does not serve pods in v1, only v0 of this group; \
         install its CustomResourceDefinition or APIService, or use a version that is served"
    );
    for _ in 0..4 {
        harness.expect_path(path).await.not_found();
        assert_ne!(harness.snapshot().phase, Phase::Absent);
        harness.expect_path("/api/v1").await.not_found();
        harness.expect_path("/api").await.answer(200, &[], groups);
    }
    harness.settle().await;
    assert_eq!(harness.snapshot().phase, Phase::Absent);
    assert!(harness.log().await.contains("vanish"));
    harness.expect("list '' limit 500").await.not_found();
    harness.settle().await;
    assert_eq!(harness.snapshot().phase, Phase::Absent);
    assert!(harness.last_error().contains("does not serve"));
    harness
        .expect("list '' limit 500")
        .await
        .list(3, &[("a", 1)], "");
    let _feed = harness.expect("watch 3").await.stream();
    assert_eq!(harness.published().await, "a@1");
    assert_eq!(harness.snapshot().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn discovery_that_never_answers_does_not_hold_up_the_reflector() {
    let mut harness = Harness::listing();
    let watch = harness.listed().await;
    watch.not_found();
    let silent = harness.expect_path("/api/v1").await;
    let start = tokio::time::Instant::now();
    harness.expect("watch 7").await.not_found();
    assert_eq!(
        start.elapsed().as_secs(),
        61,
        "its deadline, and the backoff"
    );
    assert!(silent.is_aborted());
    assert_eq!(harness.published().await, "a@1");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_document_of_discovery_confirms_nothing() {
    let html = [("content-type", "text/html")];
    let mut harness = Harness::start(ReflectorOptions::default().streaming_list(false));
    harness.listed().await.not_found();
    for round in 0..40 {
        let first = harness.expect_path("/api/v1").await;
        match round % 8 {
            0 => first.answer(200, &html, "<html>"),
            1 => first.answer(200, &[], "{}"),
            2 => first.answer(
                200,
                &[],
                r#"{"kind":"APIResourceList","groupVersion":"v2"}"#,
            ),
            3 => first.answer(503, &[], ""),
            4 => first.answer(
                200,
                &[],
                r#"{"kind":"APIResourceList","groupVersion":"v1","resources":"#,
            ),
            other => {
                first.not_found();
                let second = harness.expect_path("/api").await;
                match other {
                    5 => second.not_found(),
                    6 => second.answer(200, &[], r#"{"kind":"APIVersions","versions":["v1"]}"#),
                    _ => second.answer(200, &[], r#"{"kind":"APIGroupList","groups":null}"#),
                }
            }
        }
        harness.expect("watch 7").await.not_found();
    }
    assert_eq!(harness.published().await, "a@1");
    assert!(harness.last_error().contains("does not confirm"));
}

#[tokio::test(start_paused = true)]
async fn a_proxys_page_or_a_compressed_one_is_no_list() {
    let mut harness = Harness::listing();
    let first = harness.expect("list 0 limit 500").await;
    first.answer(
        200,
        &[("content-type", "text/html")],
        "<html>hunter2</html>",
    );
    let second = harness.expect("list 0 limit 500").await;
    assert!(
        harness.last_error().contains("text/html"),
        "{}",
        harness.last_error()
    );
    assert!(!harness.last_error().contains("hunter2"));
    second.answer(200, &[("content-encoding", "gzip")], "...");
    harness.expect("list 0 limit 500").await;
    assert!(
        harness.last_error().contains("gzip"),
        "{}",
        harness.last_error()
    );
}

#[tokio::test(start_paused = true)]
async fn c150_a_listed_object_without_a_name_blocks_nobody() {
    let mut harness = Harness::listing();
    let body = format!(
        r#"{{"kind":"PodList","metadata":{{"resourceVersion":"7"}},"items":[{{"metadata":{{}}}},{}]}}"#,
        object("a", 1)
    );
    harness
        .expect("list 0 limit 500")
        .await
        .answer(200, &[], &body);
    harness.expect("watch 7").await;
    assert_eq!(harness.published().await, "a@1");
    assert_eq!(harness.snapshot().broken, 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_is_refused() {
    let mut harness = Harness::listing();
    let first = harness.expect("list 0 limit 500").await;
    first.answer(200, &[], r#"{"kind":"PodList","metadata":{},"items":[]}"#);
    harness.expect("list 0 limit 500").await;
    assert!(
        harness
            .last_error()
            .ends_with("the list has no resourceVersion")
    );
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_no_request_can_be_written_for_ends_the_reflector_with_an_error() {
    let target = Target {
        kind: Kind::new("", "v1", "X", "a b", Scope::Cluster),
        namespace: None,
        label_selector: None,
        field_selector: None,
        accept: Accept::JSON,
    };
    let mut harness = Harness::start_at(target, doubling(), CancellationToken::new());
    assert!(harness.server.recv().await.is_none());
    let snapshot = harness.status.snapshot();
    assert_eq!(snapshot.phase, Phase::Stopped);
    let (error, _) = snapshot.last_error.unwrap();
    assert!(matches!(error.failure(), ReflectorFailure::Request(_)));
}

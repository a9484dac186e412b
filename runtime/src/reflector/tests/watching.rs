use std::time::Duration;

use tokio::time::Instant;

use super::fake::{Harness, bookmark_text, doubling, event_text, secs};
use crate::reflector::Phase;

#[tokio::test(start_paused = true)]
async fn c082_events_are_applied_and_a_burst_is_published_once() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    harness.log().await;
    feed.raw(
        event_text("ADDED", "b", 8)
            + &event_text("MODIFIED", "a", 9)
            + &event_text("DELETED", "b", 10),
    );
    assert_eq!(
        harness.log().await,
        "upsert b@8, upsert a@9, delete b@10, flush"
    );
    assert_eq!(harness.published().await, "a@9");
    assert_eq!(harness.snapshot().version.unwrap().to_string(), "10");
}

#[tokio::test(start_paused = true)]
async fn an_event_is_published_although_the_next_one_is_only_half_there() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    harness.log().await;
    let second = event_text("ADDED", "c", 9);
    let (head, tail) = second.split_at(second.len() / 2);
    feed.raw(event_text("ADDED", "b", 8) + head);
    assert_eq!(harness.log().await, "upsert b@8, flush");
    feed.raw(tail);
    assert_eq!(harness.log().await, "upsert c@9, flush");
}

#[tokio::test(start_paused = true)]
async fn a_long_burst_yields_and_publishes_before_it_does() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    harness.log().await;
    let burst: String = (8..5008)
        .map(|version| event_text("MODIFIED", "a", version))
        .collect();
    feed.raw(burst);
    let log = harness.log().await;
    assert!(
        log.ends_with("upsert a@5007, flush"),
        "{}",
        &log[log.len() - 80..]
    );
    let flushes = log.matches("flush").count();
    assert!((2..500).contains(&flushes), "{flushes}");
}

#[tokio::test(start_paused = true)]
async fn c079_bookmarks_move_the_version() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    feed.bookmark(20);
    assert!(harness.log().await.ends_with("bookmark 20, flush"));
    assert_eq!(harness.snapshot().version.unwrap().to_string(), "20");
    feed.cut();
    harness.expect("watch 20").await;
}

#[tokio::test(start_paused = true)]
async fn c080_errors_in_the_stream_close_it_and_have_their_answers() {
    let rows = [
        (410, "", "list '' limit 500", 0),
        (500, r#","reason":"Expired""#, "list '' limit 500", 0),
        (
            504,
            r#","message":"Too large resource version: 9""#,
            "list '' limit 500",
            0,
        ),
        (429, r#","details":{"retryAfterSeconds":9}"#, "watch 7", 9),
        (429, "", "watch 7", 1),
        (500, r#","message":"odd""#, "watch 7", 1),
    ];
    for (code, fields, next, delay) in rows {
        let mut harness = Harness::listing();
        let feed = harness.listed().await.stream();
        let start = Instant::now();
        feed.error(code, fields);
        let answer = harness.expect(next).await;
        assert_eq!(answer.at - start, secs(delay), "{code}{fields}");
        assert!(feed.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn c084_a_throttled_watch_waits_as_told_and_does_not_relist() {
    let mut harness = Harness::listing();
    let watch = harness.listed().await;
    let at = watch.at;
    watch.answer(429, &[("retry-after", "17")], "");
    assert_eq!(harness.expect("watch 7").await.at - at, secs(17));
    assert_eq!(harness.snapshot().relists, 0);
}

#[tokio::test(start_paused = true)]
async fn c085_each_watch_draws_its_timeout() {
    let mut harness = Harness::listing();
    let mut watch = harness.listed().await;
    let mut drawn = std::collections::BTreeSet::new();
    for version in 8..28 {
        drawn.insert(watch.parameter("timeoutSeconds").parse::<u64>().unwrap());
        watch.stream().bookmark(version);
        harness.settle().await;
        watch = harness.request().await;
    }
    assert!(drawn.iter().all(|seconds| (290..=580).contains(seconds)));
    assert!(drawn.len() > 5, "{drawn:?}");
}

#[tokio::test(start_paused = true)]
async fn c086_a_cut_inside_an_event_resumes_from_the_last_whole_one() {
    for ends in [true, false] {
        let mut harness = Harness::listing();
        let feed = harness.listed().await.stream();
        let half = &event_text("ADDED", "c", 9)[..30];
        feed.event("ADDED", "b", 8).raw(half);
        harness.settle().await;
        if ends {
            drop(feed);
        } else {
            feed.cut();
        }
        harness.expect("watch 8").await;
        assert_eq!(harness.published().await, "a@1 b@8");
        assert_eq!(harness.snapshot().broken, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn c081_cancelling_closes_an_open_watch_at_once() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    harness.settle().await;
    let start = Instant::now();
    harness.cancel.cancel();
    harness.task.await.unwrap();
    assert!(feed.is_closed());
    assert_eq!(start.elapsed(), Duration::ZERO);
    let snapshot = harness.status.snapshot();
    assert_eq!(
        (snapshot.phase, snapshot.stale_since),
        (Phase::Stopped, Some(start))
    );
}

#[tokio::test(start_paused = true)]
async fn c083_progress_resets_the_backoff() {
    let mut harness = Harness::listing();
    let mut watch = harness.listed().await;
    for (event, delay) in [(None, 1), (None, 2), (None, 4), (Some(8), 1), (None, 2)] {
        let start = watch.at;
        match event {
            None => watch.refuse(),
            Some(version) => {
                watch.stream().event("ADDED", "b", version);
            }
        }
        watch = harness.request().await;
        assert_eq!(watch.at - start, secs(delay));
    }
}

#[tokio::test(start_paused = true)]
async fn c150_a_broken_event_is_counted_and_what_it_said_is_listed() {
    for event in [
        "{\"type\":\"ADDED\"}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\"}}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"b\"}}}\n",
        "hunter2\n",
    ] {
        let mut harness = Harness::listing();
        let feed = harness.listed().await.stream();
        let start = Instant::now();
        feed.raw(event);
        let relist = harness.expect("list 7").await;
        assert_eq!(relist.at - start, secs(1), "{event}");
        assert_eq!(harness.snapshot().broken, 1, "{event}");
        assert!(!harness.last_error().contains("hunter2"));
    }
}

#[tokio::test(start_paused = true)]
async fn events_of_unknown_types_are_counted_and_ignored() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    feed.event("RENAMED", "a", 8).event("ADDED", "b", 9);
    assert_eq!(harness.published().await, "a@1 b@9");
    let snapshot = harness.snapshot();
    assert_eq!((snapshot.unknown_events, snapshot.broken), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn c151_a_quiet_watch_with_bookmarks_is_not_cut_and_a_dead_one_is() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    for version in 8..28 {
        tokio::time::sleep(secs(60)).await;
        feed.bookmark(version);
    }
    harness.settle().await;
    let last = Instant::now();
    assert!(harness.server.try_recv().is_err() && !feed.is_closed());
    let resumed = harness.expect("watch 27").await;
    assert_eq!(resumed.at - last, secs(150));
    assert_eq!(harness.snapshot().stale_since, Some(last));
    assert!(harness.last_error().ends_with("no data within 150s"));

    let feed = resumed.stream();
    tokio::time::sleep(secs(30)).await;
    assert_eq!(
        harness.snapshot().stale_since,
        Some(last),
        "quiet once more"
    );
    feed.bookmark(27);
    harness.settle().await;
    assert!(harness.snapshot().stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn c151_without_bookmarks_a_watch_is_dead_after_its_own_timeout() {
    let mut harness = Harness::listing();
    let watch = harness.listed().await;
    let timeout: u64 = watch.parameter("timeoutSeconds").parse().unwrap();
    let (start, feed) = (watch.at, watch.stream());
    let next = harness.expect("watch 7").await;
    assert_eq!(next.at - start, secs(timeout + 30));
    assert!(feed.is_closed());

    let timeout: u64 = next.parameter("timeoutSeconds").parse().unwrap();
    let held = harness.expect("watch 7").await;
    assert_eq!(
        held.at - next.at,
        secs(timeout + 30 + 1),
        "the wait for the head counts too"
    );
    assert!(next.is_aborted());
    assert!(harness.snapshot().stale_since.is_some());
}

#[tokio::test(start_paused = true)]
async fn c073_a_watch_at_a_version_from_the_future_is_silent_and_leads_to_a_relist() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    feed.bookmark(100);
    harness.settle().await;
    feed.cut();
    let silent = harness.expect("watch 100").await.stream();
    let again = harness.expect("watch 100").await.stream();
    harness
        .expect("list '' limit 500")
        .await
        .list(50, &[("b", 2)], "");
    assert!(silent.is_closed() && again.is_closed());
    harness.expect("watch 50").await;
    assert_eq!(harness.published().await, "b@2");

    let mut ended = Harness::listing();
    ended.listed().await.stream().bookmark(100);
    let silent = ended.expect("watch 100").await.stream();
    tokio::time::sleep(secs(121)).await;
    drop(silent);
    ended.expect("list '' limit 500").await;
    assert!(ended.last_error().contains("neither event nor bookmark"));
}

#[tokio::test(start_paused = true)]
async fn c152_a_server_that_closes_at_once_gets_a_bounded_rate() {
    let mut harness =
        Harness::start(crate::reflector::ReflectorOptions::default().streaming_list(false));
    let mut watch = harness.listed().await;
    let start = watch.at;
    let mut requests = 0;
    while start.elapsed() < secs(600) {
        drop(watch.stream());
        watch = harness.expect("watch 7").await;
        requests += 1;
    }
    assert!((20..60).contains(&requests), "{requests} in ten minutes");
    assert!(harness.last_error().contains("the response ended after"));
}

#[tokio::test(start_paused = true)]
async fn c152_a_watch_of_a_decent_life_is_reopened_at_once() {
    let mut harness = Harness::listing();
    let mut watch = harness.listed().await;
    for _ in 0..5 {
        let feed = watch.stream();
        tokio::time::sleep(secs(40)).await;
        let end = Instant::now();
        drop(feed);
        watch = harness.expect("watch 7").await;
        assert_eq!(watch.at, end);
    }
    let snapshot = harness.snapshot();
    assert!(snapshot.last_error.is_none() && snapshot.stale_since.is_none());
}

#[tokio::test(start_paused = true)]
async fn c154_expired_watches_relist_at_a_bounded_rate() {
    let mut harness = Harness::listing();
    let watch = harness.listed().await;
    let start = watch.at;
    watch.status(410, r#","reason":"Gone""#);
    for delay in [0, 1, 3, 7] {
        let list = harness.expect("list '' limit 500").await;
        assert_eq!(list.at - start, secs(delay));
        list.list(9, &[], "");
        harness.expect("watch 9").await.status(410, "");
    }
    assert_eq!(harness.snapshot().relists, 4);
}

#[tokio::test(start_paused = true)]
async fn c155_what_was_deleted_while_the_watch_was_away_is_gone_after_the_relist() {
    let mut harness = Harness::streaming();
    let feed = harness.expect("stream ''").await.stream();
    feed.event("ADDED", "a", 1)
        .event("ADDED", "b", 2)
        .synced(7)
        .error(410, "");
    let relist = harness.expect("stream ''").await.stream();
    relist.event("ADDED", "b", 2);
    assert_eq!(
        harness.published().await,
        "a@1 b@2",
        "a relist is seen whole or not at all"
    );
    relist.synced(9);
    assert_eq!(harness.published().await, "b@2");
}

#[tokio::test(start_paused = true)]
async fn c158_staleness_begins_with_the_last_sign_of_life_and_ends_with_a_healthy_watch() {
    let mut harness = Harness::listing();
    let feed = harness.listed().await.stream();
    tokio::time::sleep(secs(20)).await;
    feed.event("ADDED", "b", 8);
    harness.settle().await;
    let heard = Instant::now();
    assert!(harness.snapshot().stale_since.is_none());

    tokio::time::sleep(secs(5)).await;
    feed.cut();
    harness.expect("watch 8").await.refuse();
    harness.settle().await;
    let snapshot = harness.snapshot();
    assert_eq!(snapshot.stale_since, Some(heard));
    assert_eq!(snapshot.phase, Phase::BackingOff);

    let feed = harness.expect("watch 8").await.stream();
    tokio::time::sleep(secs(4)).await;
    assert_eq!(harness.snapshot().stale_since, Some(heard));
    tokio::time::sleep(secs(2)).await;
    assert!(harness.snapshot().stale_since.is_none(), "quiet, but open");
    assert!(harness.snapshot().last_error.is_some());
    drop(feed);
}

#[tokio::test(start_paused = true)]
async fn c158_a_panicking_sink_or_an_aborted_task_shows_as_stopped() {
    let mut harness = Harness::start(doubling());
    harness.expect("stream ''").await;
    harness.task.abort();
    assert!(harness.task.await.unwrap_err().is_cancelled());
    assert_eq!(harness.status.snapshot().phase, Phase::Stopped);
}

#[tokio::test(start_paused = true)]
async fn c160_watches_decline_compression_and_take_events_byte_by_byte() {
    let mut harness = Harness::listing();
    let watch = harness.listed().await;
    assert_eq!(watch.headers["accept-encoding"], "identity");
    let feed = watch.stream();
    for byte in (event_text("ADDED", "b", 8) + &bookmark_text(9, "")).chars() {
        feed.raw(byte);
    }
    assert_eq!(harness.published().await, "a@1 b@8");
}

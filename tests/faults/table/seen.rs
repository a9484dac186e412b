//! One cell of the table: what an informer does, and what its user can see.

use larder::TypedInformer as _;
use larder::core::v1::PodInformer;
use serde_json::json;
use tokio::time::Instant;

use super::rows::{SECRET, of};
use super::states::{BACKOFF, Bench, State};
use super::wire::Sent;
use crate::bench::{equal, held, seconds, stored, told};
use crate::support::settle;

/// What came of one row in one state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) next: String,
    pub(crate) says: String,
    pub(crate) condition: &'static str,
    pub(crate) deletes: usize,
}

/// Lets a row happen once, and looks until the informer has gone on.
pub(crate) async fn once(state: State, at: usize) -> Seen {
    let bench = Bench::reach(state, 1, |sim| of(state, sim).swap_remove(at).reply).await;
    let before = stored(&bench.pods).len();
    let mut least = before;
    let mut condition = "not synced";
    let hit = hit(&bench).await;
    let next = loop {
        let health = bench.pods.health();
        least = least.min(health.objects);
        if health.stale_since.is_some() && state.is_synced() {
            condition = "stale";
        } else if health.synced && condition != "stale" {
            condition = "current";
        }
        if let Some((next, discovery)) = bench.wire.next() {
            // It is not answered yet.
            let words = words(&hit, &next);
            break if discovery {
                format!("discovery is asked; {words}")
            } else {
                words
            };
        }
        let goes_on = match state {
            State::StreamingList => health.synced,
            State::MidWatch => held(&bench.sim)["a/p1"] == stored(&bench.pods)["a/p1"],
            _ => false,
        };
        if goes_on && hit.at.elapsed() > seconds(3) {
            break "the stream goes on".to_owned();
        }
        assert!(
            hit.at.elapsed() < seconds(3600),
            "it stands still: {health:#?}"
        );
        tokio::time::sleep(seconds(1) / 5).await;
    };
    let says = says(&bench, &hit);
    recover(&bench).await;
    let deletes = bench.fold.missed_deletes();
    assert!(
        least + deletes >= before,
        "objects stay: {least} of {before}"
    );
    Seen {
        next,
        says,
        condition,
        deletes,
    }
}

/// Lets a row happen for two minutes; answers how many requests that made.
pub(crate) async fn lasting(state: State, at: usize) -> usize {
    let reply = |sim: &larder_sim::Sim| of(state, sim).swap_remove(at).reply;
    let bench = Bench::reach(state, usize::MAX, reply).await;
    let hit = hit(&bench).await;
    let before = bench.wire.sent().len();
    tokio::time::sleep(seconds(120)).await;
    let requests = bench.wire.sent().len() - before;
    says(&bench, &hit);
    recover(&bench).await;
    requests
}

/// The request that is answered otherwise, once it was made.
async fn hit(bench: &Bench) -> Sent {
    let start = Instant::now();
    loop {
        if let Some(hit) = bench.wire.hit() {
            settle().await;
            return hit;
        }
        assert!(start.elapsed() < seconds(600), "the request is made");
        settle().await;
    }
}

/// Whatever it was, the store ends equal to the server, and the handler was told right.
async fn recover(bench: &Bench) {
    bench.wire.disarm();
    bench.sim.faults().clear();
    let patch = json!({"metadata": {"labels": {"last": "change"}}});
    // Those that were damaged in a list or a watch.
    for damaged in ["p0", "p2"] {
        bench.sim.patch("pods", "a", damaged, &patch).unwrap();
    }
    equal(&bench.sim, &bench.pods).await;
    settle().await;
    assert_eq!(told(&bench.fold), held(&bench.sim));
    assert_eq!(bench.fold.wrong(), Vec::<String>::new());
    assert!(bench.pods.inner().health().synced);
}

/// The last error of an informer, in the words of its user.
pub(crate) fn last_error(pods: &PodInformer) -> Option<String> {
    let printed = format!("{:?}", pods.health());
    assert!(!printed.contains(SECRET), "{printed}");
    pods.health().last_error.map(|last| last.error.to_string())
}

/// What health says, which is nothing out of a body.
fn says(bench: &Bench, hit: &Sent) -> String {
    let health = bench.pods.health();
    let printed = format!("{health:?}");
    assert!(!printed.contains(SECRET), "{printed}");
    let mut says = Vec::new();
    let mut last = health
        .last_error
        .iter()
        .filter(|last| last.at >= hit.at.into_std());
    let last = last
        .next()
        .map(|last| last.error.to_string().replace(" of pods", ""));
    // An earlier one may have come at the same moment of the paused clock.
    says.extend(last.filter(|error| error.starts_with(bench.state.error())));
    if let Some(failure) = &health.last_decode_failure {
        let key = failure
            .key
            .as_ref()
            .map_or_else(|| "?".to_owned(), ToString::to_string);
        says.push(format!("undecodable: {key}: {}", failure.error));
    }
    let source = &health.sources[0];
    if source.broken_events > 0 {
        says.push("one broken event counted".to_owned());
    }
    if source.unknown_events > 0 {
        says.push("one unknown event counted".to_owned());
    }
    says.join("; ")
}

/// The next request and when it came, in words.
fn words(hit: &Sent, next: &Sent) -> String {
    let pause = (next.at - hit.at).as_secs_f64().round() as u64;
    let when = match pause {
        0 => "at once".to_owned(),
        BACKOFF => "after the backoff".to_owned(),
        9 => "after 9 s, as told".to_owned(),
        pause if pause % 10 == BACKOFF => format!("after {} s and the backoff", pause - BACKOFF),
        pause => format!("after {pause} s"),
    };
    let (sort, version) = next.short.split_once(' ').unwrap_or((&next.short, ""));
    let was_list = !matches!(hit.short.split(' ').next(), Some("watch" | "stream"));
    let what = match (sort, version) {
        ("watch", _) if was_list => return "taken as a complete list; watch".to_owned(),
        ("watch", _) => "the watch is resumed".to_owned(),
        ("page", _) => "the same page".to_owned(),
        (sort, version) => {
            let sort = if sort == "stream" {
                "a streaming list"
            } else {
                "a list"
            };
            match version {
                "" => format!("{sort} of the latest state"),
                "0" => format!("{sort} of any state"),
                _ => format!("{sort} not older than the last version"),
            }
        }
    };
    format!("{when}: {what}")
}

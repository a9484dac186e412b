//! What goes wrong while a response is read.

use crate::common::{Next, Outcome, Watch, get};
use crate::three_pods::{LONG, PODS, STREAMING, WATCH, sim};
use larder_sim::{Fault, Status};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn streams_end_where_they_are_told_to() -> Outcome {
    let sim = sim()?;
    for (fault, expected) in [
        (Fault::close_at_once(), vec![Next::End]),
        (Fault::cut_after(0), vec![Next::Cut]),
        (Fault::end_after(0), vec![Next::End]),
        (Fault::silence_after(0), vec![Next::Silence, Next::Silence]),
        (Fault::cut_within(0), vec![Next::Cut]),
        (Fault::end_within(0), vec![Next::Torn]),
        (Fault::silence_within(0), vec![Next::Silence]),
    ] {
        let text = format!("{fault:?}");
        let id = sim.faults().add(fault);
        let mut watch = Watch::open(&sim, WATCH).await?;
        for next in expected {
            assert_eq!(watch.next_within(LONG).await, next, "{text}");
        }
        sim.faults().remove(id);
    }
    for (fault, expected) in [
        (Fault::cut_after(2), "+a +b Cut"),
        (Fault::end_after(2), "+a +b End"),
        (Fault::silence_after(2), "+a +b Silence"),
        (Fault::cut_within(1), "+a Cut"),
        (Fault::end_within(2), "+a +b Torn"),
    ] {
        let id = sim.faults().add(fault);
        let mut watch = Watch::open(&sim, WATCH).await?;
        let count = expected.split(' ').count();
        let mut seen = Vec::new();
        for _ in 0..count {
            seen.push(crate::common::short(watch.next_within(LONG).await));
        }
        assert_eq!(seen.join(" "), expected);
        sim.faults().remove(id);
    }
    sim.disconnect();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn silence_ends_with_a_disconnect() -> Outcome {
    let sim = sim()?;
    sim.faults().add(Fault::silence_after(1));
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(watch.short().await, "+a");
    assert_eq!(
        watch.next_within(LONG).await,
        Next::Silence,
        "no end at the timeout either"
    );
    sim.disconnect();
    assert_eq!(watch.next().await, Next::Cut);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn lists_end_where_they_are_told_to() -> Outcome {
    let sim = sim()?;
    let whole = get(&sim, PODS).await?.body.len();
    for fault in [Fault::end_after(1), Fault::end_within(1)] {
        let id = sim.faults().add(fault);
        let list = get(&sim, PODS).await?;
        assert!(list.code == 200 && !list.body.is_empty() && list.body.len() < whole);
        assert!(
            serde_json::from_slice::<Value>(&list.body).is_err(),
            "no complete list"
        );
        sim.faults().remove(id);
    }
    let id = sim
        .faults()
        .add(Fault::error_event(0, Status::unauthorized()));
    assert_eq!(
        get(&sim, PODS).await?.names().len(),
        3,
        "only watches have events"
    );
    sim.faults().remove(id);
    for fault in [Fault::cut_after(1), Fault::cut_within(0)] {
        let id = sim.faults().add(fault);
        assert!(get(&sim, PODS).await.is_err());
        sim.faults().remove(id);
    }
    let id = sim.faults().add(Fault::silence_within(1));
    assert!(tokio::time::timeout(LONG, get(&sim, PODS)).await.is_err());
    sim.faults().remove(id);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn events_are_doubled_delayed_or_followed_by_errors() -> Outcome {
    let sim = sim()?;
    let id = sim.faults().add(Fault::duplicate_events());
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(watch.shorts(6).await, ["+a", "+a", "+b", "+b", "+c", "+c"]);
    sim.faults().remove(id);

    let id = sim.faults().add(Fault::slow(Duration::from_secs(2)));
    let started = Instant::now();
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(
        (watch.shorts(3).await.join(""), started.elapsed()),
        ("+a+b+c".to_owned(), Duration::from_secs(6))
    );
    sim.faults().remove(id);

    for (fault, expected) in [
        (
            Fault::error_event(0, Status::too_old_version(1, 5)),
            "!410 End",
        ),
        (
            Fault::error_event(1, Status::too_many_requests(3)),
            "+a !429 End",
        ),
        (
            Fault::error_event(2, Status::version_too_large(9, 4, 1)),
            "+a +b !504 End",
        ),
    ] {
        let id = sim.faults().add(fault);
        let mut watch = Watch::open(&sim, WATCH).await?;
        assert_eq!(
            watch.shorts(expected.split(' ').count()).await.join(" "),
            expected
        );
        sim.faults().remove(id);
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn short_watches_and_missing_bookmarks() -> Outcome {
    let sim = sim()?;
    let id = sim
        .faults()
        .add(Fault::short_watch(Duration::from_millis(10)));
    let started = Instant::now();
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(watch.shorts(4).await, ["+a", "+b", "+c", "End"]);
    assert_eq!(started.elapsed(), Duration::from_millis(10));
    sim.faults().remove(id);

    for (fault, expected) in [
        (Fault::no_bookmarks(), "+a +b +c Silence"),
        (Fault::no_initial_events_end(), "+a +b +c =4 =4"),
    ] {
        let id = sim.faults().add(fault);
        let mut watch = Watch::open(&sim, STREAMING).await?;
        let mut seen = Vec::new();
        for _ in 0..expected.split(' ').count() {
            seen.push(crate::common::short(
                watch.next_within(Duration::from_secs(200)).await,
            ));
        }
        assert_eq!(seen.join(" "), expected);
        sim.faults().remove(id);
    }
    sim.faults().add(Fault::without_watch_list());
    assert!(
        get(&sim, STREAMING)
            .await?
            .status()
            .starts_with("422 Invalid")
    );
    assert_eq!(get(&sim, PODS).await?.code, 200);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn one_object_is_damaged() -> Outcome {
    let sim = sim()?;
    let id = sim.faults().add(Fault::broken_field(
        "b",
        "/spec/nodeName",
        &json!({"not": "text"}),
    ));
    let list = get(&sim, PODS).await?;
    assert_eq!(list.at("/items/0/spec/nodeName"), json!("n1"));
    assert_eq!(list.at("/items/1/spec/nodeName"), json!({"not": "text"}));
    assert_eq!(
        list.at("/items/1/kind"),
        Value::Null,
        "an item like the others"
    );
    assert_eq!(
        get(&sim, "/api/v1/namespaces/web/pods/b")
            .await?
            .at("/spec/nodeName/not"),
        json!("text")
    );
    let mut watch = Watch::open(&sim, WATCH).await?;
    let mut nodes = Vec::new();
    for _ in 0..3 {
        let Next::Event(event) = watch.next().await else {
            return Err("no event".into());
        };
        nodes.push(event["object"]["spec"]["nodeName"].is_string());
    }
    assert_eq!(nodes, [true, false, true]);
    sim.faults().remove(id);

    sim.faults().add(Fault::broken_json("b"));
    let list = get(&sim, PODS).await?;
    let text = String::from_utf8_lossy(&list.body).into_owned();
    assert!(serde_json::from_str::<Value>(&text).is_err());
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let mut watch = Watch::open(&sim, WATCH).await?;
    assert_eq!(watch.short().await, "+a");
    let Next::Event(broken) = watch.next().await else {
        return Err("no event".into());
    };
    assert!(broken["broken"].is_string(), "{broken}");
    assert_eq!(watch.short().await, "+c");
    Ok(())
}

//! Everything that can go wrong on demand.

use crate::common::{Outcome, Watch, get};
use crate::three_pods::{LONG, PODS, STREAMING, WATCH, sim};
use larder_sim::{Fault, Sim, Status, Verb, random_faults};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn answers_in_place_of_the_real_one() -> Outcome {
    let sim = sim()?;
    for (fault, expected) in [
        (
            Fault::gone(),
            "410 Expired: The resourceVersion for the provided list is too old.",
        ),
        (
            Fault::too_many_requests(7),
            "429 TooManyRequests: The server has received too many requests and has asked us to try again later",
        ),
        (
            Fault::internal_error(),
            "500 InternalError: Internal error occurred: a fault was injected",
        ),
        (
            Fault::unavailable(),
            "503 ServiceUnavailable: the server is currently unable to handle the request",
        ),
        (
            Fault::gateway_timeout(),
            "504 Timeout: Timeout: request did not complete within the allotted timeout",
        ),
        (Fault::unauthorized(), "401 Unauthorized: Unauthorized"),
        (Fault::status(Status::gone("gone")), "410 Gone: gone"),
        (
            Fault::forbidden(),
            "403 Forbidden: pods is forbidden: User \"sim\" cannot list resource \"pods\" in API group \"\" at the cluster scope",
        ),
    ] {
        let id = sim.faults().add(fault);
        assert_eq!(get(&sim, PODS).await?.status(), expected);
        assert_eq!((sim.faults().hits(id), sim.faults().remove(id)), (1, true));
    }
    for (fault, code, text) in [
        (Fault::not_served(), 404, "404 page not found\n"),
        (
            Fault::overloaded(3),
            429,
            "Too many requests, please try again later.\n",
        ),
    ] {
        let id = sim.faults().add(fault);
        let answer = get(&sim, PODS).await?;
        assert_eq!((answer.code, &answer.body[..]), (code, text.as_bytes()));
        assert_eq!(answer.headers.contains_key("retry-after"), code == 429);
        sim.faults().remove(id);
    }
    assert_eq!(get(&sim, PODS).await?.names().len(), 3);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn forbidden_names_the_request() -> Outcome {
    let sim = Sim::builder().user("system:serviceaccount:web:x").build();
    sim.faults().add(Fault::forbidden());
    for (uri, expected) in [
        (
            "/apis/apps/v1/namespaces/web/deployments?watch=1",
            "deployments.apps is forbidden: User \"system:serviceaccount:web:x\" cannot watch resource \"deployments\" in API group \"apps\" in the namespace \"web\"",
        ),
        (
            "/api/v1/nodes/n1",
            "nodes \"n1\" is forbidden: User \"system:serviceaccount:web:x\" cannot get resource \"nodes\" in API group \"\" at the cluster scope",
        ),
    ] {
        let answer = get(&sim, uri).await?;
        assert_eq!((answer.code, answer.at("/message")), (403, json!(expected)));
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn faults_hit_what_they_are_meant_for() -> Outcome {
    let sim = sim()?;
    type Narrow = fn(Fault) -> Fault;
    let narrowed: [(Narrow, [bool; 5]); 9] = [
        (|fault| fault, [true; 5]),
        (
            |fault| fault.on(Verb::List),
            [true, true, true, false, false],
        ),
        (
            |fault| fault.on(Verb::Get).on(Verb::Watch),
            [false, false, false, true, true],
        ),
        (
            |fault| fault.resource("pods"),
            [true, true, false, true, true],
        ),
        (
            |fault| fault.resource("deployments.apps"),
            [false, false, true, false, false],
        ),
        (
            |fault| fault.namespace("web"),
            [false, true, false, true, false],
        ),
        (
            |fault| fault.all_namespaces(),
            [true, false, true, false, true],
        ),
        (
            |fault| fault.only_streaming_lists(),
            [false, false, false, false, true],
        ),
        (
            |fault| fault.matching(|request| request.param("limit").is_some()),
            [true, false, false, false, false],
        ),
    ];
    let uris = [
        "/api/v1/pods?limit=1",
        "/api/v1/namespaces/web/pods",
        "/apis/apps/v1/deployments",
        "/api/v1/namespaces/web/pods/a",
        STREAMING,
    ];
    for (at, (narrow, expected)) in narrowed.into_iter().enumerate() {
        let id = sim.faults().add(narrow(Fault::unavailable()));
        for (uri, hit) in uris.iter().zip(expected) {
            let code = match Watch::open(&sim, uri).await {
                Ok(_) => 200,
                Err(error) if error.to_string().starts_with("503") => 503,
                Err(error) => return Err(error),
            };
            assert_eq!(code == 503, hit, "case {at}: {uri}");
        }
        sim.faults().remove(id);
    }
    sim.faults().add(Fault::unavailable());
    assert_eq!(
        get(&sim, "/version").await?.code,
        200,
        "discovery is spared"
    );
    sim.faults().add(Fault::unavailable().on(Verb::Other));
    assert_eq!(get(&sim, "/version").await?.code, 503, "unless it is meant");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn faults_count() -> Outcome {
    let sim = sim()?;
    let id = sim
        .faults()
        .add(Fault::unavailable().on(Verb::List).skip(1).times(2));
    let mut codes = Vec::new();
    for _ in 0..5 {
        codes.push(get(&sim, PODS).await?.code);
    }
    assert_eq!(
        (codes.as_slice(), sim.faults().hits(id)),
        (&[200, 503, 503, 200, 200][..], 2)
    );
    let page = sim.faults().add(Fault::gone().only_continued());
    let first = get(&sim, "/api/v1/pods?limit=2").await?;
    let token = first
        .at("/metadata/continue")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(
        (
            first.code,
            get(&sim, &format!("{PODS}?limit=2&continue={token}"))
                .await?
                .code
        ),
        (200, 410)
    );
    assert_eq!(sim.faults().hits(page), 1);
    sim.faults().clear();
    assert_eq!(sim.faults().hits(page), 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn connections_break_or_stay_silent() -> Outcome {
    let sim = sim()?;
    let id = sim.faults().add(Fault::refuse());
    assert_eq!(
        get(&sim, PODS)
            .await
            .err()
            .map(|error| error.to_string())
            .as_deref(),
        Some("connection refused")
    );
    sim.faults().remove(id);
    let id = sim.faults().add(Fault::never_answer());
    assert!(tokio::time::timeout(LONG, get(&sim, PODS)).await.is_err());
    sim.faults().remove(id);
    sim.faults().add(Fault::delay(Duration::from_secs(5)));
    let started = Instant::now();
    assert_eq!(
        (get(&sim, PODS).await?.code, started.elapsed()),
        (200, Duration::from_secs(5))
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn refusing_closes_the_socket() -> Outcome {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let sim = sim()?;
    let listening = sim.listen().await?;
    for (fault, expected) in [(Fault::refuse(), ""), (Fault::cut_within(1), "200 OK")] {
        let id = sim.faults().add(fault);
        let mut socket = tokio::net::TcpStream::connect(listening.address()).await?;
        socket
            .write_all(b"GET /api/v1/pods HTTP/1.1\r\nhost: sim\r\n\r\n")
            .await?;
        let mut answer = Vec::new();
        // A connection that is reset rather than closed is as good.
        drop(socket.read_to_end(&mut answer).await);
        let text = String::from_utf8_lossy(&answer);
        assert!(
            text.contains(expected) && !text.ends_with("0\r\n\r\n"),
            "{text}"
        );
        sim.faults().remove(id);
    }
    drop(listening);
    Ok(())
}

/// A client that only knows how to try again gets through any random faults.
#[tokio::test(start_paused = true)]
async fn random_faults_pass() -> Outcome {
    let base: u64 = std::env::var("LARDER_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    for seed in base..base + 20 {
        println!("LARDER_SEED={seed}");
        let sim = sim()?;
        for fault in random_faults(seed, 15) {
            sim.faults().add(fault);
        }
        for uri in [PODS, WATCH, STREAMING] {
            let mut done = false;
            for _ in 0..200 {
                done = tokio::time::timeout(LONG, complete(&sim, uri))
                    .await
                    .unwrap_or(false);
                if done {
                    break;
                }
            }
            assert!(done, "seed {seed}: {uri}");
        }
    }
    Ok(())
}

/// Whether one attempt reads all three pods undisturbed.
async fn complete(sim: &Sim, uri: &str) -> bool {
    if uri == PODS {
        return get(sim, uri)
            .await
            .is_ok_and(|list| list.names().len() == 3);
    }
    let Ok(mut watch) = Watch::open(sim, uri).await else {
        return false;
    };
    watch.shorts(3).await == ["+a", "+b", "+c"]
}

//! Whatever a network and a server do to a reflector: once they are kind again, the sink equals the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::fake::{Exchange, Feed, Harness, TOO_LARGE, doubling, event_text, secs};

/// What the server holds and remembers.
#[derive(Default)]
struct World {
    version: u64,
    /// Watches and tokens from before this version are expired.
    floor: u64,
    objects: BTreeMap<String, u64>,
    /// Version, type and name of each event; the version counts from 1 without gaps.
    events: Vec<(u64, &'static str, String)>,
}

impl World {
    fn change(&mut self, random: &mut fastrand::Rng) {
        self.version += 1;
        let name = format!("o{}", random.u8(..8));
        let event = match (self.objects.contains_key(&name), random.bool()) {
            (false, _) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        if event == "DELETED" {
            self.objects.remove(&name);
        } else {
            self.objects.insert(name.clone(), self.version);
        }
        self.events.push((self.version, event, name));
    }

    fn shown(&self) -> String {
        let objects: Vec<_> = self
            .objects
            .iter()
            .map(|(name, version)| format!("{name}@{version}"))
            .collect();
        objects.join(" ")
    }
}

type Pages = BTreeMap<String, Vec<(String, u64)>>;

#[derive(Clone)]
struct Server {
    world: Arc<Mutex<World>>,
    random: Arc<Mutex<fastrand::Rng>>,
    /// Whether faults are over; also rings when the world changed.
    kind: watch::Sender<bool>,
    /// The later pages of each list that was begun.
    pages: Arc<Mutex<Pages>>,
}

impl Server {
    fn dice(&self, sides: u32) -> u32 {
        self.random.lock().unwrap().u32(..sides)
    }

    fn is_faulty(&self, one_in: u32) -> bool {
        !*self.kind.borrow() && self.dice(one_in) == 0
    }

    fn answer(&self, exchange: Exchange) {
        if self.is_faulty(3) {
            return self.misanswer(exchange);
        }
        if exchange.path == "/api/v1" {
            self.serve_discovery(exchange);
        } else if exchange.parameter("watch") == "true" {
            let server = self.clone();
            tokio::spawn(async move { server.serve_watch(exchange).await });
        } else {
            self.serve_list(exchange);
        }
    }

    fn misanswer(&self, exchange: Exchange) {
        match self.dice(12) {
            0 => exchange.refuse(),
            1 => exchange.status(500, ""),
            2 => exchange.status(410, r#","reason":"Expired""#),
            3 => exchange.answer(429, &[("retry-after", "2")], ""),
            4 => exchange.answer(404, &[], "404 page not found"),
            5 => exchange.status(403, ""),
            6 => exchange.status(504, TOO_LARGE),
            7 => exchange.status(422, ""),
            8 => drop(exchange.stream()),
            9 => exchange.answer(200, &[("content-type", "text/html")], "<html>"),
            10 => never_end(exchange),
            _ => exchange.answer(
                200,
                &[],
                r#"{"kind":"PodList","items":[{"metadata":{"name":"o"#,
            ),
        }
    }

    fn serve_discovery(&self, exchange: Exchange) {
        let resources =
            r#"{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods"}]}"#;
        exchange.answer(200, &[], resources);
    }

    fn serve_list(&self, exchange: Exchange) {
        let world = self.world.lock().unwrap();
        let token = exchange.parameter("continue").to_owned();
        let mut pages = self.pages.lock().unwrap();
        let version = match token.split_once('.') {
            Some((version, _)) => version.parse().unwrap(),
            None => world.version,
        };
        let mut objects: Vec<(String, u64)> = if token.is_empty() {
            world.objects.clone().into_iter().collect()
        } else if version < world.floor {
            return exchange.status(410, r#","reason":"Expired""#);
        } else {
            pages.remove(&token).unwrap_or_default()
        };
        let limit = exchange.parameter("limit").parse().unwrap_or(usize::MAX);
        let mut next = String::new();
        if objects.len() > limit {
            next = format!("{version}.{}.{}", self.dice(u32::MAX), pages.len());
            pages.insert(next.clone(), objects.split_off(limit));
        }
        let objects: Vec<_> = objects
            .iter()
            .map(|(name, version)| (name.as_str(), *version))
            .collect();
        exchange.list(version, &objects, &next);
    }

    async fn serve_watch(&self, exchange: Exchange) {
        let timeout = exchange.parameter("timeoutSeconds").parse().unwrap();
        let streaming = exchange.parameter("sendInitialEvents") == "true";
        let from: u64 = exchange.parameter("resourceVersion").parse().unwrap_or(0);
        let (mut from, feed) = if streaming {
            let feed = exchange.stream();
            let world = self.world.lock().unwrap();
            for (name, version) in &world.objects {
                feed.event("ADDED", name, *version);
                if self.is_faulty(40) {
                    return feed.cut();
                }
            }
            feed.synced(world.version);
            (world.version, feed)
        } else if from < self.world.lock().unwrap().floor {
            return exchange.status(410, r#","reason":"Expired""#);
        } else {
            (from, exchange.stream())
        };
        let end = sleep(Duration::from_secs(timeout));
        tokio::pin!(end);
        let mut rung = self.kind.subscribe();
        loop {
            if !self.send_events(&feed, &mut from) {
                return;
            }
            tokio::select! {
                () = &mut end => return,
                changed = rung.changed() => if changed.is_err() { return },
                () = sleep(secs(60)) => { feed.bookmark(self.world.lock().unwrap().version); }
            }
        }
    }

    /// Whether the stream goes on.
    fn send_events(&self, feed: &Feed, from: &mut u64) -> bool {
        let world = self.world.lock().unwrap();
        for (version, event, name) in world.events.iter().skip(*from as usize) {
            assert_eq!(*version, *from + 1);
            if self.is_faulty(25) {
                self.misfeed(feed, &event_text(event, name, *version));
                return false;
            }
            feed.event(event, name, *version);
            *from = *version;
        }
        !feed.is_closed()
    }

    fn misfeed(&self, feed: &Feed, event: &str) {
        match self.dice(7) {
            0 => _ = feed.error(410, ""),
            1 => _ = feed.error(429, r#","details":{"retryAfterSeconds":3}"#),
            2 => _ = feed.error(500, ""),
            3 => _ = feed.raw(&event[..event.len() / 2]),
            4 => _ = feed.raw("{\"type\":\"MODIFIED\"}\n"),
            5 => _ = feed.raw("%"),
            _ => never_end(feed.clone()),
        }
    }
}

/// Leaves a request or a stream open and silent.
fn never_end<T: Send + 'static>(held: T) {
    tokio::spawn(async move {
        sleep(secs(100_000)).await;
        drop(held);
    });
}

/// Runs one reflector through random faults; how often it listed anew.
async fn settles(seed: u64) -> u64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let server = Server {
        world: Arc::default(),
        random: Arc::new(Mutex::new(random.fork())),
        kind: watch::Sender::new(false),
        pages: Arc::default(),
    };
    let options = doubling()
        .streaming_list(random.bool())
        .page_size(random.u32(..4));
    let options = options.backoff(crate::reflector::ExponentialBackoff::default);
    let mut harness = Harness::start(options);
    let mut requests = std::mem::replace(
        &mut harness.server,
        tokio::sync::mpsc::unbounded_channel().1,
    );
    let answering = server.clone();
    tokio::spawn(async move {
        while let Some(exchange) = requests.recv().await {
            answering.answer(exchange);
        }
    });

    for _ in 0..150 {
        sleep(Duration::from_millis(random.u64(..30_000))).await;
        let mut world = server.world.lock().unwrap();
        for _ in 0..random.u8(..6) {
            world.change(&mut random);
        }
        if random.u8(..10) == 0 {
            world.floor = world.version;
        }
        drop(world);
        server.kind.send_replace(false);
    }
    server.kind.send_replace(true);
    // The longest that a reflector may take to notice: a silent watch, then a silent list.
    sleep(secs(2000)).await;

    let expected = server.world.lock().unwrap().shown();
    assert_eq!(harness.published().await, expected, "LARDER_SEED={seed}");
    let snapshot = harness.snapshot();
    assert!(
        snapshot.stale_since.is_none(),
        "LARDER_SEED={seed}: {snapshot:?}"
    );
    harness.cancel.cancel();
    harness.task.await.unwrap();
    snapshot.relists
}

#[tokio::test(start_paused = true)]
async fn c077_whatever_went_wrong_the_sink_equals_the_server_once_it_settles() {
    let seed = std::env::var("LARDER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seeds = match seed {
        Some(seed) => vec![seed],
        None => (0..60).map(|_| fastrand::u64(..)).collect(),
    };
    println!("LARDER_SEED is one of {seeds:?}");
    let mut relists = 0;
    for seed in &seeds {
        relists += settles(*seed).await;
    }
    assert!(
        relists >= seeds.len() as u64,
        "only {relists} relists: the faults were too few"
    );
}

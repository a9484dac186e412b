//! A program whose informer is told what a watch said, so that the instructions of updates can be counted alone.
//!
//! Callgrind counts within [`play`] and nowhere else: from an event's bytes to the handler that has heard of it, decode
//! included. There is no socket, as what it costs depends on how it cuts the bytes.

mod recorded;

use std::io::Read as _;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use clap::{Parser, ValueEnum};
use k8s_openapi::api::core::v1::Pod;
use larder::core::v1::{PodEventHandler, PodInformer, pod};
use larder::{Cache, Seen, field};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::recorded::Recorded;

/// The function within which is counted, as callgrind may find it.
pub(crate) const COUNTED: &str = "*larder_peers*updates*play*";

/// The program runs under valgrind.
const DEADLINE: Duration = Duration::from_secs(600);

/// What the program is started with. Its input is a line per event of the watch; an empty line separates what is there from
/// the updates.
#[derive(Debug, Parser)]
struct UpdatesArgs {
    indexes: Indexes,
}

/// Which indexes the informer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Indexes {
    None,
    /// By node.
    One,
    /// By node, label, owner, phase and image.
    Five,
    /// By node, ordered.
    Ordered,
    /// The one that serves label selectors.
    Labels,
}

/// Runs the program.
///
/// # Errors
///
/// If its input is not understood, or the informer does not sync, or does not hear of each update.
pub fn run() -> anyhow::Result<()> {
    let args = UpdatesArgs::parse();
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let (initial, updates) = input
        .split_once("\n\n")
        .context("no empty line follows what is there")?;
    let updates: Vec<Bytes> = lines(updates).collect();
    // One thread, so that two runs execute the same instructions.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (watch, events) = unbounded_channel();
    let server = Recorded::new(lines(initial).collect(), events);
    let (tell, mut heard) = unbounded_channel();
    let pods = runtime.block_on(synced(server, args.indexes, tell))?;
    let count = updates.len();
    play(&runtime, &watch, &mut heard, updates)?;
    ensure!(
        pods.health().decode_failures == 0,
        "an update was not understood"
    );
    println!("{count}");
    Ok(())
}

fn lines(text: &str) -> impl Iterator<Item = Bytes> {
    let lines = text.lines().map(|line| format!("{line}\n"));
    lines.map(Bytes::from)
}

async fn synced(
    server: Recorded,
    indexes: Indexes,
    tell: UnboundedSender<()>,
) -> anyhow::Result<PodInformer> {
    let cache = Cache::builder(server).build();
    let pods = cache.informer::<PodInformer>()?;
    let handler = pods.add_handler(Tell(tell))?;
    cache.start()?;
    cache.wait_for_cache_sync(DEADLINE).await?;
    handler.wait_for_sync(DEADLINE).await?;
    add(indexes, &pods)?;
    Ok(pods)
}

fn add(indexes: Indexes, pods: &PodInformer) -> anyhow::Result<()> {
    match indexes {
        Indexes::None => {}
        Indexes::One => drop(pods.add_index(field!(Pod, spec.nodeName))?),
        Indexes::Five => {
            pods.add_index(field!(Pod, spec.nodeName))?;
            pods.add_index(field!(Pod, metadata.labels["app.kubernetes.io/name"]))?;
            pods.add_index(field!(Pod, metadata.ownerReferences[].uid))?;
            pods.add_index(field!(Pod, status.phase))?;
            pods.add_index(field!(Pod, spec.containers[].image))?;
        }
        Indexes::Ordered => drop(pods.add_ordered_index(field!(Pod, spec.nodeName))?),
        // Made when it is first used.
        Indexes::Labels => drop(pods.indexer().by_labels(&"app".parse()?)?),
    }
    Ok(())
}

/// A handler that says that it has heard.
struct Tell(UnboundedSender<()>);

impl PodEventHandler for Tell {
    fn on_update(&self, _: &Seen<pod::Full>, _: &Seen<pod::Full>) {
        // Nobody listens any more where the program ends.
        let _ = self.0.send(());
    }
}

/// Each update once the one before was heard of.
#[inline(never)]
fn play(
    runtime: &Runtime,
    watch: &UnboundedSender<Bytes>,
    heard: &mut UnboundedReceiver<()>,
    updates: Vec<Bytes>,
) -> anyhow::Result<()> {
    runtime.block_on(async {
        for update in updates {
            watch.send(update).context("the informer does not watch")?;
            heard.recv().await.context("the handler is gone")?;
        }
        Ok(())
    })
}

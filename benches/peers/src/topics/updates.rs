//! Instructions of an update, by the number of indexes.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use larder_sim::fixtures::Fixtures;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::args::Args;
use crate::callgrind;
use crate::protocol::word;
use crate::table::{Table, none, number, ratio};
use crate::updates::{COUNTED, Indexes};

/// Updates whose mean is taken.
const UPDATES: usize = 500;
/// Pods of one node.
const ON_NODE: usize = 100;

/// What an update changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A value that no index reads.
    Other,
    /// Every value that an index reads.
    Keys,
}

/// Each row: the indexes, what and how many these are, and what changes.
const ROWS: [(Indexes, &str, u64, Change); 9] = [
    (Indexes::None, "none", 0, Change::Other),
    (Indexes::One, "one", 1, Change::Other),
    (Indexes::Five, "five", 5, Change::Other),
    (Indexes::Ordered, "one, ordered", 1, Change::Other),
    (Indexes::Labels, "labels", 1, Change::Other),
    (Indexes::One, "one", 1, Change::Keys),
    (Indexes::Five, "five", 5, Change::Keys),
    (Indexes::Ordered, "one, ordered", 1, Change::Keys),
    (Indexes::Labels, "labels", 1, Change::Keys),
];

pub(super) async fn measure(args: &Args, program: &Path) -> anyhow::Result<()> {
    if !callgrind::is_there().await {
        println!("\n## Instructions of an update\n\nskipped: no valgrind");
        return Ok(());
    }
    let pods = args.instruction_pods as usize;
    let mut table = Table::new(
        format!("Instructions of an update, one of {} pods", number(pods)),
        [
            "indexes",
            "the update changes",
            "instructions per update",
            "of that without indexes",
            "more per index",
        ],
    );
    let mut without = None;
    for (indexes, name, indexed, change) in ROWS {
        let input = recorded(pods, change);
        let count = count(args, program, indexes, change, &input).await?;
        let base = *without.get_or_insert(count);
        let more = count.saturating_sub(base).checked_div(indexed);
        table.row([
            name.to_owned(),
            match change {
                Change::Other => "no key".to_owned(),
                Change::Keys => "every key".to_owned(),
            },
            number(count),
            ratio(count as f64, base as f64),
            more.map_or_else(none, number),
        ]);
    }
    table.print();
    Ok(())
}

async fn count(
    args: &Args,
    program: &Path,
    indexes: Indexes,
    change: Change,
    input: &str,
) -> anyhow::Result<u64> {
    let mut counted = Command::new(program);
    counted.arg(word(&indexes));
    let profile = format!("updates.{}.{change:?}", word(&indexes)).to_lowercase();
    let counts = format!("--toggle-collect={COUNTED}");
    let mut command = callgrind::command(&counted, args, Some(&profile), &[&counts]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().context("the program cannot be started")?;
    let mut orders = child.stdin.take().context("the program has no input")?;
    // It says nothing before it has read everything.
    orders.write_all(input.as_bytes()).await?;
    drop(orders);
    let output = child.wait_with_output().await?;
    let played = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && played.trim() == UPDATES.to_string(),
        "the program played {played:?} updates: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(callgrind::collected(&output)? / UPDATES as u64)
}

/// What a watch says of these pods and then of updates.
fn recorded(pods: usize, change: Change) -> String {
    let fixtures = Fixtures::new(1).nodes(pods.div_ceil(ON_NODE));
    let mut pods: Vec<Value> = (0..pods).map(|i| fixtures.pod(i)).collect();
    let mut version = 0;
    let mut event = |kind: &str, pod: &mut Value| {
        version += 1;
        pod["metadata"]["resourceVersion"] = json!(version.to_string());
        json!({"type": kind, "object": pod}).to_string() + "\n"
    };
    let mut said: String = pods.iter_mut().map(|pod| event("ADDED", pod)).collect();
    said += &event(
        "BOOKMARK",
        &mut json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"annotations": {"k8s.io/initial-events-end": "true"}},
        }),
    );
    said.push('\n');
    let count = pods.len();
    for update in 0..UPDATES {
        // Neighbours in time are no neighbours in the store.
        let at = update * 7919 % count;
        let other = fixtures.pod((at + count / 2 + update) % count);
        let Some(pod) = pods.get_mut(at) else {
            continue;
        };
        pod["metadata"]["annotations"]["checksum/config"] = json!(format!("{update:064}"));
        if change == Change::Keys {
            take_keys(pod, &other, update);
        }
        said += &event("MODIFIED", pod);
    }
    said
}

/// Gives a pod another's values of all that is indexed.
fn take_keys(pod: &mut Value, other: &Value, update: usize) {
    pod["spec"]["nodeName"] = json!(format!("node-x{:03}", update % 10));
    pod["metadata"]["labels"] = other["metadata"]["labels"].clone();
    pod["metadata"]["ownerReferences"] = other["metadata"]["ownerReferences"].clone();
    pod["status"]["phase"] = json!("Failed");
    let images = other["spec"]["containers"].as_array().into_iter().flatten();
    let containers = pod["spec"]["containers"].as_array_mut();
    for (container, from) in containers.into_iter().flatten().zip(images) {
        container["image"] = from["image"].clone();
    }
}

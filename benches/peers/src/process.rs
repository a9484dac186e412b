//! A child process and the talk with it.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::protocol::{Listing, Order, Peer, Report, word};

/// How long a child may take to answer; valgrind slows it down 50 times.
const DEADLINE: Duration = Duration::from_secs(1800);

/// A running child. It is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    /// What it reported before it did anything.
    pub(crate) at_start: Report,
}

/// The command line of a child.
pub(crate) fn command(program: &Path, peer: Peer, listing: Listing, url: &str) -> Command {
    let mut command = Command::new(program);
    command.args([word(&peer), word(&listing), url.to_owned()]);
    command
}

impl Process {
    /// Starts a command line that ends in a child's. With `captured`, what it writes to its standard error is kept.
    pub(crate) async fn start(mut command: Command, captured: bool) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.kill_on_drop(true);
        if captured {
            command.stderr(Stdio::piped());
        }
        let mut child = command.spawn().context("the child cannot be started")?;
        let orders = child.stdin.take().context("the child has no input")?;
        let answers = child.stdout.take().context("the child has no output")?;
        let mut process = Self {
            child,
            orders,
            answers: BufReader::new(answers).lines(),
            at_start: Report::default(),
        };
        process.at_start = process.answer().await?;
        Ok(process)
    }

    /// Lets the child do something and returns its report.
    pub(crate) async fn order(&mut self, order: Order) -> anyhow::Result<Report> {
        self.ask(order).await
    }

    /// Lets the child do something and returns what it says.
    pub(crate) async fn ask<T: DeserializeOwned>(&mut self, order: Order) -> anyhow::Result<T> {
        let line = word(&order) + "\n";
        self.orders.write_all(line.as_bytes()).await?;
        let answer = self.answer().await;
        answer.with_context(|| format!("the child failed at {:?}", word(&order)))
    }

    async fn answer<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let line = timeout(DEADLINE, self.answers.next_line()).await;
        let line = line.context("the child does not answer")??;
        let line = line.context("the child has ended")?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Ends the child, and returns what was captured.
    pub(crate) async fn end(self) -> anyhow::Result<Output> {
        let Self { child, orders, .. } = self;
        drop(orders);
        let output = timeout(DEADLINE, child.wait_with_output()).await;
        let output = output.context("the child does not end")??;
        ensure!(
            output.status.success(),
            "the child ended with {}",
            output.status
        );
        Ok(output)
    }
}

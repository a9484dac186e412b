//! Instructions, as valgrind's tool callgrind counts them.

use std::process::{Output, Stdio};

use anyhow::Context as _;
use tokio::process::Command;

use crate::args::Args;

/// Whether there is a valgrind.
pub(crate) async fn is_there() -> bool {
    let mut command = Command::new("valgrind");
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().await.is_ok_and(|status| status.success())
}

/// The command line that counts another's instructions. A profile that is named is kept where the bench was told to keep them.
pub(crate) fn command(
    counted: &Command,
    args: &Args,
    profile: Option<&str>,
    options: &[&str],
) -> Command {
    let file = match (&args.profiles, profile) {
        (Some(folder), Some(name)) => {
            let file = folder.join(format!("callgrind.{name}"));
            file.display().to_string()
        }
        _ => "/dev/null".to_owned(),
    };
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", &format!("--callgrind-out-file={file}")]);
    command
        .args(options)
        .arg(counted.as_std().get_program())
        .args(counted.as_std().get_args());
    command
}

/// The count in callgrind's last words: `==123== Collected : 4567`.
pub(crate) fn collected(output: &Output) -> anyhow::Result<u64> {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut counts = text
        .lines()
        .filter_map(|line| line.split_once("Collected :"));
    let count = counts.next_back().map(|(_, count)| count.trim().parse());
    let count = count.with_context(|| format!("callgrind tells no count: {text}"))?;
    Ok(count?)
}

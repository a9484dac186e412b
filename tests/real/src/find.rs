//! Finds or builds the program, by the script beside its sources.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::Error;

/// A cold build takes minutes, and may have to wait for another one.
const BUILD_LIMIT: Duration = Duration::from_secs(45 * 60);
/// The script's exit code for "no server here: skip".
const SKIP: i32 = 3;

/// The path of the program, or `None` after having said on standard error that the test is skipped.
pub(crate) async fn find() -> Result<Option<PathBuf>, Error> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apiserver/find.sh");
    let running = Command::new("bash")
        .arg(script)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let running = match running {
        Ok(running) => running,
        // No bash: a system on which the server cannot be built.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return skip("there is no bash to run find.sh");
        }
        Err(error) => return Err(Error::io("running find.sh")(error)),
    };
    let output = tokio::time::timeout(BUILD_LIMIT, running.wait_with_output()).await;
    let output = output
        .map_err(|_| Error::Deadline {
            what: "the build".to_owned(),
            limit: BUILD_LIMIT,
        })?
        .map_err(Error::io("reading the answer of find.sh"))?;
    if output.status.code() == Some(SKIP) {
        return skip("see the message of find.sh above");
    }
    if !output.status.success() {
        return Err(Error::Build {
            status: output.status,
        });
    }
    let path = String::from_utf8_lossy(&output.stdout);
    Ok(Some(PathBuf::from(path.trim_end_matches('\n'))))
}

fn skip(reason: &str) -> Result<Option<PathBuf>, Error> {
    if std::env::var_os("LARDER_APISERVER_REQUIRED").is_some() {
        return Err(Error::Required);
    }
    // Not `eprintln!`: the test harness would swallow it, as the test passes.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: the real API server is not available ({reason})"
    );
    Ok(None)
}

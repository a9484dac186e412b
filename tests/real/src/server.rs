//! The running program and its line protocol, which `tests/apiserver/README.md` describes.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

use crate::{Error, client, find};

// Each a little over what the program allows itself, so that its own, more telling error comes first.
const START_LIMIT: Duration = Duration::from_secs(160);
const RESTART_LIMIT: Duration = Duration::from_secs(130);
const STOP_LIMIT: Duration = Duration::from_secs(40);
const COMPACT_LIMIT: Duration = Duration::from_secs(70);
const END_LIMIT: Duration = Duration::from_secs(30);

/// A real etcd and kube-apiserver of this test's own.
///
/// Costs about 3 s to start and 300 MB while it lives. Dropping it ends the processes and removes their data, and blocks for that,
/// usually for a fraction of a second.
#[derive(Debug)]
pub struct RealServer {
    kubeconfig: PathBuf,
    dialogue: Mutex<Dialogue>,
    child: Child,
}

/// The pipes; behind a lock so that answers stay with their commands.
#[derive(Debug)]
struct Dialogue {
    /// `None` once an answer was missed: a later one could not be attributed.
    pipes: Option<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
}

impl RealServer {
    /// Starts a server; `None`, with a line `skipped: …` on standard error, where it is not available.
    ///
    /// # Errors
    ///
    /// When the program is there but its build or its start fails, or takes too long.
    pub async fn start() -> Result<Option<RealServer>, Error> {
        RealServer::start_with(&[]).await
    }

    /// As [`RealServer::start`], with further flags for kube-apiserver such as `--feature-gates=WatchList=false`.
    ///
    /// # Errors
    ///
    /// As [`RealServer::start`]; also when kube-apiserver does not know a flag.
    pub async fn start_with(flags: &[&str]) -> Result<Option<RealServer>, Error> {
        let Some(program) = find::find().await? else {
            return Ok(None);
        };
        let mut child = Command::new(program)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Error::io("running the test API server"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let mut server = RealServer {
            kubeconfig: PathBuf::new(),
            dialogue: Mutex::new(Dialogue {
                pipes: pipes.map(|(input, output)| (input, BufReader::new(output).lines())),
            }),
            child,
        };
        let answer = server
            .dialogue
            .get_mut()
            .exchange("start", None, START_LIMIT)
            .await?;
        let Some(path) = answer.strip_prefix("ready ") else {
            return Err(Error::Refused {
                what: "start".to_owned(),
                answer,
            });
        };
        server.kubeconfig = PathBuf::from(path);
        Ok(Some(server))
    }

    /// The kubeconfig of `admin`, a member of `system:masters`: it may do everything, whatever RBAC says.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The kubeconfig of the user `tester`, who may do only what role bindings give.
    pub fn restricted_kubeconfig(&self) -> PathBuf {
        self.kubeconfig.with_file_name("tester.kubeconfig")
    }

    /// A client that may do everything. kube's retries are off: they would hide answers such as 429 and 504.
    ///
    /// # Errors
    ///
    /// When the kubeconfig cannot be read or used, which is this program's fault and not the test's.
    pub async fn client(&self) -> Result<kube::Client, Error> {
        client::from_kubeconfig(self.kubeconfig()).await
    }

    /// A client of the user `tester`, see [`RealServer::restricted_kubeconfig`].
    ///
    /// # Errors
    ///
    /// As [`RealServer::client`].
    pub async fn restricted_client(&self) -> Result<kube::Client, Error> {
        client::from_kubeconfig(&self.restricted_kubeconfig()).await
    }

    /// A client without credentials: the user `system:anonymous`, or whoever a request's own `Authorization` says.
    ///
    /// # Errors
    ///
    /// As [`RealServer::client`].
    pub async fn anonymous_client(&self) -> Result<kube::Client, Error> {
        client::without_credentials(self.kubeconfig()).await
    }

    /// Compacts etcd beyond every version handed out so far, and returns the revision. The watch cache still answers watches from
    /// before; they get 410 once the API server was restarted.
    ///
    /// # Errors
    ///
    /// When the program refuses, fails, is gone or misses its deadline. The same goes for the other commands.
    pub async fn compact(&self) -> Result<u64, Error> {
        let detail = self.command("compact", COMPACT_LIMIT).await?;
        detail.parse().map_err(|_| Error::Refused {
            what: "compact".to_owned(),
            answer: detail,
        })
    }

    /// Stops the API server and starts it again, with the same data, address and certificates.
    ///
    /// The watch cache of the new server begins at the present: a watch from before may be answered by 410 even without a compaction,
    /// if anything at all was written in the meantime (the server itself renews a lease every 10 s).
    ///
    /// # Errors
    ///
    /// As [`RealServer::compact`].
    pub async fn restart(&self) -> Result<(), Error> {
        self.command("restart", RESTART_LIMIT).await.map(drop)
    }

    /// Stops the API server in good order: watches end, and connections are refused from then on.
    ///
    /// # Errors
    ///
    /// As [`RealServer::compact`]; also when it is stopped already.
    pub async fn stop_apiserver(&self) -> Result<(), Error> {
        self.command("stop-apiserver", STOP_LIMIT).await.map(drop)
    }

    /// Kills the API server: connections are cut wherever they are, in the middle of an object too.
    ///
    /// # Errors
    ///
    /// As [`RealServer::compact`]; also when it is stopped already.
    pub async fn kill_apiserver(&self) -> Result<(), Error> {
        self.command("kill-apiserver", STOP_LIMIT).await.map(drop)
    }

    /// Starts a stopped API server and waits until it is ready.
    ///
    /// # Errors
    ///
    /// As [`RealServer::compact`]; also when it runs already.
    pub async fn start_apiserver(&self) -> Result<(), Error> {
        self.command("start-apiserver", RESTART_LIMIT)
            .await
            .map(drop)
    }

    /// Sends one command and returns what its answer says after `ok COMMAND`.
    async fn command(&self, command: &str, limit: Duration) -> Result<String, Error> {
        let mut dialogue = self.dialogue.lock().await;
        let answer = dialogue.exchange(command, Some(command), limit).await?;
        match answer
            .strip_prefix("ok ")
            .and_then(|rest| rest.strip_prefix(command))
        {
            Some(detail) => Ok(detail.trim().to_owned()),
            None => Err(Error::Refused {
                what: command.to_owned(),
                answer,
            }),
        }
    }

    /// Ends the processes, removes their data and waits for that.
    ///
    /// # Errors
    ///
    /// When the program does not end in time (it is killed then).
    pub async fn shutdown(mut self) -> Result<(), Error> {
        self.dialogue.get_mut().pipes = None;
        let ended = tokio::time::timeout(END_LIMIT, self.child.wait()).await;
        ended
            .map_err(|_| Error::Deadline {
                what: "the end".to_owned(),
                limit: END_LIMIT,
            })?
            .map_err(Error::io("waiting for the test API server's end"))
            .map(drop)
    }
}

impl Dialogue {
    /// Sends a command, if there is one, and returns the next line. The pipes are put back only after it came, so that a caller
    /// who gives up leaves no answer behind that the next one would take for its own.
    async fn exchange(
        &mut self,
        what: &str,
        command: Option<&str>,
        limit: Duration,
    ) -> Result<String, Error> {
        let gone = || Error::Gone {
            what: what.to_owned(),
        };
        let (mut input, mut output) = self.pipes.take().ok_or_else(gone)?;
        if let Some(command) = command {
            let line = format!("{command}\n");
            input
                .write_all(line.as_bytes())
                .await
                .map_err(Error::io("commanding the test API server"))?;
        }
        let line = tokio::time::timeout(limit, output.next_line())
            .await
            .map_err(|_| Error::Deadline {
                what: format!("the answer to {what}"),
                limit,
            })?
            .map_err(Error::io("reading the answer of the test API server"))?
            .ok_or_else(gone)?;
        self.pipes = Some((input, output));
        Ok(line)
    }
}

impl Drop for RealServer {
    /// Closes the program's input, by which it cleans up and ends, and reaps it.
    fn drop(&mut self) {
        self.dialogue.get_mut().pipes = None;
        let deadline = Instant::now() + END_LIMIT;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > deadline {
                let _ = self.child.start_kill();
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

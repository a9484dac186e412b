//! The user's program while it runs, and what it prints.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An absent kind is looked for every 30 seconds; a machine under load may take its time.
const LIMIT: Duration = Duration::from_secs(120);

pub(crate) struct Program {
    child: Child,
    lines: UnboundedReceiver<Line>,
    /// Printed, and not asked for yet.
    told: Vec<String>,
    errors: Vec<String>,
}

enum Line {
    Out(String),
    Error(String),
}

impl Program {
    pub(crate) fn start(program: &Path, kubeconfig: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .env("KUBECONFIG", kubeconfig)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program runs");
        let (sender, lines) = unbounded_channel();
        let out = child.stdout.take().expect("a pipe");
        let error = child.stderr.take().expect("a pipe");
        tokio::spawn(read(out, Line::Out, sender.clone()));
        tokio::spawn(read(error, Line::Error, sender));
        Self {
            child,
            lines,
            told: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Waits until it printed these lines, in whatever order; each is then done with.
    pub(crate) async fn says(&mut self, expected: &[&str]) {
        for text in expected {
            self.until(text, |program| {
                let at = program.told.iter().position(|line| line == text);
                at.map(|at| program.told.remove(at))
            })
            .await;
        }
    }

    /// Of what it complained of so far, nobody will ask.
    pub(crate) fn forget_errors(&mut self) {
        while let Ok(line) = self.lines.try_recv() {
            self.hear(line);
        }
        self.errors.clear();
    }

    /// Waits until an error of it holds all these parts.
    pub(crate) async fn complains(&mut self, parts: &[&str]) {
        self.until(&format!("an error with {parts:?}"), |program| {
            let mut errors = program.errors.iter();
            errors
                .find(|line| parts.iter().all(|part| line.contains(part)))
                .cloned()
        })
        .await;
    }

    /// Ends it by a signal, as a terminal or Kubernetes does. It printed nothing but what was asked for.
    pub(crate) async fn end(mut self, signal: &str) {
        let id = self.child.id().expect("it runs").to_string();
        // The shell's own `kill`, as there is a shell wherever the server is.
        let kill = ["-c", "kill -s \"$0\" \"$1\"", signal, &id];
        let killed = Command::new("bash").args(kill).status().await;
        assert!(killed.expect("there is bash").success());
        self.says(&["ended"]).await;
        let ended = tokio::time::timeout(LIMIT, self.child.wait()).await;
        let status = ended
            .expect("it ends after its last line")
            .expect("it can be waited for");
        assert!(status.success(), "{status}: {:#?}", self.errors);
        while let Some(line) = self.lines.recv().await {
            self.hear(line);
        }
        assert_eq!(self.told, [""; 0], "it printed this as well");
    }

    async fn until(&mut self, what: &str, mut found: impl FnMut(&mut Self) -> Option<String>) {
        let deadline = tokio::time::Instant::now() + LIMIT;
        while found(self).is_none() {
            let ended: Option<Option<ExitStatus>> =
                match tokio::time::timeout_at(deadline, self.lines.recv()).await {
                    Ok(Some(line)) => {
                        self.hear(line);
                        continue;
                    }
                    Ok(None) => Some(self.child.try_wait().ok().flatten()),
                    Err(_) => None,
                };
            panic!(
                "{what:?} did not come, {}; it printed {:#?} and complained of {:#?}",
                match ended {
                    Some(status) => format!("the program is gone ({status:?})"),
                    None => format!("waited {LIMIT:?}"),
                },
                self.told,
                self.errors
            );
        }
    }

    fn hear(&mut self, line: Line) {
        match line {
            Line::Out(text) => self.told.push(text),
            Line::Error(text) => self.errors.push(text),
        }
    }
}

async fn read(from: impl AsyncRead + Unpin, line: fn(String) -> Line, to: UnboundedSender<Line>) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(text)) = lines.next_line().await {
        if to.send(line(text)).is_err() {
            return;
        }
    }
}

//! Plays a case and writes its transcript.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::normal::{Normal, fill, fill_path, fill_value};
use super::stream::{Next, Watch};
use super::{Case, Error, Saved, Step, Subject};

/// For one answer: the slowest that is right comes after 3 s.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
const UNTIL_LIMIT: Duration = Duration::from_secs(20);
const UNTIL_PAUSE: Duration = Duration::from_millis(50);
/// Headers that tell the client something about list and watch. Others (dates, request ids, flow control) are the server's affair.
const HEADERS: &[&str] = &[
    "content-type",
    "content-encoding",
    "retry-after",
    "warning",
    "allow",
];
const BIG: usize = 200_000;

/// Plays a case against a server. What the server answers, and that it does not answer, is all in the transcript.
///
/// # Errors
///
/// When the table itself is wrong, or the server cannot be controlled as a step demands.
pub async fn run(subject: &impl Subject, case: &Case) -> Result<String, Error> {
    let saved = Saved::from([
        ("ns".to_owned(), format!("parity-{}", case.name)),
        ("big".to_owned(), "0123456789".repeat(BIG / 10)),
    ]);
    let mut player = Player {
        subject,
        case,
        saved,
        watches: BTreeMap::new(),
        transcript: String::new(),
    };
    player
        .make_namespace()
        .await
        .map_err(|problem| failed(0, "the namespace of the case", problem))?;
    for (index, step) in case.steps.iter().enumerate() {
        let _ = write!(
            player.transcript,
            "{}### {}. {}\n\n",
            if index > 0 { "\n" } else { "" },
            index + 1,
            step.about
        );
        player
            .step(step)
            .await
            .map_err(|problem| failed(index + 1, &step.about, problem))?;
    }
    Ok(player.transcript)
}

fn failed(step: usize, about: &str, problem: String) -> Error {
    Error::Step {
        step,
        about: about.to_owned(),
        problem,
    }
}

struct Player<'a, S> {
    subject: &'a S,
    case: &'a Case,
    saved: Saved,
    watches: BTreeMap<String, Watch>,
    transcript: String,
}

/// An answer whose body has been read.
struct Answer {
    status: u16,
    head: String,
    compressed: bool,
    body: Vec<u8>,
}

impl<S: Subject> Player<'_, S> {
    async fn make_namespace(&mut self) -> Result<(), String> {
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}"}});
        let step = Step {
            body: Some(body),
            ..Step::default()
        };
        let answer = self.exchange(&step, "POST /api/v1/namespaces").await?;
        match answer.status {
            201 | 409 => Ok(()),
            status => Err(format!("HTTP {status}")),
        }
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        if let Some(line) = &step.send {
            return self.send(step, line).await;
        }
        if let Some(line) = &step.open {
            return self.open(step, line).await;
        }
        if let Some(watch) = &step.read {
            return self.read(step, watch).await;
        }
        if let Some(action) = &step.control {
            self.note(&format!("({action})"));
            return self.subject.control(action).await;
        }
        let pause = step
            .pause_ms
            .ok_or("a step is one of send, open, read, control and pause_ms")?;
        self.note("(pause)");
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok(())
    }

    fn note(&mut self, line: &str) {
        self.transcript.push_str(line);
        self.transcript.push('\n');
    }

    async fn send(&mut self, step: &Step, line: &str) -> Result<(), String> {
        self.note_request(step, line);
        let deadline = Instant::now() + UNTIL_LIMIT;
        let answer = loop {
            let answer = self.exchange(step, line).await;
            let reached = step
                .until
                .is_none_or(|status| answer.as_ref().is_ok_and(|answer| answer.status == status));
            if reached || Instant::now() > deadline {
                break answer;
            }
            tokio::time::sleep(UNTIL_PAUSE).await;
        };
        match answer {
            Ok(answer) => self.note_answer(step, &answer),
            Err(problem) => self.note(&format!("\nNO ANSWER: {problem}")),
        }
        Ok(())
    }

    async fn open(&mut self, step: &Step, line: &str) -> Result<(), String> {
        self.note_request(step, line);
        match self.request(step, line).await {
            Ok(response) if response.status() == 200 => {
                let (head, compressed) = self.head(&response);
                self.note(&format!("\n{}", head.trim_end()));
                self.watches.insert(
                    step.watch.clone(),
                    Watch::new(response.into_body(), compressed),
                );
            }
            Ok(response) => match self.collect(response).await {
                Ok(answer) => self.note_answer(step, &answer),
                Err(problem) => self.note(&format!("\nNO ANSWER: {problem}")),
            },
            Err(problem) => self.note(&format!("\nNO ANSWER: {problem}")),
        }
        Ok(())
    }

    async fn read(&mut self, step: &Step, name: &str) -> Result<(), String> {
        let Some(mut watch) = self.watches.remove(name) else {
            self.note("(the watch was not opened)");
            return Ok(());
        };
        watch.pass_bookmarks = !step.bookmarks;
        let mut seen = Vec::new();
        let mut going_on = true;
        for _ in 0..step.count {
            going_on = going_on
                && self
                    .read_one(step, &mut watch, ANSWER_LIMIT, &mut seen)
                    .await;
        }
        if step.end && going_on {
            going_on = self
                .read_one(step, &mut watch, ANSWER_LIMIT, &mut seen)
                .await;
        }
        if step.quiet_ms > 0 && going_on {
            self.read_one(
                step,
                &mut watch,
                Duration::from_millis(step.quiet_ms),
                &mut seen,
            )
            .await;
        }
        self.save(step, &Value::Array(seen));
        self.watches.insert(name.to_owned(), watch);
        Ok(())
    }

    /// Notes the next event; whether another may follow.
    async fn read_one(
        &mut self,
        step: &Step,
        watch: &mut Watch,
        limit: Duration,
        seen: &mut Vec<Value>,
    ) -> bool {
        let (shown, going_on) = match watch.next(limit).await {
            Next::Event(event) => {
                let shown = self.normal(step).json(&event);
                seen.push(event);
                (shown, true)
            }
            Next::Compressed => ("(compressed bytes)".to_owned(), true),
            Next::NoJson(line) => (format!("(no JSON) {line}"), true),
            Next::End => ("(end of the watch)".to_owned(), false),
            Next::Broken(error) => (format!("(broken watch) {error}"), false),
            Next::Nothing => ("(nothing)".to_owned(), false),
        };
        self.note(&shown);
        going_on
    }

    fn normal<'a>(&'a self, step: &'a Step) -> Normal<'a> {
        let drop = self
            .case
            .drop
            .iter()
            .chain(&step.drop)
            .map(String::as_str)
            .collect();
        Normal {
            saved: &self.saved,
            drop,
            only: &step.only,
        }
    }

    /// The request as the table has it, not as it is sent: the names of saved values say more than the values.
    fn note_request(&mut self, step: &Step, line: &str) {
        self.note(line);
        if !step.user.is_empty() {
            self.note(&format!("user: {}", step.user));
        }
        for (name, value) in &step.headers {
            self.note(&format!("{name}: {value}"));
        }
        if let Some(body) = &step.body {
            self.note(&body.to_string());
        }
        if let Some(raw) = &step.raw {
            self.note(raw);
        }
    }

    fn note_answer(&mut self, step: &Step, answer: &Answer) {
        self.note(&format!("\n{}", answer.head.trim_end()));
        let shown = if answer.compressed {
            "(compressed bytes)".to_owned()
        } else if let Ok(body) = serde_json::from_slice::<Value>(&answer.body) {
            self.save(step, &body);
            self.normal(step).json(&body)
        } else {
            self.normal(step)
                .message(String::from_utf8_lossy(&answer.body).trim_end())
        };
        if !step.head_only {
            self.note(&shown);
        }
    }

    fn save(&mut self, step: &Step, value: &Value) {
        for (name, pointer) in &step.save {
            if let Some(found) = value.pointer(pointer).and_then(Value::as_str) {
                self.saved.insert(name.clone(), found.to_owned());
            }
        }
    }

    fn head(&self, response: &Response<Body>) -> (String, bool) {
        let mut head = format!("HTTP {}\n", response.status().as_u16());
        for name in HEADERS {
            for value in response.headers().get_all(*name) {
                let _ = writeln!(
                    head,
                    "{name}: {}",
                    String::from_utf8_lossy(value.as_bytes())
                );
            }
        }
        (head, response.headers().contains_key("content-encoding"))
    }

    async fn exchange(&self, step: &Step, line: &str) -> Result<Answer, String> {
        let response = self.request(step, line).await?;
        self.collect(response).await
    }

    async fn collect(&self, response: Response<Body>) -> Result<Answer, String> {
        let status = response.status().as_u16();
        let (head, compressed) = self.head(&response);
        let body = tokio::time::timeout(ANSWER_LIMIT, response.into_body().collect()).await;
        let body =
            body.map_err(|_| format!("no end of the body within {ANSWER_LIMIT:?} after {head}"))?;
        let body = body.map_err(|error| error.to_string())?.to_bytes().to_vec();
        Ok(Answer {
            status,
            head,
            compressed,
            body,
        })
    }

    /// Sends a request and waits for the head of its answer.
    async fn request(&self, step: &Step, line: &str) -> Result<Response<Body>, String> {
        let user = if step.user.is_empty() {
            "admin"
        } else {
            &step.user
        };
        let client = self
            .subject
            .client(user)
            .ok_or_else(|| format!("the server has no user {user}"))?;
        let (method, path) = line
            .split_once(' ')
            .ok_or("a request line is METHOD /path")?;
        let mut request = Request::builder()
            .method(method)
            .uri(fill_path(path, &self.saved));
        for (name, value) in &step.headers {
            request = request.header(name, fill(value, &self.saved));
        }
        let has_type = step
            .headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"));
        let body = match (&step.body, &step.raw) {
            (Some(body), _) => fill_value(body, &self.saved).to_string(),
            (None, Some(raw)) => fill(raw, &self.saved),
            (None, None) => String::new(),
        };
        if !body.is_empty() && !has_type {
            request = request.header("content-type", "application/json");
        }
        let request = request
            .body(Body::from(body.into_bytes()))
            .map_err(|error| error.to_string())?;
        let answer = tokio::time::timeout(ANSWER_LIMIT, client.send(request)).await;
        answer
            .map_err(|_| format!("no headers within {ANSWER_LIMIT:?}"))?
            .map_err(|error| error.to_string())
    }
}

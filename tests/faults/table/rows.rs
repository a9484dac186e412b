//! What goes wrong: the rows of the table.

use larder_sim::Sim;
use serde_json::{Value, json};

use super::states::State;
use super::wire::{End, Reply};

/// A row in one state: what comes, in words, and as an answer.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) reply: Reply,
}

/// Every row of a state.
pub(crate) fn of(state: State, sim: &Sim) -> Vec<Row> {
    let mut rows = Vec::new();
    if state != State::MidWatch {
        rows.extend(heads());
    }
    if state != State::WatchStart {
        rows.extend(bodies(state, sim));
    }
    rows
}

fn row(what: impl Into<String>, reply: Reply) -> Row {
    let what = what.into();
    Row { what, reply }
}

/// A word that would be seen if a body were quoted.
pub(crate) const SECRET: &str = "hunter2";

fn status(code: u16, reason: &str, more: &Value) -> String {
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "the message", "reason": reason, "code": code,
    });
    if !more.is_null() {
        status["details"] = more.clone();
    }
    status.to_string()
}

fn too_large() -> Value {
    json!({"retryAfterSeconds": 1, "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]})
}

/// Answers whose body is of no use, and no answer.
pub(crate) fn heads() -> Vec<Row> {
    let json = ("content-type", "application/json");
    let html = ("content-type", "text/html");
    let page = format!("<html><body>Please log in, {SECRET}</body></html>");
    let answer =
        |code: u16, headers: &[(&'static str, &'static str)], body: String| Reply::Answer {
            code,
            headers: headers.to_vec(),
            body,
            end: End::Clean,
        };
    let of = |code: u16, reason: &str| answer(code, &[json], status(code, reason, &Value::Null));
    let told = ("retry-after", "9");
    let told_by =
        |code: u16, reason: &str| answer(code, &[json, told], status(code, reason, &Value::Null));
    vec![
        row("connection refused", Reply::Refuse),
        row("never a response's head", Reply::Never),
        row("200, an HTML page", answer(200, &[html], page.clone())),
        row(
            "200, an HTML page that calls itself JSON",
            answer(200, &[json], page.clone()),
        ),
        row(
            "200, a Status",
            answer(200, &[json], status(500, "InternalError", &Value::Null)),
        ),
        row(
            "200, JSON that is no object",
            answer(200, &[json], format!("[\"{SECRET}\"]")),
        ),
        row("200, an empty object", answer(200, &[json], "{}".into())),
        row("200, an empty body", answer(200, &[json], String::new())),
        row(
            "200, protobuf",
            answer(
                200,
                &[("content-type", "application/vnd.kubernetes.protobuf")],
                "k8s\0".into(),
            ),
        ),
        row(
            "200, compressed",
            answer(200, &[json, ("content-encoding", "gzip")], SECRET.into()),
        ),
        row("204", answer(204, &[], String::new())),
        row(
            "301 to elsewhere",
            answer(
                301,
                &[("location", "https://elsewhere.invalid/")],
                page.clone(),
            ),
        ),
        row(
            "302 to a login page",
            answer(
                302,
                &[("location", "https://login.invalid/"), html],
                page.clone(),
            ),
        ),
        row("400", of(400, "BadRequest")),
        row("401", of(401, "Unauthorized")),
        row("403", of(403, "Forbidden")),
        row("403, an HTML page", answer(403, &[html], page.clone())),
        row("404", of(404, "NotFound")),
        row(
            "404 in plain text",
            answer(404, &[], "404 page not found\n".into()),
        ),
        row("405", of(405, "MethodNotAllowed")),
        row("406", of(406, "NotAcceptable")),
        row("409", of(409, "Conflict")),
        row("410", of(410, "Expired")),
        row("410 in plain text", answer(410, &[], SECRET.into())),
        row("413", of(413, "RequestEntityTooLarge")),
        row("415", of(415, "UnsupportedMediaType")),
        row("422", of(422, "Invalid")),
        row("429", of(429, "TooManyRequests")),
        row("429, Retry-After: 9", told_by(429, "TooManyRequests")),
        row("500", of(500, "InternalError")),
        row("500, Retry-After: 9", told_by(500, "InternalError")),
        row("502, an HTML page", answer(502, &[html], page.clone())),
        row("503", of(503, "ServiceUnavailable")),
        row("503, Retry-After: 9", told_by(503, "ServiceUnavailable")),
        row("504", of(504, "Timeout")),
        row("504, an HTML page", answer(504, &[html], page)),
        row(
            "504, version too large",
            answer(504, &[json], status(504, "Timeout", &too_large())),
        ),
    ]
}

/// The parts of a good answer in a state, into which damage is put.
struct Good {
    state: State,
    head: String,
    first: String,
    victim: Value,
    rest: String,
    tail: String,
}

impl Good {
    fn new(state: State, sim: &Sim) -> Self {
        let mut pods = sim.list("pods").expect("the simulator lists");
        pods.sort_by_key(|pod| pod["metadata"]["name"].to_string());
        let version = sim.current_version();
        let event = |sort: &str, pod: &Value| format!("{}\n", json!({"type": sort, "object": pod}));
        match state {
            State::StreamingList | State::MidWatch | State::WatchStart => {
                let sort = if state == State::StreamingList {
                    "ADDED"
                } else {
                    "MODIFIED"
                };
                let end = json!({"type": "BOOKMARK", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
                    "resourceVersion": version.to_string(), "annotations": {"k8s.io/initial-events-end": "true"}}}});
                let others: Vec<String> = pods[1..].iter().map(|pod| event(sort, pod)).collect();
                let streams = state == State::StreamingList;
                // Of a watch: one event after the damage.
                let rest = if streams {
                    others.concat()
                } else {
                    others[0].clone()
                };
                Self {
                    state,
                    head: String::new(),
                    first: if streams {
                        event(sort, &pods[4])
                    } else {
                        String::new()
                    },
                    victim: pods[0].clone(),
                    rest,
                    tail: if streams {
                        format!("{end}\n")
                    } else {
                        String::new()
                    },
                }
            }
            _ => {
                // A later page holds what the first one of two did not.
                let from = if state == State::LaterPage { 2 } else { 0 };
                let rest: Vec<String> = pods[from + 1..]
                    .iter()
                    .map(|pod| format!(",{pod}"))
                    .collect();
                Self {
                    state,
                    head: format!(
                        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":["#
                    ),
                    first: String::new(),
                    victim: pods[from].clone(),
                    rest: rest.concat(),
                    tail: "]}".into(),
                }
            }
        }
    }

    fn is_list(&self) -> bool {
        matches!(
            self.state,
            State::FirstPage | State::LaterPage | State::Relist
        )
    }

    /// The object in the form in which it comes.
    fn wrapped(&self, object: &str) -> String {
        match self.state {
            _ if self.is_list() => object.to_owned(),
            State::StreamingList => format!("{{\"type\":\"ADDED\",\"object\":{object}}}\n"),
            _ => format!("{{\"type\":\"MODIFIED\",\"object\":{object}}}\n"),
        }
    }

    /// Everything, with this text in place of one object or event.
    fn with(&self, damage: &str) -> String {
        let Self {
            head,
            first,
            rest,
            tail,
            ..
        } = self;
        format!("{head}{first}{damage}{rest}{tail}")
    }

    /// Up to the end of one whole object, and this.
    fn until(&self, more: &str) -> String {
        format!(
            "{}{}{}{more}",
            self.head,
            self.first,
            self.wrapped(&self.victim.to_string())
        )
    }

    /// How a body ends that is not cut: a list at its end, a stream not at all.
    fn open(&self) -> End {
        if self.is_list() {
            End::Clean
        } else {
            End::Silence
        }
    }
}

fn bodies(state: State, sim: &Sim) -> Vec<Row> {
    let good = Good::new(state, sim);
    let victim = good.victim.to_string();
    let half = &victim[..victim.len() / 2];
    let half = good.wrapped(half);
    let half = half.trim_end_matches(['}', '\n']);
    let comma = if good.is_list() { "," } else { "" };
    let begun = format!("{comma}{half}");
    let mut rows = vec![
        row("the body ends at once", Reply::body("", End::Clean)),
        row(
            "the body ends between objects",
            Reply::body(good.until(""), End::Clean),
        ),
        row(
            "the body ends within an object",
            Reply::body(good.until(&begun), End::Clean),
        ),
        row("the connection breaks at once", Reply::body("", End::Cut)),
        row(
            "the connection breaks between objects",
            Reply::body(good.until(""), End::Cut),
        ),
        row(
            "the connection breaks within an object",
            Reply::body(good.until(&begun), End::Cut),
        ),
        row("silence from the start", Reply::body("", End::Silence)),
        row(
            "silence between objects (a dead socket too)",
            Reply::body(good.until(""), End::Silence),
        ),
        row(
            "silence within an object",
            Reply::body(good.until(&begun), End::Silence),
        ),
    ];
    let mut damaged = |what: &str, damage: &str| {
        rows.push(row(what, Reply::body(good.with(damage), good.open())));
    };
    let object = |change: &dyn Fn(&mut Value)| {
        let mut object = good.victim.clone();
        change(&mut object);
        good.wrapped(&object.to_string())
    };
    damaged("no JSON where an object should be", &format!("<{SECRET}>"));
    damaged(
        "an object with a syntax error",
        &good.wrapped(&victim.replacen('{', "{x", 1)),
    );
    damaged(
        "an object with a field of another type",
        &object(&|pod| pod["spec"]["nodeName"] = json!({"secret": SECRET})),
    );
    damaged(
        "an object of another kind",
        &object(&|pod| pod["kind"] = json!("Secret")),
    );
    damaged(
        "an object without name",
        &object(&|pod| remove(&mut pod["metadata"], "name")),
    );
    damaged(
        "an object without resourceVersion",
        &object(&|pod| remove(&mut pod["metadata"], "resourceVersion")),
    );
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    damaged(
        "an object nested two hundred deep",
        &object(&|pod| pod["spec"]["secret"] = deep.clone()),
    );
    damaged(
        "an object above the limit of size",
        &object(&|pod| pod["spec"]["secret"] = json!(SECRET.repeat(LARGEST / 4))),
    );
    if !good.is_list() {
        damaged(
            "an event of unknown type",
            &format!("{{\"type\":\"RENAMED\",\"object\":{victim}}}\n"),
        );
        damaged(
            "an event without type",
            &format!("{{\"object\":{victim}}}\n"),
        );
        damaged("an event without object", "{\"type\":\"ADDED\"}\n");
        damaged(
            "a bookmark without version",
            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{}}}\n",
        );
        for (code, reason) in [
            (400, "BadRequest"),
            (401, "Unauthorized"),
            (403, "Forbidden"),
            (404, "NotFound"),
            (410, "Expired"),
            (422, "Invalid"),
            (429, "TooManyRequests"),
            (500, "InternalError"),
            (503, "ServiceUnavailable"),
            (504, "Timeout"),
        ] {
            let status = status(code, reason, &Value::Null);
            damaged(
                &format!("ERROR event, {code}"),
                &format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n"),
            );
        }
        let told = status(429, "TooManyRequests", &json!({"retryAfterSeconds": 9}));
        damaged(
            "ERROR event, 429 with retryAfterSeconds: 9",
            &format!("{{\"type\":\"ERROR\",\"object\":{told}}}\n"),
        );
        let large = status(504, "Timeout", &too_large());
        damaged(
            "ERROR event, 504, version too large",
            &format!("{{\"type\":\"ERROR\",\"object\":{large}}}\n"),
        );
        damaged(
            "ERROR event that is no Status",
            &format!("{{\"type\":\"ERROR\",\"object\":{{\"message\":\"{SECRET}\"}}}}\n"),
        );
    }
    rows
}

fn remove(object: &mut Value, member: &str) {
    if let Some(members) = object.as_object_mut() {
        members.remove(member);
    }
}

/// The limit of an object's size in these tests, in bytes.
pub(crate) const LARGEST: usize = 4 * 1024;

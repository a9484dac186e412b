//! The built command, and a server in this process that answers as a table says.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};

/// What a path is answered with.
#[derive(Clone)]
pub(crate) enum Answer {
    Json(String),
    Status(u16, String),
    /// A web page, as those have who log in people.
    Page(u16),
    /// Another place.
    Redirect(String),
    /// The beginning of an answer; then the connection ends.
    Cut(String),
    /// Accepts the request and never answers.
    Silence,
}

/// Serves a table of paths, with their queries, until the test ends; anything else is a 404.
pub(crate) fn serve(answers: BTreeMap<String, Answer>) -> SocketAddr {
    let (told, hear) = std::sync::mpsc::channel();
    let answers = Arc::new(answers);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            told.send(listener.local_addr().unwrap()).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let answers = Arc::clone(&answers);
                tokio::spawn(async move {
                    let service = service_fn(move |request| answer(Arc::clone(&answers), request));
                    let connection = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service);
                    // A client that has gone is no failure of the test.
                    let _ = connection.await;
                });
            }
        });
    });
    hear.recv().unwrap()
}

type Body = UnsyncBoxBody<Bytes, std::io::Error>;

async fn answer(
    answers: Arc<BTreeMap<String, Answer>>,
    request: Request<Incoming>,
) -> Result<Response<Body>, std::convert::Infallible> {
    let path = request.uri().path_and_query().map(ToString::to_string);
    let found = path.and_then(|path| answers.get(&path).cloned());
    let (code, content_type, body) = match found {
        Some(Answer::Json(body)) => (200, "application/json", whole(body)),
        Some(Answer::Status(code, message)) => {
            (code, "application/json", whole(status(code, &message)))
        }
        Some(Answer::Page(code)) => {
            let page = "<!DOCTYPE html>\n<html><body>Log in, please</body></html>";
            (code, "text/html", whole(page.to_owned()))
        }
        Some(Answer::Redirect(to)) => {
            let response = Response::builder().status(302).header("location", to);
            return Ok(response.body(whole(String::new())).unwrap());
        }
        Some(Answer::Cut(start)) => (200, "application/json", cut(start)),
        Some(Answer::Silence) => std::future::pending().await,
        None => {
            let message = "the server could not find the requested resource";
            (404, "application/json", whole(status(404, message)))
        }
    };
    let response = Response::builder()
        .status(code)
        .header("content-type", content_type);
    Ok(response.body(body).unwrap())
}

fn whole(body: String) -> Body {
    let full = Full::from(body);
    full.map_err(|never| match never {}).boxed_unsync()
}

fn cut(start: String) -> Body {
    let frames = [
        Ok(Frame::data(Bytes::from(start))),
        Err(std::io::Error::other("cut")),
    ];
    StreamBody::new(stream::iter(frames)).boxed_unsync()
}

fn status(code: u16, message: &str) -> String {
    serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": "Unknown", "code": code,
    })
    .to_string()
}

/// A folder of its own, with a kubeconfig for the server where there is one.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn with_server(answers: BTreeMap<String, Answer>) -> Self {
        Self::with_kubeconfig(&format!("http://{}", serve(answers)), "{}")
    }

    /// With a kubeconfig for the server at this address, and the user who asks it.
    pub(crate) fn with_kubeconfig(server: &str, user: &str) -> Self {
        let place = Self::new();
        let kubeconfig = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
             contexts: [{{name: here, context: {{cluster: here, user: here}}}}]\n\
             clusters: [{{name: here, cluster: {{server: '{server}'}}}}]\n\
             users: [{{name: here, user: {user}}}]\n"
        );
        place.write("kubeconfig", &kubeconfig);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Everything in it but the kubeconfig, hidden files too.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "kubeconfig").collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.start(Command::new(env!("CARGO_BIN_EXE_larder")).args(arguments))
    }

    /// Runs a line of shell in it, in which `larder` is the command.
    pub(crate) fn shell(&self, shell: &str, line: &str) -> Ran {
        let line = format!("larder() {{ \"$LARDER\" \"$@\"; }}\n{line}");
        self.start(Command::new(shell).args(["-c", &line]))
    }

    fn start(&self, command: &mut Command) -> Ran {
        command
            .current_dir(self.folder.path())
            .env("LARDER", env!("CARGO_BIN_EXE_larder"))
            .env("KUBECONFIG", self.path("kubeconfig"))
            .env_remove("KUBERNETES_SERVICE_HOST");
        Ran::new(command.output().unwrap())
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Standard output of a run that went well.
    #[track_caller]
    pub(crate) fn fine(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// Standard output of a run that found differences.
    #[track_caller]
    pub(crate) fn differs(self) -> String {
        assert_eq!(self.code, Some(1), "{self:?}");
        self.out
    }

    /// The error of a run that failed and printed nothing else.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!((self.code, &*self.out), (Some(2), ""), "{self:?}");
        assert!(self.err.starts_with("larder: "), "{self:?}");
        self.err
    }
}

/// A file of the repository.
pub(crate) fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// A document that the repository carries.
pub(crate) fn carried(version: &str) -> String {
    let file = in_repository(&format!("generated/{version}.json"));
    file.to_str().unwrap().to_owned()
}

/// The definition of a namespaced kind `Gauge` with these properties of its spec.
pub(crate) fn gauges(properties: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "listKind": "GaugeList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "selectableFields": [{"jsonPath": ".spec.unit"}],
                "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "required": ["unit"], "properties": properties},
                }}},
            }],
        },
    })
}

#[track_caller]
pub(crate) fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub(crate) fn document(
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
    field: &str,
) -> String {
    let name = format!("com.example.{version}.{kind}");
    let prefix = match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let response = |name: &str| json!({"200": {"description": "OK", "content": {"application/json": {"schema": reference(name)}}}});
    let operation = |action: &str, name: &str| {
        json!({
            "x-kubernetes-action": action, "responses": response(name),
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
        })
    };
    let list = format!("{name}List");
    json!({
        "openapi": "3.0.0",
        "paths": {
            (format!("{prefix}/{plural}")): {"get": operation("list", &list)},
            (format!("{prefix}/{plural}/{{name}}")): {"get": operation("get", &name)},
        },
        "components": {"schemas": {
            (name.clone()): {"type": "object", "properties": {(field): {"type": "string"}}},
            (list): {"type": "object", "properties": {"items": {"type": "array", "items": reference(&name)}}},
        }},
    })
    .to_string()
}

/// The same of a custom resource, which has every verb.
pub(crate) fn custom_document(group: &str, kind: &str, plural: &str, field: &str) -> String {
    let mut document = json_of(&document(group, "v1", kind, plural, field));
    let paths = document["paths"].as_object_mut().unwrap();
    for (path, methods) in paths {
        let more = if path.ends_with('}') {
            &[("put", "put"), ("patch", "patch"), ("delete", "delete")][..]
        } else {
            &[("post", "post"), ("delete", "deletecollection")]
        };
        for (method, action) in more {
            let mut operation = methods["get"].clone();
            operation["x-kubernetes-action"] = (*action).into();
            methods[*method] = operation;
        }
    }
    document.to_string()
}

/// A cluster of two groups.
pub(crate) fn cluster() -> BTreeMap<String, Answer> {
    let index = json!({"paths": {
        "api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=A"},
        "apis/example.com/v1": {"serverRelativeURL": "/openapi/v3/apis/example.com/v1?hash=B"},
        "version": {"serverRelativeURL": "/openapi/v3/version?hash=C"},
    }});
    let answer = |text: String| Answer::Json(text);
    BTreeMap::from([
        ("/openapi/v3".to_owned(), answer(index.to_string())),
        (
            "/openapi/v3/api/v1?hash=A".to_owned(),
            answer(document("", "v1", "Crate", "crates", "label")),
        ),
        (
            "/openapi/v3/apis/example.com/v1?hash=B".to_owned(),
            answer(document("example.com", "v1", "Gauge", "gauges", "unit")),
        ),
    ])
}

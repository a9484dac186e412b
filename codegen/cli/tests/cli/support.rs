//! The built command, and a server in this process that answers as a table says.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

/// What a path is answered with.
#[derive(Clone)]
pub(crate) enum Answer {
    Json(String),
    Status(u16, String),
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

async fn answer(
    answers: Arc<BTreeMap<String, Answer>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::convert::Infallible> {
    let path = request.uri().path_and_query().map(ToString::to_string);
    let found = path.and_then(|path| answers.get(&path).cloned());
    let (code, body) = match found {
        Some(Answer::Json(body)) => (200, body),
        Some(Answer::Status(code, message)) => (code, status(code, &message)),
        Some(Answer::Silence) => std::future::pending().await,
        None => (
            404,
            status(404, "the server could not find the requested resource"),
        ),
    };
    let response = Response::builder()
        .status(code)
        .header("content-type", "application/json");
    Ok(response.body(Full::from(body)).unwrap())
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
        let place = Self::new();
        let server = serve(answers);
        let kubeconfig = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
             contexts: [{{name: here, context: {{cluster: here, user: here}}}}]\n\
             clusters: [{{name: here, cluster: {{server: 'http://{server}'}}}}]\n\
             users: [{{name: here, user: {{}}}}]\n"
        );
        std::fs::write(place.path("kubeconfig"), kubeconfig).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_larder"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
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

/// A document that the repository carries.
pub(crate) fn carried(version: &str) -> String {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../generated/{version}.json"));
    file.to_str().unwrap().to_owned()
}

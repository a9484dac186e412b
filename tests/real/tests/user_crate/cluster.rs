//! What an administrator does to the cluster, with plain requests.

use std::path::Path;
use std::time::Duration;

use http::{Method, Request, StatusCode};
use larder_real::RealServer;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(90);
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP: &str = "shop.example.com";

pub(crate) struct Cluster {
    pub(crate) server: RealServer,
    client: kube::Client,
}

impl Cluster {
    /// `None`, having said so, where the real server is not to be had.
    pub(crate) async fn start() -> Option<Self> {
        let server = RealServer::start().await.expect("the real server starts")?;
        let client = server.client().await.expect("its kubeconfig");
        Some(Self { server, client })
    }

    /// `kubectl apply --server-side -f FILE`: the file's name is the definition's, as `larder crds pull` writes them.
    pub(crate) async fn apply(&self, file: &Path) {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let yaml = std::fs::read(file).expect("a file");
        let path = format!("{DEFINITIONS}/{name}?fieldManager=test&force=true");
        self.send(Method::PATCH, &path, "application/apply-patch+yaml", yaml)
            .await;
    }

    pub(crate) async fn delete_definition(&self, name: &str) {
        let path = format!("{DEFINITIONS}/{name}");
        self.delete(&path).await;
        self.until(&path, StatusCode::NOT_FOUND).await;
    }

    pub(crate) async fn create_maker(&self, name: &str, spec: Value) {
        let maker = json!({"kind": "Maker", "metadata": {"name": name}, "spec": spec});
        self.create(&format!("/apis/{GROUP}/v1/makers"), "v1", maker)
            .await;
    }

    pub(crate) async fn patch_maker(&self, name: &str, spec: Value) {
        let path = format!("/apis/{GROUP}/v1/makers/{name}");
        self.patch(&path, spec).await;
    }

    pub(crate) async fn create_gadget(&self, version: &str, name: &str, spec: Value) {
        let gadget = json!({"kind": "Gadget", "metadata": {"name": name}, "spec": spec});
        self.create(&gadgets(version), version, gadget).await;
    }

    pub(crate) async fn patch_gadget(&self, version: &str, name: &str, spec: Value) {
        let path = format!("{}/{name}", gadgets(version));
        self.patch(&path, spec).await;
    }

    pub(crate) async fn delete_gadget(&self, version: &str, name: &str) {
        let path = format!("{}/{name}", gadgets(version));
        self.delete(&path).await;
    }

    /// Waits until a kind is served, as definitions take effect some time after they are accepted.
    pub(crate) async fn until_served(&self, version: &str, plural: &str) {
        let path = format!("/apis/{GROUP}/{version}/{plural}");
        self.until(&path, StatusCode::OK).await;
    }

    pub(crate) async fn until_not_served(&self, version: &str, plural: &str) {
        let path = format!("/apis/{GROUP}/{version}/{plural}");
        self.until(&path, StatusCode::NOT_FOUND).await;
    }

    async fn create(&self, path: &str, version: &str, mut object: Value) {
        object["apiVersion"] = json!(format!("{GROUP}/{version}"));
        self.send(Method::POST, path, "application/json", bytes(&object))
            .await;
    }

    async fn patch(&self, path: &str, spec: Value) {
        let body = bytes(&json!({ "spec": spec }));
        self.send(Method::PATCH, path, "application/merge-patch+json", body)
            .await;
    }

    async fn delete(&self, path: &str) {
        self.send(Method::DELETE, path, "application/json", Vec::new())
            .await;
    }

    /// Waits until reads of a path are answered so.
    async fn until(&self, path: &str, expected: StatusCode) {
        let waiting = async {
            while self.status(path).await != expected {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, waiting).await;
        waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} until {path} is {expected}"));
    }

    async fn status(&self, path: &str) -> StatusCode {
        let request = Request::get(path).body(Vec::new()).expect("a request");
        match self.client.request_text(request).await {
            Ok(_) => StatusCode::OK,
            Err(kube::Error::Api(status)) => {
                StatusCode::from_u16(status.code).expect("a status code")
            }
            Err(error) => panic!("{path}: {error}"),
        }
    }

    async fn send(&self, method: Method, path: &str, content_type: &str, body: Vec<u8>) {
        let request = Request::builder()
            .method(&method)
            .uri(path)
            .header("content-type", content_type)
            .body(body)
            .expect("a request");
        let answer = self.client.request_text(request).await;
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    }
}

fn gadgets(version: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/default/gadgets")
}

fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("a JSON value")
}

//! A real API server's document says as much of custom resources as their definitions.

use std::time::{Duration, Instant};

use crate::support::Place;
use larder_real::RealServer;
use serde_json::Value;

const DEFINITIONS: &str = include_str!("widgets.yaml");
const KINDS: [&str; 2] = ["shapes.example.com/v1/Blob", "shapes.example.com/v1/Widget"];

/// The code but for prose, and for what a definition says beside its schemas.
fn types(code: &str) -> Vec<&str> {
    const FACTS: [&str; 5] = [
        "pub const SINGULAR:",
        "pub const SHORT_NAMES:",
        "pub const CATEGORIES:",
        "pub const SCALE:",
        "pub const PRINTER_COLUMNS:",
    ];
    let lines = code.lines().map(str::trim);
    let is_type =
        |line: &&str| !line.starts_with("//") && !FACTS.iter().any(|fact| line.starts_with(fact));
    lines.filter(is_type).collect()
}

/// Pulls until the server has published both kinds: it does so a moment after it has taken their definitions.
fn pull(place: &Place) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let pulled = place.run(&["openapi", "pull", "--group", "shapes.example.com"]);
        let is_complete = pulled.code == Some(0)
            && KINDS.iter().all(|kind| {
                let kind = kind.rsplit('/').next().unwrap();
                place
                    .read("openapi.json")
                    .contains(&format!("\"kind\":{kind:?}"))
            });
        if is_complete {
            return;
        }
        assert!(Instant::now() < deadline, "not published: {pulled:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_document_gives_the_types_of_the_definitions() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let place = Place::new();
    std::fs::copy(server.kubeconfig(), place.path("kubeconfig")).unwrap();
    place.write("crds.yaml", DEFINITIONS);
    let client = server.client().await.unwrap();
    let definitions: Vec<Value> = serde_saphyr::from_multiple(DEFINITIONS).unwrap();
    for definition in definitions {
        let request =
            http::Request::post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
                .header("content-type", "application/json")
                .body(definition.to_string().into_bytes())
                .unwrap();
        client.request_text(request).await.unwrap();
    }
    tokio::task::spawn_blocking(move || {
        pull(&place);
        let with = |option: &str, source: &str, folder: &str| {
            let [blob, widget] = KINDS;
            let told = place
                .run(&[
                    "generate", option, source, "-d", folder, "--kind", blob, "--kind", widget,
                ])
                .fine();
            assert!(told.ends_with("2 kinds, 13 types of their own\n"), "{told}");
            place.read(&format!("{folder}/larder.rs"))
        };
        let document = with("--openapi", "openapi.json", "document");
        let definitions = with("--crds", "crds.yaml", "definitions");
        assert!(document.contains("SPEC_COLOR") && document.contains("pub enum Color"));
        for (a, b) in types(&document).iter().zip(types(&definitions)) {
            assert_eq!(*a, b);
        }
        assert_eq!(types(&document).len(), types(&definitions).len());
    })
    .await
    .unwrap();
    server.shutdown().await.unwrap();
}

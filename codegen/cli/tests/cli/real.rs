//! The command against a real API server.

use crate::support::Place;
use larder_real::RealServer;

const CRD: &str = r#"{
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gauges.example.com"},
    "spec": {
        "group": "example.com", "scope": "Namespaced",
        "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "listKind": "GaugeList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "selectableFields": [{"jsonPath": ".spec.unit"}], "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {"unit": {"type": "string"}}}}
        }}}]
    }
}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_is_pulled_compared_and_explained() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let place = Place::new();
    std::fs::copy(server.kubeconfig(), place.path("kubeconfig")).unwrap();
    let (place, server) = tokio::task::spawn_blocking(move || {
        place.run(&["openapi", "pull"]).fine();
        assert_eq!(
            place
                .run(&["openapi", "diff", "openapi.json", "--live"])
                .fine(),
            "no difference\n"
        );
        let first = place.read("openapi.json");
        place.run(&["openapi", "pull"]).fine();
        assert_eq!(place.read("openapi.json"), first);
        let kinds = larder_codegen::read(place.path("openapi.json"))
            .unwrap()
            .kinds;
        assert!(kinds.len() > 60, "{}", kinds.len());
        let text = place.run(&["explain", "pods", "spec.nodeName"]).fine();
        assert!(text.contains("pod::selectable::SPEC_NODE_NAME"), "{text}");
        place
            .run(&["generate", "--openapi", "openapi.json", "-d", "generated"])
            .fine();
        (place, server)
    })
    .await
    .unwrap();

    let client = server.client().await.unwrap();
    let request = http::Request::post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
        .header("content-type", "application/json")
        .body(CRD.as_bytes().to_vec())
        .unwrap();
    client.request_text(request).await.unwrap();
    tokio::task::spawn_blocking(move || {
        let told = place
            .run(&["crds", "pull", "--group", "example.com"])
            .fine();
        assert_eq!(told, "crds: 1 definition, 1 written\n");
        assert!(place.read("crds/gauges.example.com.yaml").contains("unit"));
        place.write("installed/gauges.json", CRD);
        for (from, to) in [("crds", "a"), ("installed", "b")] {
            place.run(&["generate", "--crds", from, "-d", to]).fine();
        }
        assert!(place.read("a/larder.rs") == place.read("b/larder.rs"));

        served(&place);
        let told = place
            .run(&[
                "openapi",
                "diff",
                "openapi.json",
                "--live",
                "--group",
                "example.com",
            ])
            .differs();
        assert!(told.starts_with("+ kind example.com/v1/Gauge\n"), "{told}");
        let live = place.run(&["explain", "gauges", "spec.unit"]);
        assert_eq!(live.err, "");
        let live = live.fine();
        assert!(live.contains("gauge::selectable::SPEC_UNIT"), "{live}");
        let from_files = place
            .run(&["explain", "gauges", "spec.unit", "--crds", "crds"])
            .fine();
        assert_eq!(live, from_files);
        let error = place.run(&["explain", "gauges", "spec.unti"]).failed();
        assert!(error.contains("did you mean \"unit\"?"), "{error}");
    })
    .await
    .unwrap();
    server.shutdown().await.unwrap();
}

/// Waits until the server's document has the kind, which it publishes some time after the definition is there.
fn served(place: &Place) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let pulled = place.run(&["openapi", "pull", "-f", "new.json"]).fine();
        let known = larder_codegen::read(place.path("new.json")).unwrap();
        if known.kind("example.com", "v1", "Gauge").is_some() {
            return;
        }
        assert!(std::time::Instant::now() < until, "{pulled}");
    }
}

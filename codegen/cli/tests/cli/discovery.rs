//! What `larder openapi pull` asks besides: which verbs the server has for the kinds of aggregated APIs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Answer, Place};

fn fixture(name: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/documents/cluster");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

const METRICS: &str = "/apis/metrics.k8s.io/v1beta1";
const WARDLE: &str = "/apis/wardle.example.com/v1alpha1";

/// The cluster of the generator's tests, whose aggregated API can be listed and not watched.
fn cluster() -> BTreeMap<String, Answer> {
    let answer = |value: &Value| Answer::Json(value.to_string());
    let index = fixture("index.json");
    let mut answers = BTreeMap::from([("/openapi/v3".to_owned(), answer(&index))]);
    for path in [
        "api/v1",
        "apis/metrics.k8s.io/v1beta1",
        "apis/shop.example.com/v1",
        "apis/wardle.example.com/v1alpha1",
    ] {
        let at = index["paths"][path]["serverRelativeURL"].as_str().unwrap();
        answers.insert(at.to_owned(), answer(&fixture(&format!("{path}.json"))));
    }
    let all = json!([
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch"
    ]);
    let resource = |name: &str, verbs: &Value| json!({"name": name, "kind": "-", "verbs": verbs});
    let list = |group_version: &str, resources: Value| {
        answer(&json!({
            "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources,
        }))
    };
    let listed = json!(["get", "list"]);
    answers.extend([
        (
            METRICS.to_owned(),
            list(
                "metrics.k8s.io/v1beta1",
                json!([resource("nodes", &listed), resource("pods", &listed)]),
            ),
        ),
        (
            WARDLE.to_owned(),
            list(
                "wardle.example.com/v1alpha1",
                json!([
                    resource("flunders", &all),
                    resource("flunders/status", &listed),
                    resource("fischers", &json!(["get", "list", "watch"])),
                ]),
            ),
        ),
        (
            "/apis/shop.example.com/v1".to_owned(),
            list("shop.example.com/v1", json!([resource("boxes", &all)])),
        ),
        // Of Kubernetes' own kinds the document says enough.
        (
            "/api/v1".to_owned(),
            Answer::Status(500, "not to be asked".to_owned()),
        ),
    ]);
    answers
}

#[test]
fn a_pulled_document_says_what_can_be_watched() {
    let place = Place::with_server(cluster());
    place.run(&["openapi", "pull"]).fine();
    let document = place.read("openapi.json");
    assert!(!document.contains("\"watch\":\"unknown\""), "{document}");
    let generated = place
        .run(&["generate", "--openapi", "openapi.json", "-d", "src"])
        .fine();
    let reason =
        "its server does not serve `watch`, which a cache lives on: list it when you need it";
    assert!(
        generated.contains(&format!(
            "left out metrics.k8s.io/v1beta1/NodeMetrics: {reason}\n"
        )),
        "{generated}"
    );
    // Those that kinds share are counted, too.
    assert!(
        generated.contains("4 kinds, 24 types of their own\n"),
        "{generated}"
    );
    let code = place.read("src/larder.rs");
    for name in [
        "PodInformer",
        "FlunderInformer",
        "FischerInformer",
        "BoxInformer",
    ] {
        assert!(code.contains(&format!("pub struct {name}")), "{name}");
    }
    let built_in = place
        .run(&[
            "generate",
            "--openapi",
            "openapi.json",
            "-d",
            "built-in",
            "--built-in-only",
        ])
        .fine();
    assert!(
        built_in.contains("left out shop.example.com/v1/Box: custom resources belong"),
        "{built_in}"
    );
    assert!(
        !place
            .read("built-in/larder.rs")
            .contains("pub struct BoxInformer")
    );
    let metrics = "metrics.k8s.io/v1beta1/PodMetrics";
    let error = place
        .run(&[
            "generate",
            "--openapi",
            "openapi.json",
            "-d",
            "src",
            "--kind",
            metrics,
        ])
        .failed();
    assert!(
        error.contains(&format!("{metrics} cannot be cached: {reason}")),
        "{error}"
    );
}

/// Between index and discovery a group may go.
#[test]
fn what_discovery_does_not_know_stays_unknown() {
    let mut answers = cluster();
    answers.remove(METRICS);
    let place = Place::with_server(answers);
    place.run(&["openapi", "pull"]).fine();
    let document = place.read("openapi.json");
    assert_eq!(
        document.matches("\"watch\":\"unknown\"").count(),
        2,
        "{document}"
    );
}

#[test]
fn a_refusal_of_discovery_is_an_error_and_no_file_is_written() {
    for (answer, expected) in [
        (
            Answer::Status(403, "no".to_owned()),
            "GET /apis/metrics.k8s.io/v1beta1 was answered 403: the account lacks the right",
        ),
        (
            Answer::Status(503, "down".to_owned()),
            "GET /apis/metrics.k8s.io/v1beta1 was answered 503",
        ),
        (
            Answer::Json("{".to_owned()),
            "/apis/metrics.k8s.io/v1beta1: not JSON",
        ),
        (
            Answer::Json(json!({"kind": "APIResourceList", "resources": []}).to_string()),
            "/apis/metrics.k8s.io/v1beta1: groupVersion: expected a group and version",
        ),
        (Answer::Silence, "has not answered within 1 second"),
    ] {
        let mut answers = cluster();
        answers.insert(METRICS.to_owned(), answer);
        let place = Place::with_server(answers);
        let error = place.run(&["openapi", "pull", "--timeout", "1"]).failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
        assert_eq!(place.names("."), [""; 0]);
    }
}

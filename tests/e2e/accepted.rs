//! Objects as a real server accepts, prunes and fills them in, and what generated types make of them.

use kube::Api;
use kube::api::{ListParams, PostParams};
use larder::{InformerOptions, TypedInformer};
use serde_json::{Value, json};

use crate::cluster::{Cluster, LIMIT};
use crate::generated::golden::odd_example_com::v1::{Quirk, QuirkInformer};

/// Properties of the fixture that no server accepts in a definition, though generated code takes them: without a type, with types in
/// `oneOf`, or with a default of another type.
const REFUSED: [&str; 5] = [
    "either",
    "emptyMembers",
    "listWithoutType",
    "union",
    "impossible",
];

/// The fixture as a server takes it.
fn definition() -> String {
    let refused = |line: &&str| REFUSED.iter().any(|name| names(line, name));
    let yaml = include_str!("../../codegen/tests/crds/quirks.yaml");
    let kept: Vec<&str> = yaml.lines().filter(|line| !refused(line)).collect();
    // Required, and no property: no object could have it.
    kept.join("\n")
        .replace("[mode, absent, must]", "[mode, must]")
}

fn names(line: &str, property: &str) -> bool {
    let rest = line.trim_start().strip_prefix(property);
    rest.is_some_and(|rest| rest.starts_with(':'))
}

/// What the server accepts, and some of it is surprising: no unsigned format has a range, absent defaults are filled in, nulls are dropped
/// where they are no values, and what is in no schema is pruned.
fn specs() -> [Value; 6] {
    [
        json!({"mode": "*", "must": null, "ratio": 3}),
        json!({"mode": "", "must": "", "unknown": {"a": 1}, "count": null, "limits": null, "nullableCount": null}),
        json!({
            "mode": "Other", "must": "x", "int8": 70000, "int16": -1, "uint32": -1, "uint64": -1, "int32": -2147483648,
            "ratio": 0.25, "port": 8589934592_i64, "percent": "", "quantity": "0.5", "level": 3, "sure": true,
        }),
        json!({
            "mode": "always", "must": "x", "int8": i64::MAX, "int16": i64::MIN, "uint32": 4294967296_i64, "uint64": i64::MAX,
            "time": "9999-12-31T23:59:59.123456789Z", "since": "2026-01-02t03:04:05+01:00", "bytes": "QR==", "email": "a@b.example",
            "port": "http", "percent": 50, "quantity": -1, "limits": {"inner": {}, "unknown": 1},
        }),
        json!({
            "mode": "1.2", "must": "x", "defaultChoice": "slow", "nullDefault": "x", "tags": [], "values": [null, {"a": null}],
            "mapOfMaps": {"a": {"b": 1}, "": {}}, "listOfLists": [["a"], []], "mapOfLists": {"a": [{"x": "y", "z": 1}, {}]},
            "nullableItems": ["a", null], "listOfAnything": [1, "a", null, {"b": []}], "nothing": {"a": {"b": 1}},
            "anything": [1], "anyMembers": {"a": null, "b": 1}, "preserved": {"a": [null]}, "preservedMap": {"a": "b"},
            "open": {"known": "a", "rest": "b", "other": {"c": null}}, "openToo": {"more": true, "null": null},
        }),
        json!({
            "mode": "ReadWrite", "must": "x", "validated": {"one": "1"},
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "spec": {"containers": []}},
            "claim": {"apiVersion": "v1", "kind": "Claim", "spec": {"size": "1Gi", "more": 1}},
            "type": "t", "x-name": "x", "$ref": "r", "1st": "1", "podIPs": ["10.0.0.1"],
            "initContainers": [{"a": "camel"}], "init_containers": [{"b": "snake"}],
            "str": {"bool": {"i32": "deep"}}, "Self": {"self": "me"}, "foo1": {"c": "c"}, "foo_1": {"d": "d"},
        }),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_accepts_is_read_and_written_back_as_it_is() {
    let Some(cluster) = Cluster::real(&[]).await else {
        return;
    };
    cluster
        .apply_definition("quirks.odd.example.com", definition())
        .await;
    let (api_version, kind) = ("odd.example.com/v1", "Quirk");
    cluster.until_served(api_version, kind, true).await;
    for (number, spec) in specs().into_iter().enumerate() {
        let quirk = json!({"metadata": {"name": format!("q{number}")}, "spec": spec});
        cluster.create(api_version, kind, None, quirk).await;
    }
    let options = InformerOptions::default();
    let quirks = QuirkInformer::new(cluster.relayed.clone(), options).unwrap();
    quirks.inner().wait_for_sync(LIMIT).await.unwrap();
    let health = quirks.inner().health();
    assert_eq!(health.decode_failures, 0, "{health:#?}");

    let api: Api<Quirk> = Api::all(cluster.direct.clone());
    let (all, as_it_is) = (ListParams::default(), PostParams::default());
    let listed = cluster.try_list(api_version, kind, &all).await.unwrap();
    assert_eq!(listed.items.len(), specs().len());
    for on_server in listed {
        let name = on_server.metadata.name.unwrap();
        let cached = quirks.lister().get(&name).unwrap();
        let written = serde_json::to_value(&*cached).unwrap();
        assert_eq!(written["spec"], on_server.data["spec"], "{name}");
        // Nor does the server see a change in it.
        let replaced = api.replace(&name, &as_it_is, &cached).await.unwrap();
        let version = replaced.metadata.resource_version;
        assert_eq!(version, on_server.metadata.resource_version, "{name}");
    }
    cluster.end().await;
}

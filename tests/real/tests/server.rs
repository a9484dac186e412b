//! The real server does what the tests that use it rely on. Skipped, with a message, where it is not available.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::{Api, ResourceExt as _};
use larder_real::RealServer;

const NAMESPACE: &str = "default";
/// A caught-up server answers in milliseconds; a machine under load may take its time.
const LIMIT: Duration = Duration::from_secs(20);

fn config_map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..Default::default()
        },
        data: Some(BTreeMap::from([("key".to_owned(), value.to_owned())])),
        ..Default::default()
    }
}

async fn config_maps(server: &RealServer) -> Api<ConfigMap> {
    Api::namespaced(server.client().await.unwrap(), NAMESPACE)
}

fn status_code(error: &kube::Error) -> Option<u16> {
    match error {
        kube::Error::Api(status) => Some(status.code),
        _ => None,
    }
}

/// The next events of a watch as `TYPE name value`; an error event as `ERROR code reason`.
async fn events(
    watch: &mut (impl futures_util::Stream<Item = kube::Result<WatchEvent<ConfigMap>>> + Unpin),
    count: usize,
) -> Vec<String> {
    let describe = |kind: &str, map: &ConfigMap| {
        let value = map.data.as_ref().and_then(|data| data.get("key")).cloned();
        format!("{kind} {} {}", map.name_any(), value.unwrap_or_default())
    };
    let mut seen = Vec::new();
    while seen.len() < count {
        let next = tokio::time::timeout(LIMIT, watch.next()).await;
        let next = next.unwrap_or_else(|_| {
            panic!(
                "waited {LIMIT:?} for event {} after {seen:?}",
                seen.len() + 1
            )
        });
        seen.push(
            match next.expect("the watch ended").expect("the watch failed") {
                WatchEvent::Added(map) => describe("ADDED", &map),
                WatchEvent::Modified(map) => describe("MODIFIED", &map),
                WatchEvent::Deleted(map) => describe("DELETED", &map),
                WatchEvent::Bookmark(_) => continue,
                WatchEvent::Error(status) => format!("ERROR {} {}", status.code, status.reason),
            },
        );
    }
    seen
}

#[tokio::test]
async fn creates_lists_and_watches() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let maps = config_maps(&server).await;
    let before = maps.list(&ListParams::default()).await.unwrap();
    let version = before.metadata.resource_version.unwrap();

    maps.create(&PostParams::default(), &config_map("a", "1"))
        .await
        .unwrap();
    let change = serde_json::json!({"data": {"key": "2"}});
    maps.patch("a", &PatchParams::default(), &Patch::Merge(change))
        .await
        .unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();

    let mut watch = maps
        .watch(&WatchParams::default(), &version)
        .await
        .unwrap()
        .boxed();
    assert_eq!(
        events(&mut watch, 3).await,
        ["ADDED a 1", "MODIFIED a 2", "DELETED a 2"]
    );
    drop(watch);
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_restart_keeps_data_and_a_compaction_before_it_makes_old_versions_gone() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let maps = config_maps(&server).await;
    let kept = maps
        .create(&PostParams::default(), &config_map("kept", "1"))
        .await
        .unwrap();
    let old = kept.resource_version().unwrap();
    maps.create(&PostParams::default(), &config_map("later", "1"))
        .await
        .unwrap();

    // A compaction alone is not noticed by a watch.
    let revision = server.compact().await.unwrap();
    assert!(
        revision > old.parse().unwrap(),
        "compacted at {revision}, which keeps {old}"
    );
    let mut watch = maps
        .watch(&WatchParams::default(), &old)
        .await
        .unwrap()
        .boxed();
    assert_eq!(events(&mut watch, 1).await, ["ADDED later 1"]);

    server.restart().await.unwrap();
    let end = tokio::time::timeout(LIMIT, watch.try_for_each(|_| async { Ok(()) })).await;
    assert!(end.is_ok(), "the watch outlived the server that served it");
    assert_eq!(maps.get("kept").await.unwrap().uid(), kept.uid());
    // Real servers tell of 410 in either of two ways.
    match maps.watch(&WatchParams::default(), &old).await {
        Ok(watch) => assert_eq!(events(&mut watch.boxed(), 1).await, ["ERROR 410 Expired"]),
        Err(error) => assert_eq!(status_code(&error), Some(410), "{error}"),
    }
}

#[tokio::test]
async fn a_killed_server_refuses_connections_until_it_is_started_again() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let maps = config_maps(&server).await;
    let first = maps
        .create(&PostParams::default(), &config_map("first", "1"))
        .await
        .unwrap();
    let mut watch = maps
        .watch(&WatchParams::default(), &first.resource_version().unwrap())
        .await
        .unwrap()
        .boxed();
    server.kill_apiserver().await.unwrap();

    let refused = maps.get("first").await.unwrap_err();
    assert!(
        status_code(&refused).is_none(),
        "a stopped server answered: {refused}"
    );
    let cut = tokio::time::timeout(LIMIT, watch.next())
        .await
        .expect("the watch outlived its server");
    assert!(!matches!(cut, Some(Ok(_))), "a dead server sent {cut:?}");
    let again = server.stop_apiserver().await.unwrap_err().to_string();
    assert!(again.contains("stopped already"), "{again}");

    server.start_apiserver().await.unwrap();
    let listed = maps.list(&ListParams::default()).await.unwrap();
    assert!(
        listed.items.iter().any(|map| map.uid() == first.uid()),
        "the object is lost"
    );
    let mut watch = maps
        .watch(
            &WatchParams::default(),
            &listed.metadata.resource_version.unwrap(),
        )
        .await
        .unwrap()
        .boxed();
    maps.create(&PostParams::default(), &config_map("second", "1"))
        .await
        .unwrap();
    assert_eq!(events(&mut watch, 1).await, ["ADDED second 1"]);
}

/// Lets the user `tester` read config maps in all namespaces.
fn may_read() -> (ClusterRole, ClusterRoleBinding) {
    let metadata = || ObjectMeta {
        name: Some("tester-reads".to_owned()),
        ..Default::default()
    };
    let rule = PolicyRule {
        api_groups: Some(vec![String::new()]),
        resources: Some(vec!["configmaps".to_owned()]),
        verbs: ["get", "list", "watch"].map(str::to_owned).to_vec(),
        ..Default::default()
    };
    let role = ClusterRole {
        metadata: metadata(),
        rules: Some(vec![rule]),
        ..Default::default()
    };
    let tester = Subject {
        kind: "User".to_owned(),
        name: "tester".to_owned(),
        api_group: Some("rbac.authorization.k8s.io".to_owned()),
        ..Default::default()
    };
    let role_ref = RoleRef {
        api_group: Some("rbac.authorization.k8s.io".to_owned()),
        kind: "ClusterRole".to_owned(),
        name: "tester-reads".to_owned(),
    };
    (
        role,
        ClusterRoleBinding {
            metadata: metadata(),
            role_ref,
            subjects: Some(vec![tester]),
        },
    )
}

/// The authorizer reads roles by an informer of its own, a moment after they were written.
async fn wait_for_list(maps: &Api<ConfigMap>, allowed: bool) {
    let deadline = Instant::now() + LIMIT;
    loop {
        let answer = maps.list(&ListParams::default()).await;
        match &answer {
            Ok(_) if allowed => return,
            Err(error) if !allowed && status_code(error) == Some(403) => return,
            _ => assert!(
                Instant::now() < deadline,
                "waited {LIMIT:?} for allowed = {allowed}: {:?}",
                answer.err()
            ),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn rights_are_taken_away_and_given_back() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let admin = server.client().await.unwrap();
    let maps = Api::<ConfigMap>::namespaced(server.restricted_client().await.unwrap(), NAMESPACE);
    let refused = maps.list(&ListParams::default()).await.unwrap_err();
    assert_eq!(status_code(&refused), Some(403), "{refused}");

    let (role, binding) = may_read();
    let bindings = Api::<ClusterRoleBinding>::all(admin.clone());
    Api::<ClusterRole>::all(admin)
        .create(&PostParams::default(), &role)
        .await
        .unwrap();
    for _ in 0..2 {
        bindings
            .create(&PostParams::default(), &binding)
            .await
            .unwrap();
        wait_for_list(&maps, true).await;
        bindings
            .delete("tester-reads", &DeleteParams::default())
            .await
            .unwrap();
        wait_for_list(&maps, false).await;
    }
}

#[tokio::test]
async fn flags_reach_the_server_and_a_wrong_one_is_an_error() {
    let Some(server) = RealServer::start_with(&["--feature-gates=WatchList=false"])
        .await
        .unwrap()
    else {
        return;
    };
    let request = http::Request::get("/metrics").body(Vec::new()).unwrap();
    let metrics = server
        .client()
        .await
        .unwrap()
        .request_text(request)
        .await
        .unwrap();
    let gate = metrics
        .lines()
        .find(|line| line.starts_with("kubernetes_feature_enabled{name=\"WatchList\""));
    assert!(gate.is_some_and(|line| line.ends_with(" 0")), "{gate:?}");
    drop(server);

    let error = RealServer::start_with(&["--no-such-flag"])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("answered start with: failed"), "{error}");
    // The log stays after a failure, and the error says where.
    let log = error
        .split("log: ")
        .nth(1)
        .and_then(|rest| rest.split(';').next())
        .expect("no log is named");
    let text = std::fs::read_to_string(log).unwrap();
    assert!(text.contains("no-such-flag"), "{text}");
    std::fs::remove_dir_all(Path::new(log).parent().unwrap()).unwrap();
}

#[tokio::test]
async fn nothing_is_left_behind() {
    let Some(server) = RealServer::start().await.unwrap() else {
        return;
    };
    let directory = server.kubeconfig().parent().unwrap().to_owned();
    let maps = config_maps(&server).await;
    assert!(directory.is_dir());
    drop(server);
    assert!(
        !directory.exists(),
        "{} is still there",
        directory.display()
    );
    let refused = maps.list(&ListParams::default()).await.unwrap_err();
    assert!(
        status_code(&refused).is_none(),
        "a server is still there: {refused}"
    );
}

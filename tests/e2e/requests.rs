//! What a cache asks a server, and what it makes of the server's own answers.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kube::api::{ListParams, VersionMatch};
use larder::core::v1::ConfigMapInformer;
use larder::{InformerOptions, ReflectorOptions, TypedInformer as _};

use crate::cluster::{Cluster, LIMIT};
use crate::fold::Fold;
use crate::scenarios::{config_map, in_parallel, quick, settled, until};
use crate::wire::Wire;

/// So many objects, more than a page of 5.
const COUNT: usize = 12;

async fn filled(cluster: &Cluster) -> Wire {
    cluster.namespace("one").await;
    let create = |number: usize| async move {
        let object = config_map(&format!("m{number}"), number);
        cluster.create("v1", "ConfigMap", Some("one"), object).await;
    };
    in_parallel((0..COUNT).map(create)).await;
    Wire::new(cluster.relayed.clone())
}

/// Config maps of one namespace, to which the server itself writes nothing after its first moments.
async fn followed(wire: &Wire, options: ReflectorOptions) -> (ConfigMapInformer, Fold) {
    let options = InformerOptions::new()
        .reflector(options)
        .field_selector("metadata.namespace=one,metadata.name!=kube-root-ca.crt");
    let maps = ConfigMapInformer::new(wire.clone(), options).unwrap();
    let fold = Fold::default();
    maps.inner().add_handler(fold.clone()).unwrap();
    maps.wait_for_sync(LIMIT).await.unwrap();
    (maps, fold)
}

fn params() -> ListParams {
    ListParams::default().fields("metadata.namespace=one,metadata.name!=kube-root-ca.crt")
}

fn version(maps: &ConfigMapInformer) -> String {
    let version = maps.store().versions()[0].1.clone();
    version.expect("it is synced").to_string()
}

async fn change(cluster: &Cluster, name: &str) {
    let change = serde_json::json!({"data": {"value": "changed"}});
    cluster
        .patch("v1", "ConfigMap", Some("one"), name, change)
        .await;
}

/// What was asked for, pages that follow each other as one: how many the server makes of a selection is its own affair.
fn in_short(wire: &Wire) -> Vec<String> {
    let mut short = wire.short();
    short.dedup_by(|next, before| next == before && next == "page");
    short
}

fn lists() -> ReflectorOptions {
    quick().streaming_list(false).page_size(5)
}

pub(crate) async fn c070_c074_c086_c160_pages_then_a_watch_that_is_resumed(cluster: &Cluster) {
    let wire = filled(cluster).await;
    // At "0" a server that has everything in memory ignores the limit; what it pages is the latest state.
    wire.page_the_first_list();
    let (maps, fold) = followed(&wire, lists()).await;
    let listed = version(&maps);
    until("the watch begins", maps.inner(), async || {
        in_short(&wire).len() >= 3
    })
    .await;
    let short = in_short(&wire);
    assert_eq!(short, ["list 0", "page", &format!("watch {listed}")]);
    let asked = wire.asked();
    let (watch, pages) = asked.split_last().unwrap();
    assert!(pages.len() >= 3, "{asked:?}");
    assert!(pages.iter().all(|page| page.param("limit") == Some("5")));
    assert_eq!(watch.param("allowWatchBookmarks"), Some("true"));
    assert_eq!(watch.accept_encoding, "identity");
    settled(cluster, &maps, &fold, &params()).await;

    change(cluster, "m3").await;
    settled(cluster, &maps, &fold, &params()).await;
    let seen = version(&maps);
    wire.clear();
    cluster.relay.cut();
    cluster.delete("v1", "ConfigMap", Some("one"), "m4").await;
    cluster.relay.mend();
    settled(cluster, &maps, &fold, &params()).await;
    let short = wire.short();
    assert!(
        !short.is_empty() && short.iter().all(|one| *one == format!("watch {seen}")),
        "{short:?}"
    );
    assert_eq!((maps.health().relists, fold.missed_deletes()), (0, 0));
    maps.stop(LIMIT).await.unwrap();
}

pub(crate) async fn c072_c073_c076_c093_c154_what_the_server_refuses_leads_to_the_latest_state(
    cluster: &Cluster,
) {
    let wire = filled(cluster).await;
    // Restarted, as the real server answers for old versions from memory.
    cluster.compact_and_restart().await;
    let far = "999999999999";
    let token = r#"{"v":"meta.k8s.io/v1","rv":1,"start":"one/m2"}"#;
    // What is asked for instead, and all requests up to the watch, as the cache made them.
    let rows: [(&str, &str, &str, bool, &[&str]); 5] = [
        (
            "list",
            "resourceVersion",
            far,
            false,
            &["list 0", "list", "page"],
        ),
        (
            "stream",
            "resourceVersion",
            far,
            true,
            &["stream", "stream"],
        ),
        (
            "stream",
            "resourceVersionMatch",
            "",
            true,
            &["stream", "list 0"],
        ),
        (
            "page",
            "continue",
            &URL_SAFE_NO_PAD.encode(token),
            false,
            &["list 0", "page", "list 0"],
        ),
        (
            "watch",
            "resourceVersion",
            "1",
            false,
            &["list 0", "watch", "list", "page"],
        ),
    ];
    for (request, param, to, streaming, expected) in rows {
        let what = format!("a {request} with {param}={to:?}");
        wire.clear();
        wire.change(request, param, to);
        if request == "page" {
            wire.page_the_first_list();
        }
        let (maps, fold) = followed(&wire, lists().streaming_list(streaming)).await;
        let shorts = || {
            let mut short = in_short(&wire);
            let watches = short.iter_mut().filter(|one| one.starts_with("watch"));
            watches.for_each(|one| *one = "watch".into());
            short
        };
        until(
            &format!("{what} leads to {expected:?}"),
            maps.inner(),
            async || shorts().len() >= expected.len(),
        )
        .await;
        let mut asked = shorts();
        asked.truncate(expected.len());
        assert_eq!(asked, expected, "{what}");
        assert!(maps.health().last_error.is_some(), "{what}");
        change(cluster, "m1").await;
        settled(cluster, &maps, &fold, &params()).await;
        maps.stop(LIMIT).await.unwrap();
    }
}

pub(crate) async fn c090_c091_c092_c096_a_streamed_state_is_the_list_at_its_version(
    cluster: &Cluster,
) {
    let wire = filled(cluster).await;
    for round in 0..3 {
        change(cluster, &format!("m{round}")).await;
        wire.clear();
        let (maps, fold) = followed(&wire, quick()).await;
        let asked = wire.asked();
        assert_eq!(wire.short()[0], "stream");
        for (param, value) in [
            ("sendInitialEvents", "true"),
            ("resourceVersionMatch", "NotOlderThan"),
            ("allowWatchBookmarks", "true"),
        ] {
            assert_eq!(asked[0].param(param), Some(value), "{param}");
        }
        assert!(asked[0].param("timeoutSeconds").is_some());
        settled(cluster, &maps, &fold, &params()).await;
        let exact = params().at(&version(&maps)).matching(VersionMatch::Exact);
        settled(cluster, &maps, &fold, &exact).await;
        assert_eq!(fold.versions().len(), COUNT);
        assert_eq!(maps.health().relists, 0);
        maps.stop(LIMIT).await.unwrap();
    }
}

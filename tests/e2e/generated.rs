//! Caches that were generated from a definition, while that comes and goes.

use kube::api::ListParams;
use larder::core::v1::ConfigMapInformer;
use larder::{Cache, HandlerOptions, Phase, TypedInformer, field};
use serde_json::json;

use crate::cluster::{Cluster, LIMIT};
use crate::fold::Fold;
use crate::scenarios::{config_map, quick, settled, until};

/// See `codegen/tests/crds`, from which this is made.
#[allow(missing_docs, reason = "as in a user's crate")]
#[allow(unreachable_pub, reason = "in a user's crate the module is public")]
#[allow(dead_code, reason = "what it holds is compiled; a part is used")]
pub(crate) mod golden {
    include!("../../codegen/tests/golden/crds.rs");
}

use golden::shop_example_com::v1::{Gadget, GadgetInformer, GadgetMetadataInformer, gadget};

async fn make(cluster: &Cluster, name: &str, color: &str) {
    let spec = gadget::Spec {
        color: color.into(),
        size: 1,
        ..Default::default()
    };
    let gadget = serde_json::to_value(Gadget::new(name, spec)).expect("it is JSON");
    cluster
        .create("shop.example.com/v1", "Gadget", Some("default"), gadget)
        .await;
}

fn uid_of(gadgets: &GadgetInformer, name: &str) -> Option<String> {
    let gadget = gadgets.lister().namespace("default").get(name).ok()?;
    gadget.metadata.uid.clone()
}

pub(crate) async fn a_generated_kind_goes_and_comes_back_beside_others(cluster: &Cluster) {
    cluster.install_gadgets().await;
    make(cluster, "a", "red").await;
    make(cluster, "b", "red").await;
    let cache = Cache::builder(cluster.relayed.clone())
        .reflector(quick())
        .build();
    let gadgets = cache.informer::<GadgetInformer>().unwrap();
    let metadata = cache.informer::<GadgetMetadataInformer>().unwrap();
    let maps = cache.informer::<ConfigMapInformer>().unwrap();
    let by_color = gadgets.add_index(field!(Gadget, spec.color)).unwrap();
    let red = || by_color.get("red").unwrap().count();
    let folds: [Fold; 4] = Default::default();
    let [of_gadgets, merging, of_metadata, of_maps] = &folds;
    gadgets.inner().add_handler(of_gadgets.clone()).unwrap();
    let full_at_once = HandlerOptions::default().capacity(1);
    gadgets
        .inner()
        .add_handler_with(merging.clone(), full_at_once)
        .unwrap();
    metadata.inner().add_handler(of_metadata.clone()).unwrap();
    maps.inner().add_handler(of_maps.clone()).unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(LIMIT).await.unwrap();
    let all = ListParams::default();
    settled(cluster, &gadgets, of_gadgets, &all).await;
    settled(cluster, &metadata, of_metadata, &all).await;
    assert_eq!(red(), 2);
    let first = uid_of(&gadgets, "a");

    cluster.uninstall(&GadgetInformer::KIND).await;
    until("the deletes", gadgets.inner(), async || {
        let folds = [of_gadgets, merging, of_metadata];
        folds.iter().all(|fold| fold.versions().is_empty())
    })
    .await;
    assert_eq!(red(), 0);
    cluster
        .create("v1", "ConfigMap", Some("default"), config_map("during", 1))
        .await;
    settled(cluster, &maps, of_maps, &all).await;
    let health = maps.inner().health();
    assert!(
        health.last_error.is_none() && health.stale_since.is_none(),
        "{health:#?}"
    );

    // The server would keep the watches of the deleted kind open for up to two minutes more.
    cluster.relay.cut();
    cluster.relay.mend();
    until("the absence shows", gadgets.inner(), async || {
        gadgets.inner().health().sources[0].phase == Phase::Absent
    })
    .await;
    let health = gadgets.inner().health();
    let error = health.last_error.expect("an error").error.to_string();
    let expected = "the server does not serve gadgets in shop.example.com/v1";
    assert!(error.contains(expected), "{error}");
    assert!(health.synced && health.stale_since.is_some());
    assert_eq!(gadgets.lister().list().unwrap().count(), 0);
    let change = json!({"data": {"value": "changed"}});
    cluster
        .patch("v1", "ConfigMap", Some("default"), "during", change)
        .await;
    settled(cluster, &maps, of_maps, &all).await;

    cluster.install_gadgets().await;
    make(cluster, "a", "green").await;
    settled(cluster, &gadgets, of_gadgets, &all).await;
    settled(cluster, &metadata, of_metadata, &all).await;
    settled(cluster, &gadgets, merging, &all).await;
    assert_ne!(uid_of(&gadgets, "a"), first);
    assert_eq!((red(), by_color.get("green").unwrap().count()), (0, 1));
    let health = gadgets.inner().health();
    assert_eq!(health.sources[0].phase, Phase::Watching);
    assert!(health.stale_since.is_none());
    for fold in &folds {
        assert_eq!(fold.wrong(), [""; 0]);
    }
    let health = maps.inner().health();
    assert_eq!(
        (health.relists, health.sources[0].phase),
        (0, Phase::Watching),
        "{health:#?}"
    );
    cache.shutdown(LIMIT).await.unwrap();
}

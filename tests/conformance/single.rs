//! Behaviours whose path no mode changes.

use std::sync::{Arc, Weak};
use std::time::Duration;

use larder::core::v1::{Pod, PodInformer, SecretInformer};
use larder::{Cache, CacheError, InformerError, InformerOptions, SyncError};
use larder_sim::Fault;

use crate::support::{SOON, client, cluster, listings, pod, until};

#[test]
fn c063_without_a_runtime_nothing_starts_and_the_error_names_the_kind() {
    let sim = cluster([]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime.block_on(async { client(&sim) });
    let error = PodInformer::new(client.clone(), InformerOptions::new()).unwrap_err();
    assert!(
        matches!(error, InformerError::NoRuntime { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("pods"), "{error}");
    let cache = Cache::builder(client).build();
    let error = cache.informer::<PodInformer>().unwrap_err();
    assert!(matches!(error, CacheError::Informer(_)), "{error:?}");
    assert!(cache.health().is_empty());
}

#[tokio::test(start_paused = true)]
async fn c063_what_does_not_sync_is_reported_with_its_kind_and_why() {
    let sim = cluster([pod("a", "one")]);
    for (fault, why) in [
        (Fault::refuse(), "no response"),
        (Fault::forbidden(), "403"),
        (Fault::unavailable(), "503"),
        (Fault::never_answer(), "within"),
    ] {
        let fault = sim.faults().add(fault.resource("secrets"));
        let cache = Cache::builder(client(&sim)).build();
        assert!(matches!(
            cache.wait_for_cache_sync(SOON).await,
            Err(SyncError::NotStarted)
        ));
        let _pods = cache.informer::<PodInformer>().unwrap();
        let secrets = cache.informer::<SecretInformer>().unwrap();
        cache.start().unwrap();
        let deadline = Duration::from_secs(100);
        let of_cache = cache.wait_for_cache_sync(deadline).await.unwrap_err();
        let of_informer = secrets.wait_for_sync(deadline).await.unwrap_err();
        for error in [of_cache, of_informer] {
            let text = error.to_string();
            let says = |word| text.contains(word);
            assert!(says("secrets") && says("100s") && says(why), "{text}");
            assert!(!says("pods"), "pods are synced: {text}");
        }
        sim.faults().remove(fault);
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c078_one_object_of_a_list_keeps_no_other_in_memory() {
    for (mode, options) in listings() {
        let sim = cluster((0..50).map(|number| pod("a", &format!("p{number}"))));
        let options = InformerOptions::new().reflector(options);
        let pods = PodInformer::new(client(&sim), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        let all: Vec<Weak<Pod>> = pods
            .lister()
            .list()
            .unwrap()
            .map(|pod| Arc::downgrade(&pod))
            .collect();
        let alive = || all.iter().filter(|pod| pod.strong_count() > 0).count();
        assert_eq!(alive(), 50, "{mode}");

        sim.delete_now("pods", "a", "p7").unwrap();
        until("the memory of one is free", || alive() == 49).await;

        let kept = pods.lister().namespace("a").get("p3").unwrap();
        pods.stop(SOON).await.unwrap();
        drop(pods);
        until("the memory of the others is free", || alive() == 1).await;
        assert_eq!(kept.metadata.name.as_deref(), Some("p3"));
    }
}

//! Reads.

use larder::core::v1::{NodeInformer, NodeMetadataInformer, PodMetadataInformer};
use larder::{Cache, CacheError, Informer, ObjectKey, ReadError};
use larder_sim::{Sim, Verb};
use serde_json::json;

use crate::representation::{Pods, held, json, keys, modes, on_each, stored};
use crate::support::{SOON, client, cluster, labelled, listings, node, settle, until};

on_each! {
    c003_c004_c006_c009_c010_by_namespace_label_and_name,
    c005_reads_carry_the_kinds_own_api_version_and_kind,
    c007_c008_reads_share_memory_also_across_a_relist_and_stay_as_they_were,
    c050_c051_the_default_transform_changes_the_metadata_of_all,
}

fn pods() -> Sim {
    let app = |app: &str| json!({"app": app});
    cluster([
        labelled("a", "one", &app("red")),
        labelled("a", "two", &app("blue")),
        labelled("b", "one", &app("red")),
        labelled("c", "one", &app("red")),
    ])
}

async fn c003_c004_c006_c009_c010_by_namespace_label_and_name<R: Pods>() {
    for mode in modes() {
        let text = &mode.name;
        let sim = pods();
        let (cache, pods) = mode.synced::<R>(&sim).await;
        let lister = pods.lister();
        let all = mode.within(["a/one", "a/two", "b/one", "c/one"]);
        assert_eq!(keys::<R>(lister.list().unwrap()), all, "{text}");
        let red = "app=red".parse().unwrap();
        let expected = mode.within(["a/one", "b/one", "c/one"]);
        assert_eq!(
            keys::<R>(lister.matching(&red).unwrap()),
            expected,
            "{text}"
        );

        let a = lister.namespace("a");
        assert_eq!(keys::<R>(a.list().unwrap()), ["a/one", "a/two"], "{text}");
        assert_eq!(keys::<R>(a.matching(&red).unwrap()), ["a/one"], "{text}");
        assert_eq!(keys::<R>([a.get("two").unwrap()]), ["a/two"], "{text}");
        let Err(ReadError::NotFound {
            kind,
            namespace,
            name,
        }) = a.get("three")
        else {
            panic!("{text}");
        };
        let absent = (kind.to_string(), namespace.as_deref(), name.as_str());
        assert_eq!(absent, ("pods".to_owned(), Some("a"), "three"), "{text}");

        let elsewhere = lister.namespace("c").get("one");
        if mode.watches("c") {
            assert_eq!(keys::<R>([elsewhere.unwrap()]), ["c/one"], "{text}");
        } else {
            let Err(ReadError::NamespaceNotWatched { .. }) = elsewhere else {
                panic!("{text}");
            };
        }
        cache.shutdown(SOON).await.unwrap();
    }
}

async fn c005_reads_carry_the_kinds_own_api_version_and_kind<R: Pods>() {
    for mode in modes() {
        let text = &mode.name;
        let sim = pods();
        let (_cache, pods) = mode.synced::<R>(&sim).await;
        // One came by a list, the other by a watch.
        sim.create(labelled("a", "watched", &json!({}))).unwrap();
        until("the create", || {
            pods.lister().namespace("a").get("watched").is_ok()
        })
        .await;
        let mut expected = held::<R>(&sim);
        expected.retain(|key, _| mode.watches(&key[..1]));
        let stored = stored(&pods);
        for (key, object) in &stored {
            assert_eq!(
                (&object["apiVersion"], &object["kind"]),
                (&json!("v1"), &json!("Pod"))
            );
            if R::NAME != "typed" {
                assert_eq!(object, &expected[key], "{text}");
            }
        }
        assert_eq!(stored.len(), expected.len(), "{text}");

        let as_metadata = R::NAME == "metadata";
        for request in sim.requests() {
            assert_eq!(
                request.accept.contains("as=PartialObjectMetadata"),
                as_metadata,
                "{text}"
            );
            let list = request.accept.contains("as=PartialObjectMetadataList");
            assert_eq!(list, as_metadata && request.verb == Verb::List, "{text}");
        }
    }
}

async fn c007_c008_reads_share_memory_also_across_a_relist_and_stay_as_they_were<R: Pods>() {
    for mode in modes() {
        let text = &mode.name;
        let sim = pods();
        let (_cache, pods) = mode.synced::<R>(&sim).await;
        let read = |name: &str| pods.lister().namespace("a").get(name).unwrap();
        let (one, two) = (read("one"), read("two"));
        let (one_then, two_then) = (json::<R>(&one), json::<R>(&two));
        assert!(std::ptr::eq(&*one, &*read("one")), "{text}");
        sim.change_unseen(|sim| {
            let patch = json!({"metadata": {"labels": {"app": "green"}}});
            sim.patch("pods", "a", "two", &patch).unwrap();
        });
        until("a relist", || pods.health().relists > 0).await;
        until("the change", || {
            json::<R>(&read("two"))["metadata"]["labels"]["app"] == "green"
        })
        .await;
        assert!(std::ptr::eq(&*one, &*read("one")), "{text}");
        assert!(!std::ptr::eq(&*two, &*read("two")), "{text}");
        assert_eq!(
            (json::<R>(&one), json::<R>(&two)),
            (one_then, two_then),
            "{text}"
        );
    }
}

async fn c050_c051_the_default_transform_changes_the_metadata_of_all<R: Pods>() {
    for (listing, options) in listings() {
        let sim = pods();
        let builder = Cache::builder(client(&sim)).reflector(options);
        let cache = builder
            .transform(|metadata| {
                assert!(
                    metadata.managed_fields.is_none(),
                    "they cost nothing by now"
                );
                metadata.labels = None;
                Ok(())
            })
            .build();
        let pods = R::of(&cache);
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        assert_eq!(pods.health().decode_failures, 0, "{listing}");
        for pod in pods.lister().list().unwrap() {
            assert_eq!(R::metadata(&pod).labels, None, "{listing}");
        }
        assert_eq!(pods.store().len(), 4, "{listing}");
    }
}

#[tokio::test(start_paused = true)]
async fn c001_c002_c013_c014_reads_through_the_cache_start_what_they_need() {
    for mode in modes() {
        let text = &mode.name;
        let sim = pods();
        let strict = mode.builder(&sim).strict(true).build();
        strict.start().unwrap();
        let key = ObjectKey::namespaced("a", "one");
        let refused = strict.get::<PodMetadataInformer>(&key).await;
        assert!(
            matches!(refused, Err(CacheError::NotCached { .. })),
            "{text}"
        );
        let kind = PodMetadataInformer::KIND;
        let refused = strict.dynamic(kind.clone()).list().await.map(drop);
        assert!(
            matches!(refused, Err(CacheError::NotCached { .. })),
            "{text}"
        );
        assert_eq!(sim.requests().len(), 0, "{text}");

        let cache = mode.builder(&sim).build();
        let dynamic = cache.dynamic(kind.clone());
        let early = dynamic.get(&key).await.map(drop);
        assert!(matches!(early, Err(CacheError::NotStarted)), "{text}");
        cache.start().unwrap();
        let all = mode.within(["a/one", "a/two", "b/one", "c/one"]).len();
        assert_eq!(
            cache.list::<PodMetadataInformer>().await.unwrap().count(),
            all,
            "{text}"
        );
        let pod = cache.get::<PodMetadataInformer>(&key).await.unwrap();
        assert_eq!(pod.key().unwrap(), key);
        assert_eq!(dynamic.list().await.unwrap().count(), all, "{text}");
        let pod = dynamic.get(&key).await.unwrap();
        assert_eq!((pod.key().unwrap(), pod.kind()), (key, &kind));
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c031_cluster_scoped_kinds_are_whole_whatever_the_namespaces_are() {
    for mode in modes() {
        let text = &mode.name;
        let sim = cluster(["n1", "n2"].map(|name| node(name, &json!({}))));
        let cache = mode.builder(&sim).build();
        let metadata = cache.informer::<NodeMetadataInformer>().unwrap();
        let dynamic = cache.dynamic(NodeInformer::KIND).informer().unwrap();
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        // The kind's own lister knows no namespaces at all; one of any kind is told of a namespace, which says nothing of nodes.
        assert_eq!(metadata.lister().list().unwrap().count(), 2, "{text}");
        assert_eq!(
            metadata.lister().get("n1").unwrap().kind().kind(),
            "Node",
            "{text}"
        );
        assert_eq!(
            metadata.store().get("n2").unwrap().metadata.namespace,
            None,
            "{text}"
        );
        let lister = dynamic.lister();
        assert_eq!(lister.namespace("a").list().unwrap().count(), 2, "{text}");
        assert!(lister.namespace("a").get("n1").is_ok(), "{text}");
        assert_eq!(
            lister.get_by_name("n1").unwrap().kind(),
            &NodeInformer::KIND,
            "{text}"
        );
        assert_eq!(
            dynamic.indexer().by_namespace("x").unwrap().count(),
            2,
            "{text}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_kept_on_request_alone() {
    let managed = || {
        let mut pod = labelled("a", "one", &json!({}));
        pod["metadata"]["managedFields"] = json!([{
            "manager": "test", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}},
        }]);
        pod
    };
    async fn kept<R: Pods>(sim: &Sim, keep: bool) -> bool {
        for (_, options) in listings() {
            let cache = Cache::builder(client(sim))
                .reflector(options.keep_managed_fields(keep))
                .build();
            let pods: Informer<R> = R::of(&cache);
            cache.start().unwrap();
            cache.wait_for_cache_sync(SOON).await.unwrap();
            let pod = pods.lister().namespace("a").get("one").unwrap();
            if R::metadata(&pod).managed_fields.is_none() {
                return false;
            }
        }
        true
    }
    let sim = cluster([managed()]);
    assert!(sim.get("pods", "a", "one").unwrap().unwrap()["metadata"]["managedFields"].is_array());
    for keep in [false, true] {
        assert_eq!(kept::<larder::Metadata>(&sim, keep).await, keep);
        assert_eq!(kept::<larder::Dynamic>(&sim, keep).await, keep);
    }
    settle().await;
}

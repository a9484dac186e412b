//! Reading one's own writes: c134.

use std::time::Duration;

use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use larder::core::v1::{ConfigMap, ConfigMapInformer};
use larder::{InformerOptions, ObjectKey, ReadError, ResourceVersion, WaitError, Written};
use serde_json::json;

use crate::cluster::{Cluster, LIMIT};
use crate::scenarios::{config_map, followed, in_parallel, quick};

/// The limit of a wait that the write's own event ends: far less than until the next bookmark, which would end it as well.
const AT_ONCE: Duration = Duration::from_secs(20);

pub(crate) async fn shows_ones_own_writes_after_a_wait(cluster: &Cluster) {
    cluster.namespace("one").await;
    cluster.namespace("two").await;
    let in_one = InformerOptions::new().namespaces(["one"]);
    let (maps, _) = followed::<ConfigMapInformer>(cluster, in_one.reflector(quick())).await;
    let api = |namespace| Api::<ConfigMap>::namespaced(cluster.direct.clone(), namespace);
    let map = |name: &str| -> ConfigMap {
        serde_json::from_value(config_map(name, 0)).expect("the test's object is a ConfigMap")
    };
    let key = |name: &str| ObjectKey::namespaced("one", name);
    let held = |name: &str| maps.lister().get(&key(name)).ok();

    // c134: many tasks write, wait and read, each its own.
    in_parallel((0..100).map(|number| {
        let (api, maps) = (api("one"), maps.lister());
        let name = format!("own-{number}");
        let mut object = map(&name);
        async move {
            for round in 0..3 {
                object.data = Some([("round".to_owned(), round.to_string())].into());
                object = if round == 0 {
                    api.create(&PostParams::default(), &object).await.unwrap()
                } else {
                    let replaced = api.replace(&name, &PostParams::default(), &object).await;
                    replaced.unwrap()
                };
                let written = Written::of(&object.metadata).unwrap();
                maps.wait_for(&written, AT_ONCE).await.unwrap();
                let seen = maps.get(&ObjectKey::namespaced("one", &*name)).unwrap();
                assert_eq!(seen.data, object.data);
            }
            let answer = api.delete(&name, &DeleteParams::default()).await.unwrap();
            let key = ObjectKey::namespaced("one", &*name);
            let deleted = Written::of_delete(key.clone(), &answer).unwrap();
            maps.wait_for(&deleted, AT_ONCE).await.unwrap();
            assert!(maps.get(&key).is_err());
        }
    }))
    .await;

    // Marked, then freed: the answer of the patch that takes the finalizer off is the end of the object.
    let mut object = map("held");
    object.metadata.finalizers = Some(vec!["example.com/hold".to_owned()]);
    let created = api("one").create(&PostParams::default(), &object).await;
    let created = Written::of(&created.unwrap().metadata).unwrap();
    maps.wait_for(&created, AT_ONCE).await.unwrap();
    let answer = api("one").delete("held", &DeleteParams::default()).await;
    let marked = Written::of_delete(key("held"), &answer.unwrap()).unwrap();
    maps.wait_for(&marked, AT_ONCE).await.unwrap();
    let seen = held("held").expect("the finalizer holds it");
    assert!(seen.metadata.deletion_timestamp.is_some());
    let freed = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    let freed = api("one")
        .patch("held", &PatchParams::default(), &freed)
        .await;
    let freed = Written::of(&freed.unwrap().metadata).unwrap();
    maps.wait_for(&freed, AT_ONCE).await.unwrap();
    assert!(held("held").is_none());

    // A write that is not this informer's to see.
    let elsewhere = api("two")
        .create(&PostParams::default(), &map("elsewhere"))
        .await;
    let elsewhere = elsewhere.unwrap();
    let error = maps
        .wait_for(&Written::of(&elsewhere.metadata).unwrap(), LIMIT)
        .await;
    assert!(matches!(
        error,
        Err(WaitError::Read(ReadError::NamespaceNotWatched { .. }))
    ));

    // Versions of one resource are comparable across namespaces (KEP-5504): a later event passes that write.
    let version = elsewhere.metadata.resource_version.unwrap_or_default();
    let later = api("one")
        .create(&PostParams::default(), &map("later"))
        .await;
    later.unwrap();
    maps.wait_for_version(&ResourceVersion::new(&version), AT_ONCE)
        .await
        .unwrap();
    assert!(held("later").is_some());

    // While the relay is cut nothing is seen; the watch that is resumed ends the wait.
    cluster.relay.cut();
    let late = api("one")
        .create(&PostParams::default(), &map("late"))
        .await;
    let late = Written::of(&late.unwrap().metadata).unwrap();
    let unseen = maps.wait_for(&late, Duration::from_secs(1)).await;
    assert!(
        matches!(unseen, Err(WaitError::Deadline { .. })),
        "{unseen:?}"
    );
    cluster.relay.mend();
    maps.wait_for(&late, LIMIT).await.unwrap();
    assert!(held("late").is_some());
}

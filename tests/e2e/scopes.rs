//! Namespaces: what is left out, and what comes and goes.

use kube::api::ListParams;
use larder::InformerOptions;
use larder::certificates::v1::PodCertificateRequestInformer;
use larder::core::v1::PodInformer;
use serde_json::json;

use crate::cluster::{Cluster, LIMIT};
use crate::scenarios::{followed, pod, quick, settled, until};

const NAMESPACES: [&str; 3] = ["one", "two", "three"];

async fn pods_in_each(cluster: &Cluster) {
    for namespace in NAMESPACES {
        cluster.namespace(namespace).await;
        for name in ["first", "second"] {
            create(cluster, namespace, name).await;
        }
    }
}

async fn create(cluster: &Cluster, namespace: &str, name: &str) {
    let pod = pod(name, &json!({}));
    cluster.create("v1", "Pod", Some(namespace), pod).await;
}

pub(crate) async fn c039_leaves_namespaces_out_as_the_server_does(cluster: &Cluster) {
    pods_in_each(cluster).await;
    let left_out = ListParams::default().fields("metadata.namespace!=one,metadata.namespace!=two");
    for streaming in [true, false] {
        let reflector = quick().streaming_list(streaming);
        let options = InformerOptions::new()
            .except_namespaces(["one", "two"])
            .reflector(reflector.clone());
        let (pods, fold) = followed::<PodInformer>(cluster, options).await;
        settled(cluster, &pods, &fold, &left_out).await;
        let name = if streaming { "third" } else { "fourth" };
        for namespace in NAMESPACES {
            create(cluster, namespace, name).await;
        }
        settled(cluster, &pods, &fold, &left_out).await;
        pods.stop(LIMIT).await.unwrap();

        // A kind that the server cannot select by namespace: it says so with 400, and the informer does without.
        let options = InformerOptions::new()
            .except_namespaces(["one", "two"])
            .reflector(reflector);
        let (requests, fold) = followed::<PodCertificateRequestInformer>(cluster, options).await;
        settled(cluster, &requests, &fold, &ListParams::default()).await;
        assert!(
            requests.health().last_error.is_none(),
            "{:?}",
            requests.health()
        );
        requests.stop(LIMIT).await.unwrap();
    }
    let refused = cluster
        .try_list("certificates.k8s.io/v1", "PodCertificateRequest", &left_out)
        .await;
    let Err(kube::Error::Api(status)) = refused else {
        panic!(
            "if no server refuses this any more, nothing has to be left out locally: {refused:?}"
        )
    };
    assert_eq!(status.code, 400, "{status:?}");
}

pub(crate) async fn c041_follows_namespaces_that_come_and_go(cluster: &Cluster) {
    pods_in_each(cluster).await;
    let fields = |fields: &str| ListParams::default().fields(fields);
    let options = InformerOptions::new()
        .namespaces(["one"])
        .reflector(quick());
    let (pods, fold) = followed::<PodInformer>(cluster, options).await;
    settled(cluster, &pods, &fold, &fields("metadata.namespace=one")).await;
    assert!(pods.add_namespace("two").unwrap());
    pods.wait_for_sync(LIMIT).await.unwrap();
    settled(cluster, &pods, &fold, &fields("metadata.namespace!=three")).await;
    assert!(pods.remove_namespace("one").unwrap());
    settled(cluster, &pods, &fold, &fields("metadata.namespace=two")).await;
    for namespace in NAMESPACES {
        create(cluster, namespace, "third").await;
    }
    settled(cluster, &pods, &fold, &fields("metadata.namespace=two")).await;
    pods.stop(LIMIT).await.unwrap();

    // Out of all, through a watch that is reopened with another selector, and back.
    let options = InformerOptions::new().reflector(quick());
    let (pods, fold) = followed::<PodInformer>(cluster, options).await;
    settled(cluster, &pods, &fold, &ListParams::default()).await;
    assert!(pods.remove_namespace("three").unwrap());
    settled(cluster, &pods, &fold, &fields("metadata.namespace!=three")).await;
    cluster.relay.cut();
    for namespace in NAMESPACES {
        create(cluster, namespace, "fourth").await;
    }
    cluster.relay.mend();
    settled(cluster, &pods, &fold, &fields("metadata.namespace!=three")).await;
    until(
        "it is current again",
        larder::TypedInformer::inner(&pods),
        async || pods.health().stale_since.is_none(),
    )
    .await;
    assert_eq!(
        pods.health().relists,
        0,
        "the same watch goes on: {:?}",
        pods.health()
    );
    assert!(pods.add_namespace("three").unwrap());
    settled(cluster, &pods, &fold, &ListParams::default()).await;
    pods.stop(LIMIT).await.unwrap();
}

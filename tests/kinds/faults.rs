//! Servers that serve no metadata, or more than that; objects that do not decode.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use larder::core::v1::{PodInformer, PodMetadataInformer};
use larder::{
    BodyStream, DynamicInformer, InformerOptions, ReflectorFailure, Transport, TransportError,
    TypedInformer as _,
};
use larder_sim::{Fault, Sim, Status, Verb};
use serde_json::{Value, json};

use crate::fold::Fold;
use crate::representation::{Pods, held, on_each, stored};
use crate::support::{SOON, client, cluster, listings, pod, settle, until};

on_each! {
    c150_an_object_that_does_not_decode_harms_nobody,
    c053_c054_a_transform_may_refuse_an_object,
}

#[tokio::test(start_paused = true)]
async fn a_server_without_metadata_is_an_error_that_says_so() {
    for (listing, options) in listings() {
        let sim = cluster([pod("a", "one")]);
        let refused = "only the following media types are accepted: application/json";
        let not_acceptable = Status::new(406, "NotAcceptable", refused);
        let fault = Fault::status(not_acceptable)
            .matching(|request| request.accept.contains("as=PartialObjectMetadata"));
        sim.faults().add(fault);
        let options = InformerOptions::new().reflector(options);
        let pods = PodMetadataInformer::new(client(&sim), options).unwrap();
        let error = pods.wait_for_sync(SOON).await.unwrap_err().to_string();
        assert!(
            error.contains("pods") && error.contains("406"),
            "{listing}: {error}"
        );
        let health = pods.health();
        let last = health.last_error.unwrap().error;
        assert!(last.to_string().contains(refused), "{listing}: {last}");
        let ReflectorFailure::Status { code: 406, .. } = last.failure() else {
            panic!("{listing}: {last}");
        };
        assert!(sim.requests().len() < 20, "it backs off: {listing}");
        for request in sim.requests() {
            assert!(
                request.accept.contains("as="),
                "whole objects are never asked for: {listing}"
            );
        }
        // The server learns it.
        sim.faults().clear();
        pods.wait_for_sync(Duration::from_secs(120)).await.unwrap();
    }
}

/// A server that knows no `as`, and sends what it has.
struct Ignorant(kube::Client);

impl Transport for Ignorant {
    fn send(
        &self,
        mut request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<BodyStream>, TransportError>> {
        let plain = http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(http::header::ACCEPT, plain);
        Transport::send(&self.0, request)
    }
}

#[tokio::test(start_paused = true)]
async fn c005_whole_objects_sent_all_the_same_are_read_as_metadata() {
    for (listing, options) in listings() {
        let sim = cluster([pod("a", "one"), pod("b", "two")]);
        let options = InformerOptions::new().reflector(options);
        let pods = PodMetadataInformer::new(Ignorant(client(&sim)), options).unwrap();
        let fold = Fold::default();
        pods.inner().add_handler(fold.clone()).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        sim.create(pod("a", "watched")).unwrap();
        until("the create", || pods.store().len() == 3).await;
        assert_eq!(
            stored(pods.inner()),
            held::<larder::Metadata>(&sim),
            "{listing}"
        );
        assert_eq!(pods.health().decode_failures, 0, "{listing}");
        assert_eq!(fold.wrong(), Vec::<String>::new());
    }
}

async fn c150_an_object_that_does_not_decode_harms_nobody<R: Pods>() {
    for (listing, options) in listings() {
        let sim = cluster(["a0", "bad", "z"].map(|name| pod("a", name)));
        let fault = Fault::broken_field("bad", "/metadata/labels", &json!({"app": ["secret"]}));
        let fault = sim.faults().add(fault);
        let cache = larder::Cache::builder(client(&sim))
            .reflector(options)
            .build();
        let pods = R::of(&cache);
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        assert_eq!(pods.store().len(), 2, "{listing}");
        let health = pods.health();
        assert_eq!(health.decode_failures, 1, "{listing}");
        let failure = health.last_decode_failure.unwrap();
        assert_eq!(failure.key.unwrap().to_string(), "a/bad", "{listing}");
        assert!(
            failure.error.contains("metadata.labels"),
            "{listing}: {}",
            failure.error
        );
        assert!(
            !failure.error.contains("secret"),
            "{listing}: {}",
            failure.error
        );

        let relabel = |name: &str| {
            let patch = json!({"metadata": {"labels": {"app": "later"}}});
            sim.patch("pods", "a", name, &patch).unwrap();
        };
        relabel("z");
        until("the others go on", || {
            stored(&pods)["a/z"]["metadata"]["labels"]["app"] == "later"
        })
        .await;
        sim.faults().remove(fault);
        sim.disconnect();
        tokio::time::sleep(Duration::from_secs(3)).await;
        relabel("bad");
        until("it is mended", || pods.store().len() == 3).await;
        sim.delete_now("pods", "a", "bad").unwrap();
        until("its delete", || pods.store().len() == 2).await;
        cache.shutdown(SOON).await.unwrap();
    }
}

async fn c053_c054_a_transform_may_refuse_an_object<R: Pods>() {
    for (listing, options) in listings() {
        let sim = cluster(["one", "refused", "z"].map(|name| pod("a", name)));
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = std::sync::Arc::clone(&calls);
        let own = InformerOptions::<R>::new().transform(move |object| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let metadata = R::metadata_mut(object).expect("every one of these has metadata");
            if metadata.name.as_deref() == Some("refused") {
                return Err(larder::TransformError::new("not this one"));
            }
            metadata.annotations = Some([("seen".to_owned(), "yes".to_owned())].into());
            Ok(())
        });
        let cache = larder::Cache::builder(client(&sim))
            .reflector(options)
            .build();
        let pods = R::with(&cache, own);
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        assert_eq!(
            calls.load(std::sync::atomic::Ordering::Relaxed),
            3,
            "{listing}"
        );
        let shown: Vec<Value> = stored(&pods).into_values().collect();
        assert_eq!(shown.len(), 2, "{listing}");
        for object in shown {
            assert_eq!(
                object["metadata"]["annotations"]["seen"], "yes",
                "{listing}"
            );
        }
        assert_eq!(pods.health().decode_failures, 1, "{listing}");
    }
}

/// Whatever stands in the parts that metadata does not read cannot keep an object out.
#[tokio::test(start_paused = true)]
async fn what_is_not_read_cannot_break_anything() {
    for (listing, options) in listings() {
        let sim = cluster(["bad", "z"].map(|name| pod("a", name)));
        sim.faults().add(Fault::broken_field(
            "bad",
            "/spec",
            &json!([1, {"a": 1e300}]),
        ));
        let own = InformerOptions::new().reflector(options.clone());
        let pods = PodMetadataInformer::new(Ignorant(client(&sim)), own).unwrap();
        let own = InformerOptions::new().reflector(options.clone());
        let dynamic = DynamicInformer::spawn(client(&sim), PodInformer::KIND, own).unwrap();
        let own = InformerOptions::new().reflector(options);
        let typed = PodInformer::new(client(&sim), own).unwrap();
        for informer in [
            pods.wait_for_sync(SOON).await,
            dynamic.wait_for_sync(SOON).await,
            typed.wait_for_sync(SOON).await,
        ] {
            informer.unwrap();
        }
        assert_eq!(
            (pods.store().len(), dynamic.store().len()),
            (2, 2),
            "{listing}"
        );
        assert_eq!(
            typed.store().len(),
            1,
            "{listing}: its type says what spec is"
        );
    }
}

/// An expired watch relists, over metadata as over whole objects.
#[tokio::test(start_paused = true)]
async fn c080_c154_errors_of_a_metadata_watch_mean_the_same() {
    for (listing, options) in listings() {
        let sim: Sim = cluster([pod("a", "one")]);
        let options = InformerOptions::new().reflector(options);
        let pods = PodMetadataInformer::new(client(&sim), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        settle().await;
        let expired = Status::new(410, "Expired", "too old resource version");
        sim.faults()
            .add(Fault::error_event(0, expired).on(Verb::Watch).times(1));
        sim.disconnect();
        until("a relist", || pods.health().relists > 0).await;
        sim.create(pod("a", "two")).unwrap();
        until("it goes on", || pods.store().len() == 2).await;
        assert_eq!(
            stored(pods.inner()),
            held::<larder::Metadata>(&sim),
            "{listing}"
        );
    }
}

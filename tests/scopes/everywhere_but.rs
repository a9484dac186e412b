//! c039: all namespaces but some, which are left out on the server where it can and before they are decoded where it cannot.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use larder::certificates::v1::PodCertificateRequestInformer;
use larder::core::v1::PodInformer;
use larder::{
    BodyStream, Cache, Informer, InformerOptions, Kept, Keys, NamespaceOptions, ReadError,
    Transport, TransportError, TypedInformer,
};
use larder_sim::{Sim, Verb};
use serde_json::{Value, json};

use crate::bench::{Decoded, asked, listed, pods_of, set, started, stored};
use crate::fold::Fold;
use crate::support::{SOON, client, cluster, labelled, listings, pod, settle, until};

fn three() -> Sim {
    cluster(["kube-system", "web", "jobs"].map(|namespace| pod(namespace, "one")))
}

#[tokio::test(start_paused = true)]
async fn c039_all_but_these_are_left_out_by_the_server() {
    for (listing, reflector) in listings() {
        let sim = three();
        let builder = Cache::builder(client(&sim)).reflector(reflector);
        let (cache, pods) = pods_of(builder.except_namespaces(["kube-system", "absent"])).await;
        assert_eq!(listed(&pods), set(["web/one", "jobs/one"]), "{listing}");
        let fields = "metadata.namespace!=absent,metadata.namespace!=kube-system";
        let asked = asked(&sim, "pods");
        assert_eq!(
            asked,
            [(String::new(), String::new(), fields.into())].into(),
            "{listing}"
        );

        let error = pods.lister().namespace("kube-system").list().unwrap_err();
        let ReadError::NamespaceNotWatched {
            watched, except, ..
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!((watched.len(), except.as_deref().unwrap().len()), (0, 2));
        assert_eq!(
            error.to_string(),
            r#"namespace "kube-system" is not watched for pods; watched: all but absent, kube-system"#
        );
        assert!(
            pods.lister().namespace("new").list().is_ok(),
            "watched and empty"
        );
        sim.create(pod("kube-system", "two")).unwrap();
        sim.create(pod("new", "one")).unwrap();
        until("what comes later", || pods.store().len() == 3).await;
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c039_named_ones_beside_all_are_left_out_of_all_merged_with_its_own_selector() {
    let sim = cluster([
        labelled("web", "front", &json!({"app": "x"})),
        labelled("web", "back", &json!({"app": "y"})),
        labelled("jobs", "one", &json!({"app": "x"})),
        labelled("jobs", "two", &json!({"app": "x"})),
        labelled("other", "one", &json!({"app": "y"})),
    ]);
    let cache = started(Cache::builder(client(&sim)));
    let options = InformerOptions::new()
        .namespace("web", NamespaceOptions::new().label_selector(""))
        .other_namespaces(NamespaceOptions::new().field_selector("metadata.name!=two"))
        .label_selector("app=x");
    let pods = cache.informer_with::<PodInformer>(options).unwrap();
    let fold = Fold::default();
    pods.inner().add_handler(fold.clone()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["web/front", "web/back", "jobs/one"]));
    let row = |namespace: &str, labels: &str, fields: &str| {
        (namespace.to_owned(), labels.to_owned(), fields.to_owned())
    };
    let merged = "metadata.namespace!=web,metadata.name!=two";
    assert_eq!(
        asked(&sim, "pods"),
        [row("web", "", ""), row("", "app=x", merged)].into()
    );

    // Neither source hears of the other's objects.
    settle().await;
    let before = fold.versions();
    let green = json!({"metadata": {"labels": {"app": "x", "new": "label"}}});
    sim.patch("pods", "web", "back", &green).unwrap();
    sim.patch("pods", "jobs", "one", &green).unwrap();
    until("both changes", || {
        let now = fold.versions();
        let changed = now
            .iter()
            .filter(|(key, version)| before.get(key) != Some(version));
        changed.count() == 2
    })
    .await;
    settle().await;
    sim.delete_now("pods", "web", "front").unwrap();
    until("a delete", || pods.store().len() == 2).await;
    settle().await;
    assert_eq!(fold.versions().len(), 2);
    assert!(fold.wrong().is_empty(), "{:?}", fold.wrong());
}

fn certificate_request(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "PodCertificateRequest",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "signerName": "example.com/signer", "podName": "p", "podUID": "u", "serviceAccountName": "s",
            "serviceAccountUID": "u", "nodeName": "n", "nodeUID": "u", "stubPKCS10Request": "",
        },
    })
}

/// Nothing of `kube-system` was decoded, stored, told or counted, while all else was.
async fn check_left_out<R: Kept>(informer: &Informer<R>, decoded: &Decoded, case: &str) {
    let told = Fold::default();
    let registration = informer.add_handler(told.clone()).unwrap();
    registration.wait_for_sync(SOON).await.unwrap();
    assert_eq!(stored(informer), set(["web/one"]), "{case}");
    assert_eq!(decoded.count(), 1, "{case}");
    let health = informer.health();
    assert_eq!(
        (health.decode_failures, health.sources.len()),
        (0, 1),
        "{case}"
    );
    assert_eq!(told.versions().len(), 1, "{case}");
    let read = informer.lister().namespace("kube-system").list();
    assert!(
        matches!(read, Err(ReadError::NamespaceNotWatched { .. })),
        "{case}"
    );
}

#[tokio::test(start_paused = true)]
async fn c039_a_kind_whose_namespace_is_no_field_is_left_out_locally() {
    for (listing, reflector) in listings() {
        let both = || {
            [
                certificate_request("kube-system", "one"),
                certificate_request("web", "one"),
            ]
        };
        let sim = cluster(both());
        let cache = started(Cache::builder(client(&sim)).reflector(reflector));
        let decoded = Decoded::default();
        let options = InformerOptions::new()
            .except_namespaces(["kube-system"])
            .field_selector("spec.nodeName=n")
            .transform(decoded.transform());
        let requests = cache
            .informer_with::<PodCertificateRequestInformer>(options)
            .unwrap();
        requests.wait_for_sync(SOON).await.unwrap();
        check_left_out(&requests, &decoded, listing).await;
        assert!(
            requests.health().last_error.is_none(),
            "{listing}: it is no error"
        );

        // Asked once, and not again; the selector of the user's own stays.
        let fields: Vec<_> = sim
            .requests()
            .iter()
            .map(|one| one.param("fieldSelector").unwrap_or_default())
            .collect();
        let (first, later) = fields.split_first().unwrap();
        assert_eq!(
            first, "metadata.namespace!=kube-system,spec.nodeName=n",
            "{listing}"
        );
        assert!(
            !later.is_empty() && later.iter().all(|one| one == "spec.nodeName=n"),
            "{fields:?}"
        );

        // Events of what is left out move the version all the same.
        let version = || requests.store().versions()[0].1.clone();
        let before = version();
        sim.create(certificate_request("kube-system", "two"))
            .unwrap();
        sim.delete_now(
            "podcertificaterequests.certificates.k8s.io",
            "kube-system",
            "one",
        )
        .unwrap();
        until("the versions pass", || version() != before).await;
        settle().await;
        check_left_out(&requests, &decoded, listing).await;
        sim.create(certificate_request("web", "two")).unwrap();
        until("what is not left out", || requests.store().len() == 2).await;
        assert_eq!(decoded.count(), 2, "{listing}");
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c039_a_selector_that_is_wrong_in_itself_stays_an_error() {
    let sim = three();
    let cache = started(Cache::builder(client(&sim)));
    let options = InformerOptions::new()
        .except_namespaces(["kube-system"])
        .field_selector("spec.misspelt=x");
    let pods = cache.informer_with::<PodInformer>(options).unwrap();
    let error = pods.wait_for_sync(SOON).await.unwrap_err().to_string();
    assert!(
        error.contains("400") && error.contains("spec.misspelt"),
        "{error}"
    );
    // The exclusion is asked for again: it was not at fault.
    let last = sim
        .requests()
        .iter()
        .rev()
        .take(2)
        .cloned()
        .collect::<Vec<_>>();
    let excludes = |request: &larder_sim::Request| {
        request
            .param("fieldSelector")
            .unwrap_or_default()
            .contains("metadata.namespace!=")
    };
    assert_eq!(last.iter().filter(|one| excludes(one)).count(), 1);
}

/// A server that ignores field selectors, as aggregated ones may.
struct Ignoring(kube::Client);

impl Transport for Ignoring {
    fn send(
        &self,
        mut request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        let uri = request.uri().to_string();
        let (path, query) = uri.split_once('?').unwrap_or((&uri, ""));
        let kept: Vec<_> = query
            .split('&')
            .filter(|one| !one.starts_with("fieldSelector="))
            .collect();
        *request.uri_mut() = format!("{path}?{}", kept.join("&")).parse().unwrap();
        Transport::send(&self.0, request)
    }
}

#[tokio::test(start_paused = true)]
async fn c039_a_server_that_ignores_the_selector_cannot_bring_anything_in() {
    for (listing, reflector) in listings() {
        let sim = cluster([pod("kube-system", "one"), pod("web", "one")]);
        let cache = started(Cache::builder(Ignoring(client(&sim))).reflector(reflector));
        let decoded = Decoded::default();
        let options = InformerOptions::new()
            .except_namespaces(["kube-system"])
            .transform(decoded.transform());
        let pods = cache.informer_with::<PodInformer>(options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        check_left_out(&pods, &decoded, listing).await;
        let change = json!({"metadata": {"labels": {"new": "label"}}});
        sim.patch("pods", "kube-system", "one", &change).unwrap();
        sim.delete_now("pods", "kube-system", "one").unwrap();
        settle().await;
        check_left_out(&pods, &decoded, listing).await;
        cache.shutdown(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn c039_c041_a_namespace_taken_out_of_all_while_running() {
    let sim = three();
    let (_cache, pods) = pods_of(Cache::builder(client(&sim))).await;
    let fold = Fold::default();
    pods.inner().add_handler(fold.clone()).unwrap();
    settle().await;
    assert!(pods.remove_namespace("kube-system").unwrap());
    assert!(!pods.remove_namespace("kube-system").unwrap());
    assert_eq!(listed(&pods), set(["web/one", "jobs/one"]));
    assert!(pods.has_synced());
    let read = pods.lister().namespace("kube-system").get("one");
    assert!(
        matches!(read, Err(ReadError::NamespaceNotWatched { .. })),
        "{read:?}"
    );
    settle().await;
    assert_eq!((fold.versions().len(), fold.missed_deletes()), (2, 1));

    // The watch that is open goes on: what it says of the namespace is not heard, not even a delete.
    sim.create(pod("kube-system", "two")).unwrap();
    sim.delete_now("pods", "kube-system", "one").unwrap();
    settle().await;
    assert_eq!(stored(&pods), set(["web/one", "jobs/one"]));
    assert_eq!(sim.request_count(Verb::Watch, "pods"), 1);
    // The next one leaves it out.
    sim.disconnect();
    until("the next watch", || {
        sim.request_count(Verb::Watch, "pods") == 2
    })
    .await;
    let last = sim.requests().last().cloned().unwrap();
    assert_eq!(
        last.param("fieldSelector").unwrap(),
        "metadata.namespace!=kube-system"
    );

    // Added back, it has a list and watch of its own, and is heard once.
    assert!(pods.add_namespace("kube-system").unwrap());
    assert!(!pods.add_namespace("kube-system").unwrap());
    assert!(!pods.add_namespace("web").unwrap(), "one of all");
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(
        listed(&pods),
        set(["web/one", "jobs/one", "kube-system/two"])
    );
    assert_eq!(pods.health().sources.len(), 2);
    let change = json!({"metadata": {"labels": {"new": "label"}}});
    sim.patch("pods", "kube-system", "two", &change).unwrap();
    settle().await;
    assert_eq!(fold.versions().len(), 3);
    assert!(fold.wrong().is_empty(), "{:?}", fold.wrong());
}

#[tokio::test(start_paused = true)]
async fn c039_a_relist_under_way_does_not_bring_back_what_was_taken_out() {
    let sim = three();
    let slow = larder_sim::Fault::slow(std::time::Duration::from_secs(1));
    sim.faults().add(slow.resource("pods").on(Verb::List));
    let options = larder::ReflectorOptions::default().streaming_list(false);
    let cache = started(Cache::builder(client(&sim)).reflector(options));
    let pods = cache.informer::<PodInformer>().unwrap();
    pods.add_handler(Keys::new(|_| {})).unwrap();
    // Between the first object and the last.
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    assert!(!pods.has_synced());
    for namespace in ["kube-system", "web", "jobs"] {
        assert!(pods.remove_namespace(namespace).unwrap());
    }
    pods.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set([]));
}

//! The seam: everything that a pod's informer can do works alike for pods kept as their JSON bytes, which are decoded by a read, or by a
//! handler that asks for the object, and by nothing else.

mod support;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use larder::core::v1::{
    Pod, PodEventHandler, PodIndexer, PodInformer, PodLister, PodNamespaceLister, PodStore,
};
use larder::{
    Cache, DecodeError, Extract, HandlerOptions, Kept, KeptLabels, LabelSelector, RawBuffer,
    RawObject, Seen, StoreError, Tombstone, Transform, decode_bytes,
};
use larder_sim::{Fault, Verb};
use serde_json::json;
use support::{SOON, client, cluster, labelled, listings, until};

/// How many pods were decoded by this test's thread; each test runs on a thread of its own.
fn decodes() -> usize {
    DECODES.with(|decodes| decodes.load(Ordering::Relaxed))
}

thread_local! {
    static DECODES: AtomicUsize = const { AtomicUsize::new(0) };
}

/// Pods as their JSON bytes.
enum Bytes {}

impl Kept for Bytes {
    type Object = Pod;
    type Stored = Arc<[u8]>;
    /// Nothing was decoded when it was stored, so a read may fail.
    type Read = Result<Arc<Pod>, DecodeError>;

    fn store(raw: &RawObject<'_>, _: &Transform<Pod>) -> Result<Arc<[u8]>, StoreError> {
        Ok(raw.bytes().into())
    }

    fn read(stored: &Arc<[u8]>) -> Self::Read {
        DECODES.with(|decodes| decodes.fetch_add(1, Ordering::Relaxed));
        decode_bytes::<Pod>(stored).map(Arc::new)
    }
}

/// The labels alone, out of the bytes.
#[derive(serde::Deserialize)]
struct Labelled {
    metadata: Labels,
}

#[derive(serde::Deserialize)]
struct Labels {
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

impl KeptLabels for Bytes {
    fn labels(stored: &Arc<[u8]>) -> Cow<'_, BTreeMap<String, String>> {
        let found = decode_bytes::<Labelled>(stored).map(|object| object.metadata.labels);
        Cow::Owned(found.unwrap_or_default())
    }
}

/// An index whose keys come from bytes.
struct ByNode;

#[derive(serde::Deserialize)]
struct OnNode {
    spec: NodeName,
}

#[derive(serde::Deserialize)]
struct NodeName {
    #[serde(rename = "nodeName")]
    node_name: Option<String>,
}

impl Extract<Bytes> for ByNode {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("spec.nodeName")
    }

    fn keys(&self, stored: &Arc<[u8]>, emit: &mut dyn FnMut(String)) {
        if let Ok(Some(node)) = decode_bytes::<OnNode>(stored).map(|pod| pod.spec.node_name) {
            emit(node);
        }
    }
}

/// Looks at the phase of pods whose name says so, and at nothing of the others.
#[derive(Clone, Default)]
struct Curious(Arc<Mutex<Vec<String>>>);

impl PodEventHandler<Bytes> for Curious {
    fn on_add(&self, pod: &Seen<Bytes>, initial: bool) {
        let mut word = format!("{} {initial}", pod.name());
        if pod.name().starts_with("curious") {
            // Twice: decoded once.
            let (first, second) = (pod.object().unwrap(), pod.object().unwrap());
            assert!(Arc::ptr_eq(&first, &second));
            word.push_str(&format!(
                " on {}",
                first.spec.as_ref().unwrap().node_name.as_deref().unwrap()
            ));
        }
        self.0.lock().unwrap().push(word);
    }

    fn on_delete(&self, pod: &Tombstone<Bytes>) {
        self.0
            .lock()
            .unwrap()
            .push(format!("{} deleted", pod.name()));
    }
}

fn on_node(name: &str, node: &str) -> serde_json::Value {
    let mut pod = labelled("a", name, &json!({"app": name}));
    pod["spec"]["nodeName"] = json!(node);
    pod["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
    pod
}

#[tokio::test(start_paused = true)]
async fn pods_kept_as_bytes_are_decoded_by_reads_alone() {
    for (mode, options) in listings() {
        let sim = cluster([
            on_node("curious", "n1"),
            on_node("plain", "n2"),
            on_node("other", "n1"),
        ]);
        let cache = Cache::builder(client(&sim))
            .reflector(options)
            .namespaces(["a", "b"])
            .build();
        let pods = cache.informer::<PodInformer<Bytes>>().unwrap();
        let whole = cache.informer::<PodInformer>().unwrap();
        let by_node = pods.add_index(ByNode).unwrap();
        let handler = Curious::default();
        let registration = pods
            .add_handler_with(handler.clone(), HandlerOptions::default().name("curious"))
            .unwrap();
        let start = decodes();
        cache.start().unwrap();
        cache.wait_for_cache_sync(SOON).await.unwrap();
        registration.wait_for_sync(SOON).await.unwrap();
        let mut words = std::mem::take(&mut *handler.0.lock().unwrap());
        words.sort();
        assert_eq!(
            words,
            ["curious true on n1", "other true", "plain true"],
            "{mode}"
        );
        assert_eq!(decodes() - start, 1, "{mode}: the handler looked at one");

        let start = decodes();
        let lister: PodLister<Bytes> = pods.lister();
        let in_a: PodNamespaceLister<Bytes> = lister.namespace("a");
        let store: PodStore<Bytes> = pods.store();
        let indexer: PodIndexer<Bytes> = pods.indexer();
        assert_eq!(store.len(), 3);
        let selector: LabelSelector = "app in (plain,other)".parse().unwrap();
        assert_eq!(lister.matching(&selector).unwrap().count(), 2);
        assert_eq!(by_node.get("n1").unwrap().count(), 2);
        assert_eq!(by_node.get("n1").unwrap().keys().count(), 2);
        assert_eq!(lister.list().unwrap().count(), 3);
        assert_eq!(in_a.list().unwrap().count(), 3);
        assert_eq!(indexer.namespaces().unwrap()[0].1, 3);
        assert_eq!(
            decodes() - start,
            0,
            "{mode}: keys, labels, indexes and counts decode no pod"
        );
        let mut rest = lister.list().unwrap();
        let _ = rest.next();
        assert_eq!(rest.count(), 2, "{mode}: of what is left");
        let mut rest = by_node.get("n1").unwrap();
        let _ = rest.next();
        assert_eq!(rest.count(), 1, "{mode}");
        assert_eq!(decodes() - start, 2, "{mode}: those that were read");
        let start = decodes();
        let pod = in_a.get("plain").unwrap().unwrap();
        assert_eq!(pod.metadata.managed_fields, None, "{mode}");
        assert_eq!(decodes() - start, 1, "{mode}");
        assert_eq!(
            *pod,
            *whole.lister().namespace("a").get("plain").unwrap(),
            "{mode}: the same pod"
        );

        // A relist keeps the bytes of what did not change.
        let start = decodes();
        sim.compact();
        // Both informers may meet the fault, each as often as chance has it.
        let gone = Fault::gone().on(Verb::Watch).except_streaming_lists();
        let gone = sim.faults().add(gone);
        sim.disconnect();
        until("relists", || pods.health().relists >= 2).await;
        assert!(sim.faults().remove(gone));
        until("watches", || pods.health().stale_since.is_none()).await;
        assert_eq!(
            handler.0.lock().unwrap().len(),
            0,
            "{mode}: and tells nobody"
        );
        sim.create(on_node("late", "n1")).unwrap();
        sim.delete_now("pods", "a", "other").unwrap();
        until("the changes", || handler.0.lock().unwrap().len() == 2).await;
        assert_eq!(
            *handler.0.lock().unwrap(),
            ["late false", "other deleted"],
            "{mode}"
        );
        assert_eq!(
            by_node.values().unwrap(),
            [("n1".to_owned(), 2), ("n2".to_owned(), 1)],
            "{mode}"
        );
        assert_eq!(
            decodes() - start,
            0,
            "{mode}: who takes keys alone never decodes"
        );
        cache.shutdown(SOON).await.unwrap();
    }
}

#[test]
fn one_object_can_be_stored_without_a_server() {
    let buffer = RawBuffer::new(
        r#"{"metadata":{"name":"one","managedFields":[{"manager":"x"}]},"spec":{"containers":[]}}"#,
    );
    let buffer = buffer.unwrap();
    let stored = Bytes::store(&buffer.raw(), &Transform::none()).unwrap();
    assert_eq!(
        Bytes::read(&stored).unwrap().metadata.name.as_deref(),
        Some("one")
    );
}

//! What `build.rs` emitted, used as a program uses it, for whichever Kubernetes version is enabled.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, Resource};
use larder::core::v1::{
    NodeEventHandler, NodeInformer, NodeLister, Pod, PodEventHandler, PodInformer, PodLister,
    PodNamespaceLister, PodStore, node, pod,
};
use larder::{
    Filtered, Funcs, Handler, InformerError, InformerOptions, Kept, KeptLabels, Keys, ObjectKey,
    RawBuffer, RawObject, ReadError, Registration, ResourceVersion, Scope, Seen, Stopped,
    StoreError, Tombstone, Transform, Transport, TypedInformer, Uid, field,
};

/// The reviewed output of larder-codegen's tests, compiled.
#[allow(unreachable_pub, reason = "in a user's crate the module is public")]
#[allow(dead_code, reason = "what it holds is compiled; a part is used")]
mod golden {
    include!("../codegen/tests/golden/kinds.rs");
}

#[test]
fn the_reviewed_output_compiles_and_says_what_was_left_out() {
    assert_eq!(golden::core::v1::NodeInformer::KIND, NodeInformer::KIND);
    assert_eq!(golden::core::v1::pod::KIND, pod::KIND);
    assert_eq!(golden::LEFT_OUT.len(), 2);
    assert!(golden::LEFT_OUT[0].starts_with("example.com/v1/Widget: "));
}

/// With a document of Kubernetes itself there is nothing to leave out, and every kind that can be cached is there.
#[test]
fn every_kind_of_the_carried_document_is_emitted() {
    if option_env!("LARDER_OPENAPI").is_some_and(|path| !path.is_empty()) {
        // Not by a macro, whose output the test harness hides.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: LARDER_OPENAPI names another document"
        );
        return;
    }
    let code = include_str!(concat!(env!("OUT_DIR"), "/larder.rs"));
    assert_eq!(larder::LEFT_OUT, [""; 0]);
    let informers = code.matches("crate::TypedInformer\n").count()
        + code.matches("crate::TypedInformer for").count();
    assert!(informers >= 80, "{informers}");
    k8s_openapi::k8s_if_1_37! { assert_eq!(informers, 92); }
}

/// Group, version, kind, plural and scope against k8s-openapi's own constants.
fn check<I: TypedInformer>(scope: Scope)
where
    I::Object: Resource,
{
    fn of<T: Resource>() -> [&'static str; 4] {
        [T::GROUP, T::VERSION, T::KIND, T::URL_PATH_SEGMENT]
    }
    let kind = I::KIND;
    assert_eq!(
        [kind.group(), kind.version(), kind.kind(), kind.plural()],
        of::<I::Object>()
    );
    assert_eq!(kind.scope(), scope, "{kind}");
}

fn namespaced<I: TypedInformer>()
where
    I::Object: Resource<Scope = NamespaceResourceScope>,
{
    check::<I>(Scope::Namespaced);
}

fn cluster<I: TypedInformer>()
where
    I::Object: Resource<Scope = ClusterResourceScope>,
{
    check::<I>(Scope::Cluster);
}

#[test]
fn kinds_are_what_k8s_openapi_says() {
    namespaced::<PodInformer>();
    namespaced::<larder::core::v1::EndpointsInformer>();
    namespaced::<larder::core::v1::EventInformer>();
    namespaced::<larder::events::v1::EventInformer>();
    namespaced::<larder::apps::v1::DeploymentInformer>();
    namespaced::<larder::autoscaling::v1::HorizontalPodAutoscalerInformer>();
    namespaced::<larder::autoscaling::v2::HorizontalPodAutoscalerInformer>();
    namespaced::<larder::batch::v1::CronJobInformer>();
    namespaced::<larder::rbac::v1::RoleInformer>();
    namespaced::<larder::networking::v1::IngressInformer>();
    namespaced::<larder::storage::v1::CSIStorageCapacityInformer>();
    cluster::<NodeInformer>();
    cluster::<larder::core::v1::NamespaceInformer>();
    cluster::<larder::rbac::v1::ClusterRoleInformer>();
    cluster::<larder::storage::v1::CSIDriverInformer>();
    cluster::<larder::networking::v1::IPAddressInformer>();
    cluster::<larder::flowcontrol::v1::FlowSchemaInformer>();
    cluster::<larder::apiserverinternal::v1alpha1::StorageVersionInformer>();
    cluster::<larder::apiextensions::v1::CustomResourceDefinitionInformer>();
    cluster::<larder::apiregistration::v1::APIServiceInformer>();
    k8s_openapi::k8s_if_ge_1_36! { cluster::<larder::admissionregistration::v1::MutatingAdmissionPolicyInformer>(); }
}

fn raw(json: &str) -> RawBuffer {
    RawBuffer::new(json).unwrap()
}

/// `spec` of a deployment is optional in some versions and required in others; nothing emitted looks at it.
#[test]
fn whole_objects_are_decoded_with_labels_and_metadata() {
    use larder::apps::v1::{Deployment, deployment};

    let bytes = raw(
        r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"x"}},
            "spec":{"selector":{},"template":{}}}"#,
    );
    let change = Transform::new(|deployment: &mut Deployment| {
        let metadata = deployment::Full::metadata_mut(deployment).unwrap();
        metadata.namespace = Some("changed".to_owned());
        Ok(())
    });
    let stored = deployment::Full::store(&bytes.raw(), &change).unwrap();
    let read = deployment::Full::read(&stored);
    assert!(Arc::ptr_eq(&stored, &read));
    assert_eq!(read.metadata.namespace.as_deref(), Some("changed"));
    assert_eq!(
        field!(Deployment, spec.template.spec.nodeName).keys(&read),
        [""; 0]
    );
    assert_eq!(
        field!(Deployment, metadata.labels["app"]).keys(&read),
        ["x"]
    );
    let labels = deployment::Full::labels(&stored);
    assert!(matches!(&labels, Cow::Borrowed(_)));
    assert_eq!(labels["app"], "x");
    let node = raw(r#"{"metadata":{"name":"n"}}"#);
    let node = node::Full::store(&node.raw(), &Transform::none()).unwrap();
    assert!(node::Full::labels(&node).is_empty());
    let wrong = raw(r#"{"metadata":{"name":7}}"#);
    assert!(pod::Full::store(&wrong.raw(), &Transform::none()).is_err());
}

#[derive(Default)]
struct Counter {
    adds: AtomicUsize,
    deletes: AtomicUsize,
}

impl PodEventHandler for Counter {
    fn on_add(&self, pod: &Seen<pod::Full>, _initial: bool) {
        assert_eq!(pod.object().metadata.name.as_deref(), Some("p"));
        self.adds.fetch_add(1, Ordering::Relaxed);
    }

    fn on_delete(&self, _pod: &Tombstone<pod::Full>) {
        self.deletes.fetch_add(1, Ordering::Relaxed);
    }
}

/// One type may handle several kinds, whatever they are kept as.
impl<R: Kept> NodeEventHandler<R> for Counter {
    fn on_add(&self, _node: &Seen<R>, _initial: bool) {
        self.adds.fetch_add(10, Ordering::Relaxed);
    }
}

fn seen() -> Seen<pod::Full> {
    let pod = raw(r#"{"metadata":{"name":"p"}}"#);
    let stored = pod::Full::store(&pod.raw(), &Transform::none()).unwrap();
    let key = ObjectKey::namespaced("web", "p");
    Seen::new(key, Uid::new("1"), ResourceVersion::new("1"), stored)
}

/// Tells a handler of an add, an update and a delete, the way the runtime does.
fn tell(handler: impl PodEventHandler) {
    fn runtime<R: Kept>(handler: &impl Handler<R>, object: &Seen<R>) {
        handler.on_add(object, true);
        handler.on_update(object, object);
        handler.on_delete(&Tombstone::new(object.clone(), true));
    }
    runtime(&pod::Handles(handler), &seen());
}

#[test]
fn handlers_of_all_sorts_reach_the_runtime() {
    let counter = Arc::new(Counter::default());
    let counted = || {
        (
            counter.adds.load(Ordering::Relaxed),
            counter.deletes.load(Ordering::Relaxed),
        )
    };
    tell(counter.clone());
    let shared: Arc<dyn PodEventHandler> = counter.clone();
    tell(shared);
    assert_eq!(counted(), (2, 2));
    let by_closures = |counter: Arc<Counter>| {
        Funcs::<pod::Full>::new().on_add(move |pod, initial| {
            assert!(initial && pod.name() == "p");
            counter.adds.fetch_add(1, Ordering::Relaxed);
        })
    };
    tell(by_closures(counter.clone()));
    tell(Filtered::new(by_closures(counter.clone())).create(|pod| pod.name() == "q"));
    assert_eq!(counted(), (3, 2));
    let keys = counter.clone();
    tell(Keys::new(move |key: &ObjectKey| {
        assert_eq!(key.to_string(), "web/p");
        keys.deletes.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(counted(), (3, 5));
}

/// What a program keeps instead of whole pods: their bytes, decoded by a read.
#[derive(Debug)]
enum Bytes {}

impl Kept for Bytes {
    type Object = Pod;
    type Stored = Arc<[u8]>;
    type Read = Arc<[u8]>;

    fn store(raw: &RawObject<'_>, _: &Transform<Pod>) -> Result<Arc<[u8]>, StoreError> {
        raw.decode::<Pod>()?;
        Ok(raw.bytes().into())
    }

    fn read(stored: &Arc<[u8]>) -> Arc<[u8]> {
        Arc::clone(stored)
    }
}

/// Compiles: every name with the default parameter and with another `Kept`, in signatures and in calls.
#[allow(dead_code)]
async fn names_are_usable(transport: Arc<dyn Transport>) -> Result<(), Box<dyn std::error::Error>> {
    let pods: PodInformer = PodInformer::new(transport.clone(), InformerOptions::new())?;
    let bytes: PodInformer<Bytes> = PodInformer::spawn(transport.clone(), InformerOptions::new())?;
    let made: Result<NodeInformer, InformerError> =
        NodeInformer::new(transport, InformerOptions::new());
    let nodes = made?;
    let lister: PodLister = pods.lister();
    let in_web: PodNamespaceLister = lister.namespace("web");
    let store: PodStore = pods.store();
    let all: BTreeMap<Option<String>, Arc<Pod>> = lister
        .list()?
        .map(|pod| (pod.metadata.name.clone(), pod))
        .collect();
    let selector = "app=x".parse()?;
    let one: Result<Arc<Pod>, ReadError> = in_web.get("p");
    let size = bytes.lister().list()?.map(|json| json.len()).sum::<usize>();
    let nodes_lister: NodeLister = nodes.lister();
    let node = nodes_lister.get("n")?;
    let registered: Result<Registration, Stopped> = nodes.add_handler(Counter::default());
    let removed = nodes.remove_handler(&registered?);
    let by_node = pods
        .indexer()
        .add(larder::computed(|pod: &Pod| pod.metadata.name.clone()))?;
    let counts = (
        by_node.get("p")?.count(),
        pods.indexer().by_namespace("web")?.count(),
    );
    let stored = (
        store.len(),
        store.get(&ObjectKey::namespaced("web", "p")),
        nodes.store().get("n"),
    );
    let matching = (
        lister.matching(&selector)?.count(),
        in_web.matching(&selector)?.count(),
    );
    println!(
        "{all:?} {one:?} {size} {node:?} {removed} {counts:?} {stored:?} {matching:?} {pods:?} {bytes:?}"
    );
    Ok(())
}

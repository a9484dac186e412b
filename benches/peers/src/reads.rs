//! Reads of both caches, timed in turns.

use anyhow::Context as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{ObjectRef, Store};
use larder::ObjectKey;
use larder::core::v1::PodInformer;

use crate::protocol::ReadCost;
use crate::timing::compare;

/// Measures each kind of read; the readers must have synced and hold the same objects.
pub(crate) fn measure(kube: &Store<Pod>, larder: &PodInformer) -> anyhow::Result<Vec<ReadCost>> {
    let lister = larder.lister();
    let store = larder.store();
    let pods = kube.state();
    let pod = pods.get(pods.len() / 2).context("there are no pods")?;
    let namespace = pod.metadata.namespace.as_deref();
    let namespace = namespace.context("the pod has no namespace")?;
    let name = pod.metadata.name.as_deref();
    let name = name.context("the pod has no name")?;
    let key = ObjectKey::namespaced(namespace, name);
    let reference = ObjectRef::<Pod>::new(name).within(namespace);
    let here = lister.namespace(namespace).list()?.count();

    Ok(vec![
        compare(
            &format!("list of one namespace of {here}"),
            Some(20.0),
            || kube.state_filter(|pod| pod.metadata.namespace.as_deref() == Some(namespace)),
            || lister.namespace(namespace).list().map(Vec::from_iter),
        ),
        compare(
            &format!("snapshot of all {}", pods.len()),
            Some(50.0),
            || kube.state(),
            || store.snapshot(),
        ),
        compare(
            "the same, and a look at each object's node",
            None,
            || count_scheduled(kube.state()),
            || count_scheduled(store.snapshot().list()),
        ),
        compare(
            "one object by its key",
            None,
            || kube.get(&reference),
            || lister.get(&key),
        ),
    ])
}

fn count_scheduled<P: AsRef<Pod>>(pods: impl IntoIterator<Item = P>) -> usize {
    let scheduled = |pod: &P| {
        let spec = pod.as_ref().spec.as_ref();
        spec.is_some_and(|spec| spec.node_name.is_some())
    };
    pods.into_iter().filter(scheduled).count()
}

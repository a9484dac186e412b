//! What indexes take of the heap, one after the other.

use std::collections::BTreeSet;
use std::hash::Hash;

use k8s_openapi::api::core::v1::Pod;
use larder::core::v1::PodInformer;
use larder::core::v1::pod::Full;
use larder::{Index, field};
use peak_alloc::PeakAlloc;

use crate::child::settle;
use crate::protocol::IndexHeap;

/// How many there are in an index.
struct Count {
    keys: usize,
    entries: usize,
}

/// Adds an index, and says what is in it.
type Add = fn(&PodInformer) -> anyhow::Result<Count>;

const INDEXES: [(&str, Add); 10] = [
    ("spec.nodeName", |pods| {
        filled(&pods.add_index(field!(Pod, spec.nodeName))?)
    }),
    ("the same, ordered", |pods| {
        filled(&*pods.add_ordered_index(field!(Pod, spec.nodeName))?)
    }),
    ("the same and metadata.namespace", |pods| {
        let node = field!(Pod, spec.nodeName);
        filled(&pods.add_index(node.with(field!(Pod, metadata.namespace)))?)
    }),
    (r#"metadata.labels["app.kubernetes.io/name"]"#, |pods| {
        let label = field!(Pod, metadata.labels["app.kubernetes.io/name"]);
        filled(&pods.add_index(label)?)
    }),
    ("spec.containers[].image", |pods| {
        filled(&pods.add_index(field!(Pod, spec.containers[].image))?)
    }),
    ("status.phase", |pods| {
        filled(&pods.add_index(field!(Pod, status.phase))?)
    }),
    ("metadata.uid", |pods| {
        filled(&pods.add_index(field!(Pod, metadata.uid))?)
    }),
    ("the same, ordered", |pods| {
        filled(&*pods.add_ordered_index(field!(Pod, metadata.uid))?)
    }),
    ("metadata.ownerReferences[].uid", |pods| {
        filled(&pods.add_index(field!(Pod, metadata.ownerReferences[].uid))?)
    }),
    ("labels (built in)", labels),
];

/// Adds each index to an informer that has synced.
pub(crate) async fn measure(pods: &PodInformer) -> anyhow::Result<Vec<IndexHeap>> {
    let mut heaps = Vec::new();
    for (index, add) in INDEXES {
        settle().await;
        let before = PeakAlloc.current_usage();
        let count = add(pods)?;
        settle().await;
        heaps.push(IndexHeap {
            index: index.to_owned(),
            keys: count.keys,
            entries: count.entries,
            bytes: PeakAlloc.current_usage().saturating_sub(before),
        });
    }
    Ok(heaps)
}

fn filled<K>(index: &Index<Full, K>) -> anyhow::Result<Count>
where
    K: Ord + Hash + Clone + Send + Sync + 'static,
{
    let values = index.values()?;
    Ok(Count {
        keys: values.len(),
        entries: values.iter().map(|(_, objects)| objects).sum(),
    })
}

/// The index is made by its first use. It has an object under each label, and under each label with its value.
fn labels(pods: &PodInformer) -> anyhow::Result<Count> {
    drop(pods.indexer().by_labels(&"app".parse()?)?);
    let (mut keys, mut entries) = (BTreeSet::new(), 0);
    for pod in pods.lister().list()? {
        for (name, value) in pod.metadata.labels.iter().flatten() {
            keys.insert((name.clone(), None));
            keys.insert((name.clone(), Some(value.clone())));
            entries += 2;
        }
    }
    let keys = keys.len();
    Ok(Count { keys, entries })
}

//! What indexes take of the heap, one after the other.

use k8s_openapi::api::core::v1::Pod;
use larder::core::v1::PodInformer;
use larder::core::v1::pod::Full;
use larder::{Index, field};
use peak_alloc::PeakAlloc;

use crate::child::settle;
use crate::protocol::IndexHeap;

/// Adds an index, and says how many keys it has, and how many pairs of key and object.
type Add = fn(&PodInformer) -> anyhow::Result<(usize, usize)>;

const INDEXES: [(&str, Add); 6] = [
    ("spec.nodeName", |pods| {
        filled(&pods.add_index(field!(Pod, spec.nodeName))?)
    }),
    (r#"metadata.labels["app.kubernetes.io/name"]"#, |pods| {
        let label = field!(Pod, metadata.labels["app.kubernetes.io/name"]);
        filled(&pods.add_index(label)?)
    }),
    ("metadata.ownerReferences[].uid", |pods| {
        filled(&pods.add_index(field!(Pod, metadata.ownerReferences[].uid))?)
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
];

/// Adds each index to an informer that has synced.
pub(crate) async fn measure(pods: &PodInformer) -> anyhow::Result<Vec<IndexHeap>> {
    let mut heaps = Vec::new();
    for (index, add) in INDEXES {
        settle().await;
        let before = PeakAlloc.current_usage();
        let (keys, entries) = add(pods)?;
        settle().await;
        heaps.push(IndexHeap {
            index: index.to_owned(),
            keys,
            entries,
            bytes: PeakAlloc.current_usage().saturating_sub(before),
        });
    }
    Ok(heaps)
}

fn filled<K>(index: &Index<Full, K>) -> anyhow::Result<(usize, usize)>
where
    K: Ord + std::hash::Hash + Clone + Send + Sync + 'static,
{
    let values = index.values()?;
    let entries = values.iter().map(|(_, objects)| objects).sum();
    Ok((values.len(), entries))
}

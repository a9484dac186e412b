//! Objects found by an index, beside a filter over all objects.

use std::collections::BTreeMap;
use std::fmt::Debug;

use anyhow::{Context as _, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::core::{Expression, Selector};
use kube::runtime::reflector::Store;
use larder::core::v1::PodInformer;
use larder::{LabelSelector, field};

use crate::protocol::ReadCost;
use crate::timing::compare;

/// The most objects that the lookup with a target may find.
const MOST: usize = 100;
/// How many times faster than the filter it must be.
const TARGET: f64 = 200.0;
/// The label of which a set's pods have one value.
const APP: &str = "app.kubernetes.io/name";
/// A label that half of the pods have with the same value.
const TIER: &str = "tier";

/// Measures each kind of lookup. Everything that is found is looked at, on both sides.
pub(crate) fn measure(kube: &Store<Pod>, larder: &PodInformer) -> anyhow::Result<Vec<ReadCost>> {
    let by_node = larder.add_index(field!(Pod, spec.nodeName))?;
    let by_ip = larder.add_index(field!(Pod, status.podIP))?;
    let by_app = larder.add_index(field!(Pod, metadata.labels["app.kubernetes.io/name"]))?;
    let namespace_of = field!(Pod, metadata.namespace);
    let by_both = larder.add_index(namespace_of.with(field!(Pod, metadata.labels["tier"])))?;
    let by_name = larder.add_ordered_index(field!(Pod, metadata.name))?;
    let (lister, indexer) = (larder.lister(), larder.indexer());
    let nodes = by_node.values()?.into_iter();
    let full = nodes
        .filter(|(_, pods)| *pods <= MOST)
        .max_by_key(|(_, pods)| *pods);
    let (node, pods) = full.context("every node has too many pods")?;
    let found = by_node.get(&node)?.next().context("the node is empty")?;
    let ip = pod_ip(&found).context("the pod has no address")?;
    let app = label(&found, APP).context("the pod has no label")?;
    let selector: LabelSelector = format!("{APP}={app}").parse()?;
    let kube_selector: Selector = Expression::Equal(APP.to_owned(), app.to_owned()).into();
    let of_app = by_app.get(app)?.count();
    let here = namespace(&found).context("the pod has no namespace")?;
    let tier = label(&found, TIER).context("the pod has no tier")?;
    let of_both = by_both.get_pair(here, tier)?.count();
    let of_tier: LabelSelector = format!("{TIER}={tier}").parse()?;
    let query = field!(Pod, spec.nodeName).eq(&*node).and(of_tier);
    let of_query = lister.select(&query)?.count();
    let of_prefix = by_name.prefix(app)?.count();

    Ok(vec![
        compare_equal(
            &format!("the {pods} pods of a node: `state_filter`"),
            Some(TARGET),
            || look(kube.state_filter(|pod| node_name(pod) == Some(&node))),
            || Ok(look(by_node.get(&node)?)),
        )?,
        compare_equal(
            "the same: `state().into_iter().filter`",
            Some(TARGET),
            || {
                let pods = kube.state().into_iter();
                look(pods.filter(|pod| node_name(pod) == Some(&node)))
            },
            || Ok(look(by_node.get(&node)?)),
        )?,
        compare_equal(
            "the pod of an address: `find`",
            None,
            || look(kube.find(|pod| pod_ip(pod) == Some(ip))),
            || Ok(look(by_ip.get(ip)?.next())),
        )?,
        compare_equal(
            &format!("the {of_both} pods of a namespace and a tier: `state_filter`, index of both"),
            Some(TARGET),
            || {
                look(kube.state_filter(|pod| {
                    namespace(pod) == Some(here) && label(pod, TIER) == Some(tier)
                }))
            },
            || Ok(look(by_both.get_pair(here, tier)?)),
        )?,
        compare_equal(
            &format!("the {of_prefix} pods whose names begin alike: `state_filter`, ordered index"),
            Some(TARGET),
            || {
                look(kube.state_filter(|pod| {
                    pod.metadata
                        .name
                        .as_deref()
                        .is_some_and(|name| name.starts_with(app))
                }))
            },
            || Ok(look(by_name.prefix(app)?)),
        )?,
        compare_equal(
            &format!("the {of_app} pods of a label's value: `state_filter`, index of the label"),
            Some(TARGET),
            || look(kube.state_filter(|pod| label(pod, APP) == Some(app))),
            || Ok(look(by_app.get(app)?)),
        )?,
        compare_equal(
            "the same by label selector: `state_filter_selector`, `matching` without an index",
            None,
            || look(kube.state_filter_selector(&kube_selector)),
            || Ok(look(lister.matching(&selector)?)),
        )?,
        compare_equal(
            "the same: `state_filter_selector`, `by_labels`",
            Some(TARGET),
            || look(kube.state_filter_selector(&kube_selector)),
            || Ok(look(indexer.by_labels(&selector)?)),
        )?,
        compare_equal(
            &format!(
                "the {of_query} pods of a node and a tier: `state_filter`, `select` by index of the node"
            ),
            Some(TARGET),
            || {
                look(kube.state_filter(|pod| {
                    node_name(pod) == Some(&node) && label(pod, TIER) == Some(tier)
                }))
            },
            || Ok(look(lister.select(&query)?)),
        )?,
        compare_equal(
            "how many pods each node has: `state` and a map, `values`",
            None,
            || {
                let mut nodes = BTreeMap::<String, usize>::new();
                for pod in kube.state() {
                    if let Some(node) = node_name(&pod) {
                        *nodes.entry(node.to_owned()).or_default() += 1;
                    }
                }
                Vec::from_iter(nodes)
            },
            || Ok(by_node.values()?),
        )?,
    ])
}

/// Times both, once they were seen to find the same.
fn compare_equal<T: PartialEq + Debug>(
    lookup: &str,
    target: Option<f64>,
    kube: impl Fn() -> T,
    larder: impl Fn() -> anyhow::Result<T>,
) -> anyhow::Result<ReadCost> {
    ensure!(kube() == larder()?, "{lookup}: the peers differ");
    Ok(compare(lookup, target, kube, larder))
}

/// How many there are and how long their names are together: whoever looks objects up reads them.
fn look<P: AsRef<Pod>>(pods: impl IntoIterator<Item = P>) -> (usize, usize) {
    let lengths = pods.into_iter().map(|pod| {
        let name = pod.as_ref().metadata.name.as_deref();
        name.map_or(0, str::len)
    });
    lengths.fold((0, 0), |(count, sum), length| (count + 1, sum + length))
}

fn node_name(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref()
}

fn namespace(pod: &Pod) -> Option<&str> {
    pod.metadata.namespace.as_deref()
}

fn pod_ip(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.pod_ip.as_deref()
}

fn label<'a>(pod: &'a Pod, name: &str) -> Option<&'a str> {
    let labels = pod.metadata.labels.as_ref()?;
    labels.get(name).map(String::as_str)
}

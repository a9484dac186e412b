//! The indexes of one informer, and what must hold of them at any moment.

use std::collections::BTreeMap;

use larder::core::v1::{Pod, PodInformer, pod};
use larder::{Index, LabelSelector, OrderedIndex, Snapshot, computed, field};

use crate::cluster::{COLORS, NAMESPACES};

type Place = (String, String);

/// Up to three of each, added while all goes on.
#[derive(Default)]
pub(crate) struct Indexes {
    by_color: Vec<Index<pod::Full, String>>,
    by_place: Vec<OrderedIndex<pod::Full, Place>>,
    /// Of a moment before the newest index.
    before: Option<Snapshot<pod::Full>>,
}

fn color(pod: &Pod) -> Option<&String> {
    pod.metadata.labels.as_ref()?.get("color")
}

fn place(pod: &Pod) -> Option<Place> {
    Some((pod.metadata.namespace.clone()?, color(pod)?.clone()))
}

/// The keys of these pods, each once.
fn keys(list: impl Iterator<Item = std::sync::Arc<Pod>>) -> BTreeMap<String, Option<Place>> {
    let mut keys = BTreeMap::new();
    for pod in list {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let key = format!(
            "{}/{}",
            name(&pod.metadata.namespace),
            name(&pod.metadata.name)
        );
        let before = keys.insert(key, place(&pod));
        assert!(before.is_none(), "an index has an object twice");
    }
    keys
}

impl Indexes {
    pub(crate) fn add(&mut self, pods: &PodInformer, ordered: bool) {
        if self.by_color.len().max(self.by_place.len()) == 3 {
            return;
        }
        self.before = Some(pods.store().snapshot());
        if ordered {
            let by_place =
                field!(Pod, metadata.namespace).with(field!(Pod, metadata.labels["color"]));
            self.by_place
                .push(pods.add_ordered_index(by_place).unwrap());
        } else {
            let by_color = computed(|pod: &Pod| color(pod).cloned());
            self.by_color.push(pods.add_index(by_color).unwrap());
        }
    }

    /// At this moment, and at one before an index was there, each says what a look at all objects does.
    pub(crate) fn look(&self, now: &Snapshot<pod::Full>) {
        for snapshot in [Some(now), self.before.as_ref()].into_iter().flatten() {
            self.look_at(snapshot);
        }
    }

    fn look_at(&self, snapshot: &Snapshot<pod::Full>) {
        let all = || snapshot.list();
        for index in &self.by_color {
            let index = snapshot.by(index).unwrap();
            for wanted in COLORS {
                let found = all().filter(|pod| color(pod).is_some_and(|color| color == wanted));
                assert_eq!(keys(index.get(wanted)), keys(found), "{wanted}");
            }
            let counted = index.values().into_iter();
            assert!(
                counted.clone().all(|(_, count)| count > 0),
                "an empty value stays"
            );
            let counted: usize = counted.map(|(_, count)| count).sum();
            assert_eq!(counted, all().filter(|pod| color(pod).is_some()).count());
        }
        for index in &self.by_place {
            let index = snapshot.by(index).unwrap();
            for wanted in NAMESPACES {
                let found = all().filter(|pod| place(pod).is_some_and(|place| place.0 == wanted));
                assert_eq!(keys(index.by_first(wanted)), keys(found), "{wanted}");
                let colors: Vec<_> = index
                    .by_first(wanted)
                    .map(|pod| color(&pod).cloned())
                    .collect();
                assert!(colors.is_sorted(), "{colors:?}");
                let pair =
                    all().filter(|pod| place(pod) == Some((wanted.into(), COLORS[0].into())));
                assert_eq!(keys(index.get_pair(wanted, COLORS[0])), keys(pair));
            }
            let placed = all().filter(|pod| place(pod).is_some());
            assert_eq!(keys(index.range(..)), keys(placed));
        }
    }

    /// Once reads are answered: what is built in, too.
    pub(crate) fn check(&self, pods: &PodInformer) {
        self.look(&pods.store().snapshot());
        for color in COLORS {
            let selector: LabelSelector = format!("color={color}").parse().unwrap();
            let scanned = pods.lister().list().unwrap();
            let scanned =
                scanned.filter(|pod| self::color(pod).is_some_and(|other| other == color));
            let indexed = pods.indexer().by_labels(&selector).unwrap();
            assert_eq!(keys(indexed), keys(scanned), "{color}");
        }
    }
}

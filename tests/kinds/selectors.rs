//! Selection on the server, through every representation.

use larder::{Cache, InformerOptions};
use serde_json::json;

use crate::representation::{Pods, keys, modes, on_each};
use crate::support::{SOON, client, cluster, labelled};

on_each! {
    c034_c036_selectors_as_default_and_of_the_informer,
}

/// Label selector, field selector, what they select.
type Row = (
    Option<&'static str>,
    Option<&'static str>,
    &'static [&'static str],
);

const ROWS: [Row; 9] = [
    (None, None, &["a/big", "a/small", "b/blue", "c/big"]),
    (Some("color=red"), None, &["a/big", "a/small", "c/big"]),
    (Some("color=red,size=big"), None, &["a/big", "c/big"]),
    (None, Some("spec.nodeName=n1"), &["a/big", "b/blue"]),
    (
        None,
        Some("spec.nodeName=n1,metadata.name=blue"),
        &["b/blue"],
    ),
    (Some("color=red"), Some("spec.nodeName=n1"), &["a/big"]),
    (
        Some("color in (blue,green)"),
        Some("metadata.name!=x"),
        &["b/blue"],
    ),
    (Some("color=green"), None, &[]),
    (None, Some("metadata.name=none"), &[]),
];

async fn c034_c036_selectors_as_default_and_of_the_informer<R: Pods>() {
    for (labels, fields, expected) in ROWS {
        for mode in modes() {
            let text = format!("{labels:?} {fields:?}, {}", mode.name);
            let pod = |namespace, name, labels, node: &str| {
                let mut pod = labelled(namespace, name, &labels);
                pod["spec"]["nodeName"] = json!(node);
                pod
            };
            let red_big = json!({"color": "red", "size": "big"});
            let sim = cluster([
                pod("a", "big", red_big.clone(), "n1"),
                pod("a", "small", json!({"color": "red"}), "n2"),
                pod("b", "blue", json!({"color": "blue"}), "n1"),
                pod("c", "big", red_big, "n3"),
            ]);
            let expected = mode.within(expected.iter().copied());

            let mut builder = mode.builder(&sim);
            let mut own = InformerOptions::new();
            if let Some(labels) = labels {
                builder = builder.label_selector(labels);
            }
            if let Some(fields) = fields {
                builder = builder.field_selector(fields);
            }
            // What the informer says beats a default under which there would be nothing; "" is everything.
            own = own.label_selector(labels.unwrap_or_default());
            own = own.field_selector(fields.unwrap_or_default());
            let by_default = builder.build();
            let other = mode
                .builder(&sim)
                .label_selector("color=none")
                .field_selector("metadata.name=none")
                .build();
            for (cache, pods) in [
                (&by_default, R::of(&by_default)),
                (&other, R::with(&other, own)),
            ] {
                cache.start().unwrap();
                cache.wait_for_cache_sync(SOON).await.unwrap();
                assert_eq!(keys::<R>(pods.lister().list().unwrap()), expected, "{text}");
                cache.shutdown(SOON).await.unwrap();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c042_one_kind_selected_twice_in_one_representation() {
    let sim = cluster(["red", "blue"].map(|color| labelled("a", color, &json!({"color": color}))));
    let cache = Cache::builder(client(&sim)).build();
    let kind = larder::core::v1::PodInformer::KIND;
    let select = |color: &str| {
        InformerOptions::new()
            .name(color)
            .label_selector(format!("color={color}"))
    };
    let pods = cache.dynamic(kind);
    let (red, blue) = (select("red"), select("blue"));
    let (red, blue) = (
        pods.informer_with(red).unwrap(),
        pods.informer_with(blue).unwrap(),
    );
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(
        keys::<larder::Dynamic>(red.lister().list().unwrap()),
        ["a/red"]
    );
    assert_eq!(
        keys::<larder::Dynamic>(blue.lister().list().unwrap()),
        ["a/blue"]
    );
    let named = pods.informer_named("red").unwrap();
    assert_eq!((named.name(), named.store().len()), ("red", 1));
}
